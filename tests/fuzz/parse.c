// SPDX-License-Identifier: GPL-2.0-only
/*
 * oprofilefs/parse.c: numbers, words and lines of jit_maps.
 *
 * What a parser accepts, printed and parsed again, is the same; what it does
 * not accept it leaves alone.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

#include <linux/limits.h>

#include "oprofilefs/parse.h"

#include "fuzz.h"

static void numbers(const char *text, size_t len)
{
	u64 value = 0x5a5a, again;
	char *copy;
	int err = op_parse_u64(text, len, &value);

	MUST(err == 0 || err == -EINVAL || err == -ERANGE);
	if (err) {
		MUST(value == 0x5a5a);
		return;
	}
	MUST(len <= OP_TEXT_MAX);
	/* What it is, as the C library sees it. */
	copy = fuzz_string(text, len);
	MUST(strlen(copy) == len);
	again = strtoull(copy, NULL, strpbrk(copy, "xX") ? 16 : 10);
	MUST(again == value);
	len = snprintf(copy, len + 1, "%llu", value);
	free(copy);
	copy = malloc(32);
	len = snprintf(copy, 32, "%llu\n", value);
	MUST(!op_parse_u64(copy, len, &again) && again == value);
	len = snprintf(copy, 32, " 0x%llX\t", value);
	MUST(!op_parse_u64(copy, len, &again) && again == value);
	free(copy);
}

static void words(const char *text, size_t len)
{
	char word[OP_EVENT_NAME_LEN], again[OP_EVENT_NAME_LEN];
	size_t i;

	memset(word, 'z', sizeof(word));
	if (op_parse_word(text, len, word, sizeof(word))) {
		for (i = 0; i < sizeof(word); i++)
			MUST(word[i] == 'z');
		return;
	}
	MUST(word[0] && strlen(word) < sizeof(word));
	for (i = 0; word[i]; i++)
		MUST(word[i] > ' ' && word[i] < 0x7f);
	MUST(memmem(text, len, word, i));
	MUST(!op_parse_word(word, i, again, sizeof(again)));
	MUST(!strcmp(word, again));
}

static void lines(const char *text, size_t len)
{
	struct op_jit_command command, again;
	const char *reason = NULL;
	char line[OP_LINE_MAX];
	size_t n;
	int err = op_parse_jit(text, len, &command, &reason);

	if (err) {
		MUST(err == -EINVAL || err == -ERANGE || err == -ENAMETOOLONG);
		MUST(reason);
		return;
	}
	if (command.verb == OP_JIT_NOTHING) {
		while (len--)
			MUST(text[len] == ' ' || text[len] == '\t');
		return;
	}
	MUST(command.name[0] && strlen(command.name) <= OP_JIT_NAME_MAX);
	MUST(!strchr(command.name, '/') && !strchr(command.name, '\n'));
	MUST(command.pid >= 0 && command.pid <= 4 * 1024 * 1024);
	if (command.verb == OP_JIT_ADD) {
		MUST(command.start < command.end);
		n = snprintf(line, sizeof(line),
			     "add_mapping\t%s 0x%llX 0x%llx", command.name,
			     command.start, command.end);
	} else {
		n = snprintf(line, sizeof(line), "  remove_mapping %s ",
			     command.name);
	}
	if (command.pid)
		n += snprintf(line + n, sizeof(line) - n, " pid=%d",
			      command.pid);
	MUST(n < sizeof(line));
	MUST(!op_parse_jit(line, n, &again, &reason));
	MUST(again.verb == command.verb && again.pid == command.pid);
	MUST(again.start == command.start && again.end == command.end);
	MUST(!strcmp(again.name, command.name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_copy(data, size);

	numbers(text, size);
	words(text, size);
	lines(text, size);
	free(text);
	return 0;
}
