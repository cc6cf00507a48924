/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs say of the code that they make: see jitmap.c, anon.c. */
#ifndef OPTOP_JITMAP_H
#define OPTOP_JITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "textpool.h"

/**
 * struct op_jit_piece - a range of addresses that has one name
 * @start: the first address
 * @end: one past the last
 * @order: when it was said
 * @name: where its name is, or OP_JIT_DISPUTED
 */
struct op_jit_piece {
	uint64_t start;
	uint64_t end;
	uint32_t order;
	uint32_t name;
};

#define OP_JIT_DISPUTED OP_TEXTPOOL_NONE

/**
 * struct op_jit_map - such ranges; once painted, ascending and apart
 * @pieces: the ranges
 * @texts: the names
 * @failed: no memory
 */
struct op_jit_map {
	struct op_jit_piece *pieces;
	size_t count;
	size_t room;
	struct op_textpool texts;
	bool failed;
};

void op_jit_map_add(struct op_jit_map *map, uint64_t start, uint64_t size,
		    const char *name, size_t length);
bool op_jit_map_paint(struct op_jit_map *map);
bool op_jit_map_merge(struct op_jit_map *all, const struct op_jit_map *one);
void op_jit_map_free(struct op_jit_map *map);

void op_perfmap_read(struct op_jit_map *map, FILE *file);
bool op_jitdump_read(struct op_jit_map *map, FILE *file);

/* anon.c */
struct op_names;
uint64_t op_anon_stamp(const char *folder);
size_t op_anon_names(const char *folder, struct op_names *names);

#endif
