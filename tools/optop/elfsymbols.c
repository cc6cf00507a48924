// SPDX-License-Identifier: GPL-2.0-only
/*
 * The symbols of an ELF file's table that may name code.
 *
 * These are functions, data that stands among them, and the labels without a
 * type that assembly has.  Where a symbol is to be found in an image is the
 * caller's business: it depends on whose table it is.
 */
#define _GNU_SOURCE 1
#include <string.h>

#include "elffile.h"

/* A symbol table with all that belongs to it. */
struct op_symtab {
	Elf_Data *symbols;
	Elf_Data *strings;
	Elf_Data *sections;
	size_t count;
};

/* The section with the indexes that do not fit into the table itself. */
static Elf_Data *op_symtab_sections(struct op_elf *file, size_t table)
{
	GElf_Shdr header;

	for (size_t i = 1; i < file->sections; i++) {
		Elf_Scn *section = elf_getscn(file->elf, i);

		if (!section || !gelf_getshdr(section, &header))
			break;
		if (header.sh_type == SHT_SYMTAB_SHNDX &&
		    header.sh_link == table)
			return op_elf_data(file, section);
	}
	return NULL;
}

static bool op_symtab_open(struct op_elf *file, uint32_t type,
			   struct op_symtab *table)
{
	Elf_Scn *section = NULL, *strings;
	GElf_Shdr header, strings_header;
	size_t i;

	for (i = 1; i < file->sections; i++) {
		section = elf_getscn(file->elf, i);
		if (!section || !gelf_getshdr(section, &header)) {
			file->broken = true;
			return false;
		}
		if (header.sh_type == type)
			break;
	}
	if (i >= file->sections)
		return false;
	strings = elf_getscn(file->elf, header.sh_link);
	if (!strings || !gelf_getshdr(strings, &strings_header) ||
	    strings_header.sh_type != SHT_STRTAB) {
		file->broken = true;
		return false;
	}
	table->symbols = op_elf_data(file, section);
	table->strings = op_elf_data(file, strings);
	if (!table->symbols || !table->strings || !table->symbols->d_buf ||
	    !table->strings->d_buf) {
		file->broken = true;
		return false;
	}
	table->count = table->symbols->d_size /
		       gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	table->sections = op_symtab_sections(file, i);
	return true;
}

static bool op_symbol_kind(const GElf_Sym *sym, struct op_elf_symbol *symbol)
{
	bool local = GELF_ST_BIND(sym->st_info) == STB_LOCAL;
	bool weak = GELF_ST_BIND(sym->st_info) == STB_WEAK;

	symbol->rank = local ? OP_NAME_LOCAL :
		       weak  ? OP_NAME_WEAK :
			       OP_NAME_GLOBAL;
	symbol->type = local ? 't' : weak ? 'W' : 'T';
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_GNU_IFUNC:
		symbol->type = 'i';
		break;
	case STT_FUNC:
		break;
	case STT_OBJECT:
		symbol->rank = OP_NAME_OBJECT;
		break;
	case STT_NOTYPE:
		symbol->rank = OP_NAME_LABEL;
		break;
	default:
		return false;
	}
	if (GELF_ST_BIND(sym->st_info) == STB_GNU_UNIQUE)
		symbol->type = 'u';
	return true;
}

/* ARM's and RISC-V's marks of what is code and what is data are no names. */
static bool op_symbol_is_mark(const struct op_elf_symbol *symbol)
{
	return !symbol->length ||
	       (symbol->rank == OP_NAME_LABEL && symbol->name[0] == '$') ||
	       (symbol->length > 1 && symbol->name[0] == '.' &&
		symbol->name[1] == 'L');
}

static bool op_symbol_get(struct op_elf *file, const struct op_symtab *table,
			  size_t index, struct op_elf_symbol *symbol)
{
	Elf32_Word extended = 0;
	const char *nul;
	GElf_Sym sym;

	if (!gelf_getsymshndx(table->symbols, table->sections, index, &sym,
			      &extended)) {
		file->broken = true;
		return false;
	}
	if (sym.st_shndx == SHN_UNDEF || !op_symbol_kind(&sym, symbol))
		return false;
	if (sym.st_shndx == SHN_XINDEX)
		symbol->section = extended;
	else
		symbol->section = sym.st_shndx < SHN_LORESERVE ? sym.st_shndx :
								 0;
	/* What is not in a section (a constant, say) is no code. */
	if (!symbol->section)
		return false;
	if (symbol->section >= file->sections ||
	    sym.st_name >= table->strings->d_size) {
		file->broken = true;
		return false;
	}
	symbol->name = (char *)table->strings->d_buf + sym.st_name;
	nul = memchr(symbol->name, '\0', table->strings->d_size - sym.st_name);
	if (!nul) {
		file->broken = true;
		return false;
	}
	symbol->length = nul - symbol->name;
	symbol->value = sym.st_value;
	symbol->size = sym.st_size;
	if (file->header.e_machine == EM_ARM &&
	    GELF_ST_TYPE(sym.st_info) == STT_FUNC)
		symbol->value &= ~1ull; /* that it is Thumb */
	return !op_symbol_is_mark(symbol);
}

/**
 * op_elf_symbols - go through a table
 * @file: the file
 * @type: SHT_SYMTAB or SHT_DYNSYM
 * @add: called for each symbol that may name code
 * @context: for @add
 *
 * Return: how many @add was called for; 0 also if there is no such table, or it
 *	makes no sense (and @file is broken then).
 */
size_t op_elf_symbols(struct op_elf *file, uint32_t type, op_elf_symbol_fn add,
		      void *context)
{
	struct op_elf_symbol symbol;
	struct op_symtab table;
	size_t found = 0;

	if (!op_symtab_open(file, type, &table))
		return 0;
	for (size_t i = 1; i < table.count; i++) {
		if (!op_symbol_get(file, &table, i, &symbol))
			continue;
		add(&symbol, context);
		found++;
	}
	return found;
}

/**
 * op_elf_is_code - whether a section is one to run
 * @file: the file
 * @section: its index
 *
 * Return: that.
 */
bool op_elf_is_code(struct op_elf *file, size_t section)
{
	GElf_Shdr header;
	Elf_Scn *found = elf_getscn(file->elf, section);

	return found && gelf_getshdr(found, &header) &&
	       (header.sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) ==
		       (SHF_ALLOC | SHF_EXECINSTR);
}
