// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control: what is switched on and off.
 *
 * Sampling runs on a CPU from its "online" hotplug step to its "offline" step;
 * enabling and disabling are the same two steps for all CPUs at once, so a CPU
 * that goes and comes back while sampling is enabled needs no case of its own.
 *
 * Process context, op_control_mutex.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/timekeeping.h>

#include "core/cpu_buffer.h"
#include "core/internal.h"

static int op_hotplug_state;

/* How long disabling waits for samples that wait for their tasks. */
#define OP_PENDING_WAIT (2 * HZ)

/* Begin to sample a CPU.  In its hotplug thread. */
static int op_cpu_online(unsigned int cpu)
{
	u64 size = op_param_get(OP_PARAM_CPU_BUFFER_SIZE);
	int ret;

	/* What came late to a ring of another size must not go with it. */
	mutex_lock(&op_sync_mutex);
	do {
		op_sync_drain_locked(cpu);
		ret = op_cpu_buffer_alloc(cpu, OP_RING_IRQ, size) ?:
			      op_cpu_buffer_alloc(cpu, OP_RING_NMI, size);
	} while (ret == -EAGAIN);
	mutex_unlock(&op_sync_mutex);
	if (ret)
		return ret;

	op_sync_start_cpu(cpu);
	ret = op_counters_start_cpu(cpu);
	if (ret)
		op_sync_stop_cpu(cpu);
	return ret;
}

/* The other way round. */
static int op_cpu_offline(unsigned int cpu)
{
	op_counters_stop_cpu(cpu);
	op_sync_stop_cpu(cpu);
	return 0;
}

/* Wait for samples that are with their tasks: they still need the rings. */
static bool op_wait_pending(void)
{
	unsigned long end = jiffies + OP_PENDING_WAIT;

	while (op_sample_pending()) {
		if (time_after(jiffies, end))
			return false;
		usleep_range(500, 1000);
	}
	return true;
}

/**
 * op_enable - begin to sample
 *
 * Context: process, may sleep.
 * Return: 0 (also if it was enabled), -EINVAL (no counter is enabled), -ENOMEM,
 * -EBUSY (a sample of before is still with its task), or what the source says
 * of an event: -ENOENT or -ENODEV where the machine lacks it.  After an error
 * nothing runs.
 */
int op_enable(void)
{
	int ret = 0;

	mutex_lock(&op_control_mutex);
	if (op_enabled())
		goto out;
	if (!op_wait_pending()) {
		pr_info("a sample of before still waits for its task (-EBUSY)\n");
		ret = -EBUSY;
		goto out;
	}
	ret = op_counters_prepare();
	if (ret)
		goto out;
	mutex_lock(&op_sync_mutex);
	/* What came and went without the hooks is not known. */
	op_bpf_text_forget();
	/* Only now: a failure is to take nothing from the stream's readers. */
	ret = op_event_buffer_resize(op_param_get(OP_PARAM_BUFFER_SIZE));
	mutex_unlock(&op_sync_mutex);
	if (ret) {
		op_counters_finish();
		goto out;
	}
	op_counters_tell();
	/* Samples may come before this returns. */
	op_set_enabled(true);
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "oprofile:online",
				op_cpu_online, op_cpu_offline);
	if (ret < 0) {
		op_counters_finish();
		op_set_enabled(false);
		op_wait_pending();
		op_sync_all();
		pr_info("not enabled (%pe)\n", ERR_PTR(ret));
		goto out;
	}
	op_hotplug_state = ret;
	op_hooks_start();
	ret = 0;
out:
	mutex_unlock(&op_control_mutex);
	return ret;
}

/**
 * op_disable - end sampling, and bring what is under way to the histograms
 *
 * Context: process, may sleep.
 * Return: 0, also if it was not enabled.
 */
int op_disable(void)
{
	mutex_lock(&op_control_mutex);
	if (op_enabled()) {
		cpuhp_remove_state(op_hotplug_state);
		op_counters_finish();
		/* Takes a while; what it still hears is synced below. */
		op_hooks_stop();
		op_wait_pending();
		op_sync_all();
		op_set_enabled(false);
	}
	mutex_unlock(&op_control_mutex);
	return 0;
}

/**
 * op_dump - bring what is under way to the histograms now
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int op_dump(void)
{
	mutex_lock(&op_control_mutex);
	op_sync_all();
	mutex_unlock(&op_control_mutex);
	return 0;
}

/**
 * op_reset - forget all samples and what was counted of them
 *
 * What is still in the CPU buffers is of the time after the reset, and so it is
 * counted.  Images that a JIT range or a switch note still names keep their
 * dcookies.
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int op_reset(void)
{
	mutex_lock(&op_control_mutex);
	op_sync_all();
	mutex_lock(&op_sync_mutex);
	if (op_event_readers())
		op_event_add(OP_STREAM_RESET, 0, ktime_get_boottime_ns());
	op_event_flush();
	op_event_forget();
	op_histogram_reset();
	op_stats_reset();
	op_images_forget(!op_event_readers());
	mutex_unlock(&op_sync_mutex);
	mutex_unlock(&op_control_mutex);
	return 0;
}

/**
 * op_core_init - bring the core up, with sampling disabled
 *
 * Context: process, at load.
 * Return: 0 or a negative errno.
 */
int op_core_init(void)
{
	int ret;

	op_sample_init();
	op_counters_init();
	ret = op_histogram_init();
	if (ret)
		return ret;
	ret = op_dcookies_init();
	if (ret)
		goto err_histogram;
	ret = op_sync_init();
	if (ret)
		goto err_dcookies;
	op_kernel_map_init();
	ret = op_modules_init();
	if (ret)
		goto err_kernel_map;
	return 0;

err_kernel_map:
	op_kernel_map_exit();
	op_sync_exit();
err_dcookies:
	op_dcookies_exit();
err_histogram:
	op_histogram_exit();
	return ret;
}

/**
 * op_core_exit - take the core down
 *
 * Context: process, at unload; the sources and the files are gone.
 */
void op_core_exit(void)
{
	op_disable();
	op_sample_exit();
	/* First those who sync. */
	op_marks_clear();
	op_modules_exit();
	op_sync_exit();
	op_kernel_map_exit();
	op_jit_exit();
	mutex_lock(&op_sync_mutex);
	op_bpf_text_forget();
	op_event_forget();
	op_histogram_reset();
	mutex_unlock(&op_sync_mutex);
	op_dcookies_exit();
	op_histogram_exit();
	op_event_buffer_free();
}
