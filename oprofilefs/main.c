// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's beginning and end: brings up the core, then the sources of
 * samples, then the files that steer them, and takes all down in the reverse
 * order.
 *
 * Runs in the process that loads or unloads.  Nothing may be left behind by a
 * load that fails.  While it is mounted or one of its files is open the module
 * cannot be unloaded, so that at the end nobody can enable it again.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "arch/generic/generic.h"
#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"

static int __init op_init(void)
{
	int err;

	err = op_core_init();
	if (err)
		return err;
	err = op_timer_init();
	if (err)
		goto err_core;
	err = op_perf_init();
	if (err)
		goto err_timer;
	err = op_super_init();
	if (err)
		goto err_perf;
	return 0;

err_perf:
	op_perf_exit();
err_timer:
	op_timer_exit();
err_core:
	op_core_exit();
	return err;
}

static void __exit op_exit(void)
{
	op_super_exit();
	op_disable();
	op_perf_exit();
	op_timer_exit();
	op_core_exit();
}

module_init(op_init);
module_exit(op_exit);

MODULE_DESCRIPTION("System-wide profiler with its reports as files");
MODULE_AUTHOR("The oprofile developers");
MODULE_VERSION(OP_VERSION);
MODULE_ALIAS_FS("oprofilefs");
MODULE_LICENSE("GPL");
