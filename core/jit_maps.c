// SPDX-License-Identifier: GPL-2.0-only
/*
 * JIT maps: ranges of code that somebody has named.
 *
 * A range is of the kernel, or of one process's memory that no file in a file
 * system backs.  It counts from the moment that its write returns and not one
 * sample earlier; where ranges overlap, the latest that is still there wins.
 * Here is what is there: address spaces, their ranges, and who they belong to.
 * Which of them has an address is jit_segments.c's to know.
 *
 * Process context, op_jit_mutex.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "core/internal.h"
#include "core/jit.h"

/*
 * Guards all of this and the segments.  Outside op_image_mutex; never held
 * together with op_sync_mutex.
 */
static DEFINE_MUTEX(op_jit_mutex);
static LIST_HEAD(op_jit_spaces);
static DEFINE_XARRAY(op_jit_ranges);
static unsigned long op_jit_last_seq;
static u64 op_jit_last_space;

/*
 * Names that have gone: the images of those without samples are forgotten a
 * moment later, in one go.
 */

static void op_jit_forget_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(op_jit_forget_dwork, op_jit_forget_work);

/* Are there any?  Under op_jit_mutex. */
static bool op_jit_unused;

static void op_jit_image_unused(struct op_image *image)
{
	op_image_unused(image);
	op_jit_unused = true;
	schedule_delayed_work(&op_jit_forget_dwork, HZ);
}

/* Returns true if there were any. */
static bool op_jit_forget(void)
{
	bool unused, more;

	mutex_lock(&op_jit_mutex);
	unused = op_jit_unused;
	op_jit_unused = false;
	mutex_unlock(&op_jit_mutex);
	if (!unused)
		return false;

	/* The segments' callbacks put images. */
	rcu_barrier();
	mutex_lock(&op_sync_mutex);
	more = op_event_forget_images();
	mutex_unlock(&op_sync_mutex);

	if (more) {
		mutex_lock(&op_jit_mutex);
		op_jit_unused = true;
		mutex_unlock(&op_jit_mutex);
		schedule_delayed_work(&op_jit_forget_dwork, HZ);
	}
	return true;
}

static void op_jit_forget_work(struct work_struct *work)
{
	op_jit_forget();
}

/* What a range is charged: with the segments that it may need, now or later. */
static size_t op_range_bytes(const char *name)
{
	return sizeof(struct op_jit_range) + strlen(name) + 1 +
	       op_segments_of_range;
}

static void op_range_free(struct op_jit_range *r)
{
	xa_erase(&op_jit_ranges, r->seq);
	if (r->image->jit_range == r) {
		r->image->jit_range = NULL;
		op_jit_image_unused(r->image);
	} else {
		op_image_put(r->image);
	}
	op_memory_uncharge(op_range_bytes(r->name));
	op_stat_add(OP_STAT_JIT_MAPS, -1);
	kfree(r);
}

/* The space of a process is gone, and with it all that was said of it. */
static void op_space_drop(struct op_jit_space *space)
{
	struct interval_tree_node *node;

	op_segments_drop(space);
	while ((node = interval_tree_iter_first(&space->ranges, 0, U64_MAX))) {
		interval_tree_remove(node, &space->ranges);
		op_range_free(container_of(node, struct op_jit_range, node));
		cond_resched();
	}
	list_del(&space->list);
	if (space->mm)
		mmdrop(space->mm);
	kfree(space);
}

static bool op_space_is_dead(const struct op_jit_space *space)
{
	return space->mm && !atomic_read(&space->mm->mm_users);
}

static void op_jit_prune_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(op_jit_prune_dwork, op_jit_prune_work);

/* Drop the spaces of processes that are gone; comes again while there are any. */
static void op_jit_prune_work(struct work_struct *work)
{
	struct op_jit_space *space, *next;
	bool more = false;

	mutex_lock(&op_jit_mutex);
	list_for_each_entry_safe(space, next, &op_jit_spaces, list) {
		if (op_space_is_dead(space))
			op_space_drop(space);
		else if (space->mm)
			more = true;
	}
	if (more)
		schedule_delayed_work(&op_jit_prune_dwork, HZ);
	mutex_unlock(&op_jit_mutex);
}

/**
 * op_process_mm - a process's memory
 * @process: any task of it; its main thread may have gone before the others
 *
 * Context: process.
 * Return: the mm, to be put by mmput(), or %NULL if all tasks have let go.
 */
struct mm_struct *op_process_mm(struct task_struct *process)
{
	struct mm_struct *mm = NULL;
	struct task_struct *task;

