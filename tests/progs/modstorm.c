// SPDX-License-Identifier: GPL-2.0-only
/*
 * modstorm FILE NAME N   loads the kernel module NAME from FILE, and unloads it, N
 *                        times
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n;
	int fd;

	if (argc != 4)
		errx(2, "usage: modstorm FILE NAME N");
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", argv[1]);
	for (n = atol(argv[3]); n > 0; n--) {
		if (syscall(SYS_finit_module, fd, "", 0))
			err(1, "load");
		if (syscall(SYS_delete_module, argv[2], O_NONBLOCK))
			err(1, "unload");
	}
	return 0;
}
