// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source lines and code of an image, for the view of one symbol.
 *
 * The last image's files stay open, since that view asks for many offsets of
 * one.  They are held against the image's identity first, like for names.
 */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdw.h>

#include "loader.h"

/**
 * struct op_lines - the image that was last asked for
 * @lock: guards all of it
 * @config: where files are
 * @kernel: which files are the kernel's
 * @path: of the image, NULL if there is none
 * @base: address of offset 0, if that is the kernel
 * @identity: of the image
 * @file: its file
 * @debug: its debug file; not open if @file has its lines itself
 * @shifts: from @debug's addresses to @file's
 * @dwarf: the lines, NULL if there are none
 */
struct op_lines {
	pthread_mutex_t lock;
	const struct op_symbols_config *config;
	struct op_kernel *kernel;
	char *path;
	char *identity;
	uint64_t base;
	struct op_elf file;
	struct op_elf debug;
	int64_t *shifts;
	Dwarf *dwarf;
};

/**
 * op_lines_new - nothing is open yet
 * @config: where files are; stays the caller's
 *
 * Return: NULL if there is no memory.
 */
struct op_lines *op_lines_new(const struct op_symbols_config *config)
{
	struct op_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->config = config;
	lines->file.fd = lines->debug.fd = -1;
	lines->kernel = op_kernel_new(config);
	if (!lines->kernel) {
		free(lines);
		return NULL;
	}
	pthread_mutex_init(&lines->lock, NULL);
	return lines;
}

static void op_lines_close(struct op_lines *lines)
{
	if (lines->dwarf)
		dwarf_end(lines->dwarf);
	lines->dwarf = NULL;
	op_elf_close(&lines->debug);
	op_elf_close(&lines->file);
	free(lines->shifts);
	free(lines->path);
	free(lines->identity);
	lines->shifts = NULL;
	lines->path = lines->identity = NULL;
}

/**
 * op_lines_free - and close what is open
 * @lines: may be NULL
 */
void op_lines_free(struct op_lines *lines)
{
	if (!lines)
		return;
	op_lines_close(lines);
	op_kernel_free(lines->kernel);
	pthread_mutex_destroy(&lines->lock);
	free(lines);
}

static bool op_lines_are_of(const struct op_lines *lines,
			    const struct op_image_key *key)
{
	return lines->path && !strcmp(lines->path, key->path) &&
	       (key->identity ? lines->identity && !strcmp(lines->identity,
							   key->identity) :
				!lines->identity);
}

static bool op_has_lines(struct op_elf *file)
{
	GElf_Shdr header;

	return (op_elf_section(file, ".debug_line", &header) ||
		op_elf_section(file, ".zdebug_line", &header)) &&
	       header.sh_type != SHT_NOBITS;
}

static void op_lines_find(struct op_lines *lines)
{
	if (op_has_lines(&lines->file)) {
		lines->dwarf =
			dwarf_begin_elf(lines->file.elf, DWARF_C_READ, NULL);
		return;
	}
	if (!op_debug_open(&lines->debug, &lines->file, lines->path,
			   lines->config))
		return;
	lines->shifts = op_debug_shifts(&lines->debug, &lines->file);
	if (lines->shifts && op_has_lines(&lines->debug))
		lines->dwarf =
			dwarf_begin_elf(lines->debug.elf, DWARF_C_READ, NULL);
}

static bool op_lines_open_kernel(struct op_lines *lines, const char *path,
				 uint64_t offset, uint64_t *address)
{
	if (lines->path && !strcmp(lines->path, path) &&
	    !strcmp(path, "vmlinux")) {
		*address = lines->base + offset;
		return true;
	}
	op_lines_close(lines);
	if (!op_kernel_open(lines->kernel, &lines->file, path, offset,
			    address)) {
		memset(&lines->file, 0, sizeof(lines->file));
		lines->file.fd = -1;
		return false;
	}
	lines->base = *address - offset;
	lines->path = strdup(path);
	/* A module's addresses are given only when it is loaded. */
	if (lines->file.header.e_type != ET_REL)
		lines->dwarf =
			dwarf_begin_elf(lines->file.elf, DWARF_C_READ, NULL);
	return true;
}

