// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU for machines that have none: one counter on each CPU, which counts
 * nothing.
 *
 * It takes the place of the processor's own, so that "cycles" and the like are
 * its events.  Whoever comes when the counter is in use gets none, as with a real
 * one.
 *
 * With the parameter hz=N the counters overflow N times a second, and that in an
 * NMI, wherever its CPU is at that moment: each CPU's timer sends one to the next
 * CPU.  The parameter "given" says how many overflows there were.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/nmi.h>

struct oppmu_cpu {
	struct perf_event *user;
	bool running;
	bool sent; /* an NMI is on its way; set by another CPU */
	unsigned long given;
	struct hrtimer timer;
};

static DEFINE_PER_CPU(struct oppmu_cpu, oppmu_cpu);

static unsigned int hz;
module_param(hz, uint, 0444);
MODULE_PARM_DESC(hz,
		 "overflows a second and CPU, 0: none; with CPUs that stay");

static int oppmu_given(char *text, const struct kernel_param *param)
{
	unsigned long n = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		n += READ_ONCE(per_cpu(oppmu_cpu, cpu).given);
	return sysfs_emit(text, "%lu\n", n);
}

static const struct kernel_param_ops oppmu_given_ops = {
	.get = oppmu_given,
};

module_param_cb(given, &oppmu_given_ops, NULL, 0444);
MODULE_PARM_DESC(given, "how many overflows there were");

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
	__this_cpu_write(oppmu_cpu.running, true);
}

static void oppmu_stop(struct perf_event *event, int flags)
{
	__this_cpu_write(oppmu_cpu.running, false);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int oppmu_add(struct perf_event *event, int flags)
{
	if (__this_cpu_read(oppmu_cpu.user))
		return -EAGAIN;
	__this_cpu_write(oppmu_cpu.user, event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		oppmu_start(event, flags);
	perf_event_update_userpage(event);
	return 0;
}

static void oppmu_del(struct perf_event *event, int flags)
{
	oppmu_stop(event, PERF_EF_UPDATE);
	__this_cpu_write(oppmu_cpu.user, NULL);
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

/* NMI. perf_event_overflow() is not exported: this is what it comes down to. */
static int oppmu_nmi(unsigned int type, struct pt_regs *regs)
{
	struct oppmu_cpu *c = this_cpu_ptr(&oppmu_cpu);
	struct perf_sample_data data;

	/* Who sent it may send another one before it is here: that has nothing. */
	if (!READ_ONCE(c->sent))
		return NMI_HANDLED;
	WRITE_ONCE(c->sent, false);
	if (c->running && c->user->overflow_handler) {
		perf_sample_data_init(&data, 0, c->user->hw.last_period);
		WRITE_ONCE(c->given, c->given + 1);
		c->user->overflow_handler(c->user, &data, regs);
	}
	return NMI_HANDLED;
}

/* Hardirq. To this CPU itself it would come at once, and be no surprise. */
static enum hrtimer_restart oppmu_tick(struct hrtimer *timer)
{
	unsigned int to = cpumask_next(smp_processor_id(), cpu_online_mask);

	if (to >= nr_cpu_ids)
		to = cpumask_first(cpu_online_mask);
	WRITE_ONCE(per_cpu(oppmu_cpu, to).sent, true);
	apic->send_IPI_mask(cpumask_of(to), NMI_VECTOR);
	hrtimer_forward_now(timer, ns_to_ktime(NSEC_PER_SEC / hz));
	return HRTIMER_RESTART;
}

static void oppmu_start_timer(void *unused)
{
	struct hrtimer *timer = this_cpu_ptr(&oppmu_cpu.timer);

	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = oppmu_tick;
	hrtimer_start(timer, ns_to_ktime(NSEC_PER_SEC / hz),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void oppmu_stop_timer(void *unused)
{
	hrtimer_cancel(this_cpu_ptr(&oppmu_cpu.timer));
}

static int __init oppmu_init(void)
{
	int ret;

	if (hz > 100000)
		return -ERANGE;
	ret = perf_pmu_register(&oppmu, "cpu", PERF_TYPE_RAW);
	if (ret || !hz)
		return ret;
	ret = register_nmi_handler(NMI_LOCAL, oppmu_nmi, 0, "oppmu");
	if (ret) {
		perf_pmu_unregister(&oppmu);
		return ret;
	}
	on_each_cpu(oppmu_start_timer, NULL, 1);
	return 0;
}

static void __exit oppmu_exit(void)
{
	if (hz) {
		on_each_cpu(oppmu_stop_timer, NULL, 1);
		/* What was sent last has come by now. */
		synchronize_rcu();
		unregister_nmi_handler(NMI_LOCAL, "oppmu");
	}
	perf_pmu_unregister(&oppmu);
}

module_init(oppmu_init);
module_exit(oppmu_exit);

MODULE_DESCRIPTION("A PMU of one counter that counts nothing");
MODULE_AUTHOR("The oprofile developers");
MODULE_LICENSE("GPL");
