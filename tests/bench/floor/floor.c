// SPDX-License-Identifier: GPL-2.0-only
/*
 * The floor under every sampling profiler: what a periodic interrupt costs
 * before a sample is worth anything.
 *
 * Loaded, it interrupts each CPU @hz times a second; unloaded, it stops.  The
 * handler does what @mode says, each mode one step more than the one before,
 * so that the difference of two modes is the cost of a step.  tests/bench/run
 * puts them beside the profilers.  It is a measuring tool: nothing reads what
 * it stores.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include <asm/irq_regs.h>

/* Entries, a power of two; memory of each CPU is scarce for modules. */
#define FLOOR_RING 128

enum floor_step {
	FLOOR_EMPTY,  /* count, and return */
	FLOOR_LOCK,   /* + read-lock and unlock current's mmap_lock */
	FLOOR_FIND,   /* + find the VMA of the user's PC: find_vma() */
	FLOOR_STORE,  /* + store file and offset in a ring */
	FLOOR_LOOKUP, /* as FLOOR_STORE, but with vma_lookup() */
};

struct floor_mode {
	const char *name;
	bool perf;
	enum floor_step step;
};

static const struct floor_mode floor_modes[] = {
	{ "hrtimer", false, FLOOR_EMPTY },
	{ "hrtimer-lock", false, FLOOR_LOCK },
	{ "hrtimer-find", false, FLOOR_FIND },
	{ "hrtimer-store", false, FLOOR_STORE },
	{ "hrtimer-lookup", false, FLOOR_LOOKUP },
	{ "perf", true, FLOOR_EMPTY },
	{ "perf-lock", true, FLOOR_LOCK },
	{ "perf-find", true, FLOOR_FIND },
	{ "perf-store", true, FLOOR_STORE },
};

struct floor_entry {
	struct file *file; /* compared by a reader, never followed */
	u64 offset;
};

struct floor_cpu {
	struct hrtimer timer;
	struct perf_event *event;
	u64 samples;
	unsigned int head;
	struct floor_entry ring[FLOOR_RING];
};

static DEFINE_PER_CPU(struct floor_cpu, floor_cpus);
static const struct floor_mode *floor_mode;
static ktime_t floor_period;

static char *mode = "hrtimer";
module_param(mode, charp, 0444);
MODULE_PARM_DESC(mode,
		 "hrtimer or perf; with -lock, -find, -store for more steps");

static unsigned int hz = 4000;
module_param(hz, uint, 0444);
MODULE_PARM_DESC(hz, "interrupts a second on each CPU");

static int floor_samples_get(char *buffer, const struct kernel_param *kp)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(floor_cpus, cpu).samples);
	return sysfs_emit(buffer, "%llu\n", sum);
}

static const struct kernel_param_ops floor_samples_ops = {
	.get = floor_samples_get,
};
module_param_cb(samples, &floor_samples_ops, NULL, 0444);
MODULE_PARM_DESC(samples, "interrupts so far (read only)");

static __always_inline void floor_sample(struct pt_regs *regs,
					 enum floor_step step)
{
	struct floor_cpu *fc = this_cpu_ptr(&floor_cpus);
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct floor_entry *entry;
	unsigned long pc;

	fc->samples++;
	if (step == FLOOR_EMPTY || !regs || !user_mode(regs) || !mm)
		return;
	if (!mmap_read_trylock(mm))
		return;
	if (step >= FLOOR_FIND) {
		pc = instruction_pointer(regs);
		vma = step == FLOOR_LOOKUP ? vma_lookup(mm, pc) :
					     find_vma(mm, pc);
		if (step >= FLOOR_STORE && vma && pc >= vma->vm_start) {
			entry = &fc->ring[fc->head++ & (FLOOR_RING - 1)];
			entry->file = vma->vm_file;
			entry->offset = pc - vma->vm_start +
					((u64)vma->vm_pgoff << PAGE_SHIFT);
		}
	}
	mmap_read_unlock(mm);
}

static void floor_step_to(struct pt_regs *regs)
{
	switch (floor_mode->step) {
	case FLOOR_EMPTY:
		floor_sample(regs, FLOOR_EMPTY);
		break;
	case FLOOR_LOCK:
		floor_sample(regs, FLOOR_LOCK);
		break;
	case FLOOR_FIND:
		floor_sample(regs, FLOOR_FIND);
		break;
	case FLOOR_STORE:
		floor_sample(regs, FLOOR_STORE);
		break;
	case FLOOR_LOOKUP:
		floor_sample(regs, FLOOR_LOOKUP);
		break;
	}
}

static enum hrtimer_restart floor_tick(struct hrtimer *timer)
{
	hrtimer_forward_now(timer, floor_period);
	floor_step_to(get_irq_regs());
	return HRTIMER_RESTART;
}

static void floor_overflow(struct perf_event *event,
			   struct perf_sample_data *data, struct pt_regs *regs)
{
	floor_step_to(regs);
}

static void floor_start_timer(void *unused)
{
	struct floor_cpu *fc = this_cpu_ptr(&floor_cpus);

	hrtimer_init(&fc->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	fc->timer.function = floor_tick;
	hrtimer_start(&fc->timer, floor_period, HRTIMER_MODE_REL_PINNED_HARD);
}

static int floor_start_perf(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = ktime_to_ns(floor_period),
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL,
						 floor_overflow, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	per_cpu(floor_cpus, cpu).event = event;
	return 0;
}

static void floor_stop(void)
{
	struct floor_cpu *fc;
	int cpu;

	for_each_possible_cpu(cpu) {
		fc = per_cpu_ptr(&floor_cpus, cpu);
		if (fc->event)
			perf_event_release_kernel(fc->event);
		else if (fc->timer.function)
			hrtimer_cancel(&fc->timer);
	}
}

static int __init floor_init(void)
{
	unsigned int i;
	int err, cpu;

	for (i = 0; i < ARRAY_SIZE(floor_modes); i++)
		if (sysfs_streq(mode, floor_modes[i].name))
			floor_mode = &floor_modes[i];
	if (!floor_mode || !hz || hz > 100000)
		return -EINVAL;
	floor_period = ns_to_ktime(NSEC_PER_SEC / hz);

	if (!floor_mode->perf) {
		on_each_cpu(floor_start_timer, NULL, 1);
		return 0;
	}
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		err = floor_start_perf(cpu);
		if (err) {
			cpus_read_unlock();
			floor_stop();
			return err;
		}
	}
	cpus_read_unlock();
	return 0;
}

static void __exit floor_exit(void)
{
	floor_stop();
}

module_init(floor_init);
module_exit(floor_exit);

MODULE_DESCRIPTION("Cost of a sampling interrupt that does next to nothing");
MODULE_AUTHOR("The oprofile.ko authors");
MODULE_LICENSE("GPL");
