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

static void op_drain_sample(unsigned int cpu, u64 task, struct op_image *image,
			    u8 counter, u64 offset)
{
	if (op_marks_active() && !image->marked)
		op_stat_add(OP_STAT_SKIPPED_UNMARKED, 1);
	else
		op_event_sample(cpu, task, image, counter, offset);
}

static void op_count_loss(int error)
{
	op_stat_add(error == -ENOSPC ? OP_STAT_LOST_HIST_MEMORY :
				       OP_STAT_LOST_NO_MEMORY,
		    1);
	if (op_event_readers())
		op_event_add(OP_STREAM_LOST, OP_STREAM_LOST_MEMORY, 1);
}

/* Remember what a note names; takes over the caller's reference. */
static void op_note(struct op_cpu_buffer *b, struct op_image *image)
{
	if (b->image)
		op_image_put(b->image);
	b->image = IS_ERR(image) ? NULL : image;
	b->image_error = PTR_ERR_OR_ZERO(image);
}

/* A file of a notification: its dcookie; gives the reference back. */
static u64 op_drain_file(u64 word)
{
	struct file *file = (struct file *)(unsigned long)word;
	struct op_image *image;
	u64 cookie;

	if (!file)
		return 0;
	image = op_image_of_file_unsampled(file);
	fput(file);
	if (IS_ERR(image))
		return 0;
	cookie = op_event_cookie(image);
	op_image_put(image);
	return cookie;
}

static void op_drain_map(u16 type, u64 task, const u64 *data)
{
	u64 cookie = type == OP_STREAM_MAP ? op_drain_file(data[1]) : 0;
	struct op_stream_map *record;

	/* What has no file is anonymous memory or the vdso. */
	if (type == OP_STREAM_MAP && !data[1])
		cookie = op_event_cookie(op_image_fixed[data[5] >> 32]);
	record = op_event_append(type, type == OP_STREAM_MAP ? (u32)data[5] : 0,
				 sizeof(*record));
	if (!record)
		return;
	record->time = data[0];
	record->task = task;
	record->cookie = cookie;
	record->start = data[2];
	record->len = data[3];
	record->offset = type == OP_STREAM_MAP ? data[4] : 0;
}

static void op_drain_ksym(u16 type, u64 start, const u64 *data, size_t words)
{
	size_t room = (words - 2) * sizeof(*data);
	struct op_stream_ksym *record;

	op_bpf_text_heard(start, data[1], (const char *)&data[2]);
	if (!op_event_readers())
		return;
	record = op_event_append(type, 0, sizeof(*record) + room);
	if (!record)
		return;
	record->time = data[0];
	record->start = start;
	record->len = data[1];
	memcpy(record->name, &data[2], room);
}

/* What a hook wrote: @words of data, the first of them the time. */
static void op_drain_notification(u8 type, u64 value, const u64 *data,
				  size_t words)
{
	struct op_stream_fork *fork;
	struct op_stream_exec *exec;
	struct op_stream_exit *exit;
	u64 cookie;

	switch (type) {
	case OP_ENTRY_FORK:
		fork = op_event_append(
			OP_STREAM_FORK,
			value >> 32 == data[1] >> 32 ? OP_STREAM_F_THREAD : 0,
			sizeof(*fork));
		if (!fork)
			return;
		fork->time = data[0];
		fork->task = value;
		fork->parent = data[1];
		return;
	case OP_ENTRY_EXEC:
		cookie = op_drain_file(data[1]);
		exec = op_event_append(OP_STREAM_EXEC, 0, sizeof(*exec));
		if (!exec)
			return;
		exec->time = data[0];
		exec->task = value;
		exec->cookie = cookie;
		return;
	case OP_ENTRY_EXIT:
		exit = op_event_append(OP_STREAM_EXIT,
				       data[1] >> 32 ? OP_STREAM_F_LAST : 0,
				       sizeof(*exit));
		if (!exit)
			return;
		exit->time = data[0];
		exit->task = value;
		exit->code = (u32)data[1];
		return;
	case OP_ENTRY_MAP:
		op_drain_map(OP_STREAM_MAP, value, data);
		return;
	case OP_ENTRY_UNMAP:
		op_drain_map(OP_STREAM_UNMAP, value, data);
		return;
	case OP_ENTRY_KSYM:
		op_drain_ksym(OP_STREAM_KSYM, value, data, words);
		return;
	case OP_ENTRY_KSYM_GONE:
		op_drain_ksym(OP_STREAM_KSYM_GONE, value, data, words);
		return;
	}
}

