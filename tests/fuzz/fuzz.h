/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the targets have in common: to say that something is wrong, to take the
 * input apart, to give it to a function that reads files.
 */
#ifndef OP_FUZZ_H
#define OP_FUZZ_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* abort() is what libFuzzer keeps the input for. */
#define MUST(condition)                                                        \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,       \
				__LINE__, #condition);                         \
			abort();                                               \
		}                                                              \
	} while (0)

/* The input, taken from its front. What is not there any more is 0. */
struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

static inline unsigned int fuzz_byte(struct fuzz_input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static inline uint64_t fuzz_number(struct fuzz_input *in, unsigned int bytes)
{
	uint64_t n = 0;

	while (bytes--)
		n = n << 8 | fuzz_byte(in);
	return n;
}

/* A copy of just its size, so that a byte beyond it is seen. */
static inline char *fuzz_copy(const void *data, size_t size)
{
	char *copy = malloc(size ? size : 1);

	MUST(copy);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

/* With a NUL behind it. */
static inline char *fuzz_string(const void *data, size_t size)
{
	char *copy = malloc(size + 1);

	MUST(copy);
	if (size)
		memcpy(copy, data, size);
	copy[size] = '\0';
	return copy;
}

/* A file without a name that holds it, open at its beginning. */
static inline int fuzz_file(const void *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	MUST(fd >= 0);
	MUST(write(fd, data, size) == (ssize_t)size);
	MUST(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

/* A folder of this process's own, removed at its end: fuzz.c. */
int fuzz_folder(void);
const char *fuzz_folder_path(void);
void fuzz_put(const char *name, const void *data, size_t size);

/* Where a report may be printed to. */
FILE *fuzz_nowhere(void);

#endif
