// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file with the symbols and lines that a program itself has no more.
 *
 * It is found by build-id, or by the name in .gnu_debuglink, below
 * ROOT/usr/lib/debug and beside the program; by debuginfod if that is allowed;
 * and a small one may be within the program, in .gnu_debugdata.
 *
 * A debug file's addresses may be others than the program's, which prelink or
 * the like has moved since.  They differ by section, hence by a section's name.
 */
#define _GNU_SOURCE 1
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#include "elffile.h"

#define OP_DEBUG_FOLDER "/usr/lib/debug"

/* With more sections than this, nobody compares the names of all of them. */
#define OP_NAMED_SECTIONS 1024

/* What .gnu_debuglink holds is the CRC of zlib, with which nothing is linked. */
static bool op_file_crc(int fd, uint32_t *crc)
{
	static const uint32_t polynomial = 0xedb88320;
	uint32_t table[256], sum = ~0u;
	unsigned char *buffer = malloc(1 << 20);
	ssize_t got;
	off_t at = 0;

	if (!buffer)
		return false;
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = (table[i] >> 1) ^
				   (table[i] & 1 ? polynomial : 0);
	}
	while ((got = pread(fd, buffer, 1 << 20, at)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			sum = (sum >> 8) ^ table[(sum ^ buffer[i]) & 0xff];
		at += got;
	}
	free(buffer);
	*crc = ~sum;
	return !got;
}

static bool op_same_build_id(struct op_elf *one, struct op_elf *other,
			     bool *known)
{
	const void *a, *b;
	ssize_t size_a = dwelf_elf_gnu_build_id(one->elf, &a);
	ssize_t size_b = dwelf_elf_gnu_build_id(other->elf, &b);

	*known = size_a > 0 && size_b > 0;
	return *known && size_a == size_b && !memcmp(a, b, size_a);
}

/*
 * Whether an open file is the program's debug file; the descriptor is closed if
 * not.  @crc: what it must have if the build-ids do not tell.
 */
static bool op_debug_check(struct op_elf *debug, struct op_elf *file, int fd,
			   const uint32_t *crc)
{
	struct stat status, own;
	uint32_t sum;
	bool known, same;

	/* A debuglink may name the very file that it is in. */
	if (fstat(fd, &status) ||
	    (file->fd >= 0 && !fstat(file->fd, &own) &&
	     own.st_dev == status.st_dev && own.st_ino == status.st_ino)) {
		close(fd);
		return false;
	}
	if (op_elf_open(debug, fd) != OP_SYMBOLS_LOADED)
		return false;
	same = op_same_build_id(debug, file, &known);
	if (!known)
		same = crc && op_file_crc(debug->fd, &sum) && sum == *crc;
	if (same && debug->header.e_machine == file->header.e_machine)
		return true;
	op_elf_close(debug);
	return false;
}

static bool op_debug_try(struct op_elf *debug, struct op_elf *file,
			 const char *root, const char *path,
			 const uint32_t *crc)
{
	struct stat status;
	int fd = op_open_below(root, path, &status);

	return fd >= 0 && op_debug_check(debug, file, fd, crc);
}

static bool op_debug_by_build_id(struct op_elf *debug, struct op_elf *file,
				 const char *root)
{
	char path[sizeof(OP_DEBUG_FOLDER "/.build-id//.debug") + 2 * 64 + 1];
	const unsigned char *id;
	const void *bits;
	ssize_t size = dwelf_elf_gnu_build_id(file->elf, &bits);
	int length;

	if (size < 2 || size > 64)
		return false;
	id = bits;
	length = sprintf(path, OP_DEBUG_FOLDER "/.build-id/%02x/", id[0]);
	for (ssize_t i = 1; i < size; i++)
		length += sprintf(path + length, "%02x", id[i]);
	strcpy(path + length, ".debug");
	return op_debug_try(debug, file, root, path, NULL);
}

