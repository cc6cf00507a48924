// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes to a file from memory that never comes, and closes a copy of the
 * descriptor meanwhile: does close(2) wait for the writer?
 *
 *     stuckwrite FILE
 *
 * The memory is a page whose faults go to a userfaultfd that nobody serves.
 * Prints "closed" when close(2) has returned, and ends with the writer still
 * stuck.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int file;
static void *page;

static void *writer(void *unused)
{
	ssize_t n = write(file, page, 64);

	printf("written: %zd\n", n);
	fflush(stdout);
	return unused;
}

int main(int argc, char **argv)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffd_msg fault;
	pthread_t thread;
	int faults, copy;

	if (argc != 2)
		errx(2, "usage: stuckwrite FILE");
	file = open(argv[1], O_WRONLY);
	if (file < 0)
		err(1, "%s", argv[1]);
	copy = dup(file);
	faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api))
		err(1, "userfaultfd");
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)page;
	range.range.len = 4096;
	if (ioctl(faults, UFFDIO_REGISTER, &range))
		err(1, "UFFDIO_REGISTER");
	if (pthread_create(&thread, NULL, writer, NULL))
		errx(1, "no thread");
	/* That the fault is here says that the writer is in the midst of it. */
	if (read(faults, &fault, sizeof(fault)) != sizeof(fault))
		err(1, "no fault");
	close(copy);
	puts("closed");
	fflush(stdout);
	_exit(0);
}
