// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event buffer: the one ordered stream of what happened.
 *
 * It exists so that there is one hand-over point: whatever is made of the
 * samples is made of these records, in this order, and of nothing else.  The
 * sync step appends.  The histograms consume at the latest when the watershed
 * is reached or a sync pass ends, so that nothing is ever lost to them.  Those
 * who read the stream (stream.c) follow at their own pace: what they are too
 * slow for is overwritten, and they are told how much.
 *
 * The buffer is a ring of slots of 16 bytes.  A record takes as many as its
 * size says and does not go over the ring's end; a pad record fills it up.
 * As long as there are readers, @tail goes from record to record before what
 * is overwritten, and keeps what a reader that goes on from there has to know.
 *
 * Process context, under op_sync_mutex.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/poll.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>

#include "core/internal.h"

#define OP_SLOT sizeof(struct op_stream_value)

static struct {
	struct op_stream_value *slots;
	u64 size;	/* a power of two */
	u64 consumed;	/* position up to which the histograms have it */
	u64 limit;	/* position at which they must take more */
	u64 woken;	/* position at which readers were last woken */
	u64 named_from; /* a name said up to here is unknown to some reader */
	unsigned int readers;
	struct op_stream_point head; /* behind the last record */
	struct op_stream_point tail; /* the oldest record that is there */
} op_events;

/* Where those wait who have read everything. */
DECLARE_WAIT_QUEUE_HEAD(op_stream_wait);

static struct op_stream_value *op_slot(u64 position)
{
	return &op_events.slots[position & (op_events.size - 1)];
}

static size_t op_record_slots(const struct op_stream_head *head)
{
	return head->size / OP_SLOT;
}

/* What a record changes for those behind it. */
static void op_stream_state_follow(struct op_stream_state *state,
				   const struct op_stream_value *record)
{
	switch (record->head.type) {
	case OP_STREAM_CPU:
		state->cpu = record->value;
		break;
	case OP_STREAM_TASK:
		state->task = record->value;
		break;
	case OP_STREAM_COOKIE:
		state->cookie = record->value;
		break;
	}
}

/* Give up the oldest records until there is room for @n more slots. */
static void op_event_make_room(size_t n)
{
	struct op_stream_point *tail = &op_events.tail;
	const struct op_stream_value *record;

	while (op_events.head.position + n - tail->position > op_events.size) {
		record = op_slot(tail->position);
		op_stream_state_follow(&tail->state, record);
		tail->sequence += record->head.type != OP_STREAM_PAD;
		tail->position += op_record_slots(&record->head);
	}
}

/* See that the histograms have all that is going to be overwritten. */
static __always_inline void op_event_room(size_t n)
{
	if (unlikely(op_events.head.position + n > op_events.limit))
		op_event_flush();
	if (unlikely(op_events.readers))
		op_event_make_room(n);
}

static void op_event_pad(size_t n)
{
	struct op_stream_value *slot;

	op_event_room(n);
	slot = op_slot(op_events.head.position);
	slot->head = (struct op_stream_head){
		.type = OP_STREAM_PAD,
		.size = n * OP_SLOT,
	};
	op_events.head.position += n;
}

/**
 * op_event_append - append a record of any size
 * @type: &enum op_stream_type
 * @arg: as the type says
 * @size: of the whole record in bytes, at most OP_STREAM_RECORD_MAX; rounded
 *	up to slots
 *
 * Context: process, may sleep; op_sync_mutex held.
 * Return: the record, zeroed behind its head, to be filled in at once; %NULL
 * if there is no buffer: sampling was never enabled, and there is no reader.
 */
void *op_event_append(u16 type, u32 arg, size_t size)
{
	size_t n = DIV_ROUND_UP(size, OP_SLOT);
	struct op_stream_value *record;
	u64 rest;

	if (!op_events.slots || WARN_ON_ONCE(size > OP_STREAM_RECORD_MAX))
		return NULL;
	rest = op_events.size -
	       (op_events.head.position & (op_events.size - 1));
	if (n > rest)
		op_event_pad(rest);
	op_event_room(n);
	record = op_slot(op_events.head.position);
	memset(record, 0, n * OP_SLOT);
	record->head = (struct op_stream_head){
		.type = type,
		.size = n * OP_SLOT,
		.arg = arg,
	};
	op_events.head.position += n;
	op_events.head.sequence++;
	return record;
}

/**
 * op_event_add - append a record of one number
 * @type: &enum op_stream_type
 * @arg: as the type says
 * @value: as the type says
 *
 * Context: process, op_sync_mutex held.
 */
