/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts, and what oprofilefs/parse.c makes of them: for the test on the host,
 * parse.c here, and the one in the kernel, tests/kunit/parse.c.
 */
#ifndef OP_PARSE_CASES_H
#define OP_PARSE_CASES_H

#define TEXT(literal) literal, sizeof(literal) - 1

/* A text as a number; @value is what it is, unless it is an error. */
struct number {
	const char *text;
	size_t len;
	int err;
	u64 value;
};

static const struct number numbers[] = {
	{ TEXT("0"), 0, 0 },
	{ TEXT("1"), 0, 1 },
	{ TEXT("1\n"), 0, 1 },
	{ TEXT(" \t\n12 \n\t"), 0, 12 },
	{ TEXT("0010"), 0, 10 },
	{ TEXT("08"), 0, 8 },
	{ TEXT("0x0"), 0, 0 },
	{ TEXT("0x1f"), 0, 0x1f },
	{ TEXT("0XfF\n"), 0, 0xff },
	{ TEXT("18446744073709551615"), 0, U64_MAX },
	{ TEXT("0xffffffffffffffff"), 0, U64_MAX },
	{ TEXT("000000000000000000000000000000000001"), 0, 1 },
	{ TEXT("18446744073709551616"), -ERANGE },
	{ TEXT("99999999999999999999999"), -ERANGE },
	{ TEXT("0x10000000000000000"), -ERANGE },
	{ TEXT(""), -EINVAL },
	{ TEXT("\n"), -EINVAL },
	{ TEXT("   "), -EINVAL },
	{ TEXT("0x"), -EINVAL },
	{ TEXT("x1"), -EINVAL },
	{ TEXT("1x"), -EINVAL },
	{ TEXT("0x1g"), -EINVAL },
	{ TEXT("ff"), -EINVAL },
	{ TEXT("-1"), -EINVAL },
	{ TEXT("-0"), -EINVAL },
	{ TEXT("+1"), -EINVAL },
	{ TEXT("0x-1"), -EINVAL },
	{ TEXT("- 1"), -EINVAL },
	{ TEXT("1 2"), -EINVAL },
	{ TEXT("1\n2\n"), -EINVAL },
	{ TEXT("1.0"), -EINVAL },
	{ TEXT("1e3"), -EINVAL },
	{ TEXT("1k"), -EINVAL },
	{ TEXT("1\0"), -EINVAL },
	{ TEXT("\0"), -EINVAL },
	{ TEXT("1\0002"), -EINVAL },
	{ TEXT("1\r\n"), -EINVAL },
	{ TEXT("\v1"), -EINVAL },
	{ TEXT("\xd9\xa1"), -EINVAL },
	{ TEXT("\xff"), -EINVAL },
	/* Wrong is wrong, however large. */
	{ TEXT("99999999999999999999999x"), -EINVAL },
	{ TEXT("yes"), -EINVAL },
};

/* Lines of jit_maps. */
#define N10 "0123456789"
#define N100 N10 N10 N10 N10 N10 N10 N10 N10 N10 N10

struct line {
	const char *text;
	size_t len;
	int err;
	enum op_jit_verb verb;
	const char *name;
	u64 start;
	u64 end;
	pid_t pid;
};

static const struct line lines[] = {
	{ TEXT(""), 0, OP_JIT_NOTHING },
	{ TEXT(" \t "), 0, OP_JIT_NOTHING },
	{ TEXT("add_mapping a 0x1 0x2"), 0, OP_JIT_ADD, "a", 1, 2 },
	{ TEXT("\tadd_mapping  a\t0x1 \t0x2 "), 0, OP_JIT_ADD, "a", 1, 2 },
	{ TEXT("add_mapping a 0x1 0x2 pid=3"), 0, OP_JIT_ADD, "a", 1, 2, 3 },
	{ TEXT("add_mapping a 0x1 0x2 pid=4194304"), 0, OP_JIT_ADD, "a", 1, 2,
	  4194304 },
	{ TEXT("add_mapping a 0x0 0xffffffffffffffff"), 0, OP_JIT_ADD, "a", 0,
	  U64_MAX },
	{ TEXT("add_mapping a 0xC0FFEE 0XC0FFEF"), 0, OP_JIT_ADD, "a", 0xc0ffee,
	  0xc0ffef },
	{ TEXT("add_mapping a..b 0x1 0x2"), 0, OP_JIT_ADD, "a..b", 1, 2 },
	{ TEXT("add_mapping ... 0x1 0x2"), 0, OP_JIT_ADD, "...", 1, 2 },
	{ TEXT("add_mapping pid=5 0x1 0x2"), 0, OP_JIT_ADD, "pid=5", 1, 2 },
	{ TEXT("add_mapping " N100 N100 " 0x1 0x2"), 0, OP_JIT_ADD, N100 N100,
	  1, 2 },
	{ TEXT("remove_mapping a"), 0, OP_JIT_REMOVE, "a" },
	{ TEXT("remove_mapping a pid=7"), 0, OP_JIT_REMOVE, "a", 0, 0, 7 },

	{ TEXT("add_mapping"), -EINVAL },
	{ TEXT("add_mapping "), -EINVAL },
	{ TEXT("add_mapping a"), -EINVAL },
	{ TEXT("add_mapping a 0x1"), -EINVAL },
	{ TEXT("add_mapping 0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping a 1 2"), -EINVAL },
	{ TEXT("add_mapping a 0x 0x2"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0xg"), -EINVAL },
	{ TEXT("add_mapping a -0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping a +0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping a 0x2 0x1"), -EINVAL },
	{ TEXT("add_mapping a 0x2 0x2"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x10000000000000000"), -ERANGE },
	{ TEXT("add_mapping a 0x10000000000000000 0x1"), -ERANGE },
	{ TEXT("add_mapping a 0x1 0x2 0x3"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2 pid="), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2 pid"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2 pid=0"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2 pid=-1"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2 pid=+1"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2 pid=0x1"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2 pid=1x"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2 pid=4194305"), -ERANGE },
	{ TEXT("add_mapping a 0x1 0x2 pid=99999999999999999999"), -ERANGE },
	{ TEXT("add_mapping a 0x1 0x2 pid=1 pid=1"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2 tid=1"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2\r"), -EINVAL },
	{ TEXT("add_mapping a\v0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping a 0x1 0x2\0"), -EINVAL },
	{ TEXT("add_mapping a\0b 0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping a/b 0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping / 0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping . 0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping .. 0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping a\x1b[m 0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping a\x7f 0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping \xc3\xa4 0x1 0x2"), -EINVAL },
	{ TEXT("add_mapping " N100 N100 "x 0x1 0x2"), -ENAMETOOLONG },
	{ TEXT("add_mapping " N100 N100 N100 " 0x1 0x2"), -ENAMETOOLONG },
	{ TEXT("ADD_MAPPING a 0x1 0x2"), -EINVAL },
	{ TEXT("add_mappings a 0x1 0x2"), -EINVAL },
	{ TEXT("add a 0x1 0x2"), -EINVAL },
	{ TEXT("\0"), -EINVAL },
	{ TEXT("remove_mapping"), -EINVAL },
	{ TEXT("remove_mapping a b"), -EINVAL },
	{ TEXT("remove_mapping a 0x1 0x2"), -EINVAL },
	{ TEXT("remove_mapping a/b"), -EINVAL },
	{ TEXT("remove_mapping a pid=0"), -EINVAL },
	{ TEXT("remove_mapping " N100 N100 "x"), -ENAMETOOLONG },
};

#endif /* OP_PARSE_CASES_H */
