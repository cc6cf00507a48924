// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of the root that steer the whole: version, the switches, what
 * there is to count, the sizes.
 *
 *   version            the module's
 *   enable             1 while sampling; 1 starts it, 0 ends it; to write what
 *                      is so already is no error
 *   dump               1: let all samples taken so far reach the histograms
 *   reset              1: forget all histograms and statistics
 *   cpu_type           the source of counter 0's event
 *   events             NAME SOURCE available|ERRNO, an event a line
 *   cpu_buffer_size, buffer_size, buffer_watershed, sync_ms, hist_memory
 *                      see &enum op_param
 *
 * Runs in process context; holds no state of its own.
 */
#include <linux/seq_file.h>

#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"

static int op_version_show(struct seq_file *m, const struct op_ref *ref)
{
	seq_puts(m, OP_VERSION "\n");
	return 0;
}

static int op_enable_get(const struct op_ref *ref, u64 *value)
{
	*value = op_enabled();
	return 0;
}

static int op_enable_set(const struct op_ref *ref, u64 value)
{
	if (value > 1)
		return -EINVAL;
	return value ? op_enable() : op_disable();
}

static int op_dump_set(const struct op_ref *ref, u64 value)
{
	return value == 1 ? op_dump() : -EINVAL;
}

static int op_reset_set(const struct op_ref *ref, u64 value)
{
	return value == 1 ? op_reset() : -EINVAL;
}

static int op_cpu_type_show(struct seq_file *m, const struct op_ref *ref)
{
	seq_printf(m, "%s\n", op_counter_cpu_type());
	return 0;
}

static int op_param_file_get(const struct op_ref *ref, u64 *value)
{
	*value = op_param_get(ref->node->arg);
	return 0;
}

static int op_param_file_set(const struct op_ref *ref, u64 value)
{
	return op_param_set(ref->node->arg, value);
}

/* A position is the event's number; the description is found in show(). */

static void *op_events_start(struct seq_file *m, loff_t *pos)
{
	struct op_event_desc desc;

	return op_event_describe(*pos, &desc) ? NULL : pos;
}

static void *op_events_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return op_events_start(m, pos);
}

static void op_events_stop(struct seq_file *m, void *v)
{
}

/* By its name; %pe has none where the kernel is built without them. */
static void op_error_print(struct seq_file *m, int error)
{
	switch (error) {
	case -ENOENT:
		seq_puts(m, "ENOENT");
		break;
	case -ENODEV:
		seq_puts(m, "ENODEV");
		break;
	case -EOPNOTSUPP:
		seq_puts(m, "EOPNOTSUPP");
		break;
	case -EINVAL:
		seq_puts(m, "EINVAL");
		break;
	case -EBUSY:
		seq_puts(m, "EBUSY");
		break;
	case -ENOSPC:
		seq_puts(m, "ENOSPC");
		break;
	case -EACCES:
		seq_puts(m, "EACCES");
		break;
	case -EPERM:
		seq_puts(m, "EPERM");
		break;
	default:
		seq_printf(m, "E%d", -error);
		break;
	}
}

static int op_events_show(struct seq_file *m, void *v)
{
	struct op_event_desc desc;

	if (op_event_describe(*(loff_t *)v, &desc))
		return SEQ_SKIP;
	if (!desc.error) {
		seq_printf(m, "%s %s available\n", desc.name, desc.source);
		return 0;
	}
	seq_printf(m, "%s %s ", desc.name, desc.source);
	op_error_print(m, desc.error);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations op_events_seq = {
	.start = op_events_start,
	.next = op_events_next,
	.stop = op_events_stop,
	.show = op_events_show,
};

#define OP_PARAM_NODE(file, param)                                             \
	{                                                                      \
		.name = file, .access = OP_READ_WRITE, .arg = param,           \
		.get = op_param_file_get, .set = op_param_file_set,            \
	}

const struct op_node op_control_nodes[] = {
	{
		.name = "version",
		.access = OP_READ,
		.show = op_version_show,
	},
	{
		.name = "enable",
		.access = OP_READ_WRITE,
		.get = op_enable_get,
		.set = op_enable_set,
		.refused = "nothing was started",
	},
	{
		.name = "dump",
		.access = OP_WRITE,
		.set = op_dump_set,
	},
	{
		.name = "reset",
		.access = OP_WRITE,
		.set = op_reset_set,
	},
	{
		.name = "cpu_type",
		.access = OP_READ,
		.show = op_cpu_type_show,
	},
	{
		.name = "events",
		.access = OP_READ,
		.seq = &op_events_seq,
	},
	OP_PARAM_NODE("cpu_buffer_size", OP_PARAM_CPU_BUFFER_SIZE),
	OP_PARAM_NODE("buffer_size", OP_PARAM_BUFFER_SIZE),
	OP_PARAM_NODE("buffer_watershed", OP_PARAM_BUFFER_WATERSHED),
	OP_PARAM_NODE("sync_ms", OP_PARAM_SYNC_MS),
	OP_PARAM_NODE("hist_memory", OP_PARAM_HIST_MEMORY),
	{},
};
