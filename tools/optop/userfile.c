// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of a program or library: offsets of the file, from all tables that
 * there are for it.
 *
 * A program that was not stripped has .symtab, which holds all.  Otherwise its
 * .dynsym, a debug file's .symtab and the small one in .gnu_debugdata come
 * together; what two of them say is one name.  The stubs by which it calls into
 * libraries are in no table.
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "elffile.h"

/**
 * struct op_placing - whose symbols become whose offsets
 * @names: where they go
 * @file: the program, whose program headers count
 * @table: the file with the table: the program itself or its debug file
 * @shifts: by section of @table, or NULL if they are the same
 */
struct op_placing {
	struct op_names *names;
	struct op_elf *file;
	struct op_elf *table;
	int64_t *shifts;
};

static void op_place(const struct op_elf_symbol *symbol, void *context)
{
	struct op_placing *placing = context;
	uint64_t address = symbol->value, offset;

	if (!op_elf_is_code(placing->table, symbol->section))
		return;
	if (placing->shifts)
		address += placing->shifts[symbol->section];
	if (op_elf_offset(placing->file, address, &offset))
		op_names_add(placing->names, symbol->name, symbol->length,
			     offset, symbol->size, symbol->type, symbol->rank);
}

static size_t op_place_debug(struct op_placing *placing, struct op_elf *debug)
{
	size_t found = 0;

	placing->table = debug;
	placing->shifts = op_debug_shifts(debug, placing->file);
	if (placing->shifts)
		found = op_elf_symbols(debug, SHT_SYMTAB, op_place, placing);
	free(placing->shifts);
	op_elf_close(debug);
	return found;
}

/**
 * op_user_names - all names of a program or library
 * @names: filled in, not finished
 * @fd: open on the file; closed here
 * @path: its path below the root
 * @config: where its debug file may be
 *
 * Return: LOADED, or why there are no names.
 */
enum op_symbols_state op_user_names(struct op_names *names, int fd,
				    const char *path,
				    const struct op_symbols_config *config)
{
	struct op_placing placing = { .names = names };
	struct op_elf file, debug;
	enum op_symbols_state state = op_elf_open(&file, fd);

	if (state != OP_SYMBOLS_LOADED)
		return state;
	placing.file = placing.table = &file;
	if (!op_elf_symbols(&file, SHT_SYMTAB, op_place, &placing)) {
		op_elf_symbols(&file, SHT_DYNSYM, op_place, &placing);
		if (op_debug_open_mini(&debug, &file))
			op_place_debug(&placing, &debug);
		if (op_debug_open(&debug, &file, path, config))
			op_place_debug(&placing, &debug);
	}
	/* Stubs alone do not make a file whole whose tables make no sense. */
	if (!op_names_count(names) && file.broken)
		state = OP_SYMBOLS_BROKEN;
	else
		op_plt_names(names, &file);
	if (state == OP_SYMBOLS_LOADED && !op_names_count(names))
		state = OP_SYMBOLS_NONE;
	op_elf_close(&file);
	return state;
}

/* The running kernel's, of which this program has a copy as all others. */
static void *op_vdso_copy(size_t *size)
{
	uint64_t start = getauxval(AT_SYSINFO_EHDR), from, to;
	char line[256];
	void *copy = NULL;
	FILE *maps;

	if (!start)
		return NULL;
	maps = fopen("/proc/self/maps", "re");
	if (!maps)
		return NULL;
	while (!copy && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) != 2 ||
		    from != start)
			continue;
		*size = to - from;
		copy = malloc(*size);
		if (!copy)
			break;
		memcpy(copy, (void *)(uintptr_t)start, *size);
	}
	fclose(maps);
	return copy;
}

/**
 * op_vdso_names - the names of the running kernel's vdso
 * @names: filled in, not finished
 *
 * Return: LOADED, or why there are no names.
 */
enum op_symbols_state op_vdso_names(struct op_names *names)
{
	struct op_placing placing = { .names = names };
	enum op_symbols_state state;
	struct op_elf file;
	size_t size;
	void *copy = op_vdso_copy(&size);

	if (!copy)
		return OP_SYMBOLS_MISSING;
	state = op_elf_open_memory(&file, copy, size);
	if (state != OP_SYMBOLS_LOADED)
		return state;
	placing.file = placing.table = &file;
	if (!op_elf_symbols(&file, SHT_DYNSYM, op_place, &placing))
		state = OP_SYMBOLS_NONE;
	op_elf_close(&file);
	return state;
}
