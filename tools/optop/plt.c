// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of the stubs by which a program calls into libraries: FUNCTION@plt.
 *
 * No table has them, but some libraries spend a tenth of their time there, as
 * they call themselves that way.  Which stub is whose differs by linker and
 * option, so each is read: on x86-64 it jumps through a slot (ff 25, an offset
 * from the next instruction), and the slot's relocation has the name.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "elffile.h"

#define OP_STUB_SIZE 16
#define OP_JUMP_SIZE 6

/**
 * struct op_plt_slot - where a stub jumps through
 * @address: of the slot
 * @name: of the function
 */
struct op_plt_slot {
	uint64_t address;
	const char *name;
};

struct op_plt {
	struct op_plt_slot *slots;
	size_t count;
	size_t room;
};

static void op_plt_add_slot(struct op_plt *plt, uint64_t address,
			    const char *name)
{
	if (plt->count == plt->room) {
		size_t room = plt->room ? 2 * plt->room : 64;
		struct op_plt_slot *grown =
			realloc(plt->slots, room * sizeof(*grown));

		if (!grown)
			return;
		plt->slots = grown;
		plt->room = room;
	}
	plt->slots[plt->count++] = (struct op_plt_slot){ address, name };
}

/* The name of a dynamic symbol; NULL if it has none that makes sense. */
static const char *op_plt_name(Elf_Data *symbols, Elf_Data *strings,
			       size_t index)
{
	const char *name;
	GElf_Sym sym;

	if (!gelf_getsym(symbols, index, &sym) || !sym.st_name ||
	    sym.st_name >= strings->d_size)
		return NULL;
	name = (char *)strings->d_buf + sym.st_name;
	return memchr(name, '\0', strings->d_size - sym.st_name) ? name : NULL;
}

static void op_plt_read_slots(struct op_plt *plt, struct op_elf *file,
			      Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Scn *table = elf_getscn(file->elf, header->sh_link);
	Elf_Data *relocations, *symbols, *strings;
	GElf_Shdr table_header;

	if (!table || !gelf_getshdr(table, &table_header) ||
	    table_header.sh_type != SHT_DYNSYM)
		return;
	relocations = op_elf_data(file, section);
	symbols = op_elf_data(file, table);
	strings =
		op_elf_data(file, elf_getscn(file->elf, table_header.sh_link));
	if (!relocations || !symbols || !strings || !strings->d_buf)
		return;
	for (size_t i = 0; i < relocations->d_size / sizeof(Elf64_Rela); i++) {
		const char *name;
		GElf_Rela rela;

		if (!gelf_getrela(relocations, i, &rela))
			return;
		if (GELF_R_TYPE(rela.r_info) != R_X86_64_JUMP_SLOT &&
		    GELF_R_TYPE(rela.r_info) != R_X86_64_GLOB_DAT)
			continue;
		name = op_plt_name(symbols, strings, GELF_R_SYM(rela.r_info));
		if (name)
			op_plt_add_slot(plt, rela.r_offset, name);
	}
}

static int op_plt_compare(const void *one, const void *other)
{
	const struct op_plt_slot *a = one, *b = other;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* The slot that a stub jumps through, NULL if that is none. */
static const struct op_plt_slot *op_plt_slot_of(const struct op_plt *plt,
						const unsigned char *stub,
						size_t size, uint64_t address)
{
	for (size_t i = 0; i + OP_JUMP_SIZE <= size; i++) {
		struct op_plt_slot key = { 0 };
		int32_t distance;

		if (stub[i] != 0xff || stub[i + 1] != 0x25)
			continue;
		distance = (int32_t)((uint32_t)stub[i + 2] |
				     (uint32_t)stub[i + 3] << 8 |
				     (uint32_t)stub[i + 4] << 16 |
				     (uint32_t)stub[i + 5] << 24);
		key.address = address + i + OP_JUMP_SIZE + (int64_t)distance;
		return bsearch(&key, plt->slots, plt->count, sizeof(key),
			       op_plt_compare);
	}
	return NULL;
}

static void op_plt_read_stubs(const struct op_plt *plt, struct op_elf *file,
			      Elf_Scn *section, const GElf_Shdr *header,
			      struct op_names *names)
{
	size_t size = header->sh_entsize == 8 ? 8 : OP_STUB_SIZE;
	Elf_Data *data = op_elf_data(file, section);

	if (!data || !data->d_buf)
		return;
	for (size_t at = 0; at + size <= data->d_size; at += size) {
		const struct op_plt_slot *slot =
			op_plt_slot_of(plt, (unsigned char *)data->d_buf + at,
				       size, header->sh_addr + at);
		uint64_t offset;
		char name[1024];
		size_t length;

		if (!slot ||
		    !op_elf_offset(file, header->sh_addr + at, &offset))
			continue;
		length = strlen(slot->name);
		if (length + sizeof("@plt") > sizeof(name))
			continue;
		memcpy(name, slot->name, length);
		memcpy(name + length, "@plt", sizeof("@plt"));
		op_names_add(names, name, length + 4, offset, size, 't',
			     OP_NAME_LOCAL);
	}
}

/**
 * op_plt_names - the names of a program's stubs
 * @names: where they go
 * @file: the program
 *
 * Nothing happens for other machines than x86-64.
 */
void op_plt_names(struct op_names *names, struct op_elf *file)
{
	struct op_plt plt = { 0 };
	GElf_Shdr header;

	if (file->header.e_machine != EM_X86_64 ||
	    gelf_getclass(file->elf) != ELFCLASS64)
		return;
	for (size_t i = 1; i < file->sections; i++) {
		Elf_Scn *section = elf_getscn(file->elf, i);

		if (section && gelf_getshdr(section, &header) &&
		    header.sh_type == SHT_RELA)
			op_plt_read_slots(&plt, file, section, &header);
	}
	if (plt.count)
		qsort(plt.slots, plt.count, sizeof(*plt.slots), op_plt_compare);
	for (size_t i = 1; plt.count && i < file->sections; i++) {
		Elf_Scn *section = elf_getscn(file->elf, i);
		const char *name;

		if (!section || !gelf_getshdr(section, &header) ||
		    !op_elf_is_code(file, i))
			continue;
		name = op_elf_section_name(file, &header);
		if (name && !strncmp(name, ".plt", 4))
			op_plt_read_stubs(&plt, file, section, &header, names);
	}
	free(plt.slots);
}
