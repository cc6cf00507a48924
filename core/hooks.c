// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks: hear of everything that comes and goes.
 *
 * Forks and exits are tracepoints.  For mappings, the moment of an exec and text
 * that the kernel makes at run time there is none that a module may use, so these
 * are kprobes on the functions that tell perf of them.  Attribution does not
 * depend on any of this: where a hook can't be placed, its notifications are
 * missing and nothing else, and stats/hooks says so.
 *
 * Placed while sampling is enabled, and only then.  A hook counts, and if
 * somebody reads the stream it writes an entry into its CPU's ring, among the
 * samples, so that the order of things is kept.  It allocates nothing and
 * sleeps never; a ring that is full loses the entry, which is counted.
 *
 * Modules have a notifier, see modules.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/kprobes.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

#include "core/compat.h"
#include "core/cpu_buffer.h"
#include "core/internal.h"

static u64 op_task_ids(const struct task_struct *task)
{
	return (u64)(u32)task->tgid << 32 | (u32)task->pid;
}

/*
 * Count, and write the entry if it is wanted: by the stream's readers, or for the
 * names of samples.  Any context but NMI.  @file: a reference to it is taken for
 * the entry; may be %NULL.
 */
static void op_notify(enum op_stat stat, u8 type, u64 value, const u64 *data,
		      unsigned int n, struct file *file)
{
	struct op_cpu_buffer *b;
	unsigned long flags;
	unsigned int i;

	local_irq_save(flags);
	b = op_cpu_buffer_this(false);
	b->stats[stat]++;
	if (type >= OP_ENTRY_KSYM || op_event_readers()) {
		if (op_cpu_buffer_reserve(b, 1 + n / 2)) {
			if (file)
				get_file(file);
			op_cpu_buffer_push(b, 0, OP_ENTRY_HEAD(type, n / 2),
					   value);
			for (i = 0; i < n / 2; i++)
				op_cpu_buffer_push(b, 1 + i, data[2 * i],
						   data[2 * i + 1]);
			op_cpu_buffer_commit(b, 1 + n / 2);
		} else {
			b->stats[OP_STAT_NOTIFICATIONS_LOST]++;
		}
		if (unlikely(op_cpu_buffer_half_full(b)))
			op_sync_watermark(b);
		/* A CPU that is going is not synced any more, but runs. */
		op_sync_late();
	}
	local_irq_restore(flags);
}

/* ------------------------------------------------------------------ */
/* Tasks                                                              */

static void op_hear_fork(void *unused, struct task_struct *parent,
			 struct task_struct *child)
{
	const u64 data[] = { ktime_get_boot_fast_ns(), op_task_ids(parent) };

	op_notify(OP_STAT_FORKS, OP_ENTRY_FORK, op_task_ids(child), data,
		  ARRAY_SIZE(data), NULL);
}

/*
 * perf_event_exec(): the old mappings have gone, the new ones are not there
 * yet.  The tracepoint sched_process_exec comes after them.  The task is the
 * only one of its process and of its mm.
 */
static int op_hear_exec(struct kprobe *probe, struct pt_regs *regs)
{
	struct mm_struct *mm = current->mm;
	struct file *file;

	rcu_read_lock();
	file = mm ? rcu_dereference(mm->exe_file) : NULL;
	op_notify(OP_STAT_EXECS, OP_ENTRY_EXEC, op_task_ids(current),
		  (const u64[]){ ktime_get_boot_fast_ns(),
				 (unsigned long)file },
		  2, file);
	rcu_read_unlock();
	return 0;
}

static void op_hear_exit(OP_EXIT_PROBE_ARGS)
{
	/* The low bit of the code's upper half: is it the last? */
	const u64 data[] = {
		ktime_get_boot_fast_ns(),
		(u32)task->exit_code | (u64)!atomic_read(&task->signal->live)
					       << 32,
	};

	op_notify(OP_STAT_EXITS, OP_ENTRY_EXIT, op_task_ids(task), data,
		  ARRAY_SIZE(data), NULL);
}

/* ------------------------------------------------------------------ */
/* Mappings                                                           */

/**
 * op_map_flags - what a stream's MAP record says of a mapping
 * @vma: the mapping
 *
 * Context: any, @vma is stable.
 */
u32 op_map_flags(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & VM_WRITE ? OP_STREAM_F_WRITE : 0) |
	       (vma->vm_flags & VM_SHARED ? OP_STREAM_F_SHARED : 0);
}

