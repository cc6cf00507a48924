// SPDX-License-Identifier: GPL-2.0-only
/*
 * Usage: failnth [-n MAX] OP [ARG...] [-- UNDO [ARG...]]
 *
 * Runs OP again and again, with its first allocation failing, then its second,
 * and so on until it asks for no more. After each time UNDO runs with no
 * failures. Needs a kernel with CONFIG_FAULT_INJECTION; what is to fail is set
 * up in debugfs by whoever calls this.
 *
 * Prints "ERRNO COUNT" for each outcome of OP with a failure injected (0: it
 * did without), then "faults N". Exit status 1 with a message if OP fails with
 * nothing injected, or UNDO fails although OP did not.
 *
 *	load FILE        a module            unload NAME
 *	mount DIR        oprofilefs          umount DIR
 *	write FILE TEXT  open, write, close  read FILE  open, read all, close
 *	list DIR         read the names      open FILE  open and close
 *	stat FILE        look it up          drop       caches of names and inodes
 *	none
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char room[65536];

/* 0 or -1 with errno; no library function that allocates. */
static int with_file(const char *path, int flags, const char *text)
{
	int fd = open(path, flags | O_CLOEXEC);
	int error = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	if (text)
		n = write(fd, text, strlen(text));
	else if (flags & O_DIRECTORY)
		while ((n = syscall(SYS_getdents64, fd, room, sizeof(room))) >
		       0)
			;
	else if (flags & O_NONBLOCK)
		n = 0;
	else
		while ((n = read(fd, room, sizeof(room))) > 0)
			;
	if (n < 0)
		error = errno;
	close(fd);
	errno = error;
	return error ? -1 : 0;
}

static int load(const char *path)
{
	/* Opened before anything may fail: the file is not the subject. */
	static int fd = -1;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	return syscall(SYS_finit_module, fd, "", 0);
}

static int run(char **op)
{
	struct stat st;

	if (!strcmp(op[0], "none"))
		return 0;
	if (!strcmp(op[0], "drop"))
		return with_file("/proc/sys/vm/drop_caches", O_WRONLY, "2");
	if (!op[1])
		errno = EINVAL;
	else if (!strcmp(op[0], "load"))
		return load(op[1]);
	else if (!strcmp(op[0], "unload"))
		return syscall(SYS_delete_module, op[1], O_NONBLOCK);
	else if (!strcmp(op[0], "mount"))
		return mount("nodev", op[1], "oprofilefs", 0, NULL);
	else if (!strcmp(op[0], "umount"))
		return umount(op[1]);
	else if (!strcmp(op[0], "write") && op[2])
		return with_file(op[1], O_WRONLY, op[2]);
	else if (!strcmp(op[0], "read"))
		return with_file(op[1], O_RDONLY, NULL);
	else if (!strcmp(op[0], "open"))
		return with_file(op[1], O_RDONLY | O_NONBLOCK, NULL);
	else if (!strcmp(op[0], "list"))
		return with_file(op[1], O_RDONLY | O_DIRECTORY, NULL);
	else if (!strcmp(op[0], "stat"))
		return stat(op[1], &st);
	fprintf(stderr, "failnth: what is '%s'?\n", op[0]);
	exit(2);
}

static int fail_nth;

static void set_nth(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	if (pwrite(fail_nth, text, strlen(text), 0) < 0) {
		perror("failnth: fail-nth");
		exit(2);
	}
}

/* What is left of the number: 0 means that the failure was injected. */
static unsigned int get_nth(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0) {
		perror("failnth: fail-nth");
		exit(2);
	}
	return strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	static char *none[] = { "none", NULL };
	static unsigned long outcomes[256];
	unsigned int n, max = 10000, left;
	int i, ret, error, bad = 0;
	char **op, **undo = none;

	while ((i = getopt(argc, argv, "+n:")) == 'n')
		max = atoi(optarg);
	op = argv + optind;
	for (i = optind; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			argv[i] = NULL;
			undo = argv + i + 1;
		}
	}
	if (!op[0] || !undo[0]) {
		fprintf(stderr,
			"usage: failnth [-n MAX] OP [ARG...] [-- UNDO [ARG...]]\n");
		return 2;
	}
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0) {
		perror("failnth: fail-nth");
		return 2;
	}
	/* Page faults ask for memory, too, but are not the subject. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	/* Once without failures: opens what stays open. */
	if (run(op) || run(undo)) {
		perror("failnth: without a failure");
		return 1;
	}

	for (n = 1; n <= max; n++) {
		set_nth(n);
		ret = run(op);
		error = ret ? errno : 0;
		left = get_nth();
		set_nth(0);
		if (left && error) {
			fprintf(stderr, "failnth: %s although nothing failed\n",
				strerror(error));
			bad = 1;
		}
		if (!left)
			outcomes[error & 255]++;
		if (run(undo) && !error) {
			fprintf(stderr,
				"failnth: failure %u: cannot be undone: %s\n",
				n, strerror(errno));
			bad = 1;
		}
		if (left || bad)
			break;
	}
	for (i = 0; i < 256; i++) {
		if (outcomes[i])
			printf("%s %lu\n", i ? strerrorname_np(i) : "0",
			       outcomes[i]);
	}
	printf("faults %u\n", n - 1);
	if (n > max) {
		fprintf(stderr, "failnth: more than %u allocations\n", max);
		bad = 1;
	}
	return bad;
}
