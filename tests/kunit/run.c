// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: runs the suites when the module's parameter "kunit" is written.
 *
 * KUnit itself would run them before the module's own beginning, when there is
 * nothing to test yet.
 *
 * Process context, of who writes the parameter.
 */
#include <linux/moduleparam.h>

#include "tests/kunit/kunit.h"

static struct kunit_suite *op_kunit_suites[] = {
	&op_kunit_ring,	  &op_kunit_dcookie, &op_kunit_histogram, &op_kunit_jit,
	&op_kunit_stream, &op_kunit_parse,   &op_kunit_bpf,
};

static int op_kunit_run(const char *text, const struct kernel_param *param)
{
	int ret;

	ret = __kunit_test_suites_init(op_kunit_suites,
				       ARRAY_SIZE(op_kunit_suites));
	__kunit_test_suites_exit(op_kunit_suites, ARRAY_SIZE(op_kunit_suites));
	return ret;
}

static const struct kernel_param_ops op_kunit_ops = {
	.set = op_kunit_run,
};

module_param_cb(kunit, &op_kunit_ops, NULL, 0200);
MODULE_PARM_DESC(kunit, "written to: run the KUnit tests; results in the log");
