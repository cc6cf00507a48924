// SPDX-License-Identifier: GPL-2.0-only
/*
 * An ELF file, whoever made it: opened by libelf, and looked at with care.
 *
 * A profile's images are files of all users, hence every number in them is held
 * against the file's size before libelf is asked to follow it.  Files are read,
 * not mapped: one that is cut short meanwhile must not end optop by a SIGBUS.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "elffile.h"

/* No section that is of use here gets this big when it is unpacked. */
#define OP_UNPACKED_MAX (1ull << 30)

/* What deflate can make of a byte at the very best. */
#define OP_DEFLATE_RATIO 1032

/**
 * op_open_below - open a regular file to read it
 * @root: folder that stands for /, also for links in the path; NULL or "": /
 * @path: absolute path of the file below it
 * @status: filled in
 *
 * Never waits for a FIFO or a terminal.
 *
 * Return: a file descriptor, or -1 with errno set.
 */
int op_open_below(const char *root, const char *path, struct stat *status)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, fd, folder;

	if (root && *root && strcmp(root, "/")) {
		struct open_how how = {
			.flags = flags,
			.resolve = RESOLVE_IN_ROOT,
		};

		folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (folder < 0)
			return -1;
		fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));
		close(folder);
	} else {
		fd = open(path, flags);
	}
	if (fd < 0)
		return -1;
	if (!fstat(fd, status)) {
		if (S_ISREG(status->st_mode))
			return fd;
		errno = EINVAL;
	}
	close(fd);
	return -1;
}

/* Whether a part is in a whole of this size; without overflow. */
static bool op_within(uint64_t offset, uint64_t size, uint64_t end)
{
	return offset <= end && size <= end - offset;
}

static void op_elf_read_segments(struct op_elf *file)
{
	size_t count, found = 0;
	GElf_Phdr header;

	/* libelf leaves out what is beyond the file's end. */
	if (elf_getphdrnum(file->elf, &count) ||
	    (file->header.e_phnum != PN_XNUM && file->header.e_phnum != count))
		file->broken = true;
	if (file->broken || !count)
		return;
	if (!op_within(file->header.e_phoff,
		       count * gelf_fsize(file->elf, ELF_T_PHDR, 1, EV_CURRENT),
		       file->size) ||
	    !(file->segments = calloc(count, sizeof(*file->segments)))) {
		file->broken = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(file->elf, i, &header)) {
			file->broken = true;
			break;
		}
		if (header.p_type != PT_LOAD)
			continue;
		if (header.p_flags & PF_X && !file->has_text) {
			file->text = header.p_vaddr;
			file->has_text = true;
		}
		if (!header.p_filesz)
			continue;
		if (header.p_filesz > UINT64_MAX - header.p_vaddr ||
		    header.p_filesz > UINT64_MAX - header.p_offset) {
			file->broken = true;
			continue;
		}
		file->segments[found++] = (struct op_segment){
			.offset = header.p_offset,
			.size = header.p_filesz,
			.address = header.p_vaddr,
			.exec = header.p_flags & PF_X,
		};
	}
	file->count = found;
}

static void op_elf_count_sections(struct op_elf *file)
{
	size_t count;

	if (elf_getshdrnum(file->elf, &count) ||
	    (file->header.e_shnum && file->header.e_shnum != count) ||
	    (file->header.e_shoff && !count)) {
		file->broken = true;
		return;
	}
	if (!count)
		return;
	if (!op_within(file->header.e_shoff,
		       count * gelf_fsize(file->elf, ELF_T_SHDR, 1, EV_CURRENT),
		       file->size)) {
		file->broken = true;
		return;
	}
	file->sections = count;
}

static enum op_symbols_state op_elf_begin(struct op_elf *file)
{
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF ||
	    !gelf_getehdr(file->elf, &file->header)) {
		op_elf_close(file);
		return OP_SYMBOLS_BROKEN;
	}
	op_elf_read_segments(file);
	op_elf_count_sections(file);
	return OP_SYMBOLS_LOADED;
}

/**
 * op_elf_init - before all others here, and before there are threads
 *
 * Return: false if libelf is not of this time.
 */
bool op_elf_init(void)
{
	return elf_version(EV_CURRENT) != EV_NONE;
}

/* The part that both ways to open a file have; @file keeps the descriptor. */
static bool op_elf_begin_file(struct op_elf *file, int fd)
{
	struct stat status;

	memset(file, 0, sizeof(*file));
	file->fd = fd;
	if (fstat(fd, &status))
		return false;
	file->size = status.st_size;
	file->elf = elf_begin(fd, ELF_C_READ, NULL);
	return true;
}

/**
 * op_elf_open - open an ELF file
 * @file: filled in; to be closed if it could be opened
 * @fd: open on it, and closed with @file or here
 *
 * Return: LOADED, MISSING if it can't be read or BROKEN if it is no ELF file.
 */
enum op_symbols_state op_elf_open(struct op_elf *file, int fd)
{
	if (op_elf_begin_file(file, fd))
		return op_elf_begin(file);
	op_elf_close(file);
	return OP_SYMBOLS_MISSING;
}

/**
 * op_elf_open_packed - open an ELF file that may be compressed as a whole
 * @file: filled in; to be closed if it could be opened
 * @fd: open on it, and closed with @file or here
 *
 * libdw, which knows how, maps such a file and unpacks all that it says it is:
 * not for files of anybody.
 *
 * Return: LOADED, MISSING if it can't be read or BROKEN if it is no ELF file.
 */