/* Open the image's file, and tell where the offset is by its headers. */
static bool op_lines_open(struct op_lines *lines,
			  const struct op_image_key *key, uint64_t offset,
			  uint64_t *address)
{
	enum op_symbols_state state;
	int fd;

	if (*key->path != '/')
		return op_lines_open_kernel(lines, key->path, offset, address);
	if (!op_lines_are_of(lines, key)) {
		op_lines_close(lines);
		fd = op_loader_open(lines->config, key, &state);
		if (fd < 0)
			return false;
		if (op_elf_open(&lines->file, fd) != OP_SYMBOLS_LOADED)
			return false;
		lines->path = strdup(key->path);
		lines->identity = key->identity ? strdup(key->identity) : NULL;
		if (!lines->path || !lines->identity != !key->identity) {
			op_lines_close(lines);
			return false;
		}
		op_lines_find(lines);
	}
	return op_elf_address(&lines->file, offset, address);
}

/* The debug file's address for one of the program. */
static uint64_t op_lines_shift(struct op_lines *lines, uint64_t address)
{
	GElf_Shdr header;

	if (!lines->shifts)
		return address;
	for (size_t i = 1; i < lines->debug.sections; i++) {
		Elf_Scn *section = elf_getscn(lines->debug.elf, i);
		uint64_t there = address - lines->shifts[i];

		if (section && gelf_getshdr(section, &header) &&
		    header.sh_flags & SHF_ALLOC && there >= header.sh_addr &&
		    there - header.sh_addr < header.sh_size)
			return there;
	}
	return address;
}

/* The unit of the address; not all compilers write an index of them. */
static bool op_lines_unit(Dwarf *dwarf, Dwarf_Addr address, Dwarf_Die *unit)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	if (dwarf_addrdie(dwarf, address, unit))
		return true;
	while (!dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL)) {
		if (dwarf_offdie(dwarf, offset + header, unit) &&
		    dwarf_haspc(unit, address) > 0)
			return true;
		if (next <= offset)
			break;
		offset = next;
	}
	return false;
}

/**
 * op_lines_source - the line of the source at an offset
 * @lines: the files
 * @key: the image
 * @offset: in it
 * @text: FILE:LINE, or empty
 * @size: its room
 *
 * Return: whether it is known.
 */
bool op_lines_source(struct op_lines *lines, const struct op_image_key *key,
		     uint64_t offset, char *text, size_t size)
{
	uint64_t address;
	Dwarf_Die unit;
	bool known = false;

	if (size)
		*text = '\0';
	pthread_mutex_lock(&lines->lock);
	if (op_lines_open(lines, key, offset, &address) && lines->dwarf) {
		Dwarf_Line *line = NULL;
		const char *name;
		int number;

		address = op_lines_shift(lines, address);
		if (op_lines_unit(lines->dwarf, address, &unit))
			line = dwarf_getsrc_die(&unit, address);
		name = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
		if (name && !dwarf_lineno(line, &number) && number > 0) {
			snprintf(text, size, "%s:%d", name, number);
			known = true;
		}
	}
	pthread_mutex_unlock(&lines->lock);
	return known;
}

/* As many bytes as there are, and an instruction may have. */
static ssize_t op_lines_bytes(struct op_elf *file, uint64_t offset, void *code,
			      size_t size)
{
	size_t whole;
	char *bytes;

	if (file->fd >= 0 && !file->packed)
		return pread(file->fd, code, size, offset);
	bytes = elf_rawfile(file->elf, &whole);
	if (!bytes || offset >= whole)
		return 0;
	if (size > whole - offset)
		size = whole - offset;
	memcpy(code, bytes + offset, size);
	return size;
}

/**
 * op_lines_code - the instruction at an offset
 * @lines: the files
 * @key: the image
 * @offset: in it
 * @text: filled in, or empty
 * @size: its room
 *
 * Return: whether it is known.
 */
bool op_lines_code(struct op_lines *lines, const struct op_image_key *key,
		   uint64_t offset, char *text, size_t size)
{
	uint64_t address, place = offset;
	unsigned char code[16];
	bool known = false;
	ssize_t got;

	if (size)
		*text = '\0';
	pthread_mutex_lock(&lines->lock);
	if (op_lines_open(lines, key, offset, &address)) {
		if (*key->path != '/') {
			place = address;
			if (lines->file.header.e_type != ET_REL &&
			    !op_elf_offset(&lines->file, address, &place))
				place = UINT64_MAX;
		}
		got = place > INT64_MAX ? 0 :
					  op_lines_bytes(&lines->file, place,
							 code, sizeof(code));
		known = got > 0 && op_instruction_text(&lines->file, code, got,
						       address, text, size);
	}
	pthread_mutex_unlock(&lines->lock);
	return known;
}