void op_event_add(u16 type, u32 arg, u64 value)
{
	struct op_stream_value *record;

	op_event_room(1);
	record = op_slot(op_events.head.position++);
	record->head = (struct op_stream_head){
		.type = type,
		.size = OP_SLOT,
		.arg = arg,
	};
	record->value = value;
	op_events.head.sequence++;
}

/**
 * op_stream_name_size - the size of an image's record
 * @image: the image
 *
 * Context: any.
 */
size_t op_stream_name_size(const struct op_image *image)
{
	return sizeof(struct op_stream_name) + strlen(image->path) + 1;
}

/**
 * op_stream_name_fill - what a cookie stands for
 * @record: of op_stream_name_size(), its head filled in, the rest 0
 * @image: the image
 *
 * Context: any.
 */
void op_stream_name_fill(struct op_stream_name *record,
			 const struct op_image *image)
{
	record->cookie = image->cookie;
	record->start = READ_ONCE(image->start);
	record->kind = image->id.kind;
	record->len = strlen(image->path);
	memcpy(record->path, image->path, record->len);
}

/*
 * Say once what a cookie stands for, before it is used.  Those who come later
 * learn it from the table of images.
 */
static noinline void op_event_name(struct op_image *image)
{
	struct op_stream_name *record;

	record = op_event_append(OP_STREAM_NAME, 0, op_stream_name_size(image));
	if (!record)
		return;
	op_stream_name_fill(record, image);
	WRITE_ONCE(image->named_at, op_events.head.position);
}

/**
 * op_event_cookie - an image's dcookie, for a record
 * @image: the image
 *
 * Context: process, may sleep; op_sync_mutex held.
 * Return: the dcookie, whose name has been said.
 */
u64 op_event_cookie(struct op_image *image)
{
	if (op_events.readers && image->named_at <= op_events.named_from)
		op_event_name(image);
	return image->cookie;
}

/* Say what has changed since the last sample. */
static noinline void op_event_switch(unsigned int cpu, u64 task,
				     struct op_image *image)
{
	struct op_stream_state *state = &op_events.head.state;

	if (state->cpu != cpu) {
		op_event_add(OP_STREAM_CPU, 0, cpu);
		state->cpu = cpu;
	}
	if (state->task != task) {
		op_event_add(OP_STREAM_TASK, 0, task);
		state->task = task;
	}
	if (state->cookie != image->cookie) {
		op_event_add(OP_STREAM_COOKIE, 0, op_event_cookie(image));
		state->cookie = image->cookie;
	}
}

/**
 * op_event_sample - append a sample, and what has to be said before it
 * @cpu: where it was taken
 * @task: tgid << 32 | pid
 * @image: what in; the caller has a reference
 * @counter: which counter's
 * @offset: in the image
 *
 * Context: process, may sleep; op_sync_mutex held.
 */
void op_event_sample(unsigned int cpu, u64 task, struct op_image *image,
		     u8 counter, u64 offset)
{
	struct op_stream_state *state = &op_events.head.state;

	if (state->cookie != image->cookie || state->task != task ||
	    state->cpu != cpu)
		op_event_switch(cpu, task, image);
	op_event_add(OP_STREAM_SAMPLE, counter, offset);
}

/**
 * op_event_of_cpu - say that what follows is of a CPU, and how late it is
 * @cpu: the CPU
 *
 * Context: process, op_sync_mutex held.
 */
void op_event_of_cpu(unsigned int cpu)
{
	if (!op_events.readers)
		return;
	if (op_events.head.state.cpu != cpu) {
		op_event_add(OP_STREAM_CPU, 0, cpu);
		op_events.head.state.cpu = cpu;
	}
	op_event_add(OP_STREAM_TIME, 0, ktime_get_boottime_ns());
}

/**
 * op_event_forget - let every switch be said again
 *
 * After this nothing relies on what earlier records said.
 *
 * Context: process, op_sync_mutex held.
 */
void op_event_forget(void)
{
	op_events.head.state = OP_STREAM_STATE_NONE;
}

/**
 * op_event_forget_images - drop the unused images that came to nothing
 *
 * Context: process, may sleep; op_sync_mutex held.
 * Return: as op_images_forget_unused().
 */
bool op_event_forget_images(void)
{
	bool more;

	op_event_flush();
	more = op_images_forget_unused(!op_events.readers);
	op_event_forget();
	return more;
}

/**
 * op_event_flush - hand over what has been appended
 *
 * Context: process, op_sync_mutex held.
 */
