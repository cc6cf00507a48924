// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of a kernel module by its .ko file.
 *
 * The kernel puts the sections that are code one after the other, in the order
 * of their headers and as aligned as they ask for: those whose names begin with
 * .init apart from the others, since they are freed.  An image's offset 0 is
 * where the first of them begins.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <elfutils/libdwelf.h>

#include "kernel.h"

#define OP_NOWHERE UINT64_MAX

struct op_module_layout {
	uint64_t *places;
	struct op_names *names;
};

/* Of each section where it is, OP_NOWHERE if it is no code of this kind. */
static uint64_t *op_module_places(struct op_elf *file, bool init)
{
	uint64_t *places = calloc(file->sections + 1, sizeof(*places));
	uint64_t end = 0;
	GElf_Shdr header;

	if (!places)
		return NULL;
	for (size_t i = 0; i < file->sections; i++) {
		Elf_Scn *section = elf_getscn(file->elf, i);
		uint64_t align;
		const char *name;

		places[i] = OP_NOWHERE;
		if (!i || !op_elf_is_code(file, i) ||
		    !gelf_getshdr(section, &header))
			continue;
		name = op_elf_section_name(file, &header);
		if (!name || !strncmp(name, ".init", 5) != init)
			continue;
		align = header.sh_addralign ? header.sh_addralign : 1;
		if (align & (align - 1) || align > 1 << 20 ||
		    header.sh_size > 1ull << 32) {
			file->broken = true;
			continue;
		}
		places[i] = (end + align - 1) & ~(align - 1);
		end = places[i] + header.sh_size;
	}
	return places;
}

static void op_module_add(const struct op_elf_symbol *symbol, void *context)
{
	struct op_module_layout *layout = context;
	uint64_t place = layout->places[symbol->section];

	if (place != OP_NOWHERE)
		op_names_add(layout->names, symbol->name, symbol->length,
			     place + symbol->value, symbol->size, symbol->type,
			     symbol->rank);
}

/**
 * op_module_names - the names of a module
 * @file: its .ko file
 * @init: of the part that is freed after loading
 * @names: where they go
 *
 * Return: LOADED, or why there are no names.
 */
enum op_symbols_state op_module_names(struct op_elf *file, bool init,
				      struct op_names *names)
{
	struct op_module_layout layout = { .names = names };

	if (file->header.e_type != ET_REL)
		return OP_SYMBOLS_BROKEN;
	layout.places = op_module_places(file, init);
	if (!layout.places)
		return OP_SYMBOLS_NONE;
	op_elf_symbols(file, SHT_SYMTAB, op_module_add, &layout);
	free(layout.places);
	if (op_names_count(names))
		return OP_SYMBOLS_LOADED;
	return file->broken ? OP_SYMBOLS_BROKEN : OP_SYMBOLS_NONE;
}

/**
 * op_module_place - which section an offset of a module's image is in
 * @file: its .ko file
 * @init: of the part that is freed after loading
 * @offset: in the image
 * @section: filled in: index of the section
 * @within: filled in: offset in it
 *
 * Return: false if it is in none.
 */
bool op_module_place(struct op_elf *file, bool init, uint64_t offset,
		     size_t *section, uint64_t *within)
{
	uint64_t *places = op_module_places(file, init);
	GElf_Shdr header;
	bool found = false;

	for (size_t i = 1; places && i < file->sections && !found; i++) {
		if (places[i] == OP_NOWHERE || offset < places[i] ||
		    !gelf_getshdr(elf_getscn(file->elf, i), &header) ||
		    offset - places[i] >= header.sh_size)
			continue;
		*section = i;
		*within = offset - places[i];
		found = true;
	}
	free(places);
	return found;
}

/**
 * op_module_is_loaded - whether a .ko file is the module that is loaded
 * @file: the file
 * @module: the module's name
 *
 * Return: false if the running kernel has a module of the name that was built
 *	otherwise; true also if there is none, or it can't be told.
 */
bool op_module_is_loaded(struct op_elf *file, const char *module)
{
	char path[256], note[512];
	const void *id;
	ssize_t size = dwelf_elf_gnu_build_id(file->elf, &id);
	size_t got;
	FILE *in;

	if (size <= 0 || snprintf(path, sizeof(path),
				  "/sys/module/%s/notes/.note.gnu.build-id",
				  module) >= (int)sizeof(path))
		return true;
	in = fopen(path, "re");
	if (!in)
		return true;
	got = fread(note, 1, sizeof(note), in);
	fclose(in);
	return !got || memmem(note, got, id, size);
}
