// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU for machines that have none: one counter on each CPU, which counts
 * nothing.
 *
 * It takes the place of the processor's own, so that "cycles" and the like are
 * its events.  Whoever comes when the counter is in use gets none, as with a real
 * one.
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

static DEFINE_PER_CPU(struct perf_event *, oppmu_user);

static int oppmu_event_init(struct perf_event *event)
{
	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_RAW:
		return 0;
	default:
		return -ENOENT;
	}
}

static void oppmu_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
}

static void oppmu_stop(struct perf_event *event, int flags)
{
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int oppmu_add(struct perf_event *event, int flags)
{
	if (__this_cpu_read(oppmu_user))
		return -EAGAIN;
	__this_cpu_write(oppmu_user, event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		oppmu_start(event, flags);
	perf_event_update_userpage(event);
	return 0;
}

static void oppmu_del(struct perf_event *event, int flags)
{
	oppmu_stop(event, PERF_EF_UPDATE);
	__this_cpu_write(oppmu_user, NULL);
}

static void oppmu_read(struct perf_event *event)
{
}

static struct pmu oppmu = {
	.module = THIS_MODULE,
	.event_init = oppmu_event_init,
	.add = oppmu_add,
	.del = oppmu_del,
	.start = oppmu_start,
	.stop = oppmu_stop,
	.read = oppmu_read,
};

static int __init oppmu_init(void)
{
	return perf_pmu_register(&oppmu, "cpu", PERF_TYPE_RAW);
}

static void __exit oppmu_exit(void)
{
	perf_pmu_unregister(&oppmu);
}

module_init(oppmu_init);
module_exit(oppmu_exit);

MODULE_DESCRIPTION("A PMU of one counter that counts nothing");
MODULE_AUTHOR("The oprofile developers");
MODULE_LICENSE("GPL");