/*
 * perf_event_mmap(vma): a mapping is new or has other rights.  mmap_lock is
 * held for writing.  A debugger may let another process's stack grow.
 */
static int op_hear_map(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);
	struct file *file;

	if (!(vma->vm_flags & VM_EXEC) || vma->vm_mm != current->mm)
		return 0;
	file = op_map_file(vma);
	op_notify(OP_STAT_MAPS, OP_ENTRY_MAP, op_task_ids(current),
		  (const u64[]){
			  ktime_get_boot_fast_ns(),
			  (unsigned long)file,
			  vma->vm_start,
			  vma->vm_end - vma->vm_start,
			  (u64)vma->vm_pgoff << PAGE_SHIFT,
			  op_map_flags(vma) | (u64)op_fileless_kind(vma) << 32,
		  },
		  6, file);
	return 0;
}

/*
 * Is the mapping being taken away?  The hook is also passed where a mapping is
 * split, merged or emptied, where a file is truncated, by whoever does that, and
 * when a process ends, which EXIT and EXEC say.  Where munmap(2) takes a mapping
 * away, nothing is in its place in the tree by then.
 */
static bool op_is_unmapped(struct vm_area_struct *vma)
{
	struct mm_struct *mm = vma->vm_mm;
	bool gone;

	MA_STATE(mas, &mm->mm_mt, vma->vm_start, vma->vm_start);

	if (mm != current->mm || !atomic_read(&mm->mm_users))
		return false;
	rcu_read_lock();
	gone = !mas_walk(&mas);
	rcu_read_unlock();
	return gone;
}

/*
 * uprobe_munmap(vma, start, end): a part of a file's mapping may be going.
 * mmap_lock is held, or that of the file's mappings.
 */
static int op_hear_unmap(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);
	unsigned long start = regs_get_kernel_argument(regs, 1);
	unsigned long end = regs_get_kernel_argument(regs, 2);

	if (!(vma->vm_flags & VM_EXEC) || !op_is_unmapped(vma))
		return 0;
	op_notify(OP_STAT_UNMAPS, OP_ENTRY_UNMAP, op_task_ids(current),
		  (const u64[]){ ktime_get_boot_fast_ns(), 0, start,
				 end - start },
		  4, NULL);
	return 0;
}

/* ------------------------------------------------------------------ */
/* Text that the kernel makes                                         */

struct op_ksym_data {
	u64 time;
	u64 len;
	char name[KSYM_NAME_LEN];
};

/* perf_event_ksymbol(type, addr, len, unregister, name) */
static int op_hear_ksym(struct kprobe *probe, struct pt_regs *regs)
{
	u64 start = regs_get_kernel_argument(regs, 1);
	bool gone = (u8)regs_get_kernel_argument(regs, 3);
	const char *name = (void *)regs_get_kernel_argument(regs, 4);
	struct op_ksym_data data = {
		.time = ktime_get_boot_fast_ns(),
		.len = (u32)regs_get_kernel_argument(regs, 2),
	};
	size_t size = offsetof(struct op_ksym_data, name);

	size += strscpy(data.name, name, sizeof(data.name)) < 0 ?
			sizeof(data.name) :
			strlen(data.name) + 1;
	op_notify(gone ? OP_STAT_KSYMS_GONE : OP_STAT_KSYMS,
		  gone ? OP_ENTRY_KSYM_GONE : OP_ENTRY_KSYM, start,
		  (const u64 *)&data, round_up(size, 16) / sizeof(u64), NULL);
	return 0;
}

/*
 * Without an event that wants to know of it the kernel does not even tell of
 * BPF programs.
 */
static struct perf_event *op_ksym_event;

static int op_ksym_event_start(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
		.ksymbol = 1,
	};
	struct perf_event *event = ERR_PTR(-ENODEV);
	unsigned int cpu;

	/*
	 * On any CPU; should that one go, the event is wanted all the same.  Not
	 * under the lock of CPU hotplug, which making an event may take.
	 */
	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL,
							 NULL);
		if (PTR_ERR_OR_ZERO(event) != -ENODEV)
			break;
	}
	if (IS_ERR(event))
		return PTR_ERR(event);
	op_ksym_event = event;
	return 0;
}

static void op_ksym_event_stop(void)
{
	if (op_ksym_event)
		perf_event_release_kernel(op_ksym_event);
	op_ksym_event = NULL;
}

/* ------------------------------------------------------------------ */
/* Placing them                                                       */

