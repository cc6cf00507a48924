// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: which events are sampled how often, and the sources that do it.
 *
 * A counter is a set of wishes; the source whose check() knows its event's name
 * turns them into samples.  The core knows no event and no PMU.
 *
 * Process context, op_control_mutex.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/string.h>

#include "core/internal.h"

static LIST_HEAD(op_sources);
static struct op_counter_config op_counters[OP_NR_COUNTERS];
/* Which source runs a counter; set as long as sampling is enabled. */
static const struct op_source *op_counter_source[OP_NR_COUNTERS];

/* Who knows this event?  *@error: what it thinks of the rest. */
static const struct op_source *
op_source_find(const struct op_counter_config *config, int *error)
{
	const struct op_source *source;

	list_for_each_entry(source, &op_sources, node) {
		*error = source->check(config);
		if (*error != -ENOENT)
			return source;
	}
	*error = -ENOENT;
	return NULL;
}

static void op_counter_default_rate(struct op_counter_config *config)
{
	config->count = 0;
	config->freq = OP_DEFAULT_HZ;
}

/**
 * op_counters_init - the counters as they are at load
 *
 * Counter 0 is the timer, at a rate that is out of step with the tick.
 *
 * Context: process, at load.
 */
void op_counters_init(void)
{
	struct op_counter_config *config;

	for (config = op_counters; config < op_counters + OP_NR_COUNTERS;
	     config++) {
		strscpy(config->event, "timer", sizeof(config->event));
		op_counter_default_rate(config);
		config->kernel = true;
		config->user = true;
		config->enabled = config == op_counters;
	}
}

/**
 * op_source_register - offer a source
 * @source: stays the caller's; asked in the order of registration
 *
 * Context: process, at load.
 */
void op_source_register(struct op_source *source)
{
	mutex_lock(&op_control_mutex);
	list_add_tail(&source->node, &op_sources);
	mutex_unlock(&op_control_mutex);
}

/**
 * op_source_unregister - take it back
 * @source: the source; sampling is disabled
 *
 * Context: process, at unload.
 */
void op_source_unregister(struct op_source *source)
{
	mutex_lock(&op_control_mutex);
	list_del(&source->node);
	mutex_unlock(&op_control_mutex);
}

/**
 * op_counter_get - a counter's settings
 * @idx: the counter, below OP_NR_COUNTERS
 * @config: filled in
 *
 * Context: process, may sleep.
 */
void op_counter_get(unsigned int idx, struct op_counter_config *config)
{
	mutex_lock(&op_control_mutex);
	*config = op_counters[idx];
	mutex_unlock(&op_control_mutex);
}

/**
 * op_counter_set - change a number of a counter's settings
 * @idx: the counter
 * @field: which
 * @value: a period in events (ns for the timer), a rate in Hz, or a switch 0 or
 *	1.  A period takes the place of a rate and the other way round.
 *
 * Context: process, may sleep.
 * Return: 0, -EBUSY (sampling is enabled), -EINVAL or -ERANGE (a period or rate
 * that the event cannot have, a switch that is neither 0 nor 1).
 */
int op_counter_set(unsigned int idx, enum op_counter_field field, u64 value)
{
	struct op_counter_config config;
	int error, ret = 0;

	mutex_lock(&op_control_mutex);
	config = op_counters[idx];
	switch (field) {
	case OP_COUNTER_COUNT:
		config.count = value;
		config.freq = 0;
		break;
	case OP_COUNTER_FREQ:
		if (value > U32_MAX)
			ret = -ERANGE;
		config.freq = value;
		config.count = 0;
		break;
	case OP_COUNTER_ENABLED:
		config.enabled = value;
		break;
	case OP_COUNTER_KERNEL:
		config.kernel = value;
		break;
	case OP_COUNTER_USER:
		config.user = value;
		break;
	}
	if (field == OP_COUNTER_COUNT || field == OP_COUNTER_FREQ) {
		if (!value)
			ret = -EINVAL;
		/* A machine without the event still lets it be set up. */
		if (!ret && op_source_find(&config, &error) &&
		    (error == -EINVAL || error == -ERANGE))
			ret = error;
	} else if (value > 1) {
		ret = -EINVAL;
	}
	if (!ret && op_enabled())
		ret = -EBUSY;
	if (!ret)
		op_counters[idx] = config;
	mutex_unlock(&op_control_mutex);
	return ret;
}