enum op_symbols_state op_elf_open_packed(struct op_elf *file, int fd)
{
	if (!op_elf_begin_file(file, fd)) {
		op_elf_close(file);
		return OP_SYMBOLS_MISSING;
	}
	if (file->elf && elf_kind(file->elf) == ELF_K_NONE && file->size) {
		elf_end(file->elf);
		file->elf = dwelf_elf_begin(fd);
		if (file->elf && elf_kind(file->elf) == ELF_K_ELF) {
			elf_rawfile(file->elf, &file->size);
			file->packed = true;
		}
	}
	return op_elf_begin(file);
}

/**
 * op_elf_open_memory - open an ELF file that is in memory
 * @file: filled in; to be closed if it could be opened
 * @memory: the file, from malloc(3), freed with @file or here
 * @size: its size
 *
 * Return: LOADED, or BROKEN if it is no ELF file.
 */
enum op_symbols_state op_elf_open_memory(struct op_elf *file, void *memory,
					 size_t size)
{
	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->memory = memory;
	file->size = size;
	file->elf = elf_memory(memory, size);
	return op_elf_begin(file);
}

/**
 * op_elf_close - and all that was read of it
 * @file: open or not; not open afterwards
 */
void op_elf_close(struct op_elf *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->segments);
	free(file->unpacked);
	free(file->memory);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
}

/**
 * op_elf_section_name - what a section is called
 * @file: where it is
 * @header: its header
 *
 * Return: the name, NULL if it has none that makes sense.
 */
const char *op_elf_section_name(struct op_elf *file, const GElf_Shdr *header)
{
	size_t names;

	if (!file->sections || elf_getshdrstrndx(file->elf, &names) ||
	    !op_elf_data(file, elf_getscn(file->elf, names)))
		return NULL;
	return elf_strptr(file->elf, names, header->sh_name);
}

/**
 * op_elf_section - a section by its name
 * @file: where to look
 * @name: the name
 * @header: filled in if it is there
 *
 * Return: the section, NULL if there is none.
 */
Elf_Scn *op_elf_section(struct op_elf *file, const char *name,
			GElf_Shdr *header)
{
	for (size_t i = 1; i < file->sections; i++) {
		Elf_Scn *section = elf_getscn(file->elf, i);
		const char *found;

		if (!section || !gelf_getshdr(section, header))
			break;
		found = op_elf_section_name(file, header);
		if (found && !strcmp(found, name))
			return section;
	}
	return NULL;
}

/**
 * op_elf_data - what is in a section, unpacked
 * @file: where it is
 * @section: the section, may be NULL
 *
 * Return: libelf's data, NULL (and @file is broken) if it makes no sense.
 */
Elf_Data *op_elf_data(struct op_elf *file, Elf_Scn *section)
{
	GElf_Shdr header;
	GElf_Chdr packed;

	if (!section || !gelf_getshdr(section, &header) ||
	    header.sh_type == SHT_NOBITS)
		goto err_broken;
	if (!(header.sh_flags & SHF_COMPRESSED)) {
		/* What was unpacked has nothing to do with the file's size. */
		if (!(file->unpacked && file->unpacked[elf_ndxscn(section)]) &&
		    !op_within(header.sh_offset, header.sh_size, file->size))
			goto err_broken;
		return elf_getdata(section, NULL);
	}
	if (!file->unpacked)
		file->unpacked = calloc(file->sections, 1);
	if (!file->unpacked || elf_ndxscn(section) >= file->sections ||
	    !op_within(header.sh_offset, header.sh_size, file->size) ||
	    !gelf_getchdr(section, &packed) ||
	    packed.ch_size > OP_UNPACKED_MAX ||
	    packed.ch_size / OP_DEFLATE_RATIO > header.sh_size ||
	    elf_compress(section, 0, 0) < 0)
		goto err_broken;
	file->unpacked[elf_ndxscn(section)] = true;
	return elf_getdata(section, NULL);

err_broken:
	file->broken = true;
	return NULL;
}

/**
 * op_elf_address - where a byte of the file asks to be in memory
 * @file: the file
 * @offset: of the byte
 * @address: filled in
 *
 * By p_filesz, since what only memory has is nowhere in the file.  Where the
 * same bytes are loaded twice, code is meant.
 *
 * Return: false if it is not loaded.
 */
bool op_elf_address(const struct op_elf *file, uint64_t offset,
		    uint64_t *address)
{
	bool found = false;

	for (size_t i = 0; i < file->count; i++) {
		const struct op_segment *at = &file->segments[i];

		if (offset < at->offset || offset - at->offset >= at->size ||
		    (found && !at->exec))
			continue;
		*address = at->address + (offset - at->offset);
		if (at->exec)
			return true;
		found = true;
	}
	return found;
}

/**
 * op_elf_offset - where code that is in memory is in the file
 * @file: the file
 * @address: as of the file's own program headers
 * @offset: filled in
 *
 * Return: false if it is not from the file, or no code.
 */
bool op_elf_offset(const struct op_elf *file, uint64_t address,
		   uint64_t *offset)
{
	for (size_t i = 0; i < file->count; i++) {
		const struct op_segment *at = &file->segments[i];

		if (!at->exec || address < at->address ||
		    address - at->address >= at->size)
			continue;
		*offset = at->offset + (address - at->address);
		return true;
	}
	return false;
}
