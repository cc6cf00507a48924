// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two forms in which programs say what code they make: perf-PID.map, a text
 * of START SIZE NAME in hexadecimal, and jit-PID.dump, perf's jitdump, binary.
 *
 * A program may be writing it right now: what is not whole yet, at the end, is
 * left for the next time.
 */
#define _GNU_SOURCE 1
#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jitmap.h"

/* Nobody has a name that long; a line beyond it is none. */
#define OP_LINE_MAX 65536

/* So many records are looked at for all moves of a file; then they are lost. */
#define OP_MOVE_BUDGET 100000000

#define OP_JITDUMP_MAGIC 0x4a695444u

enum {
	OP_JITDUMP_LOAD = 0,
	OP_JITDUMP_MOVE = 1,
};

struct op_jitdump_header {
	uint32_t magic;
	uint32_t version;
	uint32_t size;
	uint32_t machine;
	uint32_t pad;
	uint32_t pid;
	uint64_t time;
	uint64_t flags;
};

struct op_jitdump_record {
	uint32_t id;
	uint32_t size;
	uint64_t time;
};

struct op_jitdump_load {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t address;
	uint64_t size;
	uint64_t index;
};

struct op_jitdump_move {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t from;
	uint64_t to;
	uint64_t size;
	uint64_t index;
};

static bool op_perfmap_line(struct op_jit_map *map, const char *line)
{
	uint64_t start, size;
	char *end;

	errno = 0;
	start = strtoull(line, &end, 16);
	if (errno || end == line || *end != ' ')
		return false;
	line = end + 1;
	size = strtoull(line, &end, 16);
	if (errno || end == line || *end != ' ' || !end[1])
		return false;
	op_jit_map_add(map, start, size, end + 1, strlen(end + 1));
	return true;
}

/**
 * op_perfmap_read - read a perf-PID.map
 * @map: where it goes; lines that are none are left out
 * @file: open on the text
 */
void op_perfmap_read(struct op_jit_map *map, FILE *file)
{
	char *line = malloc(OP_LINE_MAX);
	size_t length;
	int c;

	if (!line)
		return;
	while (fgets(line, OP_LINE_MAX, file)) {
		length = strlen(line);
		if (length && line[length - 1] == '\n') {
			line[length - 1] = '\0';
			op_perfmap_line(map, line);
			continue;
		}
		while ((c = getc(file)) != EOF && c != '\n')
			;
	}
	free(line);
}

static uint32_t op_swap32(bool swap, uint32_t value)
{
	return swap ? bswap_32(value) : value;
}

static uint64_t op_swap64(bool swap, uint64_t value)
{
	return swap ? bswap_64(value) : value;
}

/* What follows the load record's fields: the name, and the code itself. */
static bool op_jitdump_load(struct op_jit_map *map, FILE *file, uint32_t size,
			    bool swap)
{
	struct op_jitdump_load load;
	char name[4096];
	size_t got;
	uint32_t wanted;

	if (size < sizeof(load) || fread(&load, sizeof(load), 1, file) != 1)
		return false;
	size -= sizeof(load);
	wanted = size < sizeof(name) ? size : sizeof(name);
	got = fread(name, 1, wanted, file);
	if (got != wanted)
		return false;
	op_jit_map_add(map, op_swap64(swap, load.address),
		       op_swap64(swap, load.size), name, strnlen(name, got));
	return !fseek(file, (long)size - (long)got, SEEK_CUR);
}

/* The name goes with the code; the last that was loaded there is meant. */
static bool op_jitdump_move(struct op_jit_map *map, FILE *file, uint32_t size,
			    bool swap, uint64_t *budget)
{
	struct op_jitdump_move move;
	uint64_t from;

	if (size < sizeof(move) || fread(&move, sizeof(move), 1, file) != 1)
		return false;
	from = op_swap64(swap, move.from);
	for (size_t i = map->count; i-- > 0 && *budget; --*budget) {
		const char *name = map->texts.text + map->pieces[i].name;
		char *copy;

		if (map->pieces[i].start != from)
			continue;
		copy = strdup(name);
		if (copy)
			op_jit_map_add(map, op_swap64(swap, move.to),
				       op_swap64(swap, move.size), copy,
				       strlen(copy));
		free(copy);
		break;
	}
	return !fseek(file, (long)(size - sizeof(move)), SEEK_CUR);
}

/**
 * op_jitdump_read - read a jit-PID.dump
 * @map: where it goes
 * @file: open on it, to be read and sought
 *
 * Return: false if it is no such file.
 */
bool op_jitdump_read(struct op_jit_map *map, FILE *file)
{
	struct op_jitdump_header header;
	struct op_jitdump_record record;
	uint64_t budget = OP_MOVE_BUDGET;
	bool swap, whole = true;

	if (fread(&header, sizeof(header), 1, file) != 1)
		return false;
	swap = header.magic == bswap_32(OP_JITDUMP_MAGIC);
	if (!swap && header.magic != OP_JITDUMP_MAGIC)
		return false;
	if (op_swap32(swap, header.size) < sizeof(header) ||
	    fseek(file, op_swap32(swap, header.size), SEEK_SET))
		return false;
	while (whole && fread(&record, sizeof(record), 1, file) == 1) {
		uint32_t size = op_swap32(swap, record.size);

		if (size < sizeof(record))
			break;
		size -= sizeof(record);
		switch (op_swap32(swap, record.id)) {
		case OP_JITDUMP_LOAD:
			whole = op_jitdump_load(map, file, size, swap);
			break;
		case OP_JITDUMP_MOVE:
			whole = op_jitdump_move(map, file, size, swap, &budget);
			break;
		default:
			whole = !fseek(file, size, SEEK_CUR);
			break;
		}
	}
	return true;
}
