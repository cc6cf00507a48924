/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring of one CPU: what op_sample() writes and the sync step reads.
 *
 * An entry is 16 bytes.  Samples are bare (an offset or a kernel address);
 * what they belong to is said once by a note before a run of them, as long as
 * it does not change.  Notes that name an object own a reference to it, which
 * passes to the reader.
 */
#ifndef OP_CPU_BUFFER_H
#define OP_CPU_BUFFER_H

#include <linux/cache.h>
#include <linux/kallsyms.h>
#include <linux/percpu.h>

#include "core/oprofile.h"

enum op_entry_type {
	OP_ENTRY_TASK,	 /* note: value is tgid << 32 | pid */
	OP_ENTRY_FILE,	 /* note: value is a struct file, referenced */
	OP_ENTRY_IMAGE,	 /* note: value is a struct op_image, referenced */
	OP_ENTRY_OFFSET, /* sample: value is an offset in the noted object */
	OP_ENTRY_KERNEL, /* sample: value is a kernel address */
	/*
	 * Notifications.  What stands for the counter says how many entries of
	 * data follow, two words each; the first word is the time.
	 */
	OP_ENTRY_FORK, /* value: the child; parent */
	OP_ENTRY_EXEC, /* value: the task; file, referenced */
	OP_ENTRY_EXIT, /* value: the task; exit code, last << 32 */
	/* value: the task; file, start, len, offset, flags | kind << 32 */
	OP_ENTRY_MAP,
	OP_ENTRY_UNMAP,	    /* value: the task; 0, start, len */
	OP_ENTRY_KSYM,	    /* value: start; len, name */
	OP_ENTRY_KSYM_GONE, /* likewise */
};

/* One store each: what a type and a counter are packed into. */
#define OP_ENTRY_HEAD(type, counter) ((u64)(type) | (u64)(counter) << 8)
#define OP_ENTRY_TYPE(head) ((u8)(head))
#define OP_ENTRY_COUNTER(head) ((u8)((head) >> 8))

/* Entries of data that a notification has at most: KSYM's name and two words. */
#define OP_NOTIFICATION_MAX ((KSYM_NAME_LEN + 2 * sizeof(u64)) / 16)

struct op_entry {
	u64 head;
	u64 value;
};

/*
 * Two rings a CPU, so that each has one producer at a time: handlers that run
 * with interrupts off do not nest, and NMIs do not nest, but an NMI comes in
 * the middle of any of the former.
 */
enum op_ring {
	OP_RING_IRQ,
	OP_RING_NMI,
	OP_NR_RINGS,
};

/**
 * struct op_cpu_buffer - one ring, its producer's and its consumer's memory
 * @entries: the ring; %NULL: none, every sample is lost
 * @size: how many entries it may hold at once
 * @mask: what turns a position into an index
 * @head: position of the next entry to be written (producer; published)
 * @tail_seen: @tail when the producer last looked
 * @last_object: the file or image that the newest note names
 * @last_epoch: @epoch when that note was written
 * @last_task: the newest task note's value
 * @stats: counted by the producer only, never set back
 * @tail: position of the next entry to be read (consumer; published)
 * @epoch: changes before the consumer gives references of notes back
 * @looked_at: position up to which notifications were looked for ahead of
 *	their turn (likewise)
 * @consumed: samples taken out (consumer, under op_sync_mutex)
 * @lost_told: losses that the stream has been told of (likewise)
 * @notifications_lost_told: likewise
 * @image: what the newest consumed note names, referenced; %NULL with
 *	@image_error set when there was no memory for it
 * @image_error: a negative errno
 * @task: newest consumed task note
 * @base: what @stats were at the last reset
 */
struct op_cpu_buffer {
	struct op_entry *entries;
	u64 size;
	u64 mask;

	u64 head;
	u64 tail_seen;
	const void *last_object;
	u32 last_epoch;
	u64 last_task;
	u64 stats[OP_STAT_NR_PERCPU];

