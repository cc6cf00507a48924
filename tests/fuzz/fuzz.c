// SPDX-License-Identifier: GPL-2.0-only
/*
 * A folder for targets whose code opens files by name.
 */
#define _GNU_SOURCE /* nftw() */
#include <ftw.h>
#include <stdlib.h>

#include "fuzz.h"

static char folder[] = "/dev/shm/opfuzz-XXXXXX";
static int folder_fd = -1;

static int remove_it(const char *path, const struct stat *status, int type,
		     struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	remove(path);
	return 0;
}

static void remove_folder(void)
{
	nftw(folder, remove_it, 16, FTW_DEPTH | FTW_PHYS);
}

int fuzz_folder(void)
{
	if (folder_fd < 0) {
		MUST(mkdtemp(folder));
		atexit(remove_folder);
		folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
		MUST(folder_fd >= 0);
	}
	return folder_fd;
}

const char *fuzz_folder_path(void)
{
	fuzz_folder();
	return folder;
}

void fuzz_put(const char *name, const void *data, size_t size)
{
	int fd = openat(fuzz_folder(), name,
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	MUST(fd >= 0);
	MUST(write(fd, data, size) == (ssize_t)size);
	close(fd);
}

FILE *fuzz_nowhere(void)
{
	static FILE *file;

	if (!file)
		file = fopen("/dev/null", "we");
	MUST(file);
	return file;
}
