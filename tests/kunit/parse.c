// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: what is written to the files, as the kernel understands it: numbers,
 * words and lines of jit_maps (oprofilefs/parse.c, with the texts of its test on
 * the host, here under KASAN), and the texts of the counters and of mark,
 * written to the files of a mount of its own.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/threads.h>

#include "oprofilefs/parse.h"
#include "tests/kunit/kunit.h"
#include "tests/unit/parse_cases.h"

/* Memory of just the text's size, so that KASAN sees a read beyond it. */
static char *exact(struct kunit *test, const char *text, size_t len)
{
	char *copy = kunit_kmalloc(test, max_t(size_t, len, 1), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy, text, len);
	return copy;
}

static void parse_numbers(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct number *n = &numbers[i];
		char *text = exact(test, n->text, n->len);
		u64 value = 0x5a5a;

		KUNIT_EXPECT_EQ_MSG(test, op_parse_u64(text, n->len, &value),
				    n->err, "%s", n->text);
		KUNIT_EXPECT_EQ_MSG(test, value, n->err ? 0x5a5a : n->value,
				    "%s", n->text);
	}
}

static void parse_lines(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		const struct line *line = &lines[i];
		char *text = exact(test, line->text, line->len);
		/* Small kernels have smaller numbers of processes. */
		int err = line->pid > PID_MAX_LIMIT ? -ERANGE : line->err;
		struct op_jit_command command;
		const char *reason = NULL;

		KUNIT_EXPECT_EQ_MSG(
			test, op_parse_jit(text, line->len, &command, &reason),
			err, "%s", line->text);
		KUNIT_EXPECT_EQ(test, !reason, !err);
		if (err)
			continue;
		KUNIT_EXPECT_EQ(test, command.verb, line->verb);
		KUNIT_EXPECT_EQ(test, command.pid, line->pid);
		KUNIT_EXPECT_EQ(test, command.start, line->start);
		KUNIT_EXPECT_EQ(test, command.end, line->end);
		if (line->name)
			KUNIT_EXPECT_STREQ(test, command.name, line->name);
	}
}

static void parse_words(struct kunit *test)
{
	static const struct {
		const char *text;
		size_t len;
		int error;
	} words[] = {
		{ TEXT("1234567"), 0 },	       { TEXT(" r1c2\n"), 0 },
		{ TEXT("12345678"), -EINVAL }, { TEXT(""), -EINVAL },
		{ TEXT(" \n"), -EINVAL },      { TEXT("a b"), -EINVAL },
		{ TEXT("a\0"), -EINVAL },      { TEXT("a\x7f"), -EINVAL },
		{ TEXT("\xc3\xa4"), -EINVAL },
	};
	char *text, *word = exact(test, "before!", 8);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		text = exact(test, words[i].text, words[i].len);
		KUNIT_EXPECT_EQ_MSG(test,
				    op_parse_word(text, words[i].len, word, 8),
				    words[i].error, "%s", words[i].text);
	}
	/* What was refused has changed nothing. */
	KUNIT_EXPECT_STREQ(test, word, "r1c2");
}

/* ------------------------------------------------------------------ */
/* The files                                                          */

#define MOUNTED OP_KUNIT_DIR "/fs"

static int parse_suite_init(struct kunit_suite *suite)
{
	return op_kunit_shell("mkdir -p $D/fs && mount -t oprofilefs fs $D/fs");
}

static void parse_suite_exit(struct kunit_suite *suite)
{
	op_kunit_shell("umount $D/fs; rm -r $D");
}

static void parse_exit(struct kunit *test)
{
	op_counters_init();
	op_reset();
}

/* What a write(2) of the text says: its length, or a negative errno. */
static ssize_t file_write(struct kunit *test, const char *name,
			  const char *text, size_t len)
{
	struct file *file = filp_open(name, O_WRONLY, 0);
	loff_t pos = 0;
	ssize_t ret;

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(file), "%s: %ld", name,
			       PTR_ERR(file));
	ret = kernel_write(file, exact(test, text, len), len, &pos);
	filp_close(file, NULL);
	/* A kernel thread's files are closed later: not so late as the umount. */
	flush_delayed_fput();
	return ret;
}

