// SPDX-License-Identifier: GPL-2.0-only
/*
 * readsizes FILE...      reads each file with buffers of 1 to 64 bytes and of
 *                        1 GiB, and says which of these do not give the same
 * readsizes --stream F   the same of a record stream: a buffer in which the next
 *                        record does not go is EINVAL and takes nothing away
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_SIZE (1ul << 30)
#define ENOUGH (1ul << 24)

static char *huge;
static char *whole, *again;

static void fail(const char *path, const char *what, size_t size)
{
	printf("%s: %s with %zu bytes\n", path, what, size);
	exit(1);
}

/* The whole file; no byte behind what read(2) says it brought is touched. */
static size_t read_all(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY);
	size_t done = 0;
	ssize_t n;

	if (fd < 0)
		fail(path, "open", size);
	for (;;) {
		if (size < HUGE_SIZE)
			huge[size] = 0x5a;
		n = read(fd, huge, size);
		if (n < 0 || (size_t)n > size || done + n > ENOUGH)
			fail(path, "read", size);
		if (size < HUGE_SIZE && huge[size] != 0x5a)
			fail(path, "too much", size);
		if (!n)
			break;
		memcpy(to + done, huge, n);
		done += n;
	}
	close(fd);
	return done;
}

static void check_file(const char *path)
{
	size_t len = read_all(path, whole, 1 << 16), size;

	for (size = 1; size <= 64; size = size < 8 ? size + 1 : size * 2 - 1)
		if (read_all(path, again, size) != len ||
		    memcmp(whole, again, len))
			fail(path, "another text", size);
	if (read_all(path, again, HUGE_SIZE) != len ||
	    memcmp(whole, again, len))
		fail(path, "another text", HUGE_SIZE);
}

/* Its first record is the header, however often it did not go in. */
static void check_stream(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	size_t size, tries = 0;
	unsigned short head[4];
	ssize_t n;

	if (fd < 0)
		fail(path, "open", 0);
	for (size = 1; size <= 1024; size++) {
		n = read(fd, huge, size);
		if (n >= 0)
			break;
		tries++;
		if (errno != EINVAL)
			fail(path, "not EINVAL", size);
	}
	memcpy(head, huge, sizeof(head));
	if (tries < 40 || n != (ssize_t)size || head[0] != 18 || head[1] != n)
		fail(path, "no header", size);
	n = read(fd, huge, HUGE_SIZE);
	if (n <= 0)
		fail(path, "nothing", HUGE_SIZE);
	for (size = 0; size < (size_t)n; size += head[1]) {
		memcpy(head, huge + size, sizeof(head));
		if (!head[1] || head[1] > (size_t)n - size)
			fail(path, "no whole record", size);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	int i;

	huge = mmap(NULL, HUGE_SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	whole = malloc(ENOUGH);
	again = malloc(ENOUGH);
	if (huge == MAP_FAILED || !whole || !again || argc < 2) {
		perror("readsizes");
		return 2;
	}
	if (!strcmp(argv[1], "--stream")) {
		check_stream(argv[2]);
		return 0;
	}
	for (i = 1; i < argc; i++)
		check_file(argv[i]);
	printf("%d files\n", argc - 1);
	return 0;
}
