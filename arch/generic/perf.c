// SPDX-License-Identifier: GPL-2.0-only
/*
 * Perf counters: samples by kernel counters of the perf subsystem.
 *
 * It exists for all that a timer can't count: cycles, cache misses, page
 * faults, raw events of the PMU.  Events have perf's names; rHEX is a raw one.
 *
 * The handler runs in NMI, hardirq or, for software events, in task context
 * with preemption off.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "arch/generic/generic.h"
#include "core/oprofile.h"

/* perf's own default for kernel.perf_event_max_sample_rate is 100000. */
#define OP_PERF_MAX_HZ 20000

/* hw.interrupts of an event that perf has just stopped until the next tick. */
#define OP_PERF_THROTTLED (~0ULL)

#define OP_CACHE(cache, op, result)                                            \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |      \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

/* perf list's names; the encodings are those of uapi/linux/perf_event.h. */
static const struct op_perf_name {
	const char *name;
	u32 type;
	u64 config;
} op_perf_names[] = {
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE,
	  OP_CACHE(L1D, READ, MISS) },
	{ "L1-icache-load-misses", PERF_TYPE_HW_CACHE,
	  OP_CACHE(L1I, READ, MISS) },
	{ "LLC-load-misses", PERF_TYPE_HW_CACHE, OP_CACHE(LL, READ, MISS) },
	{ "LLC-store-misses", PERF_TYPE_HW_CACHE, OP_CACHE(LL, WRITE, MISS) },
	{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, OP_CACHE(DTLB, READ, MISS) },
	{ "iTLB-load-misses", PERF_TYPE_HW_CACHE, OP_CACHE(ITLB, READ, MISS) },
};

/**
 * struct op_perf_cpu - the counters of one CPU
 * @mutex: protects what follows; never held while an event is made or released,
 *	which may wait for CPU hotplug, and that for us
 * @event: each counter's event
 * @wanted: bit of each counter that is to run
 * @used: bit of each event that has run: it does not survive its CPU's absence
 * @renew: makes the events of a CPU that has come (back) anew
 */
struct op_perf_cpu {
	struct mutex mutex; /* of what follows but renew */
	struct perf_event *event[OP_NR_COUNTERS];
	unsigned long wanted;
	unsigned long used;
	struct work_struct renew;
};

static DEFINE_PER_CPU(struct op_perf_cpu, op_perf_cpu);

/* What each counter counts, from prepare to finish. */
static struct op_counter_config op_perf_configs[OP_NR_COUNTERS];

/* perf calls a raw event r and up to 16 hex digits. */
static int op_perf_raw(const char *name, u64 *config)
{
	if (name[0] != 'r' || !name[1] || strlen(name) > 17 ||
	    strspn(name + 1, "0123456789abcdefABCDEF") != strlen(name + 1))
		return -ENOENT;
	return kstrtou64(name + 1, 16, config);
}

static int op_perf_attr(const struct op_counter_config *config,
			struct perf_event_attr *attr)
{
	size_t i;

	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.pinned = 1,
		.exclude_user = !config->user,
		.exclude_kernel = !config->kernel,
		.exclude_hv = !config->kernel,
	};
	if (config->freq) {
		attr->freq = 1;
		attr->sample_freq = config->freq;
	} else {
		attr->sample_period = config->count;
	}
	for (i = 0; i < ARRAY_SIZE(op_perf_names); i++) {
		if (!strcmp(config->event, op_perf_names[i].name)) {
			attr->type = op_perf_names[i].type;
			attr->config = op_perf_names[i].config;
			return 0;
		}
	}
	attr->type = PERF_TYPE_RAW;
	return op_perf_raw(config->event, &attr->config);
}

static void op_perf_overflow(struct perf_event *event,
			     struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	op_sample(regs, (unsigned long)event->overflow_handler_context);
	if (unlikely(event->hw.interrupts == OP_PERF_THROTTLED))
		op_sample_throttled();
}

/* Both are clocks in ns: the bounds of the timer hold for them. */
static bool op_perf_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* A counter's event on one CPU, not running yet. */
static struct perf_event *op_perf_create(const struct op_counter_config *config,
					 unsigned int idx, unsigned int cpu)
{
	struct perf_event_attr attr;
	int ret;

	ret = op_perf_attr(config, &attr);
	if (ret)
		return ERR_PTR(ret);
	attr.disabled = 1;
	return perf_event_create_kernel_counter(
		&attr, cpu, NULL, op_perf_overflow, (void *)(unsigned long)idx);
}

static int op_perf_check(const struct op_counter_config *config)
{
	struct perf_event_attr attr;
	struct perf_event *event;
	int ret;

	ret = op_perf_attr(config, &attr);
	if (ret)
		return ret;
	if (!config->count && !config->freq)
		return -EINVAL;
	if (config->freq > OP_PERF_MAX_HZ)
		return -ERANGE;
	/* A period is a signed number inside perf. */
	if (config->count > S64_MAX)
		return -ERANGE;
	if (op_perf_is_clock(&attr) && config->count &&
	    config->count < NSEC_PER_SEC / OP_PERF_MAX_HZ)
		return -ERANGE;

	/*
	 * Every machine has perf's own events.  To try one would change the
	 * code of the running kernel, where its static key is, and back: not
	 * for a look at the file events.
	 */
	if (attr.type == PERF_TYPE_SOFTWARE)
		return 0;
	/* Of the others only a try tells. */
	event = op_perf_create(config, 0, raw_smp_processor_id());
	if (!IS_ERR(event)) {
		perf_event_release_kernel(event);
		return 0;
	}
	/* The name is known, so it is the machine that lacks it. */
	ret = PTR_ERR(event);
	return ret == -ENOENT || ret == -EOPNOTSUPP ? -ENODEV : ret;
}

