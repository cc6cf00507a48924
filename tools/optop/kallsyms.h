/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own table of its symbols: see kallsyms.c. */
#ifndef OPTOP_KALLSYMS_H
#define OPTOP_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "names.h"

struct op_kallsyms;

struct op_kallsyms *op_kallsyms_read(FILE *file);
void op_kallsyms_free(struct op_kallsyms *table);
bool op_kallsyms_hidden(const struct op_kallsyms *table);
uint64_t op_kallsyms_stext(const struct op_kallsyms *table);
uint64_t op_kallsyms_module(const struct op_kallsyms *table, const char *module,
			    uint64_t from);
size_t op_kallsyms_names(const struct op_kallsyms *table, const char *module,
			 uint64_t start, uint64_t end, struct op_names *names);

#endif
