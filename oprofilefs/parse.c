// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes apart what is written to the files: numbers, words, lines of jit_maps.
 *
 * Pure functions of their arguments: they run in any context, allocate
 * nothing, know no file and no state, and must never read beyond the length
 * that they are given, whatever stands there (a NUL is a character like any
 * other bad one).  Whether a number or a range makes sense is for the core to
 * say.
 */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/types.h>

#include "oprofilefs/parse.h"

static bool op_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool op_is_space(char c)
{
	return op_is_blank(c) || c == '\n';
}

/* Printable ASCII without the blank. */
static bool op_is_graph(char c)
{
	return c > ' ' && c < 0x7f;
}

static int op_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return INT_MAX;
}

/* Wrong digits are found first, so that -ERANGE means a number that is one. */
static int op_parse_digits(const char *text, size_t len, unsigned int base,
			   u64 *value)
{
	bool overflow = false;
	u64 sum = 0;
	size_t i;

	if (!len)
		return -EINVAL;
	for (i = 0; i < len; i++) {
		unsigned int digit = op_digit(text[i]);

		if (digit >= base)
			return -EINVAL;
		if (sum > (U64_MAX - digit) / base)
			overflow = true;
		else
			sum = sum * base + digit;
	}
	if (overflow)
		return -ERANGE;
	*value = sum;
	return 0;
}