static void parse_events(struct kunit *test)
{
	static const struct {
		const char *text;
		const char *event; /* %NULL: it is none */
	} events[] = {
		{ "timer", "timer" },
		{ " cpu-clock \n", "cpu-clock" },
		{ "cycles", "cycles" },
		{ "iTLB-load-misses", "iTLB-load-misses" },
		{ "r0", "r0" },
		{ "r1C2", "r1C2" },
		{ "rffffffffffffffff", "rffffffffffffffff" },
		{ "r0fffffffffffffff", "r0fffffffffffffff" },
		{ "r00000000000000000", NULL },
		{ "r", NULL },
		{ "rg", NULL },
		{ "r0x1", NULL },
		{ "r-1", NULL },
		{ "R1", NULL },
		{ "", NULL },
		{ "timer2", NULL },
		{ "time", NULL },
		{ "Timer", NULL },
		{ "timer cycles", NULL },
		{ "cycle", NULL },
		{ "cycles:u", NULL },
		{ "0123456789012345678901234567890123456789012345678", NULL },
	};
	struct op_counter_config config;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		const char *text = events[i].text;
		ssize_t ret;

		op_counters_init();
		KUNIT_ASSERT_EQ(test, op_counter_set_event(2, "page-faults"),
				0);
		ret = file_write(test, MOUNTED "/2/event", text, strlen(text));
		if (!strlen(text))
			KUNIT_EXPECT_LE(test, ret, 0);
		else
			KUNIT_EXPECT_EQ_MSG(test, ret,
					    events[i].event ?
						    (ssize_t)strlen(text) :
						    -EINVAL,
					    "%s", text);
		op_counter_get(2, &config);
		KUNIT_EXPECT_STREQ(test, config.event,
				   events[i].event ?: "page-faults");
	}
}

/* Periods and rates: their bounds, and that one takes the other's place. */
static void parse_rates(struct kunit *test)
{
	static const struct {
		const char *event;
		enum op_counter_field field;
		u64 value;
		int error;
	} rates[] = {
		{ "timer", OP_COUNTER_FREQ, 0, -EINVAL },
		{ "timer", OP_COUNTER_FREQ, 1, 0 },
		{ "timer", OP_COUNTER_FREQ, 20000, 0 },
		{ "timer", OP_COUNTER_FREQ, 20001, -ERANGE },
		{ "timer", OP_COUNTER_FREQ, 1ULL << 32, -ERANGE },
		{ "timer", OP_COUNTER_FREQ, (1ULL << 32) + 1000, -ERANGE },
		{ "timer", OP_COUNTER_COUNT, 0, -EINVAL },
		{ "timer", OP_COUNTER_COUNT, 49999, -ERANGE },
		{ "timer", OP_COUNTER_COUNT, 50000, 0 },
		{ "timer", OP_COUNTER_COUNT, 3600000000000, 0 },
		{ "timer", OP_COUNTER_COUNT, 3600000000001, -ERANGE },
		{ "timer", OP_COUNTER_COUNT, U64_MAX, -ERANGE },
		{ "cpu-clock", OP_COUNTER_COUNT, 1, -ERANGE },
		{ "cpu-clock", OP_COUNTER_COUNT, S64_MAX, 0 },
		{ "cpu-clock", OP_COUNTER_COUNT, 1ULL << 63, -ERANGE },
		{ "page-faults", OP_COUNTER_COUNT, 1, 0 },
		{ "page-faults", OP_COUNTER_FREQ, U32_MAX, -ERANGE },
		{ "timer", OP_COUNTER_ENABLED, 1, 0 },
		{ "timer", OP_COUNTER_ENABLED, 2, -EINVAL },
		{ "timer", OP_COUNTER_KERNEL, 0, 0 },
		{ "timer", OP_COUNTER_KERNEL, U64_MAX, -EINVAL },
		{ "timer", OP_COUNTER_USER, 256, -EINVAL },
	};
	struct op_counter_config before, after, want;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		op_counters_init();
		KUNIT_ASSERT_EQ(test, op_counter_set_event(3, rates[i].event),
				0);
		op_counter_get(3, &before);
		want = before;
		if (!rates[i].error) {
			switch (rates[i].field) {
			case OP_COUNTER_COUNT:
				want.count = rates[i].value;
				want.freq = 0;
				break;
			case OP_COUNTER_FREQ:
				want.freq = rates[i].value;
				want.count = 0;
				break;
			case OP_COUNTER_ENABLED:
				want.enabled = rates[i].value;
				break;
			case OP_COUNTER_KERNEL:
				want.kernel = rates[i].value;
				break;
			case OP_COUNTER_USER:
				want.user = rates[i].value;
				break;
			}
		}
		KUNIT_EXPECT_EQ_MSG(
			test, op_counter_set(3, rates[i].field, rates[i].value),
			rates[i].error, "line %zu", i);
		op_counter_get(3, &after);
		KUNIT_EXPECT_EQ(test, after.count, want.count);
		KUNIT_EXPECT_EQ(test, after.freq, want.freq);
		KUNIT_EXPECT_EQ(test, after.enabled, want.enabled);
		KUNIT_EXPECT_EQ(test, after.kernel, want.kernel);
		KUNIT_EXPECT_EQ(test, after.user, want.user);
	}
}

