// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes every file system look like oprofilefs, by LD_PRELOAD: optop then takes
 * a copied tree for a mounted one, and what it writes can be read in the files.
 */
#include <dlfcn.h>
#include <sys/vfs.h>

#define OPROFILEFS_MAGIC 0x6f70726f

int fstatfs(int fd, struct statfs *fs)
{
	int (*real)(int, struct statfs *) = dlsym(RTLD_NEXT, "fstatfs");
	int ret = real(fd, fs);

	fs->f_type = OPROFILEFS_MAGIC;
	return ret;
}

int statfs(const char *path, struct statfs *fs)
{
	int (*real)(const char *, struct statfs *) = dlsym(RTLD_NEXT, "statfs");
	int ret = real(path, fs);

	fs->f_type = OPROFILEFS_MAGIC;
	return ret;
}
