// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer: samples by an own high-resolution timer on each CPU.
 *
 * It exists because every machine has it, also VMs without a PMU, and because
 * nothing is cheaper.  It can't look where interrupts are off: such a sample
 * lands on the instruction that lets them in again.
 *
 * The handler runs in hardirq, also on PREEMPT_RT.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <asm/irq_regs.h>

#include "arch/generic/generic.h"
#include "core/oprofile.h"

/* A handler costs about a microsecond; this leaves the machine for work. */
#define OP_TIMER_MAX_HZ 20000
#define OP_TIMER_MIN_NS (NSEC_PER_SEC / OP_TIMER_MAX_HZ)
#define OP_TIMER_MAX_NS (3600 * NSEC_PER_SEC)
/* No cycle counter is faster, in cycles a nanosecond. */
#define OP_TIMER_MAX_GHZ 16

/**
 * struct op_timer - one counter's timer on one CPU
 * @hrtimer: the timer
 * @period: ns
 * @idx: the counter
 * @due: get_cycles() at the next tick, as far as is known
 * @cycles: in a period; 0: not known, and the clock is asked
 * @known_ns: when @cycles was measured, ns
 * @known_cycles: the same in cycles
 */
struct op_timer {
	struct hrtimer hrtimer;
	u64 period;
	unsigned int idx;
	u64 due;
	u64 cycles;
	u64 known_ns;
	u64 known_cycles;
};

static DEFINE_PER_CPU(struct op_timer[OP_NR_COUNTERS], op_timers);

/* How many cycles a period has, from all that went by since the last time. */
static void op_timer_measure(struct op_timer *t, u64 cycles, u64 ns)
{
	u64 elapsed_ns = ns - t->known_ns;
	u64 elapsed = cycles - t->known_cycles;

	/*
	 * A counter that was set back, or forth, as after suspend or when a
	 * virtual machine moves, says nothing, and the division would trap.
	 */
	t->cycles = 0;
	if (elapsed / OP_TIMER_MAX_GHZ <= elapsed_ns && elapsed_ns)
		t->cycles = mul_u64_u64_div_u64(elapsed, t->period, elapsed_ns);
	t->known_ns = ns;
	t->known_cycles = cycles;
}

/* From a quarter of a period early, which is an error, to half a period late. */
static bool op_timer_in_time(const struct op_timer *t, u64 cycles)
{
	return cycles - t->due + t->cycles / 4 < t->cycles / 4 + t->cycles / 2;
}

/*
 * Reading the clock, to see whether periods were missed, costs more than all
 * the rest of a tick. The CPU's cycle counter is enough to say that they were
 * not; and where it doubts that, or there is none, the clock is asked. Too short
 * a period has the clock asked more often; one that is too long by a third, which
 * takes an interruption between two readings, lets a tick pass that is too late.
 *
 * What is compared is when the tick was due, and not the tick before, which may
 * have been late, too: a timer set to a time that has gone by fires at once, and
 * two samples would be of the one place that let interrupts in.
 */
static enum hrtimer_restart op_timer_tick(struct hrtimer *hrtimer)
{
	struct op_timer *t = container_of(hrtimer, struct op_timer, hrtimer);
	u64 cycles = get_cycles();
	u64 ns, periods;

	op_sample_irq(get_irq_regs(), t->idx);
	if (likely(op_timer_in_time(t, cycles))) {
		t->due += t->cycles;
		hrtimer_add_expires_ns(hrtimer, t->period);
		return HRTIMER_RESTART;
	}
	/* Both at one moment, whatever the sample took. */
	cycles = get_cycles();
	ns = ktime_get_ns();
	op_timer_measure(t, cycles, ns);
	periods = hrtimer_forward_now(hrtimer, ns_to_ktime(t->period));
	t->due = cycles +
		 mul_u64_u64_div_u64(hrtimer_get_expires_ns(hrtimer) - ns,
				     t->cycles, t->period);
	if (unlikely(periods > 1))
		op_sample_overrun(periods - 1);
	return HRTIMER_RESTART;
}

/* The period in ns: the count of a clock is in ns. */
static u64 op_timer_period(const struct op_counter_config *config)
{
	return config->count ?: NSEC_PER_SEC / config->freq;
}

static int op_timer_check(const struct op_counter_config *config)
{
	u64 period;

	if (strcmp(config->event, "timer"))
		return -ENOENT;
	if (!config->count && !config->freq)
		return -EINVAL;
	period = op_timer_period(config);
	if (period < OP_TIMER_MIN_NS || period > OP_TIMER_MAX_NS)
		return -ERANGE;
	return 0;
}

static int op_timer_start(const struct op_counter_config *config,
			  unsigned int idx, unsigned int cpu)
{
	struct op_timer *t = &per_cpu(op_timers, cpu)[idx];

	t->period = op_timer_period(config);
	t->idx = idx;
	t->cycles = 0;
	t->known_ns = ktime_get_ns();
	t->known_cycles = get_cycles();
	hrtimer_init(&t->hrtimer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_REL_PINNED_HARD);
	t->hrtimer.function = op_timer_tick;
	/* CPUs in step would ask for the same locks at the same moment. */
	hrtimer_start(&t->hrtimer,
		      ns_to_ktime(1 + get_random_u32() % t->period),
		      HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static void op_timer_stop(unsigned int idx, unsigned int cpu)
{
	hrtimer_cancel(&per_cpu(op_timers, cpu)[idx].hrtimer);
}

static const char *op_timer_event(unsigned int n)
{
	return n ? NULL : "timer";
}

static struct op_source op_timer_source = {
	.name = "timer",
	.check = op_timer_check,
	.start = op_timer_start,
	.stop = op_timer_stop,
	.event = op_timer_event,
};

/**
 * op_timer_init - offer the timer
 *
 * Context: process, at load.
 * Return: 0.
 */
int op_timer_init(void)
{
	op_source_register(&op_timer_source);
	return 0;
}

/**
 * op_timer_exit - take it back
 *
 * Context: process, at unload; sampling is disabled.
 */
void op_timer_exit(void)
{
	op_source_unregister(&op_timer_source);
}