	u64 tail ____cacheline_aligned_in_smp;
	u32 epoch;
	u64 looked_at;
	u64 consumed;
	u64 lost_told;
	u64 notifications_lost_told;
	struct op_image *image;
	int image_error;
	u64 task;
	u64 base[OP_STAT_NR_PERCPU];
};

struct op_cpu_buffers {
	struct op_cpu_buffer ring[OP_NR_RINGS];
};

DECLARE_PER_CPU(struct op_cpu_buffers, op_cpu_buffers);

/**
 * op_cpu_buffer_this - the ring that a context may write
 * @nmi: is the context an NMI?
 *
 * Context: interrupts off, or NMI.
 */
static inline struct op_cpu_buffer *op_cpu_buffer_this(bool nmi)
{
	return this_cpu_ptr(
		&op_cpu_buffers.ring[nmi ? OP_RING_NMI : OP_RING_IRQ]);
}

/**
 * op_cpu_buffer_reserve - is there room for @n more entries?
 * @b: the ring
 * @n: entries that the caller will push before it commits
 *
 * Context: the ring's producer.
 */
static inline bool op_cpu_buffer_reserve(struct op_cpu_buffer *b,
					 unsigned int n)
{
	if (likely(b->head + n - b->tail_seen <= b->size))
		return true;
	/*
	 * Pairs with (B) in op_cpu_buffer_release(): what is overwritten now
	 * has been read.
	 */
	b->tail_seen = smp_load_acquire(&b->tail); /* (A) */
	return b->head + n - b->tail_seen <= b->size;
}

/**
 * op_cpu_buffer_push - write the @n-th of the reserved entries
 * @b: the ring
 * @n: 0 for the first of this reservation
 * @head: OP_ENTRY_HEAD()
 * @value: as the type says
 *
 * Context: the ring's producer.
 */
static inline void op_cpu_buffer_push(struct op_cpu_buffer *b, unsigned int n,
				      u64 head, u64 value)
{
	struct op_entry *e = &b->entries[(b->head + n) & b->mask];

	e->head = head;
	e->value = value;
}

/**
 * op_cpu_buffer_commit - publish what was pushed
 * @b: the ring
 * @n: how many entries
 *
 * Context: the ring's producer.
 */
static inline void op_cpu_buffer_commit(struct op_cpu_buffer *b, unsigned int n)
{
	/* Pairs with (D) in op_cpu_buffer_peek(). */
	smp_store_release(&b->head, b->head + n); /* (C) */
}

/**
 * op_cpu_buffer_half_full - does the ring seem to be half full?
 * @b: the ring
 *
 * Context: the ring's producer.
 * Return: true: it is time for op_sync_watermark().
 */
static inline bool op_cpu_buffer_half_full(const struct op_cpu_buffer *b)
{
	return b->head - b->tail_seen > b->size / 2;
}

/**
 * op_cpu_buffer_peek - how far may the consumer read?
 * @b: the ring
 *
 * Context: process, op_sync_mutex held.
 * Return: the position behind the last published entry.
 */
static inline u64 op_cpu_buffer_peek(struct op_cpu_buffer *b)
{
	return smp_load_acquire(&b->head); /* (D) */
}

/**
 * op_cpu_buffer_release - give the room of what was read back
 * @b: the ring
 * @tail: position behind the last entry read
 *
 * Context: process, op_sync_mutex held.
 */
static inline void op_cpu_buffer_release(struct op_cpu_buffer *b, u64 tail)
{
	smp_store_release(&b->tail, tail); /* (B) */
}

/* buffer_sync.c */
void op_sync_watermark(struct op_cpu_buffer *b);

int op_cpu_buffer_alloc(unsigned int cpu, enum op_ring ring, u64 size);
void op_cpu_buffer_free(unsigned int cpu);

#endif /* OP_CPU_BUFFER_H */