/* An event that can't have the rate of the one before gets the default. */
static void parse_rate_of_new_event(struct kunit *test)
{
	struct op_counter_config config;

	op_counters_init();
	KUNIT_ASSERT_EQ(test, op_counter_set_event(1, "page-faults"), 0);
	KUNIT_ASSERT_EQ(test, op_counter_set(1, OP_COUNTER_COUNT, 1), 0);
	KUNIT_ASSERT_EQ(test, op_counter_set_event(1, "minor-faults"), 0);
	op_counter_get(1, &config);
	KUNIT_EXPECT_EQ(test, config.count, 1);
	KUNIT_ASSERT_EQ(test, op_counter_set_event(1, "timer"), 0);
	op_counter_get(1, &config);
	KUNIT_EXPECT_EQ(test, config.count, 0);
	KUNIT_EXPECT_EQ(test, config.freq, OP_DEFAULT_HZ);
}

static void parse_params(struct kunit *test)
{
	static const struct {
		enum op_param param;
		u64 value;
		int error;
		u64 now;
	} params[] = {
		{ OP_PARAM_CPU_BUFFER_SIZE, 3, -ERANGE, 8192 },
		{ OP_PARAM_CPU_BUFFER_SIZE, 4, 0, 4 },
		{ OP_PARAM_CPU_BUFFER_SIZE, SZ_1M, 0, SZ_1M },
		{ OP_PARAM_CPU_BUFFER_SIZE, SZ_1M + 1, -ERANGE, SZ_1M },
		{ OP_PARAM_CPU_BUFFER_SIZE, 8192, 0, 8192 },
		{ OP_PARAM_BUFFER_SIZE, 4095, -ERANGE, 16384 },
		{ OP_PARAM_BUFFER_SIZE, 16385, 0, 32768 },
		{ OP_PARAM_BUFFER_SIZE, SZ_16M + 1, -ERANGE, 32768 },
		{ OP_PARAM_BUFFER_WATERSHED, 0, -ERANGE, 4096 },
		{ OP_PARAM_BUFFER_WATERSHED, 32769, -EINVAL, 4096 },
		{ OP_PARAM_BUFFER_WATERSHED, 32768, 0, 32768 },
		{ OP_PARAM_BUFFER_SIZE, 16384, -EINVAL, 32768 },
		{ OP_PARAM_BUFFER_WATERSHED, 4096, 0, 4096 },
		{ OP_PARAM_BUFFER_SIZE, 16384, 0, 16384 },
		{ OP_PARAM_SYNC_MS, 0, -ERANGE, 100 },
		{ OP_PARAM_SYNC_MS, 10001, -ERANGE, 100 },
		{ OP_PARAM_SYNC_MS, 10000, 0, 10000 },
		{ OP_PARAM_SYNC_MS, 100, 0, 100 },
		{ OP_PARAM_HIST_MEMORY, SZ_64K - 1, -ERANGE, SZ_128M },
		{ OP_PARAM_HIST_MEMORY, U64_MAX, 0, U64_MAX },
		{ OP_PARAM_HIST_MEMORY, SZ_128M, 0, SZ_128M },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(params); i++) {
		KUNIT_EXPECT_EQ_MSG(
			test, op_param_set(params[i].param, params[i].value),
			params[i].error, "line %zu", i);
		KUNIT_EXPECT_EQ_MSG(test, op_param_get(params[i].param),
				    params[i].now, "line %zu", i);
	}
}

