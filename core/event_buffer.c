// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event buffer: the one ordered stream of what happened.
 *
 * It exists so that there is one hand-over point: whatever is made of the
 * samples is made of these records, in this order, and of nothing else.  The
 * sync step appends; the histograms consume at the latest when the watershed
 * is reached or a sync pass ends, so that nothing is ever lost here.
 *
 * Process context, under op_sync_mutex.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "core/internal.h"

static struct {
	struct op_record *records;
	u64 size;     /* a power of two */
	u64 head;     /* position of the next record */
	u64 consumed; /* position up to which the histograms have it */
	u64 limit;    /* position at which they must take more */
} op_events;

/**
 * op_event_buffer_resize - see that the buffer exists and has a size
 * @size: records, a power of two
 *
 * Context: process, may sleep; op_sync_mutex held.
 * Return: 0 or -ENOMEM, with the old buffer still in place.
 */
int op_event_buffer_resize(u64 size)
{
	struct op_record *records;

	if (op_events.size == size)
		return 0;
	records = kvmalloc_array(size, sizeof(*records), GFP_KERNEL);
	if (!records)
		return -ENOMEM;
	op_event_flush();
	kvfree(op_events.records);
	op_events.records = records;
	op_events.size = size;
	op_events.head = 0;
	op_events.consumed = 0;
	op_events.limit = 0;
	return 0;
}

/**
 * op_event_buffer_free - free it
 *
 * Context: process, at unload.
 */
void op_event_buffer_free(void)
{
	kvfree(op_events.records);
	op_events.records = NULL;
	op_events.size = 0;
}

/**
 * op_event_add - append one record
 * @head: OP_RECORD_HEAD()
 * @value: as the type says
 *
 * Context: process, op_sync_mutex held.
 */
void op_event_add(u64 head, u64 value)
{
	struct op_record *record;

	if (unlikely(op_events.head >= op_events.limit))
		op_event_flush();
	record = &op_events.records[op_events.head++ & (op_events.size - 1)];
	record->head = head;
	record->value = value;
}

/**
 * op_event_flush - hand over what has been appended
 *
 * Context: process, op_sync_mutex held.
 */
void op_event_flush(void)
{
	u64 first, n;

	while (op_events.consumed != op_events.head) {
		first = op_events.consumed & (op_events.size - 1);
		n = min(op_events.head - op_events.consumed,
			op_events.size - first);
		op_histogram_consume(&op_events.records[first], n);
		op_events.consumed += n;
	}
	op_events.limit =
		op_events.head + op_param_get(OP_PARAM_BUFFER_WATERSHED);
}
