/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the KUnit tests share.
 *
 * They are linked into the module in a build of its own (make OP_KUNIT=y), so
 * they call what no other module could, and run when run.c is asked to: with
 * all stages up and sampling off. Each case leaves the stages as empty as it
 * found them.
 */
#ifndef OP_KUNIT_H
#define OP_KUNIT_H

#include <kunit/test.h>
#include <linux/sizes.h>
#include <linux/umh.h>

#include "core/internal.h"

extern struct kunit_suite op_kunit_ring;
extern struct kunit_suite op_kunit_dcookie;
extern struct kunit_suite op_kunit_histogram;
extern struct kunit_suite op_kunit_jit;
extern struct kunit_suite op_kunit_stream;
extern struct kunit_suite op_kunit_parse;
extern struct kunit_suite op_kunit_bpf;

/* Where files are made: $D of the shell commands below. */
#define OP_KUNIT_DIR "/tmp/op_kunit"

/* A shell command's exit status, or what kept it from running: 0 is good. */
static inline int op_kunit_shell(const char *command)
{
	char *argv[4] = { "/bin/sh", "-c", (char *)command, NULL };
	char *envp[3] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
			  "D=" OP_KUNIT_DIR, NULL };

	return call_usermodehelper(argv[0], argv, envp, UMH_WAIT_PROC);
}

/* One without which the case makes no sense. */
static inline void op_kunit_do(struct kunit *test, const char *command)
{
	KUNIT_ASSERT_EQ_MSG(test, 0, op_kunit_shell(command), "%s", command);
}

/* A case's beginning and end, where it changes samples, images and their bound. */
static inline int op_kunit_begin(struct kunit *test)
{
	op_reset();
	return 0;
}

static inline void op_kunit_end(struct kunit *test)
{
	op_param_set(OP_PARAM_HIST_MEMORY, SZ_128M);
	op_reset();
}

/* A number that looks random, and is the same in every run. */
static inline u32 op_kunit_random(u32 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

#endif /* OP_KUNIT_H */