/* Marks: by path, by name, by dcookie; and what is none. */
static void parse_marks(struct kunit *test)
{
	static const struct {
		const char *text;
		size_t len;
		int error;
		bool marked; /* is vmlinux afterwards? */
	} marks[] = {
		{ TEXT("vmlinux"), 0, true },
		{ TEXT("vmlinux\n"), 0, true },
		{ TEXT("unmark vmlinux"), 0, false },
		{ TEXT("unmark vmlinux\n"), -ENOENT, false },
		{ TEXT("unmark"), -ENOENT, false },
		{ TEXT("unmark "), -ENOENT, false },
		{ TEXT("vmlinux\n\n"), -ENOENT, false },
		{ TEXT(" vmlinux"), -ENOENT, false },
		{ TEXT("vmlinux "), -ENOENT, false },
		{ TEXT("VMLINUX"), -ENOENT, false },
		{ TEXT("vmlinux\0"), -EINVAL, false },
		{ TEXT("vmlinux\0x"), -EINVAL, false },
		{ TEXT("\n"), -EINVAL, false },
		{ TEXT("\0"), -EINVAL, false },
		{ TEXT("/"), -EINVAL, false },
		{ TEXT("/dev/null"), -EINVAL, false },
		{ TEXT("/no such file"), -ENOENT, false },
		{ TEXT("/bin/sh/"), -ENOTDIR, false },
		{ TEXT("unmark 0"), -ENOENT, false },
		{ TEXT("unmark 18446744073709551616"), -ENOENT, false },
		{ TEXT("unmark /no such file"), -ENOENT, false },
		{ TEXT("unmark /bin/sh"), -ENOENT, false },
		{ TEXT("/bin/sh"), 0, false },
		{ TEXT("unmark /bin/sh"), 0, false },
		{ TEXT("vmlinux"), 0, true },
	};
	const struct op_image *vmlinux = op_image_fixed[OP_IMAGE_VMLINUX];
	char text[64], *longest;
	ssize_t ret;
	size_t i;
	int len;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		ret = file_write(test, MOUNTED "/mark", marks[i].text,
				 marks[i].len);
		KUNIT_EXPECT_EQ_MSG(test, ret,
				    marks[i].error ? marks[i].error :
						     (ssize_t)marks[i].len,
				    "line %zu: %s", i, marks[i].text);
		KUNIT_EXPECT_EQ_MSG(test, vmlinux->marked, marks[i].marked,
				    "line %zu: %s", i, marks[i].text);
	}
	KUNIT_EXPECT_TRUE(test, op_marks_active());
	len = snprintf(text, sizeof(text), "unmark %llu", vmlinux->cookie);
	KUNIT_EXPECT_EQ(test, file_write(test, MOUNTED "/mark", text, len),
			len);
	KUNIT_EXPECT_FALSE(test, vmlinux->marked);
	KUNIT_EXPECT_FALSE(test, op_marks_active());

	/* The longest path, and one byte more than anything may have. */
	longest = kunit_kmalloc(test, PATH_MAX + 8, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, longest);
	memset(longest, '/', PATH_MAX + 8);
	KUNIT_EXPECT_EQ(
		test, file_write(test, MOUNTED "/mark", longest, PATH_MAX - 1),
		-EINVAL);
	KUNIT_EXPECT_EQ(test,
			file_write(test, MOUNTED "/mark", longest, PATH_MAX),
			-ENAMETOOLONG);
	KUNIT_EXPECT_EQ(
		test, file_write(test, MOUNTED "/mark", longest, PATH_MAX + 8),
		-ENAMETOOLONG);
}

static struct kunit_case parse_cases[] = { KUNIT_CASE(parse_numbers),
					   KUNIT_CASE(parse_lines),
					   KUNIT_CASE(parse_words),
					   KUNIT_CASE(parse_events),
					   KUNIT_CASE(parse_rates),
					   KUNIT_CASE(parse_rate_of_new_event),
					   KUNIT_CASE(parse_params),
					   KUNIT_CASE(parse_marks),
					   {} };

struct kunit_suite op_kunit_parse = {
	.name = "oprofile_parse",
	.suite_init = parse_suite_init,
	.suite_exit = parse_suite_exit,
	.exit = parse_exit,
	.test_cases = parse_cases,
};
