// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings: how large things are, and whether sampling is enabled.
 *
 * All stages ask here and this asks none of them.
 *
 * Read in any context, changed in process context under op_control_mutex.
 */
#include <linux/log2.h>
#include <linux/sizes.h>

#include "core/internal.h"

/* See core/internal.h. */
DEFINE_MUTEX(op_control_mutex);

static bool op_is_enabled;

/* What a parameter may be. */
static const struct {
	u64 min;
	u64 max;
	bool pow2;   /* rounded up to a power of two */
	bool frozen; /* not to be changed while sampling is enabled */
} op_param_ranges[OP_NR_PARAMS] = {
	[OP_PARAM_CPU_BUFFER_SIZE] = { 4, SZ_1M, false, true },
	[OP_PARAM_BUFFER_SIZE] = { 4096, SZ_16M, true, true },
	[OP_PARAM_BUFFER_WATERSHED] = { 1, SZ_16M, false, false },
	[OP_PARAM_SYNC_MS] = { 1, 10000, false, false },
	[OP_PARAM_HIST_MEMORY] = { SZ_64K, U64_MAX, false, false },
};

static u64 op_params[OP_NR_PARAMS] = {
	[OP_PARAM_CPU_BUFFER_SIZE] = 8192,  [OP_PARAM_BUFFER_SIZE] = 16384,
	[OP_PARAM_BUFFER_WATERSHED] = 4096, [OP_PARAM_SYNC_MS] = 100,
	[OP_PARAM_HIST_MEMORY] = SZ_128M,
};

/**
 * op_param_get - a parameter's value
 * @param: which; the unit stands at &enum op_param
 *
 * Context: any.
 */
u64 op_param_get(enum op_param param)
{
	return READ_ONCE(op_params[param]);
}

/**
 * op_param_set - change a parameter
 * @param: which
 * @value: in its unit
 *
 * A bound of memory that is below what is in use makes nothing go away; what
 * comes is refused.
 *
 * Context: process, may sleep.
 * Return: 0, -EBUSY (sampling is enabled), -ERANGE (too small or too large) or
 * -EINVAL (a watershed larger than the buffer, or a buffer smaller than it).
 */
int op_param_set(enum op_param param, u64 value)
{
	const typeof(op_param_ranges[0]) *range = &op_param_ranges[param];
	int ret = 0;

	if (value < range->min || value > range->max)
		return -ERANGE;
	if (range->pow2)
		value = roundup_pow_of_two(value);

	mutex_lock(&op_control_mutex);
	if (range->frozen && op_is_enabled)
		ret = -EBUSY;
	else if (param == OP_PARAM_BUFFER_SIZE &&
		 value < op_params[OP_PARAM_BUFFER_WATERSHED])
		ret = -EINVAL;
	else if (param == OP_PARAM_BUFFER_WATERSHED &&
		 value > op_params[OP_PARAM_BUFFER_SIZE])
		ret = -EINVAL;
	else
		WRITE_ONCE(op_params[param], value);
	mutex_unlock(&op_control_mutex);
	return ret;
}

/**
 * op_enabled - is sampling enabled?
 *
 * Context: any.
 */
bool op_enabled(void)
{
	return READ_ONCE(op_is_enabled);
}

/**
 * op_set_enabled - say whether sampling is enabled
 * @enabled: it is, or will be as soon as the sources run
 *
 * Context: process, op_control_mutex held.
 */
void op_set_enabled(bool enabled)
{
	WRITE_ONCE(op_is_enabled, enabled);
}