	rcu_read_lock();
	for_each_thread(process, task) {
		mm = get_task_mm(task);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/* A process's mm, grabbed; %NULL if there is none.  @global: its outside pid */
static struct mm_struct *op_mm_of_pid(pid_t nr, pid_t *global)
{
	struct mm_struct *mm = NULL;
	struct task_struct *task;
	struct pid *pid;

	pid = find_get_pid(nr);
	if (!pid)
		return NULL;
	task = get_pid_task(pid, PIDTYPE_TGID);
	if (task) {
		*global = pid_nr(pid);
		mm = op_process_mm(task);
		put_task_struct(task);
	}
	put_pid(pid);
	if (mm) {
		mmgrab(mm);
		mmput(mm);
	}
	return mm;
}

/* The space of @pid, made if it isn't there and @make says so. */
static struct op_jit_space *op_space_get(pid_t pid, bool make)
{
	struct op_jit_space *space;
	struct mm_struct *mm = NULL;
	pid_t global = 0;

	if (pid) {
		mm = op_mm_of_pid(pid, &global);
		if (!mm)
			return ERR_PTR(-ESRCH);
	}
	list_for_each_entry(space, &op_jit_spaces, list) {
		if (space->mm == mm)
			goto out;
	}
	if (!make) {
		space = ERR_PTR(-ENOENT);
		goto out;
	}
	space = kzalloc(sizeof(*space), GFP_KERNEL_ACCOUNT);
	if (!space) {
		space = ERR_PTR(-ENOMEM);
		goto out;
	}
	space->id = ++op_jit_last_space;
	space->mm = mm;
	space->pid = global;
	space->ranges = RB_ROOT_CACHED;
	list_add(&space->list, &op_jit_spaces);
	if (mm)
		schedule_delayed_work(&op_jit_prune_dwork, HZ);
	return space;

out:
	if (mm)
		mmdrop(mm);
	return space;
}

static struct op_image *op_jit_image(const struct op_jit_space *space,
				     const char *name)
{
	char full[OP_JIT_NAME_MAX + sizeof("jit:")];

	snprintf(full, sizeof(full), "jit:%s", name);
	return op_image_of_name(OP_IMAGE_JIT, full, space->mm ? space->id : 0,
				0);
}

static struct op_image *op_jit_image_find(const struct op_jit_space *space,
					  const char *name)
{
	char full[OP_JIT_NAME_MAX + sizeof("jit:")];

	snprintf(full, sizeof(full), "jit:%s", name);
	return op_image_known(OP_IMAGE_JIT, full, space->mm ? space->id : 0);
}

static int op_range_add(struct op_jit_space *space, const char *name, u64 start,
			u64 end)
{
	struct op_jit_range *r, *old;
	int ret;

	ret = op_memory_charge(op_range_bytes(name));
	if (ret)
		return ret;
	r = kzalloc(struct_size(r, name, strlen(name) + 1), GFP_KERNEL);
	if (!r) {
		ret = -ENOMEM;
		goto err_uncharge;
	}
	strcpy(r->name, name);
	r->space = space;
	r->seq = op_jit_last_seq + 1;
	r->node.start = start;
	r->node.last = end - 1;
	r->image = op_jit_image(space, name);
	if (IS_ERR(r->image)) {
		ret = PTR_ERR(r->image);
		goto err_free;
	}
	ret = xa_err(xa_store(&op_jit_ranges, r->seq, r, GFP_KERNEL));
	if (ret)
		goto err_put;

	/* A name that is added again has moved. */
	old = r->image->jit_range;
	if (old)
		interval_tree_remove(&old->node, &space->ranges);
	interval_tree_insert(&r->node, &space->ranges);
	ret = op_segments_add(r);
	if (ret)
		goto err_restore;
	r->image->jit_range = r;
	if (old) {
		op_segments_remove(old);
		op_range_free(old);
	}
	WRITE_ONCE(r->image->start, start);
	op_jit_last_seq++;
	op_stat_add(OP_STAT_JIT_MAPS, 1);
	return 0;

err_restore:
	interval_tree_remove(&r->node, &space->ranges);
	if (old)
		interval_tree_insert(&old->node, &space->ranges);
	xa_erase(&op_jit_ranges, r->seq);
err_put:
	if (r->image->jit_range)
		op_image_put(r->image);
	else
		op_jit_image_unused(r->image);
err_free:
	kfree(r);
err_uncharge:
	op_memory_uncharge(op_range_bytes(name));
	return ret;
}

/* Is [start, end) a range of the half that it is said to be in? */
static int op_jit_check(const char *name, u64 start, u64 end, pid_t pid)
{
	if (!*name)
		return -EINVAL;
	if (strlen(name) > OP_JIT_NAME_MAX)
		return -ENAMETOOLONG;
	if (start >= end)
		return -EINVAL;
	if (pid && end > TASK_SIZE_MAX)
		return -EINVAL;
	/* 64-bit kernels have the upper half of all addresses. */
	if (!pid && (s64)start >= 0)
		return -EINVAL;
	return 0;
}

/**
 * op_jit_add - name a range of code from now on
 * @name: 1 to OP_JIT_NAME_MAX bytes; one that the address space has already
 *	is moved
 * @start: its first byte
 * @end: one past its last byte
 * @pid: whose memory, as the caller's pid namespace numbers it; 0: the kernel's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL (the range is empty or of the other half), -ENAMETOOLONG,
 * -ESRCH (no such process, or one without memory of its own), -ENOSPC
 * (hist_memory), -ENOMEM or -EINTR (killed while it waited); then nothing has
 * changed.
 */
int op_jit_add(const char *name, u64 start, u64 end, pid_t pid)
{
	struct op_jit_space *space;
	bool again = true;
	int ret;

	ret = op_jit_check(name, start, end, pid);
	if (ret)
		return ret;
	for (;;) {
		if (mutex_lock_killable(&op_jit_mutex))
			return -EINTR;
		space = op_space_get(pid, true);
		ret = IS_ERR(space) ? PTR_ERR(space) :
				      op_range_add(space, name, start, end);
		mutex_unlock(&op_jit_mutex);
		/* There may be room in what nobody needs any more. */
		if (ret != -ENOSPC || !again || !op_jit_forget())
			return ret;
		again = false;
	}
}

/**
 * op_jit_remove - a range of code is gone
 * @name: its name
 * @pid: as for op_jit_add()
 *
 * Its histogram stays, and older ranges that it covered are seen again.  An
 * image without samples is forgotten soon.
 *
 * Context: process, may sleep.
 * Return: 0, -ESRCH (no such process), -ENOENT (no such range) or -EINTR
 * (killed while it waited).
 */
int op_jit_remove(const char *name, pid_t pid)
{
	struct op_jit_range *r = NULL;
	struct op_jit_space *space;
	struct op_image *image;
	int ret = -ENOENT;

	if (mutex_lock_killable(&op_jit_mutex))
		return -EINTR;
	space = op_space_get(pid, false);
	if (IS_ERR(space)) {
		ret = PTR_ERR(space);
		goto out;
	}
	image = op_jit_image_find(space, name);
	if (image) {
		r = image->jit_range;
		op_image_put(image);
	}
	if (r) {
		interval_tree_remove(&r->node, &space->ranges);
		op_segments_remove(r);
		op_range_free(r);
		ret = 0;
	}
out:
	mutex_unlock(&op_jit_mutex);
	return ret;
}

/**
 * op_jit_next - go through the ranges, the oldest first
 * @pos: 0 to begin; moved on by each call
 * @info: filled in
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOENT past the last.
 */
int op_jit_next(u64 *pos, struct op_jit_info *info)
{
	unsigned long seq = *pos;
	struct op_jit_range *r;
	int ret = -ENOENT;

	mutex_lock(&op_jit_mutex);
	do {
		r = xa_find_after(&op_jit_ranges, &seq, ULONG_MAX, XA_PRESENT);
	} while (r && op_space_is_dead(r->space));
	if (r) {
		strscpy(info->name, r->name, sizeof(info->name));
		info->start = r->node.start;
		info->end = (u64)r->node.last + 1;
		info->pid = r->space->pid;
		*pos = seq;
		ret = 0;
	}
	mutex_unlock(&op_jit_mutex);
	return ret;
}

/**
 * op_jit_exit - forget all ranges
 *
 * Context: process, at unload; no source runs.
 */
void op_jit_exit(void)
{
	struct op_jit_space *space, *next;

	cancel_delayed_work_sync(&op_jit_prune_dwork);
	mutex_lock(&op_jit_mutex);
	list_for_each_entry_safe(space, next, &op_jit_spaces, list)
		op_space_drop(space);
	mutex_unlock(&op_jit_mutex);
	cancel_delayed_work_sync(&op_jit_forget_dwork);
	/* The segments' callbacks put images. */
	rcu_barrier();
}
