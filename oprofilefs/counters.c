// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters' folders: 0/ … with enabled, event, count, freq, kernel, user.
 *
 * A folder's number is its reference's key.  What a field may hold is the
 * core's to say, but for the switches, which are 0 or 1.
 *
 * Runs in process context; holds no state of its own.
 */
#include <linux/seq_file.h>

#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"
#include "oprofilefs/parse.h"

static int op_field_get(const struct op_ref *ref, u64 *value)
{
	struct op_counter_config config;

	op_counter_get(ref->key, &config);
	switch ((enum op_counter_field)ref->node->arg) {
	case OP_COUNTER_COUNT:
		*value = config.count;
		return 0;
	case OP_COUNTER_FREQ:
		*value = config.freq;
		return 0;
	case OP_COUNTER_ENABLED:
		*value = config.enabled;
		return 0;
	case OP_COUNTER_KERNEL:
		*value = config.kernel;
		return 0;
	case OP_COUNTER_USER:
		*value = config.user;
		return 0;
	}
	return -EINVAL;
}

static int op_field_set(const struct op_ref *ref, u64 value)
{
	return op_counter_set(ref->key, ref->node->arg, value);
}

static int op_switch_set(const struct op_ref *ref, u64 value)
{
	return value > 1 ? -EINVAL : op_field_set(ref, value);
}

static int op_event_show(struct seq_file *m, const struct op_ref *ref)
{
	struct op_counter_config config;

	op_counter_get(ref->key, &config);
	seq_printf(m, "%s\n", config.event);
	return 0;
}

static int op_event_store(const struct op_ref *ref, const char *text,
			  size_t len)
{
	char event[OP_EVENT_NAME_LEN];
	int err;

	err = op_parse_word(text, len, event, sizeof(event));
	return err ? err : op_counter_set_event(ref->key, event);
}

#define OP_FIELD_NODE(file, field, setter)                                     \
	{                                                                      \
		.name = file, .access = OP_READ_WRITE, .arg = field,           \
		.get = op_field_get, .set = setter,                            \
	}

static const struct op_node op_counter_nodes[] = {
	OP_FIELD_NODE("enabled", OP_COUNTER_ENABLED, op_switch_set),
	{
		.name = "event",
		.access = OP_READ_WRITE,
		.show = op_event_show,
		.store = op_event_store,
	},
	OP_FIELD_NODE("count", OP_COUNTER_COUNT, op_field_set),
	OP_FIELD_NODE("freq", OP_COUNTER_FREQ, op_field_set),
	OP_FIELD_NODE("kernel", OP_COUNTER_KERNEL, op_switch_set),
	OP_FIELD_NODE("user", OP_COUNTER_USER, op_switch_set),
	{},
};

static const struct op_node *const op_counter_tables[] = {
	op_counter_nodes,
	NULL,
};

static const struct op_node op_counter_node = {
	.access = OP_DIR,
	.family = OP_FAMILY_COUNTER,
	.tables = op_counter_tables,
};

static int op_counter_next(u64 *pos, char *name, struct op_ref *child)
{
	if (*pos >= OP_NR_COUNTERS)
		return -ENOENT;
	snprintf(name, NAME_MAX + 1, "%llu", *pos);
	child->node = &op_counter_node;
	child->key = (*pos)++;
	return 0;
}

static int op_counter_find(const char *name, struct op_ref *child)
{
	char number[8];
	unsigned int idx;

	for (idx = 0; idx < OP_NR_COUNTERS; idx++) {
		snprintf(number, sizeof(number), "%u", idx);
		if (strcmp(name, number))
			continue;
		child->node = &op_counter_node;
		child->key = idx;
		return 0;
	}
	return -ENOENT;
}

const struct op_dir_ops op_counters_dir_ops = {
	.find = op_counter_find,
	.next = op_counter_next,
};