static bool op_is_hex(const char *text, size_t len)
{
	return len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static void op_trim(const char **text, size_t *len)
{
	while (*len && op_is_space(**text)) {
		(*text)++;
		(*len)--;
	}
	while (*len && op_is_space((*text)[*len - 1]))
		(*len)--;
}

/**
 * op_parse_u64 - a whole text as a number
 * @text: decimal, or hexadecimal after 0x; blanks and newlines around it
 * @len: bytes of @text
 * @value: the number; left alone on failure
 *
 * There is no sign and no octal.
 *
 * Context: any.
 * Return: 0; -EINVAL: not a number, or longer than %OP_TEXT_MAX; -ERANGE: more
 * than 64 bits.
 */
int op_parse_u64(const char *text, size_t len, u64 *value)
{
	if (len > OP_TEXT_MAX)
		return -EINVAL;
	op_trim(&text, &len);
	if (op_is_hex(text, len))
		return op_parse_digits(text + 2, len - 2, 16, value);
	return op_parse_digits(text, len, 10, value);
}

/**
 * op_parse_word - a whole text as one word
 * @text: printable ASCII; blanks and newlines around it
 * @len: bytes of @text
 * @word: the word with a final NUL; left alone on failure
 * @size: room of @word
 *
 * Context: any.
 * Return: 0; -EINVAL: empty, several words, not ASCII, or too long.
 */
int op_parse_word(const char *text, size_t len, char *word, size_t size)
{
	size_t i;

	op_trim(&text, &len);
	if (!len || len >= size)
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (!op_is_graph(text[i]))
			return -EINVAL;
	memcpy(word, text, len);
	word[len] = '\0';
	return 0;
}

/**
 * struct op_field - a piece of a line, without blanks
 * @text: its first byte, inside the line
 * @len: its length; 0 past the last field
 */
struct op_field {
	const char *text;
	size_t len;
};

static struct op_field op_next_field(const char **line, const char *end)
{
	struct op_field field;

	while (*line < end && op_is_blank(**line))
		(*line)++;
	field.text = *line;
	while (*line < end && !op_is_blank(**line))
		(*line)++;
	field.len = *line - field.text;
	return field;
}

static bool op_field_is(const struct op_field *field, const char *text)
{
	return field->len == strlen(text) &&
	       !memcmp(field->text, text, field->len);
}

static int op_parse_name(const struct op_field *field, char *name,
			 const char **reason)
{
	size_t i;

	if (!field->len) {
		*reason = "no name";
		return -EINVAL;
	}
	for (i = 0; i < field->len; i++) {
		if (!op_is_graph(field->text[i]) || field->text[i] == '/') {
			*reason = "a name is of printable ASCII without /";
			return -EINVAL;
		}
	}
	if (op_field_is(field, ".") || op_field_is(field, "..")) {
		*reason = "a name cannot be . or ..";
		return -EINVAL;
	}
	if (field->len > OP_JIT_NAME_MAX) {
		*reason = "the name is too long";
		return -ENAMETOOLONG;
	}
	memcpy(name, field->text, field->len);
	name[field->len] = '\0';
	return 0;
}

static int op_parse_address(const struct op_field *field, u64 *address,
			    const char **reason)
{
	int err = -EINVAL;

	if (op_is_hex(field->text, field->len))
		err = op_parse_digits(field->text + 2, field->len - 2, 16,
				      address);
	if (err == -ERANGE)
		*reason = "an address has at most 64 bits";
	else if (err)
		*reason = "not a 0x address";
	return err;
}

static int op_parse_pid(const struct op_field *field, pid_t *pid,
			const char **reason)
{
	static const char option[] = "pid=";
	const size_t skip = sizeof(option) - 1;
	u64 value;
	int err;

	if (field->len < skip || memcmp(field->text, option, skip)) {
		*reason = "unknown option";
		return -EINVAL;
	}
	if (*pid) {
		*reason = "pid= stands twice";
		return -EINVAL;
	}
	err = op_parse_digits(field->text + skip, field->len - skip, 10,
			      &value);
	if (!err && value > PID_MAX_LIMIT)
		err = -ERANGE;
	if (!err && !value)
		err = -EINVAL;
	if (err) {
		*reason = "not a process number";
		return err;
	}
	*pid = value;
	return 0;
}

static int op_parse_range(const char **line, const char *end,
			  struct op_jit_command *command, const char **reason)
{
	struct op_field field;
	int err;

	field = op_next_field(line, end);
	err = op_parse_address(&field, &command->start, reason);
	if (err)
		return err;
	field = op_next_field(line, end);
	err = op_parse_address(&field, &command->end, reason);
	if (err)
		return err;
	if (command->end <= command->start) {
		*reason = "the end is not after the start";
		return -EINVAL;
	}
	return 0;
}

/**
 * op_parse_jit - a line of jit_maps
 * @line: the line, without its newline
 * @len: bytes of @line
 * @command: what it says; of no meaning on failure
 * @reason: on failure why, for the log
 *
 * Understood are, with blanks or tabs between the fields,
 * ``add_mapping NAME 0xSTART 0xEND [pid=N]``,
 * ``remove_mapping NAME [pid=N]`` and the blank line.
 *
 * Context: any.
 * Return: 0; -EINVAL: none of these; -ERANGE: a number that is too large;
 * -ENAMETOOLONG: NAME is longer than %OP_JIT_NAME_MAX.
 */
int op_parse_jit(const char *line, size_t len, struct op_jit_command *command,
		 const char **reason)
{
	const char *end = line + len;
	struct op_field field;
	int err;

	command->verb = OP_JIT_NOTHING;
	command->pid = 0;
	command->start = 0;
	command->end = 0;

	field = op_next_field(&line, end);
	if (!field.len)
		return 0;
	if (op_field_is(&field, "add_mapping")) {
		command->verb = OP_JIT_ADD;
	} else if (op_field_is(&field, "remove_mapping")) {
		command->verb = OP_JIT_REMOVE;
	} else {
		*reason = "neither add_mapping nor remove_mapping";
		return -EINVAL;
	}

	field = op_next_field(&line, end);
	err = op_parse_name(&field, command->name, reason);
	if (err)
		return err;
	if (command->verb == OP_JIT_ADD) {
		err = op_parse_range(&line, end, command, reason);
		if (err)
			return err;
	}
	for (field = op_next_field(&line, end); field.len;
	     field = op_next_field(&line, end)) {
		err = op_parse_pid(&field, &command->pid, reason);
		if (err)
			return err;
	}
	return 0;
}
