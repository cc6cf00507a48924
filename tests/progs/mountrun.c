// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a program and unmounts its file system in the moment that it has ended.
 *
 * usage: mountrun MS MOUNTPOINT PROGRAM [ARGUMENT...]
 *
 * PROGRAM is killed after MS ms. Ends with 0 if the unmounting worked at the
 * first try; the file system is unmounted in any case.
 */
#define _GNU_SOURCE
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc < 4) {
		fprintf(stderr,
			"usage: mountrun MS MOUNTPOINT PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		execv(argv[3], argv + 3);
		_exit(127);
	}
	usleep(strtoul(argv[1], NULL, 0) * 1000);
	kill(pid, SIGKILL);
	if (waitpid(pid, NULL, 0) != pid)
		err(1, "waitpid");
	if (umount2(argv[2], 0)) {
		warn("%s", argv[2]);
		umount2(argv[2], MNT_DETACH);
		return 1;
	}
	return 0;
}
