// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sample: the first stage, where the interrupt comes in.
 *
 * It exists to name a user PC while the name is certain: the task is stopped
 * at that PC, so the mapping that it runs in is there.  What is found (file
 * and file offset, or an image) goes into this CPU's ring.  Later, when the
 * process has exited or the library is gone, nobody could know.
 *
 * Runs in hardirq and NMI.  It never sleeps, never allocates, waits for no
 * lock and writes to memory of this CPU only; the two exceptions are mmap_lock,
 * which is only tried, and the reference of an object at a switch note, once a
 * run of samples.
 *
 * When mmap_lock can't be had (another thread is changing the mappings, or
 * PREEMPT_RT, where a try from an interrupt isn't allowed), the sample is
 * finished by task work of the very task: it runs on the way back to user
 * space, before the task executes one more instruction, and may sleep.  So the
 * answer is as certain as the other one, and no mm has to be kept.
 */
#include <linux/irq_work.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/task_work.h>

#include "core/compat.h"
#include "core/cpu_buffer.h"
#include "core/internal.h"

/* Samples of one CPU that may wait for their task at once. */
#define OP_DEFER_SLOTS 32

/* How often an interrupt asks for mmap_lock before it leaves it to the task. */
#define OP_TRYLOCK_SPINS 8

#define OP_MODE_KERNEL 1
#define OP_MODE_USER 2

/* Wanted modes by counter; written while no source runs. */
static u8 op_modes[OP_NR_COUNTERS] __read_mostly;

struct op_deferred {
	struct callback_head work;
	u64 pc;
	u8 counter;
	/* Set by the CPU that fills the slot in, cleared by the task. */
	bool busy;
};

/**
 * struct op_cpu_context - what a CPU needs beside its rings
 * @deferred: samples that wait for their task
 * @unlock_work: releases @unlock_mm's mmap_lock after an NMI
 * @unlock_mm: %NULL when the work is free
 * @kick_work: an interrupt right after an NMI, so that task work is looked at
 */
struct op_cpu_context {
	struct op_deferred deferred[OP_DEFER_SLOTS];
	struct irq_work unlock_work;
	struct mm_struct *unlock_mm;
	struct irq_work kick_work;
};

static DEFINE_PER_CPU(struct op_cpu_context, op_cpu_context);

/* Was any sample ever deferred?  Then exit must wait for the last to return. */
static bool op_deferred_once;

/**
 * struct op_place - what a user PC was resolved to
 * @object: a struct file or a struct op_image
 * @is_file: which of the two
 * @offset: in it
 */
struct op_place {
	const void *object;
	bool is_file;
	u64 offset;
};

/* Write one sample, and the notes that have to come before it. */
static noinline void op_record_noted(struct op_cpu_buffer *b, u64 head,
				     u64 task, const struct op_place *place,
				     u32 epoch, bool note_object)
{
	bool note_task = task != b->last_task;
	unsigned int n = 0;

	if (!op_cpu_buffer_reserve(b, 1 + note_task + note_object)) {
		b->stats[OP_STAT_LOST_CPU_BUFFER]++;
		return;
	}
	if (note_task) {
		op_cpu_buffer_push(b, n++, OP_ENTRY_TASK, task);
		b->last_task = task;
	}
	if (note_object) {
		if (place->is_file)
			get_file((struct file *)place->object);
		else
			op_image_get((struct op_image *)place->object);
		op_cpu_buffer_push(
			b, n++, place->is_file ? OP_ENTRY_FILE : OP_ENTRY_IMAGE,
			(unsigned long)place->object);
		b->last_object = place->object;
		b->last_epoch = epoch;
	}
	op_cpu_buffer_push(b, n++, head, place->offset);
	op_cpu_buffer_commit(b, n);
}

/* Write one sample with the notes that it needs.  Interrupts off, or NMI. */
static __always_inline void op_record(struct op_cpu_buffer *b, u8 type,
				      u8 counter, const struct op_place *place)
{
	u64 task = (u64)(u32)current->tgid << 32 | (u32)current->pid;
	u64 head = OP_ENTRY_HEAD(type, counter);
	bool note_object = false;
	u32 epoch = 0;

	if (type == OP_ENTRY_OFFSET) {
		/*
		 * An equal pointer is the same object only while the note's
		 * reference is held, that is, as long as the epoch is the
		 * note's.  The object was found before the epoch is read.
		 * Pairs with (F) in buffer_sync.c.
		 */
		smp_rmb(); /* (E) */
		epoch = READ_ONCE(b->epoch);
		note_object = place->object != b->last_object ||
			      epoch != b->last_epoch;
	}
	if (likely(!note_object && task == b->last_task &&
		   op_cpu_buffer_reserve(b, 1))) {
		op_cpu_buffer_push(b, 0, head, place->offset);
		op_cpu_buffer_commit(b, 1);
	} else {
		op_record_noted(b, head, task, place, epoch, note_object);
	}
	if (unlikely(op_cpu_buffer_half_full(b)))
		op_sync_watermark(b);
}