/*
 * The entry at @tail is a notification: @data, which has room for two times
 * OP_NOTIFICATION_MAX, becomes its data.  Returns how many entries that took.
 */
static u64 op_notification_data(const struct op_cpu_buffer *b, u64 tail,
				u64 *data)
{
	u64 i, n = OP_ENTRY_COUNTER(b->entries[tail & b->mask].head);

	for (i = 0; i < n; i++) {
		const struct op_entry *more =
			&b->entries[(tail + 1 + i) & b->mask];

		data[2 * i] = more->head;
		data[2 * i + 1] = more->value;
	}
	return n;
}

/* The entry at @tail is a notification; returns how many more it takes. */
static noinline u64 op_drain_notifications(const struct op_cpu_buffer *b,
					   u64 tail)
{
	const struct op_entry *e = &b->entries[tail & b->mask];
	u64 data[2 * OP_NOTIFICATION_MAX];
	u64 n = op_notification_data(b, tail, data);

	op_drain_notification(OP_ENTRY_TYPE(e->head), e->value, data, 2 * n);
	return n;
}

/* Does any notification that waits in this ring tell of code of the kernel's? */
static bool op_look_ahead_in(struct op_cpu_buffer *b)
{
	u64 head = op_cpu_buffer_peek(b), tail = max(b->tail, b->looked_at);
	u64 data[2 * OP_NOTIFICATION_MAX];
	bool heard = false;

	while (tail != head) {
		const struct op_entry *e = &b->entries[tail & b->mask];
		u8 type = OP_ENTRY_TYPE(e->head);

		if (type >= OP_ENTRY_KSYM) {
			op_notification_data(b, tail, data);
			op_bpf_text_heard(e->value, data[1],
					  (const char *)&data[2]);
			heard = true;
		}
		tail += 1;
		if (type >= OP_ENTRY_FORK)
			tail += OP_ENTRY_COUNTER(e->head);
	}
	b->looked_at = head;
	return heard;
}

/*
 * What tells of the code at an address may wait in another CPU's ring.  Each
 * entry is looked at once, and only if an address is not known.
 */
static bool op_look_ahead(void)
{
	unsigned int cpu;
	bool heard = false;

	for_each_possible_cpu(cpu)
		heard |= op_look_ahead_in(
			&per_cpu(op_cpu_buffers, cpu).ring[OP_RING_IRQ]);
	return heard;
}

static noinline struct op_image *op_drain_unknown(u64 pc, u64 *offset)
{
	return op_look_ahead() ? op_kernel_map_find(pc, offset) :
				 op_image_fixed[OP_IMAGE_UNKNOWN];
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
		if (op_marks_active() && b->image)
			op_marks_learn(file, b->image);
		fput(file);
		return;
	case OP_ENTRY_IMAGE:
		op_note(b, (struct op_image *)(unsigned long)e->value);
		return;
	case OP_ENTRY_OFFSET:
		b->consumed++;
		if (b->image)
			op_drain_sample(cpu, b->task, b->image, counter,
					e->value);
		else
			op_count_loss(b->image_error);
		return;
	case OP_ENTRY_KERNEL:
		b->consumed++;
		image = op_kernel_map_find(e->value, &offset);
		if (unlikely(image == op_image_fixed[OP_IMAGE_UNKNOWN]))
			image = op_drain_unknown(e->value, &offset);
		op_drain_sample(cpu, b->task, image, counter, offset);
		return;
	}
}

/* Say in the stream what found no room in the ring. */
static void op_tell_losses(unsigned int cpu, struct op_cpu_buffer *b)
{
	u64 lost = READ_ONCE(b->stats[OP_STAT_LOST_CPU_BUFFER]);
	u64 notes = READ_ONCE(b->stats[OP_STAT_NOTIFICATIONS_LOST]);

	if (likely(lost == b->lost_told && notes == b->notifications_lost_told))
		return;
	if (op_event_readers()) {
		op_event_of_cpu(cpu);
		if (lost != b->lost_told)
			op_event_add(OP_STREAM_LOST, OP_STREAM_LOST_CPU_BUFFER,
				     lost - b->lost_told);
		if (notes != b->notifications_lost_told)
			op_event_add(OP_STREAM_LOST,
				     OP_STREAM_LOST_NOTIFICATIONS,
				     notes - b->notifications_lost_told);
	}
	b->lost_told = lost;
	b->notifications_lost_told = notes;
}

