/* SPDX-License-Identifier: GPL-2.0-only */
/* An ELF file: see elffile.c, elfsymbols.c and debugfile.c. */
#ifndef OPTOP_ELFFILE_H
#define OPTOP_ELFFILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "names.h"
#include "symbols.h"

/**
 * struct op_segment - a PT_LOAD
 * @offset: where it is in the file
 * @size: how much of it is in the file
 * @address: where it asks to be in memory
 * @exec: its rights allow running it
 */
struct op_segment {
	uint64_t offset;
	uint64_t size;
	uint64_t address;
	bool exec;
};

/**
 * struct op_elf - an ELF file that is open
 * @elf: libelf's; NULL if it is not open
 * @fd: -1 if it is in memory
 * @memory: the file's bytes if it was unpacked, to be freed
 * @size: of the file
 * @header: the ELF header
 * @segments: what is loaded of it
 * @count: how many these are
 * @text: address of the first of them that is to be run, also if the file has
 *	nothing of it, as a debug file
 * @has_text: there is one
 * @sections: how many sections there are
 * @unpacked: which of them were compressed and are not any more, or NULL
 * @packed: the file as a whole was compressed
 * @broken: something in it makes no sense
 */
struct op_elf {
	Elf *elf;
	int fd;
	void *memory;
	uint64_t size;
	GElf_Ehdr header;
	struct op_segment *segments;
	size_t count;
	uint64_t text;
	bool has_text;
	size_t sections;
	bool *unpacked;
	bool packed;
	bool broken;
};

bool op_elf_init(void);
int op_open_below(const char *root, const char *path, struct stat *status);
enum op_symbols_state op_elf_open(struct op_elf *file, int fd);
enum op_symbols_state op_elf_open_packed(struct op_elf *file, int fd);
enum op_symbols_state op_elf_open_zstd(struct op_elf *file, int fd);
enum op_symbols_state op_elf_open_memory(struct op_elf *file, void *memory,
					 size_t size);
void op_elf_close(struct op_elf *file);
Elf_Scn *op_elf_section(struct op_elf *file, const char *name,
			GElf_Shdr *header);
const char *op_elf_section_name(struct op_elf *file, const GElf_Shdr *header);
Elf_Data *op_elf_data(struct op_elf *file, Elf_Scn *section);
bool op_elf_address(const struct op_elf *file, uint64_t offset,
		    uint64_t *address);
bool op_elf_offset(const struct op_elf *file, uint64_t address,
		   uint64_t *offset);

/* elfsymbols.c */

/**
 * struct op_elf_symbol - a symbol, before it is placed
 * @name: as it is in the file, not ended by a NUL if @length says so
 * @section: index of its section, 0 if it has none
 */
struct op_elf_symbol {
	const char *name;
	size_t length;
	uint64_t value;
	uint64_t size;
	size_t section;
	char type;
	enum op_name_rank rank;
};

typedef void (*op_elf_symbol_fn)(const struct op_elf_symbol *symbol,
				 void *context);

size_t op_elf_symbols(struct op_elf *file, uint32_t type, op_elf_symbol_fn add,
		      void *context);
bool op_elf_is_code(struct op_elf *file, size_t section);

/* debugfile.c */
bool op_debug_open(struct op_elf *debug, struct op_elf *file, const char *path,
		   const struct op_symbols_config *config);
int64_t *op_debug_shifts(struct op_elf *debug, struct op_elf *file);

/* minidebug.c */
bool op_debug_open_mini(struct op_elf *debug, struct op_elf *file);

/* plt.c */
void op_plt_names(struct op_names *names, struct op_elf *file);

/* userfile.c */
enum op_symbols_state op_user_names(struct op_names *names, int fd,
				    const char *path,
				    const struct op_symbols_config *config);
enum op_symbols_state op_vdso_names(struct op_names *names);

#endif