void op_event_flush(void)
{
	u64 first, n;

	while (op_events.consumed != op_events.head.position) {
		first = op_events.consumed & (op_events.size - 1);
		n = min(op_events.head.position - op_events.consumed,
			op_events.size - first);
		op_histogram_consume(&op_events.slots[first], n);
		op_events.consumed += n;
	}
	op_events.limit = op_events.head.position +
			  op_param_get(OP_PARAM_BUFFER_WATERSHED);
	if (op_events.readers && op_events.woken != op_events.head.position) {
		op_events.woken = op_events.head.position;
		wake_up_interruptible_poll(&op_stream_wait,
					   EPOLLIN | EPOLLRDNORM);
	}
}

/**
 * op_event_reader_begin - there is one more reader
 * @point: set to where it begins: behind what is there
 *
 * Context: process, may sleep; op_sync_mutex held.
 * Return: 0 or -ENOMEM.
 */
int op_event_reader_begin(struct op_stream_point *point)
{
	int ret;

	if (!op_events.slots) {
		ret = op_event_buffer_resize(
			op_param_get(OP_PARAM_BUFFER_SIZE));
		if (ret)
			return ret;
	}
	/* What is appended next must make sense without what was before. */
	op_event_forget();
	/* A name that was said before is said again when it is used. */
	op_events.named_from = op_events.head.position;
	if (!op_events.readers)
		op_events.tail = op_events.head;
	WRITE_ONCE(op_events.readers, op_events.readers + 1);
	*point = op_events.head;
	return 0;
}

/**
 * op_event_reader_end - there is one less
 *
 * Context: process, op_sync_mutex held.
 */
void op_event_reader_end(void)
{
	WRITE_ONCE(op_events.readers, op_events.readers - 1);
}

/**
 * op_event_readers - is there any reader?
 *
 * Context: any; a hint without op_sync_mutex.
 */
bool op_event_readers(void)
{
	return READ_ONCE(op_events.readers);
}

/**
 * op_event_pending - is there something behind a reader's place?
 * @point: the reader's place
 *
 * Context: any; a hint without op_sync_mutex.
 */
bool op_event_pending(const struct op_stream_point *point)
{
	return READ_ONCE(op_events.head.position) != point->position;
}

/**
 * op_event_overtaken - was a reader overtaken?
 * @point: its place; if so, moved to the oldest record that is there
 * @lost: set to how many records it did not get
 *
 * Context: process, op_sync_mutex held.
 * Return: true if it was.
 */
bool op_event_overtaken(struct op_stream_point *point, u64 *lost)
{
	/* Positions only grow, so this is no question of wrapping. */
	if (point->position >= op_events.tail.position)
		return false;
	*lost = op_events.tail.sequence - point->sequence;
	*point = op_events.tail;
	return true;
}

/**
 * op_event_copy - give a reader the next records
 * @point: its place, not overtaken; moved on
 * @to: where to
 * @room: how many bytes there are, at least OP_STREAM_RECORD_MAX
 *
 * Context: process, op_sync_mutex held.
 * Return: bytes copied, whole records; 0 if there is nothing.
 */
size_t op_event_copy(struct op_stream_point *point, void *to, size_t room)
{
	const struct op_stream_value *record;
	size_t done = 0;

	while (point->position != op_events.head.position) {
		record = op_slot(point->position);
		if (record->head.type != OP_STREAM_PAD) {
			if (record->head.size > room - done)
				break;
			memcpy(to + done, record, record->head.size);
			done += record->head.size;
			point->sequence++;
		}
		point->position += op_record_slots(&record->head);
	}
	return done;
}

/**
 * op_event_buffer_resize - see that the buffer exists and has a size
 * @size: records, a power of two
 *
 * What readers have not read of the old buffer they have lost.
 *
 * Context: process, may sleep; op_sync_mutex held.
 * Return: 0 or -ENOMEM, with the old buffer still in place.
 */
int op_event_buffer_resize(u64 size)
{
	struct op_stream_value *slots;

	if (op_events.size == size)
		return 0;
	slots = kvmalloc_array(size, sizeof(*slots), GFP_KERNEL);
	if (!slots)
		return -ENOMEM;
	op_event_flush();
	kvfree(op_events.slots);
	op_events.slots = slots;
	op_events.size = size;
	op_event_forget();
	/* A multiple of every size, so that records begin where they can. */
	op_events.head.position = roundup(op_events.head.position, SZ_16M);
	op_events.consumed = op_events.head.position;
	op_events.limit = op_events.head.position;
	op_events.tail = op_events.head;
	return 0;
}

/**
 * op_event_buffer_free - free it
 *
 * Context: process, at unload.
 */
void op_event_buffer_free(void)
{
	kvfree(op_events.slots);
	op_events.slots = NULL;
	op_events.size = 0;
}
