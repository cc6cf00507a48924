// SPDX-License-Identifier: GPL-2.0-only
/*
 * ELF files that zstd has packed: modules, as .ko.zst.
 *
 * libdw unpacks those of gzip and xz; of zstd's only where it was built so, which
 * Debian 12's was not.  What a file says that it unpacks to is not believed.
 */
#include <stdlib.h>
#include <unistd.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "elffile.h"

#ifdef HAVE_ZSTD

/* The biggest module of Debian's is 30 MB, with what is for debugging 400. */
#define OP_ZSTD_MAX (1ull << 30)

/* All of it, into memory that grows with what is there; NULL if it is none. */
static unsigned char *op_zstd_unpack(int fd, size_t *size)
{
	size_t room = ZSTD_DStreamOutSize(), most = ZSTD_DStreamInSize();
	ZSTD_DStream *stream = ZSTD_createDStream();
	unsigned char *memory = malloc(room), *grown;
	void *packed = malloc(most);
	ZSTD_outBuffer out = { .dst = memory, .size = room };
	ZSTD_inBuffer in = { .src = packed };
	size_t left = 1;
	ssize_t got;

	if (!stream || !memory || !packed)
		goto err;
	while ((got = read(fd, packed, most)) > 0) {
		in.size = (size_t)got;
		in.pos = 0;
		do {
			if (out.pos == out.size) {
				room *= 2;
				grown = room <= OP_ZSTD_MAX ?
						realloc(memory, room) :
						NULL;
				if (!grown)
					goto err;
				out.dst = memory = grown;
				out.size = room;
			}
			left = ZSTD_decompressStream(stream, &out, &in);
			if (ZSTD_isError(left))
				goto err;
			/* A full buffer may mean that there is more. */
		} while (in.pos < in.size || (left && out.pos == out.size));
	}
	if (got < 0 || left)
		goto err;
	free(packed);
	ZSTD_freeDStream(stream);
	*size = out.pos;
	return memory;

err:
	free(packed);
	free(memory);
	ZSTD_freeDStream(stream);
	return NULL;
}

/**
 * op_elf_open_zstd - open a file that zstd has packed
 * @file: filled in; to be closed if it could be opened
 * @fd: the file, closed here
 *
 * Return: LOADED, or BROKEN if it is no packed ELF file.
 */
enum op_symbols_state op_elf_open_zstd(struct op_elf *file, int fd)
{
	unsigned char *memory;
	size_t size;

	memory = op_zstd_unpack(fd, &size);
	close(fd);
	return memory ? op_elf_open_memory(file, memory, size) :
			OP_SYMBOLS_BROKEN;
}

#else

enum op_symbols_state op_elf_open_zstd(struct op_elf *file, int fd)
{
	return op_elf_open_packed(file, fd);
}

#endif