static void op_drain(unsigned int cpu, struct op_cpu_buffer *b)
{
	u64 head, tail = b->tail, released = tail;

	head = op_cpu_buffer_peek(b);
	if (!b->entries || head == tail) {
		op_tell_losses(cpu, b);
		return;
	}
	/*
	 * From here on the producer writes its notes anew; only then may the
	 * references of those up to head be given back.  Not the other way
	 * round: a note written after the epoch changed must not be among
	 * them.  Pairs with (E) in sample.c.
	 */
	WRITE_ONCE(b->epoch, b->epoch + 1);
	smp_mb(); /* (F) */

	op_event_of_cpu(cpu);
	while (tail != head) {
		const struct op_entry *e = &b->entries[tail & b->mask];

		if (unlikely(OP_ENTRY_TYPE(e->head) >= OP_ENTRY_FORK))
			tail += op_drain_notifications(b, tail);
		else
			op_drain_entry(cpu, b, e);
		tail++;
		/* Give room early: the producer may be filling it up. */
		if (tail - released >= 256) {
			op_cpu_buffer_release(b, tail);
			released = tail;
			cond_resched();
		}
	}
	op_cpu_buffer_release(b, tail);
	op_tell_losses(cpu, b);
}

/**
 * op_sync_drain_locked - as op_sync_drain(), for who has the mutex
 * @cpu: the CPU
 *
 * Context: process, a kernel thread, which has the host's root; may sleep;
 * op_sync_mutex held.
 */
void op_sync_drain_locked(unsigned int cpu)
{
	struct op_cpu_buffers *buffers = &per_cpu(op_cpu_buffers, cpu);
	int ring;

	WRITE_ONCE(per_cpu(op_sync_cpu, cpu).requested, false);
	for (ring = 0; ring < OP_NR_RINGS; ring++)
		op_drain(cpu, &buffers->ring[ring]);
	op_event_flush();
}

/**
 * op_sync_drain - take all that a CPU's rings hold through to the histograms
 * @cpu: the CPU
 *
 * Context: process, a kernel thread, which has the host's root; may sleep.
 */
void op_sync_drain(unsigned int cpu)
{
	mutex_lock(&op_sync_mutex);
	op_sync_drain_locked(cpu);
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

	op_sync_drain(s->cpu);
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
 * op_sync_watermark - a ring of this CPU seems half full: if so, drain it soon
 * @b: the ring
 *
 * Context: interrupts off, or NMI; the ring's producer.
 */
void op_sync_watermark(struct op_cpu_buffer *b)
{
	struct op_sync_cpu *s = this_cpu_ptr(&op_sync_cpu);

	/* Pairs with (B) in op_cpu_buffer_release(). */
	b->tail_seen = smp_load_acquire(&b->tail); /* (A) */
	if (!op_cpu_buffer_half_full(b) || READ_ONCE(s->requested))
		return;
	WRITE_ONCE(s->requested, true);
	irq_work_queue(&s->kick);
}

/**
 * op_sync_late - a sample came late to a ring of this CPU: is it still drained?
 *
 * Where sampling has ended meanwhile nobody would come for it.
 *
 * Context: interrupts off, not NMI; after the sample was committed.
 */
void op_sync_late(void)
{
	struct op_sync_cpu *s = this_cpu_ptr(&op_sync_cpu);

	/* Either this sees that it ended, or op_sync_stop_cpu() the sample. */
	smp_mb(); /* (G) */
	if (!READ_ONCE(s->rearm))
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
	/* Pairs with (G) in op_sync_late(). */
	smp_mb(); /* (H) */
	irq_work_sync(&s->kick);
	cancel_delayed_work_sync(&s->work);
	op_sync_drain(cpu);
}

/**
 * op_sync_run - have work done as the sync step is: with the host's root
 * @work: the work
 *
 * Context: process, may sleep; no lock of ours that @work takes.
 */
void op_sync_run(struct work_struct *work)
{
	queue_work(op_sync_wq, work);
	flush_work(work);
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
		op_sync_drain(cpu);
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
