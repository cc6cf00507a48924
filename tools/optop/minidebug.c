// SPDX-License-Identifier: GPL-2.0-only
/*
 * The small debug file that may be within a program: .gnu_debugdata, an ELF file
 * packed by xz, with the functions that .dynsym lacks.
 *
 * A few kilobytes of xz can unpack to gigabytes, and the program may be
 * anybody's, so liblzma is told how much there may be.  libdw, which does
 * without it, has no such bound.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#include "elffile.h"

#ifdef HAVE_LZMA

/* Symbol tables, of big programs some megabytes. */
#define OP_MINI_MAX (256ull << 20)
#define OP_MINI_MEMORY (64ull << 20)
#define OP_MINI_FIRST (1 << 16)

/* Unpack it to memory that grows with what is there. */
static enum op_symbols_state op_mini_unpack(struct op_elf *debug,
					    const Elf_Data *data)
{
	size_t room = OP_MINI_FIRST, size = 0;
	lzma_stream stream = LZMA_STREAM_INIT;
	unsigned char *memory = NULL, *grown;
	lzma_ret status;

	if (lzma_stream_decoder(&stream, OP_MINI_MEMORY, 0) != LZMA_OK)
		return OP_SYMBOLS_BROKEN;
	stream.next_in = data->d_buf;
	stream.avail_in = data->d_size;
	do {
		room *= 2;
		grown = room <= OP_MINI_MAX ? realloc(memory, room) : NULL;
		if (!grown)
			goto err_end;
		memory = grown;
		stream.next_out = memory + size;
		stream.avail_out = room - size;
		status = lzma_code(&stream, LZMA_FINISH);
		size = room - stream.avail_out;
	} while (status == LZMA_OK);
	if (status != LZMA_STREAM_END)
		goto err_end;
	lzma_end(&stream);
	return op_elf_open_memory(debug, memory, size);

err_end:
	lzma_end(&stream);
	free(memory);
	return OP_SYMBOLS_BROKEN;
}

#else

/* libdw unpacks files, so it gets one. */
static enum op_symbols_state op_mini_unpack(struct op_elf *debug,
					    const Elf_Data *data)
{
	int fd = memfd_create("debugdata", MFD_CLOEXEC);

	if (fd < 0)
		return OP_SYMBOLS_BROKEN;
	for (size_t done = 0; done < data->d_size;) {
		ssize_t wrote = write(fd, (char *)data->d_buf + done,
				      data->d_size - done);

		if (wrote <= 0) {
			close(fd);
			return OP_SYMBOLS_BROKEN;
		}
		done += wrote;
	}
	return op_elf_open_packed(debug, fd);
}

#endif

/**
 * op_debug_open_mini - open the small debug file within a program
 * @debug: filled in, to be closed
 * @file: the program
 *
 * Return: whether there is one.
 */
bool op_debug_open_mini(struct op_elf *debug, struct op_elf *file)
{
	GElf_Shdr header;
	Elf_Scn *section = op_elf_section(file, ".gnu_debugdata", &header);
	Elf_Data *data = section ? op_elf_data(file, section) : NULL;

	if (!data || !data->d_size)
		return false;
	if (op_mini_unpack(debug, data) != OP_SYMBOLS_LOADED) {
		file->broken = true;
		return false;
	}
	if (debug->header.e_machine == file->header.e_machine)
		return true;
	op_elf_close(debug);
	file->broken = true;
	return false;
}