static noinline void op_record_unknown(struct op_cpu_buffer *b, u8 counter,
				       u64 pc)
{
	struct op_place place = {
		.object = op_image_fixed[OP_IMAGE_UNKNOWN],
		.offset = pc,
	};

	op_record(b, OP_ENTRY_OFFSET, counter, &place);
}

static void op_place_in_file(const struct vm_area_struct *vma, u64 pc,
			     struct op_place *place)
{
	place->object = vma->vm_file;
	place->is_file = true;
	place->offset = pc - vma->vm_start + ((u64)vma->vm_pgoff << PAGE_SHIFT);
}

/* What is at @pc, where there is no file in a file system? */
static noinline void op_resolve_other(struct mm_struct *mm,
				      struct vm_area_struct *vma, u64 pc,
				      struct op_place *place)
{
	struct op_image *image;
	enum op_image_kind kind;

	place->is_file = false;
	place->offset = pc;
	if (!vma) {
		place->object = op_image_fixed[OP_IMAGE_UNKNOWN];
		return;
	}
	image = op_jit_find_user(mm, pc, &place->offset);
	if (image) {
		place->object = image;
		return;
	}
	if (op_map_file(vma)) {
		op_place_in_file(vma, pc, place);
		return;
	}
	kind = op_fileless_kind(vma);
	place->object = op_image_fixed[kind];
	if (kind == OP_IMAGE_VDSO)
		place->offset = pc - vma->vm_start;
}

/* What is at @pc?  mmap_lock of @mm is held for reading. */
static __always_inline void op_resolve(struct mm_struct *mm, u64 pc,
				       struct op_place *place)
{
	MA_STATE(mas, &mm->mm_mt, pc, pc);
	/* As find_vma(), but asks for this address only: half the way. */
	struct vm_area_struct *vma = mas_walk(&mas);

	if (likely(vma && vma->vm_file && !vma_is_anonymous(vma) &&
		   !op_file_is_private(vma->vm_file)))
		op_place_in_file(vma, pc, place);
	else
		op_resolve_other(mm, vma, pc, place);
}

/* Is the place worth the room that its sample takes? */
static noinline bool op_place_wanted(const struct op_place *place)
{
	if (place->is_file)
		return op_marks_want_file((struct file *)place->object);
	return READ_ONCE(((const struct op_image *)place->object)->marked);
}

/*
 * The task itself finishes its sample.  Process context, on the way to user
 * space or in exit; may sleep.
 */
static void op_deferred_run(struct callback_head *work)
{
	struct op_deferred *slot = container_of(work, struct op_deferred, work);
	struct mm_struct *mm = current->mm;
	struct op_cpu_buffer *b;
	struct op_place place;
	unsigned long flags;

	if (mm)
		mmap_read_lock(mm);
	local_irq_save(flags);
	b = op_cpu_buffer_this(false);
	b->stats[OP_STAT_RECEIVED]++;
	b->stats[OP_STAT_DEFERRED]++;
	if (mm) {
		op_resolve(mm, slot->pc, &place);
		op_record(b, OP_ENTRY_OFFSET, slot->counter, &place);
	} else {
		b->stats[OP_STAT_UNRESOLVED]++;
		op_record_unknown(b, slot->counter, slot->pc);
	}
	op_sync_late();
	local_irq_restore(flags);
	if (mm)
		mmap_read_unlock(mm);
	/* Pairs with the acquire in op_defer() and op_sample_pending(). */
	smp_store_release(&slot->busy, false);
	/* See op_sample_exit() for the rest of the way. */
	module_put(THIS_MODULE);
}

