// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU buffers: the rings between the sample and the sync step.
 *
 * They exist so that an interrupt handler has a place to write that nobody
 * else writes: no lock, no allocation, no other CPU's cache line.  A ring that
 * is full refuses the newest sample, which is counted, and never touches what
 * is in it.  The reading and writing is inline in cpu_buffer.h; here is their
 * memory, in process context only.
 */
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "core/cpu_buffer.h"

DEFINE_PER_CPU(struct op_cpu_buffers, op_cpu_buffers);

/**
 * op_cpu_buffer_alloc - see that a CPU's ring exists and has the size wanted
 * @cpu: the CPU
 * @ring: which of its rings
 * @size: entries that it may hold, at least 1
 *
 * Context: process, may sleep, on @cpu; op_sync_mutex held.  No sample is taken
 * there.  A ring of another size must be empty: it is replaced.
 * Return: 0, -ENOMEM, or -EAGAIN: it is not empty.
 */
int op_cpu_buffer_alloc(unsigned int cpu, enum op_ring ring, u64 size)
{
	struct op_cpu_buffer *b = &per_cpu(op_cpu_buffers, cpu).ring[ring];
	struct op_entry *entries;
	u64 slots = roundup_pow_of_two(size);

	if (b->entries && b->size == size)
		return 0;
	entries = kvmalloc_node(array_size(slots, sizeof(*entries)),
				GFP_KERNEL | __GFP_ZERO, cpu_to_node(cpu));
	if (!entries)
		return -ENOMEM;
	/* A hook that finds a ring finds all of it. */
	local_irq_disable();
	/* What is in it would be lost, with the references of its notes. */
	if (b->head != b->tail) {
		local_irq_enable();
		kvfree(entries);
		return -EAGAIN;
	}
	swap(b->entries, entries);
	b->size = size;
	b->mask = slots - 1;
	local_irq_enable();
	kvfree(entries);
	return 0;
}

/**
 * op_cpu_buffer_free - free a CPU's rings
 * @cpu: the CPU
 *
 * Context: process.  No producer runs on @cpu and the rings are empty.
 */
void op_cpu_buffer_free(unsigned int cpu)
{
	struct op_cpu_buffer *b;
	int ring;

	for (ring = 0; ring < OP_NR_RINGS; ring++) {
		b = &per_cpu(op_cpu_buffers, cpu).ring[ring];
		kvfree(b->entries);
		b->entries = NULL;
		b->size = 0;
	}
}