/**
 * op_counter_set_event - change what a counter counts
 * @idx: the counter
 * @event: the event's name
 *
 * A period or rate that the new event cannot have gives way to the default.
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL (no source knows the name), -EBUSY (sampling is enabled,
 * or the counter has samples of another event: reset them first).
 */
int op_counter_set_event(unsigned int idx, const char *event)
{
	struct op_counter_config config;
	int error, ret = 0;

	if (strlen(event) >= OP_EVENT_NAME_LEN)
		return -EINVAL;
	mutex_lock(&op_control_mutex);
	config = op_counters[idx];
	strscpy(config.event, event, sizeof(config.event));
	if (!op_source_find(&config, &error)) {
		ret = -EINVAL;
		goto out;
	}
	if (error == -EINVAL || error == -ERANGE)
		op_counter_default_rate(&config);
	if (op_enabled()) {
		pr_info_ratelimited(
			"counter %u: sampling is enabled (-EBUSY)\n", idx);
		ret = -EBUSY;
	} else if (strcmp(event, op_counters[idx].event) &&
		   op_histogram_uses(idx)) {
		pr_info_ratelimited(
			"counter %u: has samples of %s: reset them before it counts %s (-EBUSY)\n",
			idx, op_counters[idx].event, event);
		ret = -EBUSY;
	} else {
		op_counters[idx] = config;
	}
out:
	mutex_unlock(&op_control_mutex);
	return ret;
}

/**
 * op_counter_cpu_type - where the first enabled counter's samples come from
 *
 * Context: process, may sleep.
 * Return: the source's name; "timer" if no counter is enabled.
 */
const char *op_counter_cpu_type(void)
{
	const struct op_source *source;
	const char *name = "timer";
	unsigned int idx;
	int error;

	mutex_lock(&op_control_mutex);
	for (idx = 0; idx < OP_NR_COUNTERS; idx++) {
		if (!op_counters[idx].enabled)
			continue;
		source = op_source_find(&op_counters[idx], &error);
		if (source)
			name = source->name;
		break;
	}
	mutex_unlock(&op_control_mutex);
	return name;
}

/**
 * op_event_describe - go through the events that sources know by name
 * @n: 0 and up
 * @desc: filled in
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOENT past the last.
 */
int op_event_describe(unsigned int n, struct op_event_desc *desc)
{
	struct op_counter_config config = { .kernel = true, .user = true };
	const struct op_source *source;
	const char *name;
	unsigned int i;
	int ret = -ENOENT;

	op_counter_default_rate(&config);
	mutex_lock(&op_control_mutex);
	list_for_each_entry(source, &op_sources, node) {
		for (i = 0; (name = source->event(i)); i++) {
			if (n--)
				continue;
			strscpy(config.event, name, sizeof(config.event));
			desc->name = name;
			desc->source = source->name;
			desc->error = source->check(&config);
			ret = 0;
			goto out;
		}
	}
out:
	mutex_unlock(&op_control_mutex);
	return ret;
}

/**
 * op_counters_finish - give back what op_counters_prepare() got
 *
 * Context: process, op_control_mutex held; no CPU is sampled any more.
 */
void op_counters_finish(void)
{
	unsigned int idx;

	for (idx = 0; idx < OP_NR_COUNTERS; idx++) {
		if (op_counter_source[idx] && op_counter_source[idx]->finish)
			op_counter_source[idx]->finish(idx);
		op_counter_source[idx] = NULL;
	}
}

