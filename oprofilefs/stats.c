// SPDX-License-Identifier: GPL-2.0-only
/*
 * stats/NAME, the statistics, and stats/cpuN/NAME, those of one CPU.
 *
 * A folder cpuN is there for each CPU that is present.  Those that are counted
 * by CPU are the sums of the folders' when nothing is being counted.
 *
 * Runs in process context; holds no state of its own.
 */
#include <linux/cpumask.h>

#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"

/* A CPU's statistic has the CPU above these bits of its key. */
#define OP_CPU_SHIFT 8
#define OP_STAT_MASK ((1 << OP_CPU_SHIFT) - 1)

static int op_stat_get(const struct op_ref *ref, u64 *value)
{
	*value = op_stat_read(ref->key);
	return 0;
}

static int op_cpu_stat_get(const struct op_ref *ref, u64 *value)
{
	*value = op_stat_read_cpu(ref->key & OP_STAT_MASK,
				  ref->key >> OP_CPU_SHIFT);
	return 0;
}

static bool op_cpu_alive(const struct op_ref *ref)
{
	return cpu_present(ref->key);
}

static int op_stat_find(const char *name, unsigned int nr)
{
	unsigned int stat;

	for (stat = 0; stat < nr; stat++)
		if (!strcmp(op_stat_name(stat), name))
			return stat;
	return -ENOENT;
}

/* ------------------------------------------------------------------ */
/* stats/cpuN                                                         */

static const struct op_node op_cpu_stat_node = {
	.access = OP_READ,
	.family = OP_FAMILY_CPU_STAT,
	.get = op_cpu_stat_get,
};

static int op_cpu_find(const char *name, struct op_ref *child)
{
	int stat = op_stat_find(name, OP_STAT_NR_PERCPU);

	if (stat < 0)
		return stat;
	child->node = &op_cpu_stat_node;
	child->key = child->key << OP_CPU_SHIFT | stat;
	return 0;
}

static int op_cpu_next(u64 *pos, char *name, struct op_ref *child)
{
	if (*pos >= OP_STAT_NR_PERCPU)
		return -ENOENT;
	strscpy(name, op_stat_name(*pos), NAME_MAX + 1);
	child->node = &op_cpu_stat_node;
	child->key = child->key << OP_CPU_SHIFT | *pos;
	++*pos;
	return 0;
}

static const struct op_dir_ops op_cpu_dir_ops = {
	.find = op_cpu_find,
	.next = op_cpu_next,
};

static const struct op_node op_cpu_node = {
	.access = OP_DIR,
	.family = OP_FAMILY_CPU,
	.dir_ops = &op_cpu_dir_ops,
	.alive = op_cpu_alive,
};

/* ------------------------------------------------------------------ */
/* stats                                                              */

static const struct op_node op_stat_node = {
	.access = OP_READ,
	.family = OP_FAMILY_STAT,
	.get = op_stat_get,
};

static int op_stats_find(const char *name, struct op_ref *child)
{
	int stat = op_stat_find(name, OP_NR_STATS);
	char folder[16];
	int cpu;

	if (stat >= 0) {
		child->node = &op_stat_node;
		child->key = stat;
		return 0;
	}
	for_each_present_cpu(cpu) {
		snprintf(folder, sizeof(folder), "cpu%d", cpu);
		if (strcmp(name, folder))
			continue;
		child->node = &op_cpu_node;
		child->key = cpu;
		return 0;
	}
	return -ENOENT;
}

/* Positions: first come the statistics, then the CPUs by their numbers. */
static int op_stats_next(u64 *pos, char *name, struct op_ref *child)
{
	unsigned int cpu;

	if (*pos < OP_NR_STATS) {
		strscpy(name, op_stat_name(*pos), NAME_MAX + 1);
		child->node = &op_stat_node;
		child->key = (*pos)++;
		return 0;
	}
	if (*pos - OP_NR_STATS >= nr_cpu_ids)
		return -ENOENT;
	cpu = cpumask_next((int)(*pos - OP_NR_STATS) - 1, cpu_present_mask);
	if (cpu >= nr_cpu_ids)
		return -ENOENT;
	snprintf(name, NAME_MAX + 1, "cpu%u", cpu);
	child->node = &op_cpu_node;
	child->key = cpu;
	*pos = (u64)OP_NR_STATS + cpu + 1;
	return 0;
}

/* ------------------------------------------------------------------ */
/* stats/hooks: WHAT WHERE STATE, a line a hook                       */

static int op_hooks_show(struct seq_file *m, const struct op_ref *ref)
{
	struct op_hook_desc desc;
	unsigned int n;

	for (n = 0; !op_hook_describe(n, &desc); n++) {
		seq_printf(m, "%s %s:%s ", desc.what,
			   desc.tracepoint ? "tracepoint" : "kprobe",
			   desc.where);
		if (desc.error)
			seq_printf(m, "missing error %d", desc.error);
		else
			seq_puts(m, desc.placed ? "on" : "off");
		if (desc.missed)
			seq_printf(m, " missed %lu", desc.missed);
		seq_putc(m, '\n');
	}
	return 0;
}

static const struct op_node op_stats_files[] = {
	{
		.name = "hooks",
		.access = OP_READ,
		.show = op_hooks_show,
	},
	{},
};

static const struct op_node *const op_stats_tables[] = {
	op_stats_files,
	NULL,
};

static const struct op_dir_ops op_stats_dir_ops = {
	.find = op_stats_find,
	.next = op_stats_next,
};

const struct op_node op_stats_nodes[] = {
	{
		.name = "stats",
		.access = OP_DIR,
		.family = OP_FAMILY_STATS,
		.tables = op_stats_tables,
		.dir_ops = &op_stats_dir_ops,
	},
	{},
};
