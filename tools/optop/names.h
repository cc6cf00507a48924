/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of one image, and how one is found by its offset: see names.c. */
#ifndef OPTOP_NAMES_H
#define OPTOP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols.h"

/* Which of several names at one place is shown: the smallest. */
enum op_name_rank {
	OP_NAME_GLOBAL,
	OP_NAME_WEAK,
	OP_NAME_LOCAL,
	OP_NAME_OBJECT, /* data among the code */
	OP_NAME_LABEL,	/* of no type */
};

struct op_names;

struct op_names *op_names_new(bool raw);
void op_names_free(struct op_names *names);
void op_names_add(struct op_names *names, const char *name, size_t length,
		  uint64_t start, uint64_t size, char type,
		  enum op_name_rank rank);
bool op_names_finish(struct op_names *names);
bool op_names_retire(struct op_names *names);
size_t op_names_count(const struct op_names *names);
bool op_names_find(struct op_names *names, uint64_t offset,
		   struct op_symbol *symbol);

/* demangle.c */
size_t op_demangle(const char *mangled, char *text, size_t size);

#endif