static bool op_debug_by_link(struct op_elf *debug, struct op_elf *file,
			     const char *root, const char *path)
{
	static const char *const places[] = {
		"%.*s/%s",
		"%.*s/.debug/%s",
		OP_DEBUG_FOLDER "%.*s/%s",
	};
	const char *slash = strrchr(path, '/'), *link;
	char candidate[PATH_MAX];
	GElf_Word sum;
	uint32_t crc;
	int length;

	link = dwelf_elf_gnu_debuglink(file->elf, &sum);
	if (!link || !*link || strchr(link, '/') || !slash)
		return false;
	crc = sum;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		length = snprintf(candidate, sizeof(candidate), places[i],
				  (int)(slash - path), path, link);
		if (length < (int)sizeof(candidate) &&
		    op_debug_try(debug, file, root, candidate, &crc))
			return true;
	}
	return false;
}

/* Keep what libdwfl has found; it does not tell its name. */
static int op_server_find(Dwfl_Module *module, void **context, const char *name,
			  Dwarf_Addr base, const char *path, const char *link,
			  GElf_Word crc, char **found)
{
	int fd = dwfl_standard_find_debuginfo(module, context, name, base, path,
					      link, crc, found);
	int *kept = *context;

	if (fd >= 0 && *kept < 0)
		*kept = dup(fd);
	return fd;
}

/* libdwfl asks the servers that DEBUGINFOD_URLS names, and keeps a cache. */
static bool op_debug_by_server(struct op_elf *debug, struct op_elf *file)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = op_server_find,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl_Module *module;
	Dwarf_Addr bias;
	void **context;
	char name[64];
	int found = -1;
	Dwfl *dwfl;

	if (file->fd < 0)
		return false;
	dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		return false;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", file->fd);
	module = dwfl_report_offline(dwfl, "image", name, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module) {
		dwfl_module_info(module, &context, NULL, NULL, NULL, NULL, NULL,
				 NULL);
		*context = &found;
		dwfl_module_getdwarf(module, &bias);
	}
	dwfl_end(dwfl);
	return found >= 0 && op_debug_check(debug, file, found, NULL);
}

/**
 * op_debug_open - find the debug file of a program
 * @debug: filled in, to be closed
 * @file: the program
 * @path: its path below the root
 * @config: where to look
 *
 * Return: whether there is one, and it is the program's.
 */
bool op_debug_open(struct op_elf *debug, struct op_elf *file, const char *path,
		   const struct op_symbols_config *config)
{
	if (op_debug_by_build_id(debug, file, config->root) ||
	    op_debug_by_link(debug, file, config->root, path))
		return true;
	return config->debuginfod && op_debug_by_server(debug, file);
}

/**
 * op_debug_shifts - what to add to a debug file's addresses
 * @debug: the debug file
 * @file: the program
 *
 * Return: what is to be added, for each of the debug file's sections, so that
 *	an address is the program's; to be freed.  NULL if there is no memory.
 */
int64_t *op_debug_shifts(struct op_elf *debug, struct op_elf *file)
{
	int64_t general = debug->has_text && file->has_text ?
				  (int64_t)(file->text - debug->text) :
				  0;
	int64_t *shifts = calloc(debug->sections + 1, sizeof(*shifts));
	GElf_Shdr header, own;

	for (size_t i = 1; shifts && i < debug->sections; i++) {
		Elf_Scn *section = elf_getscn(debug->elf, i);
		const char *name;

		shifts[i] = general;
		if (debug->sections > OP_NAMED_SECTIONS ||
		    file->sections > OP_NAMED_SECTIONS || !section ||
		    !gelf_getshdr(section, &header) ||
		    !(header.sh_flags & SHF_ALLOC))
			continue;
		name = op_elf_section_name(debug, &header);
		if (name && op_elf_section(file, name, &own))
			shifts[i] = own.sh_addr - header.sh_addr;
	}
	return shifts;
}
