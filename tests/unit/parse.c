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
#include "tests/unit/parse_cases.h"

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
