// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics: what was received, and where it went.
 *
 * The law of conservation holds because every number has one writer: what is
 * decided at the sample is counted by that CPU alone and never set back, what
 * is decided behind the CPU buffers is counted under op_sync_mutex.  A reset
 * changes no counter of a CPU; it remembers where they stood.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>

#include "core/cpu_buffer.h"
#include "core/internal.h"

static const char *const op_stat_names[OP_NR_STATS] = {
	[OP_STAT_RECEIVED] = "received",
	[OP_STAT_LOST_CPU_BUFFER] = "lost_cpu_buffer",
	[OP_STAT_SKIPPED_KERNEL] = "skipped_kernel",
	[OP_STAT_SKIPPED_USER] = "skipped_user",
	[OP_STAT_SKIPPED_UNMARKED] = "skipped_unmarked",
	[OP_STAT_DEFERRED] = "deferred",
	[OP_STAT_UNRESOLVED] = "unresolved",
	[OP_STAT_TIMER_OVERRUN] = "timer_overrun",
	[OP_STAT_THROTTLED] = "throttled",
	[OP_STAT_FORKS] = "forks",
	[OP_STAT_EXECS] = "execs",
	[OP_STAT_EXITS] = "exits",
	[OP_STAT_MAPS] = "maps",
	[OP_STAT_UNMAPS] = "unmaps",
	[OP_STAT_KSYMS] = "ksyms",
	[OP_STAT_KSYMS_GONE] = "ksyms_gone",
	[OP_STAT_NOTIFICATIONS_LOST] = "notifications_lost",
	[OP_STAT_LOST_HIST_MEMORY] = "lost_hist_memory",
	[OP_STAT_LOST_NO_MEMORY] = "lost_no_memory",
	[OP_STAT_MODULE_LOADS] = "module_loads",
	[OP_STAT_MODULE_UNLOADS] = "module_unloads",
	[OP_STAT_IMAGES] = "images",
	[OP_STAT_BINS] = "bins",
	[OP_STAT_JIT_MAPS] = "jit_maps",
	[OP_STAT_MEMORY] = "memory",
};

/*
 * Those that are not counted by CPU, and what the sync step adds to the others.
 */
static atomic64_t op_stats[OP_NR_STATS];

/**
 * op_stat_name - the name of a number's file
 * @stat: which
 *
 * Context: any.
 */
const char *op_stat_name(enum op_stat stat)
{
	return op_stat_names[stat];
}

/**
 * op_stat_read_cpu - what a CPU has counted since the last reset
 * @stat: which, below OP_STAT_NR_PERCPU
 * @cpu: a possible CPU
 *
 * Context: any.
 */
u64 op_stat_read_cpu(enum op_stat stat, unsigned int cpu)
{
	const struct op_cpu_buffer *b;
	u64 sum = 0;
	int ring;

	for (ring = 0; ring < OP_NR_RINGS; ring++) {
		b = &per_cpu(op_cpu_buffers, cpu).ring[ring];
		sum += READ_ONCE(b->stats[stat]) - READ_ONCE(b->base[stat]);
	}
	return sum;
}

/**
 * op_stat_read - a number, of all CPUs
 * @stat: which
 *
 * Context: any.
 */
u64 op_stat_read(enum op_stat stat)
{
	unsigned int cpu;
	u64 sum = atomic64_read(&op_stats[stat]);

	if (stat >= OP_STAT_NR_PERCPU)
		return sum;
	for_each_possible_cpu(cpu)
		sum += op_stat_read_cpu(stat, cpu);
	return sum;
}

/**
 * op_stat_lost - all samples that were lost
 *
 * Context: any.
 */
u64 op_stat_lost(void)
{
	return op_stat_read(OP_STAT_LOST_CPU_BUFFER) +
	       op_stat_read(OP_STAT_LOST_HIST_MEMORY) +
	       op_stat_read(OP_STAT_LOST_NO_MEMORY);
}

/**
 * op_stat_add - count
 * @stat: which; of those that are counted by CPU, what no CPU has counted
 * @n: how many
 *
 * Context: any but NMI.
 */
void op_stat_add(enum op_stat stat, s64 n)
{
	atomic64_add(n, &op_stats[stat]);
}

/*
 * What a ring's producer had counted when it had received what was consumed so
 * far: samples that are still in the ring are none of the past.
 */
static void op_stats_reset_ring(struct op_cpu_buffer *b)
{
	static const enum op_stat ends[] = {
		OP_STAT_LOST_CPU_BUFFER,
		OP_STAT_SKIPPED_KERNEL,
		OP_STAT_SKIPPED_USER,
		OP_STAT_SKIPPED_UNMARKED,
	};
	u64 received = b->consumed;
	enum op_stat stat;
	int i;

	for (stat = 0; stat < OP_STAT_NR_PERCPU; stat++)
		WRITE_ONCE(b->base[stat], READ_ONCE(b->stats[stat]));
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		received += b->base[ends[i]];
	WRITE_ONCE(b->base[OP_STAT_RECEIVED], received);
}

/**
 * op_stats_reset - count from zero again
 *
 * Context: process, op_sync_mutex held, in the same stretch in which the
 * histograms are emptied.
 */
void op_stats_reset(void)
{
	unsigned int cpu;
	int ring;

	for_each_possible_cpu(cpu) {
		for (ring = 0; ring < OP_NR_RINGS; ring++)
			op_stats_reset_ring(
				&per_cpu(op_cpu_buffers, cpu).ring[ring]);
	}
	atomic64_set(&op_stats[OP_STAT_SKIPPED_UNMARKED], 0);
	atomic64_set(&op_stats[OP_STAT_LOST_HIST_MEMORY], 0);
	atomic64_set(&op_stats[OP_STAT_LOST_NO_MEMORY], 0);
	atomic64_set(&op_stats[OP_STAT_MODULE_LOADS], 0);
	atomic64_set(&op_stats[OP_STAT_MODULE_UNLOADS], 0);
}

/**
 * op_memory_charge - take memory out of hist_memory's bound
 * @bytes: how many
 *
 * Context: any but NMI.
 * Return: 0, or -ENOSPC if there is not so much left.
 */
int op_memory_charge(size_t bytes)
{
	if (atomic64_add_return(bytes, &op_stats[OP_STAT_MEMORY]) >
	    op_param_get(OP_PARAM_HIST_MEMORY)) {
		atomic64_sub(bytes, &op_stats[OP_STAT_MEMORY]);
		return -ENOSPC;
	}
	return 0;
}

/**
 * op_memory_uncharge - give it back
 * @bytes: how many
 *
 * Context: any but NMI.
 */
void op_memory_uncharge(size_t bytes)
{
	atomic64_sub(bytes, &op_stats[OP_STAT_MEMORY]);
}