/* Leave the sample to its task.  Interrupts off, or NMI. */
static noinline bool op_defer(u8 counter, u64 pc, bool nmi)
{
	struct op_cpu_context *c = this_cpu_ptr(&op_cpu_context);
	struct op_deferred *slot = c->deferred;
	struct op_deferred *end = slot + OP_DEFER_SLOTS;

	/* An NMI takes from the other half than what it may interrupt. */
	if (nmi)
		slot += OP_DEFER_SLOTS / 2;
	else
		end -= OP_DEFER_SLOTS / 2;
	/* Pairs with the release in op_deferred_run(). */
	while (slot < end && smp_load_acquire(&slot->busy))
		slot++;
	if (slot == end)
		return false;

	/*
	 * The task may wait for its mappings for as long as others like, and
	 * an unload that waited with it could not be interrupted.
	 */
	if (!try_module_get(THIS_MODULE))
		return false;
	slot->pc = pc;
	slot->counter = counter;
	init_task_work(&slot->work, op_deferred_run);
	slot->busy = true;
	if (op_task_work_add(current, &slot->work)) {
		slot->busy = false;
		module_put(THIS_MODULE);
		return false;
	}
	if (!READ_ONCE(op_deferred_once))
		WRITE_ONCE(op_deferred_once, true);
	/* The way out of an NMI does not look at task work; an IRQ's does. */
	if (nmi)
		irq_work_queue(&c->kick_work);
	return true;
}

static noinline bool op_mm_trylock_again(struct mm_struct *mm)
{
	int spins;

	for (spins = 1; spins < OP_TRYLOCK_SPINS; spins++) {
		cpu_relax();
		if (mmap_read_trylock(mm))
			return true;
	}
	return false;
}

static __always_inline bool op_mm_trylock(struct mm_struct *mm, bool nmi)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return false;
	/* One unlock can be under way, and its lock may be this one. */
	if (nmi && this_cpu_read(op_cpu_context.unlock_mm))
		return false;
	if (likely(mmap_read_trylock(mm)))
		return true;
	return !nmi && op_mm_trylock_again(mm);
}

static __always_inline void op_mm_unlock(struct mm_struct *mm, bool nmi)
{
	struct op_cpu_context *c;

	/*
	 * Waking a waiter takes locks of the scheduler.  The interrupted code
	 * was in user mode and holds none, so an IRQ handler may; an NMI
	 * leaves it to the interrupt that follows it.
	 */
	if (!nmi) {
		mmap_read_unlock(mm);
		return;
	}
	c = this_cpu_ptr(&op_cpu_context);
	/* For lockdep this context is done with it; the work is not asked. */
	rwsem_release(&mm->mmap_lock.dep_map, _RET_IP_);
	c->unlock_mm = mm;
	irq_work_queue(&c->unlock_work);
}

/* Hardirq, soon after the NMI that left the lock. */
static void op_unlock_run(struct irq_work *work)
{
	struct op_cpu_context *c =
		container_of(work, struct op_cpu_context, unlock_work);
	struct mm_struct *mm = c->unlock_mm;

	WRITE_ONCE(c->unlock_mm, NULL);
	mmap_read_unlock_non_owner(mm);
}

static void op_kick_run(struct irq_work *work)
{
}

static noinline void op_sample_unresolved(struct op_cpu_buffer *b, u8 counter,
					  u64 pc, bool nmi)
{
	/* A deferred sample is received when its task records it. */
	if (current->mm && op_defer(counter, pc, nmi))
		return;
	b->stats[OP_STAT_RECEIVED]++;
	b->stats[OP_STAT_UNRESOLVED]++;
	op_record_unknown(b, counter, pc);
}

static __always_inline void op_sample_user(struct op_cpu_buffer *b, u8 counter,
					   u64 pc, bool nmi)
{
	struct mm_struct *mm = current->mm;
	struct op_place place;

	if (unlikely(!mm || !op_mm_trylock(mm, nmi))) {
		op_sample_unresolved(b, counter, pc, nmi);
		return;
	}
	b->stats[OP_STAT_RECEIVED]++;
	op_resolve(mm, pc, &place);
	if (op_marks_active() && !op_place_wanted(&place))
		b->stats[OP_STAT_SKIPPED_UNMARKED]++;
	else
		op_record(b, OP_ENTRY_OFFSET, counter, &place);
	op_mm_unlock(mm, nmi);
}

static __always_inline void op_sample_kernel(struct op_cpu_buffer *b,
					     u8 counter, u64 pc)
{
	struct op_place place = { .offset = pc };

	b->stats[OP_STAT_RECEIVED]++;
	place.object = op_jit_find_kernel(pc, &place.offset);
	if (op_marks_active() && !(place.object ? op_place_wanted(&place) :
						  op_marks_want_kernel(pc)))
		b->stats[OP_STAT_SKIPPED_UNMARKED]++;
	else if (likely(!place.object))
		op_record(b, OP_ENTRY_KERNEL, counter, &place);
	else
		op_record(b, OP_ENTRY_OFFSET, counter, &place);
}

