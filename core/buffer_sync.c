// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sync: from the CPU buffers to the event buffer.
 *
 * It exists because names cost more than an interrupt may spend: here files
 * become dcookies and kernel addresses become vmlinux, a module or a BPF
 * program.  It runs soon (sync_ms) after the sample, since until then the
 * ring's notes keep files open.
 *
 * Process context only: a work item on each CPU, the same thread for all its
 * entries, so that paths are always those that the host's root sees, whoever
 * asked for the sync.  It may sleep; it never takes mmap_lock.
 */
#include <linux/cpu.h>
#include <linux/file.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "core/compat.h"
#include "core/cpu_buffer.h"
#include "core/internal.h"

/* See core/internal.h. */
DEFINE_MUTEX(op_sync_mutex);

static struct workqueue_struct *op_sync_wq;

/**
 * struct op_sync_cpu - the sync step of one CPU
 * @work: drains the CPU's rings, then waits for sync_ms
 * @kick: brings the work on from an interrupt
 * @cpu: its number
 * @requested: a kick is on its way; set by the CPU, cleared by the work
 * @rearm: the work comes again by itself
 */
struct op_sync_cpu {
	struct delayed_work work;
	struct irq_work kick;
	unsigned int cpu;
	bool requested;
	bool rearm;
};

static DEFINE_PER_CPU(struct op_sync_cpu, op_sync_cpu);

/* What the event buffer's stream says at present; under op_sync_mutex. */
static struct {
	u64 cpu;
	u64 task;
	u64 cookie;
} op_stream = { .cpu = U64_MAX, .task = U64_MAX, .cookie = U64_MAX };

static void op_stream_sample(unsigned int cpu, u64 task,
			     const struct op_image *image, u8 counter,
			     u64 offset)
{
	if (op_stream.cpu != cpu) {
		op_event_add(OP_RECORD_CPU, cpu);
		op_stream.cpu = cpu;
	}
	if (op_stream.task != task) {
		op_event_add(OP_RECORD_TASK, task);
		op_stream.task = task;
	}
	if (op_stream.cookie != image->cookie) {
		op_event_add(OP_RECORD_COOKIE, image->cookie);
		op_stream.cookie = image->cookie;
	}
	op_event_add(OP_RECORD_HEAD(OP_RECORD_SAMPLE, counter), offset);
}

static void op_count_loss(int error)
{
	op_stat_add(error == -ENOSPC ? OP_STAT_LOST_HIST_MEMORY :
				       OP_STAT_LOST_NO_MEMORY,
		    1);
}

/* Remember what a note names; takes over the caller's reference. */
static void op_note(struct op_cpu_buffer *b, struct op_image *image)
{
	if (b->image)
		op_image_put(b->image);
	b->image = IS_ERR(image) ? NULL : image;
	b->image_error = PTR_ERR_OR_ZERO(image);
}

static void op_drain_entry(unsigned int cpu, struct op_cpu_buffer *b,
			   const struct op_entry *e)
{
	u8 counter = OP_ENTRY_COUNTER(e->head);
	struct op_image *image;
	struct file *file;
	u64 offset;

	switch (OP_ENTRY_TYPE(e->head)) {
	case OP_ENTRY_TASK:
		b->task = e->value;
		return;
	case OP_ENTRY_FILE:
		file = (struct file *)(unsigned long)e->value;
		op_note(b, op_image_of_file(file));
		fput(file);
		return;
	case OP_ENTRY_IMAGE:
		op_note(b, (struct op_image *)(unsigned long)e->value);
		return;
	case OP_ENTRY_OFFSET:
		b->consumed++;
		if (b->image)
			op_stream_sample(cpu, b->task, b->image, counter,
					 e->value);
		else
			op_count_loss(b->image_error);
		return;
	case OP_ENTRY_KERNEL:
		b->consumed++;
		image = op_kernel_map_find(e->value, &offset);
		if (!IS_ERR(image))
			op_stream_sample(cpu, b->task, image, counter, offset);
		else
			op_count_loss(PTR_ERR(image));
		return;
	}
}

static void op_drain(unsigned int cpu, struct op_cpu_buffer *b)
{
	u64 head, tail = b->tail;

	if (!b->entries)
		return;
	head = op_cpu_buffer_peek(b);
	if (head == tail)
		return;
	/*
	 * From here on the producer writes its notes anew; only then may the
	 * references of those up to head be given back.  Not the other way
	 * round: a note written after the epoch changed must not be among
	 * them.  Pairs with (E) in sample.c.
	 */
	WRITE_ONCE(b->epoch, b->epoch + 1);
	smp_mb(); /* (F) */

	while (tail != head) {
		op_drain_entry(cpu, b, &b->entries[tail & b->mask]);
		tail++;
		/* Give room early: the producer may be filling it up. */
		if (!(tail & 255)) {
			op_cpu_buffer_release(b, tail);
			cond_resched();
		}
	}
	op_cpu_buffer_release(b, tail);
}

