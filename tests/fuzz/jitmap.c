// SPDX-License-Identifier: GPL-2.0-only
/*
 * tools/optop/jitfiles.c and jitmap.c: perf-PID.map, jit-PID.dump, and what of
 * the ranges in them holds.
 *
 * Painted, the ranges are ascending and apart, and at each address it is the
 * latest range's name that is there.  Of two processes, an address has a name if
 * they agree or one of them has none.
 *
 * Input: a byte (which of the two, each), then the first process's file and,
 * behind a NUL byte of a map's or half way through, the second's.
 */
#include "fuzz.h"

#include "jitmap.h"

static const struct op_jit_piece *at(const struct op_jit_map *map,
				     uint64_t address)
{
	size_t i;

	for (i = 0; i < map->count; i++)
		if (address >= map->pieces[i].start &&
		    address < map->pieces[i].end)
			return &map->pieces[i];
	return NULL;
}

/* As it was said, without painting. */
static const struct op_jit_piece *latest(const struct op_jit_map *map,
					 uint64_t address)
{
	const struct op_jit_piece *best = NULL;
	size_t i;

	for (i = 0; i < map->count; i++) {
		const struct op_jit_piece *piece = &map->pieces[i];

		if (address >= piece->start && address < piece->end &&
		    (!best || piece->order > best->order))
			best = piece;
	}
	return best;
}

static void check_order(const struct op_jit_map *map)
{
	size_t i;

	for (i = 0; i < map->count; i++) {
		MUST(map->pieces[i].start < map->pieces[i].end);
		MUST(!i || map->pieces[i].start >= map->pieces[i - 1].end);
		MUST(map->pieces[i].name == OP_JIT_DISPUTED ||
		     map->pieces[i].name < map->texts.size);
	}
}

static void read_map(struct op_jit_map *map, bool dump, const uint8_t *data,
		     size_t size)
{
	struct op_jit_map said;
	FILE *file;
	size_t i;

	memset(map, 0, sizeof(*map));
	if (!size)
		return;
	file = fdopen(fuzz_file(data, size), "r");
	MUST(file);
	if (dump)
		op_jitdump_read(map, file);
	else
		op_perfmap_read(map, file);
	fclose(file);

	said = *map;
	said.pieces = malloc(map->count * sizeof(*map->pieces) + 1);
	if (map->count)
		memcpy(said.pieces, map->pieces,
		       map->count * sizeof(*map->pieces));
	MUST(op_jit_map_paint(map));
	check_order(map);
	for (i = 0; i < said.count && i < 64; i++) {
		uint64_t places[] = { said.pieces[i].start,
				      said.pieces[i].start - 1,
				      said.pieces[i].end - 1,
				      said.pieces[i].end };
		size_t k;

		for (k = 0; k < 4; k++) {
			const struct op_jit_piece *want, *got;

			want = latest(&said, places[k]);
			got = at(map, places[k]);
			MUST(!want == !got);
			MUST(!want || want->name == got->name);
		}
	}
	free(said.pieces);
}

static const char *name_of(const struct op_jit_map *map, uint64_t address)
{
	const struct op_jit_piece *piece = at(map, address);

	if (!piece)
		return NULL;
	return piece->name == OP_JIT_DISPUTED ? "" :
						map->texts.text + piece->name;
}

static void check_merged(const struct op_jit_map *all,
			 const struct op_jit_map *one,
			 const struct op_jit_map *two, uint64_t address)
{
	const char *a = name_of(one, address), *b = name_of(two, address);
	const char *got = name_of(all, address);
	const char *want = !a ? b : !b || !strcmp(a, b) ? a : "";

	/* The last address of all is no place for code. */
	if (address == UINT64_MAX)
		return;
	MUST(!want == !got);
	MUST(!want || !strcmp(want, got));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	unsigned int how = fuzz_byte(&in);
	struct op_jit_map one, two, all = { 0 };
	size_t half = in.left / 2, i;

	if (how & 4)
		half = in.left;
	read_map(&one, how & 1, in.at, half);
	read_map(&two, how & 2, in.at + half, in.left - half);
	MUST(op_jit_map_merge(&all, &one));
	MUST(op_jit_map_merge(&all, &two));
	check_order(&all);
	for (i = 0; i < one.count && i < 64; i++) {
		check_merged(&all, &one, &two, one.pieces[i].start);
		check_merged(&all, &one, &two, one.pieces[i].end);
	}
	for (i = 0; i < two.count && i < 64; i++) {
		check_merged(&all, &one, &two, two.pieces[i].start);
		check_merged(&all, &one, &two, two.pieces[i].end);
	}
	op_jit_map_free(&one);
	op_jit_map_free(&two);
	op_jit_map_free(&all);
	return 0;
}