/**
 * op_counters_prepare - get what the enabled counters need
 *
 * Context: process, op_control_mutex held, may sleep; no CPU is sampled yet.
 * Return: 0, -EINVAL (no counter is enabled), or what the source says; then
 * nothing is held.
 */
int op_counters_prepare(void)
{
	const struct op_counter_config *config;
	const struct op_source *source;
	unsigned int idx;
	bool any = false;
	int ret;

	for (idx = 0; idx < OP_NR_COUNTERS; idx++) {
		config = &op_counters[idx];
		if (!config->enabled)
			continue;
		any = true;
		source = op_source_find(config, &ret);
		if (!ret && source->prepare)
			ret = source->prepare(config, idx);
		if (ret) {
			pr_info_ratelimited(
				"counter %u: this machine has no event %s (%pe); the file events lists what it has\n",
				idx, config->event, ERR_PTR(ret));
			op_counters_finish();
			return ret;
		}
		op_counter_source[idx] = source;
		op_sample_set_modes(idx, config->kernel, config->user);
	}
	if (!any)
		pr_info_ratelimited("no counter is enabled\n");
	return any ? 0 : -EINVAL;
}

/**
 * op_counters_stop_cpu - end the sampling of a CPU
 * @cpu: the CPU
 *
 * Context: its hotplug thread; the caller of the hotplug step holds
 * op_control_mutex, or sampling stays enabled.
 */
void op_counters_stop_cpu(unsigned int cpu)
{
	unsigned int idx;

	for (idx = 0; idx < OP_NR_COUNTERS; idx++) {
		if (op_counter_source[idx])
			op_counter_source[idx]->stop(idx, cpu);
	}
}

/**
 * op_counters_start_cpu - begin the sampling of a CPU
 * @cpu: the CPU
 *
 * Context: as for op_counters_stop_cpu().
 * Return: 0, or what a source says; then none of them runs on @cpu.
 */
int op_counters_start_cpu(unsigned int cpu)
{
	unsigned int idx;
	int ret;

	for (idx = 0; idx < OP_NR_COUNTERS; idx++) {
		if (!op_counter_source[idx])
			continue;
		ret = op_counter_source[idx]->start(&op_counters[idx], idx,
						    cpu);
		if (ret)
			goto err_stop;
	}
	return 0;

err_stop:
	pr_info_ratelimited(
		"counter %u: event %s can't be started on CPU %u (%pe)\n", idx,
		op_counters[idx].event, cpu, ERR_PTR(ret));
	while (idx--) {
		if (op_counter_source[idx])
			op_counter_source[idx]->stop(idx, cpu);
	}
	return ret;
}

/**
 * op_counter_record_size - the size of a counter's record
 * @config: its settings
 *
 * Context: any.
 */
size_t op_counter_record_size(const struct op_counter_config *config)
{
	return sizeof(struct op_stream_counter) + strlen(config->event) + 1;
}

/**
 * op_counter_record_fill - what a counter counts, for the stream
 * @record: of op_counter_record_size(), its head filled in, the rest 0
 * @config: its settings
 *
 * Context: any.
 */
void op_counter_record_fill(struct op_stream_counter *record,
			    const struct op_counter_config *config)
{
	record->count = config->count;
	record->freq = config->freq;
	record->modes = (config->kernel ? 1 : 0) | (config->user ? 2 : 0);
	strcpy(record->event, config->event);
}

/**
 * op_counters_tell - say in the stream what is going to be sampled
 *
 * Context: process, may sleep; op_control_mutex held.
 */
void op_counters_tell(void)
{
	struct op_stream_counter *record;
	unsigned int idx;

	mutex_lock(&op_sync_mutex);
	for (idx = 0; idx < OP_NR_COUNTERS; idx++) {
		if (!op_counters[idx].enabled || !op_event_readers())
			continue;
		record = op_event_append(
			OP_STREAM_COUNTER, idx,
			op_counter_record_size(&op_counters[idx]));
		if (record)
			op_counter_record_fill(record, &op_counters[idx]);
	}
	mutex_unlock(&op_sync_mutex);
}
