// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel module that spends time where one can say it exactly.
 *
 * Writing N to its parameter "burn" (/sys/module/opburn/parameters/burn) runs
 * N iterations of a loop of three blocks, which begin at opburn_a, opburn_b and
 * opburn_c, and end at opburn_d (/proc/kallsyms knows where); "init_burn" given
 * at load does so in __init text, and "exit_burn" at unload in __exit text.
 *
 * Writing N to "first" does so in opburn_first, a loop that begins at the first
 * byte of the module's text; and to "last" in opburn_last.S, at its end.
 *
 * Writing N to "blind" spends N times "blind_us" microseconds with interrupts
 * off, in opburn_blind.
 *
 * Writing a process number to "hold" locks that process's mappings until the
 * writer gets a signal.
 *
 * With OPBURN_OTHER it is another build of the same: all but the first function
 * are elsewhere.
 *
 * "leak" at load loses one piece of memory on purpose: for the test of a test
 * that looks for leaks.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kstrtox.h>
#include <linux/linkage.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../work.h"

/* What stands outside of functions comes before them. */
void opburn_first(unsigned long n);
asm(".text\n"
    ".globl opburn_first\n"
    ".type opburn_first, @function\n"
    "opburn_first:\n"
#if defined(__x86_64__)
    "	dec %rdi\n"
    "	jnz opburn_first\n"
    "	" ASM_RET "\n"
#else
    "	subs x0, x0, #1\n"
    "	b.ne opburn_first\n"
    "	ret\n"
#endif
    ".size opburn_first, . - opburn_first\n"
#ifdef OPBURN_OTHER
    ".skip 0x100, 0xcc\n"
#endif
);

/* In the kernel's text no other symbol has these names. */
noinline void opburn_spin(unsigned long n);
noinline __noclone void opburn_spin(unsigned long n)
{
	do {
		asm volatile(".globl opburn_a, opburn_b, opburn_c, opburn_d\n"
			     "opburn_a:\n" WORK_BLOCK "opburn_b:\n" WORK_BLOCK
			     "opburn_c:\n" WORK_BLOCK "opburn_d:\n"
			     : "+r"(n));
		if (!(n & 0xfff))
			cond_resched();
	} while (--n);
}

void opburn_last(unsigned long n);

typedef void (*burn_fn)(unsigned long n);

static int burn_set(const char *text, const struct kernel_param *kp)
{
	unsigned long n;
	int ret;

	ret = kstrtoul(text, 0, &n);
	if (ret)
		return ret;
	if (n)
		((burn_fn)kp->arg)(n);
	return 0;
}

static const struct kernel_param_ops burn_ops = {
	.set = burn_set,
};

module_param_cb(burn, &burn_ops, opburn_spin, 0200);
MODULE_PARM_DESC(burn, "write: iterations to spend at once");

module_param_cb(first, &burn_ops, opburn_first, 0200);
MODULE_PARM_DESC(first, "write: iterations to spend at the text's beginning");
module_param_cb(last, &burn_ops, opburn_last, 0200);
MODULE_PARM_DESC(last, "write: iterations to spend at the text's end");

static uint blind_us = 1000;
module_param(blind_us, uint, 0600);
MODULE_PARM_DESC(blind_us, "microseconds of one of blind's stretches");

/* Whatever comes meanwhile is let in at one place. */
static noinline void opburn_blind(unsigned long n)
{
	unsigned int us = min(blind_us, 20000U);

	do {
		local_irq_disable();
		udelay(us);
		local_irq_enable();
		cond_resched();
	} while (--n);
}

module_param_cb(blind, &burn_ops, opburn_blind, 0200);
MODULE_PARM_DESC(blind, "write: stretches to spend with interrupts off");

/* Keep a process from its mappings until the writer gets a signal. */
static int hold_set(const char *text, const struct kernel_param *kp)
{
	DECLARE_WAIT_QUEUE_HEAD_ONSTACK(never);
	struct task_struct *task;
	struct mm_struct *mm;
	struct pid *pid;
	int nr, ret;

	ret = kstrtoint(text, 0, &nr);
	if (ret)
		return ret;
	pid = find_get_pid(nr);
	task = get_pid_task(pid, PIDTYPE_TGID);
	put_pid(pid);
	if (!task)
		return -ESRCH;
	mm = get_task_mm(task);
	put_task_struct(task);
	if (!mm)
		return -EINVAL;
	mmap_write_lock(mm);
	ret = wait_event_interruptible(never, false);
	mmap_write_unlock(mm);
	mmput(mm);
	return ret;
}

static const struct kernel_param_ops hold_ops = {
	.set = hold_set,
};

module_param_cb(hold, &hold_ops, NULL, 0200);
MODULE_PARM_DESC(
	hold,
	"write: a process whose mappings are locked until a signal comes");

static unsigned long init_burn;
module_param(init_burn, ulong, 0400);
MODULE_PARM_DESC(init_burn, "iterations to spend in init text");

static unsigned long exit_burn;
module_param(exit_burn, ulong, 0600);
MODULE_PARM_DESC(exit_burn, "iterations to spend in exit text");

static bool leak;
module_param(leak, bool, 0400);
MODULE_PARM_DESC(leak, "lose some memory");

static int __init opburn_init(void)
{
	unsigned long n = init_burn;

	while (n) {
		asm volatile(WORK_BLOCK WORK_BLOCK WORK_BLOCK : "+r"(n));
		n--;
	}
	if (leak && !kmalloc(192, GFP_KERNEL))
		return -ENOMEM;
	return 0;
}

static void __exit opburn_exit(void)
{
	unsigned long n = exit_burn;

	while (n) {
		asm volatile(WORK_BLOCK WORK_BLOCK WORK_BLOCK : "+r"(n));
		n--;
	}
}

module_init(opburn_init);
module_exit(opburn_exit);

MODULE_DESCRIPTION("Spends time in known places of kernel text");
MODULE_AUTHOR("The oprofile developers");
MODULE_LICENSE("GPL");