/**
 * struct op_hook - one place where the kernel is listened to
 * @what: what is heard there
 * @where: a tracepoint's name, or a function's
 * @probe: the tracepoint's probe, or %NULL
 * @point: the tracepoint, once it was found
 * @kprobe: the function's probe
 * @error: why it is not placed; 0 if it is
 * @placed: it is
 */
struct op_hook {
	const char *what;
	const char *where;
	void *probe;
	struct tracepoint *point;
	struct kprobe kprobe;
	int error;
	bool placed;
};

static struct op_hook op_hooks[] = {
	{
		.what = "fork",
		.where = "sched_process_fork",
		.probe = op_hear_fork,
	},
	{
		.what = "exec",
		.where = "perf_event_exec",
		.kprobe.pre_handler = op_hear_exec,
	},
	{
		.what = "exit",
		.where = "sched_process_exit",
		.probe = op_hear_exit,
	},
	{
		.what = "map",
		.where = "perf_event_mmap",
		.kprobe.pre_handler = op_hear_map,
	},
	{
		.what = "unmap",
		.where = "uprobe_munmap",
		.kprobe.pre_handler = op_hear_unmap,
	},
	{
		.what = "ksym",
		.where = "perf_event_ksymbol",
		.kprobe.pre_handler = op_hear_ksym,
	},
};

/* Which ones are placed; taken inside op_control_mutex. */
static DEFINE_MUTEX(op_hooks_mutex);

static void op_hook_find(struct tracepoint *point, void *unused)
{
	struct op_hook *hook;

	for (hook = op_hooks; hook < op_hooks + ARRAY_SIZE(op_hooks); hook++) {
		if (hook->probe && !strcmp(hook->where, point->name))
			hook->point = point;
	}
}

static int op_hook_place(struct op_hook *hook)
{
	if (hook->probe)
		return hook->point ?
			       tracepoint_probe_register(hook->point,
							 hook->probe, NULL) :
			       -ENOENT;
	hook->kprobe = (struct kprobe){
		.symbol_name = hook->where,
		.pre_handler = hook->kprobe.pre_handler,
	};
	return register_kprobe(&hook->kprobe);
}

/**
 * op_hooks_start - place the hooks
 *
 * What can't be placed is said in stats/hooks and once in the log.
 *
 * Context: process, may sleep; op_control_mutex held.
 */
void op_hooks_start(void)
{
	struct op_hook *hook;
	int error;

	mutex_lock(&op_hooks_mutex);
	for_each_kernel_tracepoint(op_hook_find, NULL);
	for (hook = op_hooks; hook < op_hooks + ARRAY_SIZE(op_hooks); hook++) {
		error = op_hook_place(hook);
		if (error)
			pr_info("no hook at %s (%pe), see stats/hooks: some notifications will be missing\n",
				hook->where, ERR_PTR(error));
		hook->error = error;
		hook->placed = !error;
	}
	/* If this fails, BPF programs are not heard of. */
	error = op_ksym_event_start();
	if (error && op_hooks[ARRAY_SIZE(op_hooks) - 1].placed)
		op_hooks[ARRAY_SIZE(op_hooks) - 1].error = error;
	mutex_unlock(&op_hooks_mutex);
}

/**
 * op_hooks_stop - take them away
 *
 * When this returns, no hook is running.
 *
 * Context: process, may sleep; op_control_mutex held.
 */
void op_hooks_stop(void)
{
	struct op_hook *hook;

	mutex_lock(&op_hooks_mutex);
	op_ksym_event_stop();
	for (hook = op_hooks; hook < op_hooks + ARRAY_SIZE(op_hooks); hook++) {
		if (!hook->placed)
			continue;
		if (hook->probe)
			tracepoint_probe_unregister(hook->point, hook->probe,
						    NULL);
		else
			unregister_kprobe(&hook->kprobe);
		hook->placed = false;
	}
	tracepoint_synchronize_unregister();
	mutex_unlock(&op_hooks_mutex);
}

/**
 * op_hook_describe - go through the hooks
 * @n: which, from 0
 * @desc: filled in
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOENT past the last.
 */
int op_hook_describe(unsigned int n, struct op_hook_desc *desc)
{
	const struct op_hook *hook = &op_hooks[n];

	if (n >= ARRAY_SIZE(op_hooks))
		return -ENOENT;
	mutex_lock(&op_hooks_mutex);
	*desc = (struct op_hook_desc){
		.what = hook->what,
		.where = hook->where,
		.tracepoint = hook->probe,
		.placed = hook->placed,
		.error = hook->error,
		.missed = hook->kprobe.nmissed,
	};
	mutex_unlock(&op_hooks_mutex);
	return 0;
}
