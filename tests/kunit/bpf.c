// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: where BPF text was, core/bpf_text.c. That what was heard of stays until
 * other code is in its place, and that it is bounded.
 */
#include "tests/kunit/kunit.h"

#define TEXT 0xffffffffc0000000ULL
#define PROGRAM "bpf_prog_6deef7357e7b4530_long"

static void heard(u64 start, u64 len, const char *name)
{
	mutex_lock(&op_sync_mutex);
	op_bpf_text_heard(start, len, name);
	mutex_unlock(&op_sync_mutex);
}

static bool was(u64 pc)
{
	bool ret;

	mutex_lock(&op_sync_mutex);
	ret = op_bpf_text_was(pc);
	mutex_unlock(&op_sync_mutex);
	return ret;
}

static void forget(struct kunit *test)
{
	mutex_lock(&op_sync_mutex);
	op_bpf_text_forget();
	mutex_unlock(&op_sync_mutex);
}

/* Names as 6.1's kernel/bpf and kernel/trace make them. */
static void bpf_names(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, op_bpf_symbol(PROGRAM));
	KUNIT_EXPECT_TRUE(test, op_bpf_symbol("bpf_prog_6deef7357e7b4530"));
	KUNIT_EXPECT_TRUE(test, op_bpf_symbol("bpf_trampoline_42"));
	KUNIT_EXPECT_FALSE(test, op_bpf_symbol("bpf_prog_6deef7357e7b453"));
	KUNIT_EXPECT_FALSE(test, op_bpf_symbol("bpf_prog_"));
	KUNIT_EXPECT_FALSE(test, op_bpf_symbol("bpf_prog_test_run_skb"));
	KUNIT_EXPECT_FALSE(test, op_bpf_symbol("bpf_trampoline_"));
	KUNIT_EXPECT_FALSE(test, op_bpf_symbol("bpf_trampoline_enter"));
	KUNIT_EXPECT_FALSE(test, op_bpf_symbol("bpf_dispatcher_xdp"));
	KUNIT_EXPECT_TRUE(test, op_bpf_symbol_outside("bpf_dispatcher_xdp"));
	KUNIT_EXPECT_TRUE(test, op_bpf_symbol_outside(PROGRAM));
	KUNIT_EXPECT_FALSE(test, op_bpf_symbol_outside("ftrace_trampoline"));
	KUNIT_EXPECT_FALSE(test, op_bpf_symbol_outside(""));
}

static void bpf_edges(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, was(TEXT));
	heard(TEXT, 0, PROGRAM);
	KUNIT_EXPECT_FALSE(test, was(TEXT));
	heard(TEXT, 0x100, PROGRAM);
	KUNIT_EXPECT_FALSE(test, was(TEXT - 1));
	KUNIT_EXPECT_TRUE(test, was(TEXT));
	KUNIT_EXPECT_TRUE(test, was(TEXT + 0xff));
	KUNIT_EXPECT_FALSE(test, was(TEXT + 0x100));
	/* The last byte that there is; and one too many. */
	heard(U64_MAX - 0xff, 0x101, PROGRAM);
	KUNIT_EXPECT_FALSE(test, was(U64_MAX));
	heard(U64_MAX - 0xff, 0x100, PROGRAM);
	KUNIT_EXPECT_TRUE(test, was(U64_MAX));
}

/* Programs of other times overlap as they like. */
static void bpf_overlaps(struct kunit *test)
{
	heard(TEXT + 0x100, 0x100, PROGRAM);
	heard(TEXT + 0x300, 0x100, PROGRAM);
	/* Its end is heard as its beginning was. */
	heard(TEXT + 0x300, 0x100, PROGRAM);
	KUNIT_EXPECT_FALSE(test, was(TEXT + 0x200));
	heard(TEXT + 0x180, 0x200, PROGRAM);
	KUNIT_EXPECT_FALSE(test, was(TEXT + 0xff));
	KUNIT_EXPECT_TRUE(test, was(TEXT + 0x100));
	KUNIT_EXPECT_TRUE(test, was(TEXT + 0x200));
	KUNIT_EXPECT_TRUE(test, was(TEXT + 0x3ff));
	KUNIT_EXPECT_FALSE(test, was(TEXT + 0x400));
}

static void bpf_other_code(struct kunit *test)
{
	heard(TEXT, 0x100, PROGRAM);
	heard(TEXT + 0x200, 0x100, PROGRAM);
	heard(TEXT + 0x1000, 0x100, PROGRAM);
	heard(TEXT, 0x1000, "kprobe_insn_page");
	KUNIT_EXPECT_FALSE(test, was(TEXT));
	KUNIT_EXPECT_FALSE(test, was(TEXT + 0x200));
	KUNIT_EXPECT_TRUE(test, was(TEXT + 0x1000));
}

/* Ten thousand apart: the oldest are forgotten, but one that is heard of again. */
static void bpf_bound(struct kunit *test)
{
	unsigned int i, n = 0, last = 10000;

	for (i = 0; i < last; i++) {
		heard(TEXT + i * 0x100, 0x80, PROGRAM);
		heard(TEXT, 0x80, PROGRAM);
	}
	for (i = 0; i < last; i++)
		n += was(TEXT + i * 0x100 + 0x7f);
	KUNIT_EXPECT_EQ(test, n, 4096);
	KUNIT_EXPECT_TRUE(test, was(TEXT));
	KUNIT_EXPECT_FALSE(test, was(TEXT + 0x100));
	KUNIT_EXPECT_TRUE(test, was(TEXT + (last - 1) * 0x100));
}

static struct kunit_case bpf_cases[] = {
	KUNIT_CASE(bpf_names),	  KUNIT_CASE(bpf_edges),
	KUNIT_CASE(bpf_overlaps), KUNIT_CASE(bpf_other_code),
	KUNIT_CASE(bpf_bound),	  {}
};

struct kunit_suite op_kunit_bpf = {
	.name = "oprofile_bpf",
	.exit = forget,
	.test_cases = bpf_cases,
};