/* Take all that a CPU's rings hold through to the histograms. */
static void op_sync_cpu_now(unsigned int cpu)
{
	struct op_cpu_buffers *buffers = &per_cpu(op_cpu_buffers, cpu);
	int ring;

	mutex_lock(&op_sync_mutex);
	WRITE_ONCE(per_cpu(op_sync_cpu, cpu).requested, false);
	for (ring = 0; ring < OP_NR_RINGS; ring++)
		op_drain(cpu, &buffers->ring[ring]);
	op_event_flush();
	mutex_unlock(&op_sync_mutex);
}

static void op_sync_arm(struct op_sync_cpu *s)
{
	queue_delayed_work_on(s->cpu, op_sync_wq, &s->work,
			      msecs_to_jiffies(op_param_get(OP_PARAM_SYNC_MS)));
}

static void op_sync_work(struct work_struct *work)
{
	struct op_sync_cpu *s =
		container_of(to_delayed_work(work), struct op_sync_cpu, work);

	op_sync_cpu_now(s->cpu);
	if (READ_ONCE(s->rearm))
		op_sync_arm(s);
}

/* Hardirq: a ring is half full. */
static void op_sync_kick(struct irq_work *kick)
{
	struct op_sync_cpu *s = container_of(kick, struct op_sync_cpu, kick);

	mod_delayed_work_on(smp_processor_id(), op_sync_wq, &s->work, 0);
}

/**
 * op_sync_request - have this CPU's rings drained soon
 *
 * Context: interrupts off, or NMI.
 */
void op_sync_request(void)
{
	struct op_sync_cpu *s = this_cpu_ptr(&op_sync_cpu);

	if (READ_ONCE(s->requested))
		return;
	WRITE_ONCE(s->requested, true);
	irq_work_queue(&s->kick);
}

/**
 * op_sync_all - bring what all CPUs' rings hold to the histograms
 *
 * Every sample whose op_sample() returned before this call is in a histogram
 * or counted as a loss when it returns.  The works do it, not the caller, who
 * may be chrooted: paths are then those of another root.
 *
 * Context: process, may sleep; no lock of ours but op_control_mutex.
 */
void op_sync_all(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		mod_delayed_work_on(cpu, op_sync_wq,
				    &per_cpu(op_sync_cpu, cpu).work, 0);
	for_each_online_cpu(cpu)
		flush_delayed_work(&per_cpu(op_sync_cpu, cpu).work);
	cpus_read_unlock();
}

/**
 * op_sync_start_cpu - sync a CPU from now on
 * @cpu: the CPU, online
 *
 * Context: process, in the CPU's hotplug thread.
 */
void op_sync_start_cpu(unsigned int cpu)
{
	struct op_sync_cpu *s = &per_cpu(op_sync_cpu, cpu);

	WRITE_ONCE(s->rearm, true);
	op_sync_arm(s);
}

/**
 * op_sync_stop_cpu - sync a CPU for the last time
 * @cpu: the CPU; none of its sources runs any more
 *
 * Context: process, in the CPU's hotplug thread, which like the works sees
 * paths from the host's root; may sleep.
 */
void op_sync_stop_cpu(unsigned int cpu)
{
	struct op_sync_cpu *s = &per_cpu(op_sync_cpu, cpu);

	WRITE_ONCE(s->rearm, false);
	irq_work_sync(&s->kick);
	cancel_delayed_work_sync(&s->work);
	op_sync_cpu_now(cpu);
}

/**
 * op_sync_forget_images - let the stream say every switch again
 *
 * After this no stage behind relies on a cookie that it was told before.
 *
 * Context: process, op_sync_mutex held.
 */
void op_sync_forget_images(void)
{
	op_stream.cpu = U64_MAX;
	op_stream.task = U64_MAX;
	op_stream.cookie = U64_MAX;
}

/**
 * op_sync_init - prepare this stage
 *
 * Context: process, at load.
 * Return: 0 or -ENOMEM.
 */
int op_sync_init(void)
{
	struct op_sync_cpu *s;
	unsigned int cpu;

	op_sync_wq = alloc_workqueue("oprofile_sync", WQ_HIGHPRI, 0);
	if (!op_sync_wq)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		s = &per_cpu(op_sync_cpu, cpu);
		s->cpu = cpu;
		s->kick = IRQ_WORK_INIT_HARD(op_sync_kick);
		INIT_DELAYED_WORK(&s->work, op_sync_work);
	}
	return 0;
}

/**
 * op_sync_exit - the end: give back what the rings and the notes hold
 *
 * Context: process, at unload; no source runs, no sample is pending.
 */
void op_sync_exit(void)
{
	struct op_cpu_buffer *b;
	unsigned int cpu;
	int ring;

	for_each_possible_cpu(cpu) {
		irq_work_sync(&per_cpu(op_sync_cpu, cpu).kick);
		cancel_delayed_work_sync(&per_cpu(op_sync_cpu, cpu).work);
		op_sync_cpu_now(cpu);
		for (ring = 0; ring < OP_NR_RINGS; ring++) {
			b = &per_cpu(op_cpu_buffers, cpu).ring[ring];
			if (b->image)
				op_image_put(b->image);
			b->image = NULL;
		}
		op_cpu_buffer_free(cpu);
	}
	destroy_workqueue(op_sync_wq);
}
