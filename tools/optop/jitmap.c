// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ranges of addresses that programs gave names to, and what holds of them.
 *
 * In one process, what is said later counts: the memory was used again.  An
 * address of several processes has a name only if all that name it agree, since
 * the histogram of anonymous memory does not tell processes apart.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "jitmap.h"

static uint32_t op_jit_text(struct op_jit_map *map, const char *text,
			    size_t length)
{
	uint32_t name = op_textpool_add(&map->texts, text, length);

	if (name == OP_TEXTPOOL_NONE)
		map->failed = true;
	return name;
}

static void op_jit_push(struct op_jit_map *map, uint64_t start, uint64_t end,
			uint32_t order, uint32_t name)
{
	if (map->count == map->room) {
		size_t room = map->room ? 2 * map->room : 64;
		struct op_jit_piece *grown =
			realloc(map->pieces, room * sizeof(*grown));

		if (!grown) {
			map->failed = true;
			return;
		}
		map->pieces = grown;
		map->room = room;
	}
	map->pieces[map->count++] = (struct op_jit_piece){
		.start = start,
		.end = end,
		.order = order,
		.name = name,
	};
}

/**
 * op_jit_map_add - the next that a process says
 * @map: the process's map
 * @start: the first address
 * @size: bytes; nothing happens if it is 0, or more than there are addresses
 * @name: the name
 * @length: its length
 */
void op_jit_map_add(struct op_jit_map *map, uint64_t start, uint64_t size,
		    const char *name, size_t length)
{
	if (!size || size > UINT64_MAX - start)
		return;
	op_jit_push(map, start, start + size, map->count,
		    op_jit_text(map, name, length));
}

static int op_jit_compare(const void *one, const void *other)
{
	const struct op_jit_piece *a = one, *b = other;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* A heap of pieces, the latest on top. */
static void op_heap_push(uint32_t *heap, size_t *count,
			 const struct op_jit_piece *pieces, uint32_t piece)
{
	size_t at = (*count)++;

	while (at && pieces[heap[(at - 1) / 2]].order < pieces[piece].order) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = piece;
}

static void op_heap_pop(uint32_t *heap, size_t *count,
			const struct op_jit_piece *pieces)
{
	uint32_t last = heap[--(*count)];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < *count) {
		if (child + 1 < *count &&
		    pieces[heap[child + 1]].order > pieces[heap[child]].order)
			child++;
		if (pieces[heap[child]].order <= pieces[last].order)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
}

/* A piece that goes on where the last one of the same name ended is one. */
static void op_jit_emit(struct op_jit_map *map, uint64_t start, uint64_t end,
			const struct op_jit_piece *from)
{
	struct op_jit_piece *last = map->count ? &map->pieces[map->count - 1] :
						 NULL;

	if (start >= end)
		return;
	if (last && last->end == start && last->order == from->order &&
	    last->name == from->name)
		last->end = end;
	else
		op_jit_push(map, start, end, from->order, from->name);
}

/**
 * op_jit_map_paint - what was said later covers what was said earlier
 * @map: the map; ascending and without overlaps afterwards
 *
 * Return: false if there was no memory.
 */
bool op_jit_map_paint(struct op_jit_map *map)
{
	struct op_jit_map painted = { 0 };
	size_t next = 0, count = 0;
	uint64_t at = 0;
	uint32_t *heap;

	if (map->failed)
		return false;
	if (!map->count)
		return true;
	heap = malloc(map->count * sizeof(*heap));
	if (!heap)
		return false;
	qsort(map->pieces, map->count, sizeof(*map->pieces), op_jit_compare);
	while (next < map->count || count) {
		const struct op_jit_piece *top;
		uint64_t end;

		while (count && map->pieces[heap[0]].end <= at)
			op_heap_pop(heap, &count, map->pieces);
		if (!count && next < map->count)
			at = map->pieces[next].start;
		while (next < map->count && map->pieces[next].start <= at)
			op_heap_push(heap, &count, map->pieces, next++);
		if (!count)
			continue;
		top = &map->pieces[heap[0]];
		end = top->end;
		if (next < map->count && map->pieces[next].start < end)
			end = map->pieces[next].start;
		op_jit_emit(&painted, at, end, top);
		if (end > at)
			at = end;
	}
	free(heap);
	free(map->pieces);
	map->pieces = painted.pieces;
	map->count = painted.count;
	map->room = painted.room;
	return !painted.failed;
}

/* The next range that is different from what is before it, in either map. */
struct op_jit_cursor {
	const struct op_jit_map *map;
	size_t next;
};

static const struct op_jit_piece *op_jit_at(struct op_jit_cursor *cursor,
					    uint64_t at, uint64_t *change)
{
	const struct op_jit_map *map = cursor->map;
	const struct op_jit_piece *piece;

	while (cursor->next < map->count && map->pieces[cursor->next].end <= at)
		cursor->next++;
	if (cursor->next == map->count)
		return NULL;
	piece = &map->pieces[cursor->next];
	if (piece->start > at) {
		if (piece->start < *change)
			*change = piece->start;
		return NULL;
	}
	if (piece->end < *change)
		*change = piece->end;
	return piece;
}

/**
 * op_jit_map_merge - one more process
 * @all: what is known of the others; @one is added
 * @one: the process's map, painted
 *
 * Return: false if there was no memory.
 */
bool op_jit_map_merge(struct op_jit_map *all, const struct op_jit_map *one)
{
	struct op_jit_map old = *all;
	struct op_jit_cursor a = { &old, 0 }, b = { one, 0 };
	struct op_jit_map merged = {
		.texts = old.texts,
	};
	const struct op_jit_piece *last = NULL;
	uint32_t last_name = 0;

	for (uint64_t at = 0, change; at != UINT64_MAX; at = change) {
		const struct op_jit_piece *x, *y;
		struct op_jit_piece piece;

		change = UINT64_MAX;
		x = op_jit_at(&a, at, &change);
		y = op_jit_at(&b, at, &change);
		if (!x && !y)
			continue;
		if (x)
			piece = *x;
		if (y && x &&
		    (x->name == OP_JIT_DISPUTED ||
		     strcmp(merged.texts.text + x->name,
			    one->texts.text + y->name))) {
			piece.name = OP_JIT_DISPUTED;
			piece.order = 0;
		}
		if (!x) {
			/* A range in parts is one name in the text. */
			if (last != y)
				last_name = op_jit_text(
					&merged, one->texts.text + y->name,
					strlen(one->texts.text + y->name));
			last = y;
			piece = *y;
			piece.name = last_name;
		}
		op_jit_emit(&merged, at, change, &piece);
	}
	free(old.pieces);
	*all = merged;
	return !merged.failed;
}

/**
 * op_jit_map_free - what it holds
 * @map: the map; empty afterwards
 */
void op_jit_map_free(struct op_jit_map *map)
{
	free(map->pieces);
	free(map->texts.text);
	memset(map, 0, sizeof(*map));
}
