// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that does what a kernel module must not do, to see that the VM
 * runner notices:
 *
 *	insmod vm_splat.ko what=warn
 *
 * Only for tests/vm/selftest.sh, in a virtual machine.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/string.h>

static char *what = "";
module_param(what, charp, 0);
MODULE_PARM_DESC(what, "warn, bug, oops, panic, atomic, spin or hang");

static unsigned int seconds = 20;
module_param(seconds, uint, 0);
MODULE_PARM_DESC(seconds, "how long to spin or hang");

/* Volatile, so that the compiler can't know what is read. */
static int *volatile nowhere;

static int __init vm_splat_init(void)
{
	unsigned long end = jiffies + seconds * HZ;
	DECLARE_COMPLETION_ONSTACK(never);

	if (!strcmp(what, "warn")) {
		WARN_ON(1);
	} else if (!strcmp(what, "bug")) {
		BUG();
	} else if (!strcmp(what, "oops")) {
		*nowhere = 1;
	} else if (!strcmp(what, "panic")) {
		panic("vm_splat");
	} else if (!strcmp(what, "atomic")) {
		preempt_disable();
		schedule();
		preempt_enable();
	} else if (!strcmp(what, "spin")) {
		preempt_disable();
		while (time_before(jiffies, end))
			cpu_relax();
		preempt_enable();
	} else if (!strcmp(what, "hang")) {
		wait_for_completion_timeout(&never, seconds * HZ);
	} else {
		return -EINVAL;
	}
	return 0;
}

static void __exit vm_splat_exit(void)
{
}

module_init(vm_splat_init);
module_exit(vm_splat_exit);

MODULE_DESCRIPTION("Misbehaves on request, to test the VM runner");
MODULE_AUTHOR("The oprofile.ko authors");
MODULE_LICENSE("GPL");