/* Release what a counter has on all CPUs.  None of it runs. */
static void op_perf_finish(unsigned int idx)
{
	struct op_perf_cpu *p;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		p = &per_cpu(op_perf_cpu, cpu);
		cancel_work_sync(&p->renew);
		if (p->event[idx])
			perf_event_release_kernel(p->event[idx]);
		p->event[idx] = NULL;
		__clear_bit(idx, &p->used);
	}
}

/*
 * Making an event may wait for the lock of CPU hotplug (a static key's), so it
 * can't be done in a hotplug step: all are made before the first step.
 */
static int op_perf_prepare(const struct op_counter_config *config,
			   unsigned int idx)
{
	struct perf_event *event;
	unsigned int cpu;

	op_perf_configs[idx] = *config;
	for_each_online_cpu(cpu) {
		event = op_perf_create(config, idx, cpu);
		/* A CPU that is going at this moment is no reason to fail. */
		if (PTR_ERR_OR_ZERO(event) == -ENODEV && !cpu_online(cpu))
			continue;
		if (IS_ERR(event)) {
			op_perf_finish(idx);
			return PTR_ERR(event);
		}
		per_cpu(op_perf_cpu, cpu).event[idx] = event;
	}
	return 0;
}

/* Make a CPU's events anew and let them run.  Outside of any hotplug step. */
static void op_perf_renew(struct work_struct *work)
{
	struct op_perf_cpu *p = container_of(work, struct op_perf_cpu, renew);
	struct perf_event *event;
	unsigned int cpu, idx;

	for_each_possible_cpu(cpu) {
		if (p == &per_cpu(op_perf_cpu, cpu))
			break;
	}
	for (idx = 0; idx < OP_NR_COUNTERS; idx++) {
		if (!test_bit(idx, &p->wanted))
			continue;
		event = op_perf_create(&op_perf_configs[idx], idx, cpu);
		if (IS_ERR(event)) {
			pr_info_ratelimited(
				"event %s can't be had on CPU %u (%pe)\n",
				op_perf_configs[idx].event, cpu, event);
			continue;
		}
		mutex_lock(&p->mutex);
		swap(event, p->event[idx]);
		if (test_bit(idx, &p->wanted)) {
			perf_event_enable(p->event[idx]);
			__set_bit(idx, &p->used);
		}
		mutex_unlock(&p->mutex);
		if (event)
			perf_event_release_kernel(event);
	}
}

static int op_perf_start(const struct op_counter_config *config,
			 unsigned int idx, unsigned int cpu)
{
	struct op_perf_cpu *p = &per_cpu(op_perf_cpu, cpu);
	struct perf_event *event;
	int ret = 0;

	mutex_lock(&p->mutex);
	event = p->event[idx];
	__set_bit(idx, &p->wanted);
	if (!event || test_bit(idx, &p->used)) {
		schedule_work(&p->renew);
	} else {
		__set_bit(idx, &p->used);
		perf_event_enable(event);
		/* A pinned counter that finds no room on the PMU is in error. */
		if (event->state != PERF_EVENT_STATE_ACTIVE) {
			pr_info_ratelimited(
				"event %s has no free counter on CPU %u: somebody else (the NMI watchdog?) holds it\n",
				config->event, cpu);
			__clear_bit(idx, &p->wanted);
			ret = -EBUSY;
		}
	}
	mutex_unlock(&p->mutex);
	return ret;
}

static void op_perf_stop(unsigned int idx, unsigned int cpu)
{
	struct op_perf_cpu *p = &per_cpu(op_perf_cpu, cpu);

	mutex_lock(&p->mutex);
	__clear_bit(idx, &p->wanted);
	if (p->event[idx])
		perf_event_disable(p->event[idx]);
	mutex_unlock(&p->mutex);
}

static const char *op_perf_event(unsigned int n)
{
	return n < ARRAY_SIZE(op_perf_names) ? op_perf_names[n].name : NULL;
}

static struct op_source op_perf_source = {
	.name = "perf",
	.check = op_perf_check,
	.prepare = op_perf_prepare,
	.finish = op_perf_finish,
	.start = op_perf_start,
	.stop = op_perf_stop,
	.event = op_perf_event,
};

/**
 * op_perf_init - offer perf's counters, and where there is a PMU, prefer it
 *
 * Context: process, at load.
 * Return: 0.
 */
int op_perf_init(void)
{
	struct op_counter_config cycles = {
		.event = "cycles",
		.freq = OP_DEFAULT_HZ,
		.kernel = true,
		.user = true,
	};
	struct op_perf_cpu *p;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		p = &per_cpu(op_perf_cpu, cpu);
		mutex_init(&p->mutex);
		INIT_WORK(&p->renew, op_perf_renew);
	}
	op_source_register(&op_perf_source);
	if (!op_perf_check(&cycles))
		return op_counter_set_event(0, cycles.event);
	pr_info("no hardware counters here: the default is the timer at %d Hz\n",
		OP_DEFAULT_HZ);
	return 0;
}

/**
 * op_perf_exit - take them back
 *
 * Context: process, at unload; sampling is disabled.
 */
void op_perf_exit(void)
{
	op_source_unregister(&op_perf_source);
}
