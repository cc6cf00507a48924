/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a written text means, before anything is done about it.
 *
 * parse.c is pure: it is compiled into the module and, with the headers of
 * tests/unit/include, into the unit tests.
 */
#ifndef OP_PARSE_H
#define OP_PARSE_H

#include <linux/types.h>

#include "core/oprofile.h"

/* Longest text of a file that takes one value, surrounding blanks counted. */
#define OP_TEXT_MAX 128
/* Longest line of jit_maps, its newline not counted. */
#define OP_LINE_MAX 511

enum op_jit_verb {
	OP_JIT_NOTHING,
	OP_JIT_ADD,
	OP_JIT_REMOVE,
};

/**
 * struct op_jit_command - one line of jit_maps
 * @verb: what to do; %OP_JIT_NOTHING for a blank line
 * @pid: process number, 0 if none is given
 * @start: first byte; for %OP_JIT_ADD only
 * @end: one past the last byte; for %OP_JIT_ADD only
 * @name: the range's name
 */
struct op_jit_command {
	enum op_jit_verb verb;
	pid_t pid;
	u64 start;
	u64 end;
	char name[OP_JIT_NAME_MAX + 1];
};

int op_parse_u64(const char *text, size_t len, u64 *value);
int op_parse_word(const char *text, size_t len, char *word, size_t size);
int op_parse_jit(const char *line, size_t len, struct op_jit_command *command,
		 const char **reason);

#endif /* OP_PARSE_H */