static __always_inline void op_sample_in(struct pt_regs *regs, unsigned int idx,
					 bool nmi)
{
	struct op_cpu_buffer *b = op_cpu_buffer_this(nmi);
	u8 modes = op_modes[idx];

	if (unlikely(!regs)) {
		b->stats[OP_STAT_RECEIVED]++;
		op_record_unknown(b, idx, 0);
	} else if (user_mode(regs)) {
		if (likely(modes & OP_MODE_USER)) {
			op_sample_user(b, idx, instruction_pointer(regs), nmi);
		} else {
			b->stats[OP_STAT_RECEIVED]++;
			b->stats[OP_STAT_SKIPPED_USER]++;
		}
	} else {
		if (likely(modes & OP_MODE_KERNEL)) {
			op_sample_kernel(b, idx, instruction_pointer(regs));
		} else {
			b->stats[OP_STAT_RECEIVED]++;
			b->stats[OP_STAT_SKIPPED_KERNEL]++;
		}
	}
}

/**
 * op_sample_irq - take one sample in an interrupt handler
 * @regs: of the interrupted context; %NULL where a source has none, which
 *	lands in the image unknown
 * @idx: the counter whose period is over
 *
 * Every call is counted in received and, by the time that things are quiet
 * again, in exactly one of: a histogram, a loss, a skip.
 *
 * Context: hardirq, interrupts off.
 */
void op_sample_irq(struct pt_regs *regs, unsigned int idx)
{
	op_sample_in(regs, idx, false);
}

/**
 * op_sample - take one sample in whatever context
 * @regs: as for op_sample_irq()
 * @idx: likewise
 *
 * Context: any; NMI, hardirq, or a task with preemption off.
 */
void op_sample(struct pt_regs *regs, unsigned int idx)
{
	unsigned long flags;

	if (in_nmi()) {
		op_sample_in(regs, idx, true);
		return;
	}
	/* Software events come in task context: keep the timer out. */
	local_irq_save(flags);
	op_sample_in(regs, idx, false);
	local_irq_restore(flags);
}

/**
 * op_sample_overrun - periods went by that no handler saw
 * @n: how many
 *
 * They are no samples: nothing is known of them.  Where they are many, the
 * rate asked for is more than the machine can do.
 *
 * Context: hardirq.
 */
void op_sample_overrun(u64 n)
{
	op_cpu_buffer_this(false)->stats[OP_STAT_TIMER_OVERRUN] += n;
}

/**
 * op_sample_throttled - a source was held back since it came too often
 *
 * What it would have sampled until it may go on is not known.
 *
 * Context: as for op_sample().
 */
void op_sample_throttled(void)
{
	unsigned long flags;

	if (in_nmi()) {
		op_cpu_buffer_this(true)->stats[OP_STAT_THROTTLED]++;
		return;
	}
	local_irq_save(flags);
	op_cpu_buffer_this(false)->stats[OP_STAT_THROTTLED]++;
	local_irq_restore(flags);
}

/**
 * op_sample_set_modes - which samples of a counter are wanted
 * @idx: the counter
 * @kernel: those of kernel mode
 * @user: those of user mode
 *
 * Context: process, no source runs.
 */
void op_sample_set_modes(unsigned int idx, bool kernel, bool user)
{
	op_modes[idx] = (kernel ? OP_MODE_KERNEL : 0) |
			(user ? OP_MODE_USER : 0);
}

/**
 * op_sample_pending - does a sample still wait for its task?
 *
 * Context: any.
 */
bool op_sample_pending(void)
{
	struct op_cpu_context *c;
	unsigned int cpu;
	int i;

	for_each_possible_cpu(cpu) {
		c = &per_cpu(op_cpu_context, cpu);
		for (i = 0; i < OP_DEFER_SLOTS; i++) {
			/* Pairs with the release in op_deferred_run(). */
			if (smp_load_acquire(&c->deferred[i].busy))
				return true;
		}
	}
	return false;
}

/**
 * op_sample_init - prepare this stage
 *
 * Context: process, at load.
 */
void op_sample_init(void)
{
	struct op_cpu_context *c;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		c = &per_cpu(op_cpu_context, cpu);
		c->unlock_work = IRQ_WORK_INIT_HARD(op_unlock_run);
		c->kick_work = IRQ_WORK_INIT_HARD(op_kick_run);
	}
}

/**
 * op_sample_exit - wait until no code of this stage can run any more
 *
 * Context: process, may sleep long; all sources are gone.
 */
void op_sample_exit(void)
{
	struct op_cpu_context *c;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		c = &per_cpu(op_cpu_context, cpu);
		irq_work_sync(&c->unlock_work);
		irq_work_sync(&c->kick_work);
	}
	/*
	 * Samples that wait for their tasks hold the module.  But a task may
	 * have been preempted between giving that back and the return into the
	 * kernel's text.
	 */
	if (op_deferred_once)
		synchronize_rcu_tasks();
}
