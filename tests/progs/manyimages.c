// SPDX-License-Identifier: GPL-2.0-only
/*
 * manyimages FOLDER N   executes N files of a page each, one after the other
 *
 * Each file is made in FOLDER, mapped, called and removed.  What it executes is
 * its first instruction, on a page that is not there yet: so where each page
 * fault is a sample, each file has one that is its own.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static void check(int bad, const char *what)
{
	if (!bad)
		return;
	perror(what);
	exit(1);
}

static void run_file(const char *folder, long n)
{
	static const unsigned char code[] = {
#if defined(__x86_64__)
		0xc3
#elif defined(__aarch64__)
		0xc0,
		0x03,
		0x5f,
		0xd6
#endif
	};
	char path[4096];
	void *place;
	int fd;

	snprintf(path, sizeof(path), "%s/file-%ld", folder, n);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0755);
	check(fd < 0, path);
	check(write(fd, code, sizeof(code)) != sizeof(code), path);
	place = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	check(place == MAP_FAILED, "mmap");
	((void (*)(void))place)();
	check(munmap(place, PAGE), "munmap");
	close(fd);
	check(unlink(path), path);
}

int main(int argc, char **argv)
{
	long n;

	if (argc != 3) {
		fprintf(stderr, "Usage: manyimages FOLDER N\n");
		return 2;
	}
	for (n = 0; n < atol(argv[2]); n++)
		run_file(argv[1], n);
	return 0;
}
