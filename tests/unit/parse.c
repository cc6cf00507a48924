// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of oprofilefs/parse.c: numbers, words and lines of jit_maps.
 *
 * Each text is given in a block of memory of just its length, so that the
 * address sanitizer sees a read beyond it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/limits.h>

#include "oprofilefs/parse.h"

#define TEXT(literal) literal, sizeof(literal) - 1

static char *exact(const char *text, size_t len)
{
	char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, text, len);
	return copy;
}

/* Fails with the text that it was about. */
static void check(bool good, const char *what, const char *text, size_t len,
		  int line)
{
	size_t i;

	if (good)
		return;
	print_message("# line %d: %s is wrong of \"", line, what);
	for (i = 0; i < len; i++) {
		if (text[i] >= ' ' && text[i] < 0x7f)
			print_message("%c", text[i]);
		else
			print_message("\\x%02x", (unsigned char)text[i]);
	}
	print_message("\"\n");
	fail();
}

#define CHECK(condition, of)                                                   \
	check(condition, #condition, (of)->text, (of)->len, __LINE__)

/* ------------------------------------------------------------------ */
/* Numbers                                                            */

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

static void test_numbers(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct number *n = &numbers[i];
		char *text = exact(n->text, n->len);
		u64 value = 0x5a5a;

		CHECK(op_parse_u64(text, n->len, &value) == n->err, n);
		CHECK(value == (n->err ? 0x5a5a : n->value), n);
		free(text);
	}
}

static void test_long_numbers(void **state)
{
	char text[OP_TEXT_MAX + 1];
	u64 value;

	memset(text, '0', sizeof(text));
	text[OP_TEXT_MAX - 1] = '7';
	assert_int_equal(op_parse_u64(text, OP_TEXT_MAX, &value), 0);
	assert_true(value == 7);
	text[OP_TEXT_MAX] = '\n';
	assert_int_equal(op_parse_u64(text, sizeof(text), &value), -EINVAL);
}

/* Every number of every length comes back, in both bases. */
static void test_all_lengths(void **state)
{
	char text[32];
	unsigned int bit;
	u64 value;
	int delta;

	for (bit = 0; bit < 64; bit++) {
		for (delta = -1; delta <= 1; delta++) {
			u64 want = (1ULL << bit) + delta;

			snprintf(text, sizeof(text), "%llu", want);
			assert_int_equal(
				op_parse_u64(text, strlen(text), &value), 0);
			assert_true(value == want);
			snprintf(text, sizeof(text), "0x%llx", want);
			assert_int_equal(
				op_parse_u64(text, strlen(text), &value), 0);
			assert_true(value == want);
		}
	}
}

/* ------------------------------------------------------------------ */
/* Words                                                              */

static void test_words(void **state)
{
	char word[8] = "before";

	assert_int_equal(op_parse_word(TEXT("timer\n"), word, sizeof(word)), 0);
	assert_string_equal(word, "timer");
	assert_int_equal(op_parse_word(TEXT(" r1c2 "), word, sizeof(word)), 0);
	assert_string_equal(word, "r1c2");
	assert_int_equal(op_parse_word(TEXT("1234567"), word, sizeof(word)), 0);
	assert_string_equal(word, "1234567");

	assert_int_equal(op_parse_word(TEXT("12345678"), word, sizeof(word)),
			 -EINVAL);
	assert_int_equal(op_parse_word(TEXT(""), word, sizeof(word)), -EINVAL);
	assert_int_equal(op_parse_word(TEXT("\n"), word, sizeof(word)),
			 -EINVAL);
	assert_int_equal(op_parse_word(TEXT("a b"), word, sizeof(word)),
			 -EINVAL);
	assert_int_equal(op_parse_word(TEXT("a\nb"), word, sizeof(word)),
			 -EINVAL);
	assert_int_equal(op_parse_word(TEXT("a\0"), word, sizeof(word)),
			 -EINVAL);
	assert_int_equal(op_parse_word(TEXT("a\x01"), word, sizeof(word)),
			 -EINVAL);
	assert_int_equal(op_parse_word(TEXT("\xc3\xa4"), word, sizeof(word)),
			 -EINVAL);
	assert_string_equal(word, "1234567");
}

/* ------------------------------------------------------------------ */
/* Lines of jit_maps                                                  */

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

static void test_lines(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct line *line = &lines[i];
		char *text = exact(line->text, line->len);
		struct op_jit_command command;
		const char *reason = NULL;

		memset(&command, 0x5a, sizeof(command));
		CHECK(op_parse_jit(text, line->len, &command, &reason) ==
			      line->err,
		      line);
		free(text);
		CHECK(!reason == !line->err, line);
		if (line->err)
			continue;
		CHECK(command.verb == line->verb, line);
		CHECK(command.pid == line->pid, line);
		CHECK(command.start == line->start, line);
		CHECK(command.end == line->end, line);
		if (line->name)
			CHECK(!strcmp(command.name, line->name), line);
	}
}

/* No byte, wherever it comes, is read beyond or makes a name that is none. */
static void test_any_byte(void **state)
{
	static const char good[] = "add_mapping ab 0x10 0x20 pid=12";
	struct op_jit_command command;
	const char *reason;
	unsigned int byte;
	size_t at, i;

	for (at = 0; at < sizeof(good) - 1; at++) {
		for (byte = 0; byte < 256; byte++) {
			char *text = exact(good, sizeof(good) - 1);

			text[at] = byte;
			if (!op_parse_jit(text, sizeof(good) - 1, &command,
					  &reason)) {
				assert_int_equal(command.verb, OP_JIT_ADD);
				assert_true(command.end > command.start);
				for (i = 0; command.name[i]; i++)
					assert_true(command.name[i] > ' ' &&
						    command.name[i] < 0x7f &&
						    command.name[i] != '/');
				assert_true(i > 0 && i <= OP_JIT_NAME_MAX);
			}
			free(text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_long_numbers),
		cmocka_unit_test(test_all_lengths),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_any_byte),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
