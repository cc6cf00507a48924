// SPDX-License-Identifier: GPL-2.0-only
/*
 * A storm of short processes.
 *
 * usage: forkstorm JOBS MS COUNT PROGRAM [ARGUMENT...]
 *
 * JOBS processes each start PROGRAM, wait for its end and start it again: by
 * turns by fork and exec, by vfork and exec, and by exec after a second fork,
 * whose first process is gone before.  It ends after MS ms or COUNT programs
 * (0: no limit) and prints "ran N".
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct shared {
	_Atomic uint64_t begun;
	_Atomic uint64_t failed;
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

static void wait_for(struct shared *shared, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			err(1, "waitpid");
	}
	if (status)
		shared->failed++;
}

static void start(struct shared *shared, char **argv, unsigned int how)
{
	pid_t pid;

	pid = how == 1 ? vfork() : fork();
	if (pid < 0) {
		shared->failed++;
		return;
	}
	if (!pid) {
		if (how == 2) {
			pid = fork();
			if (pid < 0)
				_exit(1);
			if (pid)
				_exit(0);
		}
		execv(argv[0], argv);
		_exit(127);
	}
	wait_for(shared, pid);
	/* The orphan came to us, who said that we take them. */
	if (how == 2)
		wait_for(shared, -1);
}

static void job(struct shared *shared, char **argv, uint64_t end,
		uint64_t count)
{
	unsigned int how = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (now_ms() < end) {
		if (shared->begun++ >= count) {
			shared->begun--;
			break;
		}
		start(shared, argv, how++ % 3);
	}
}

int main(int argc, char **argv)
{
	uint64_t end = UINT64_MAX, count = UINT64_MAX;
	struct shared *shared;
	long i, jobs;

	if (argc < 5) {
		fprintf(stderr,
			"usage: forkstorm JOBS MS COUNT PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	jobs = strtol(argv[1], NULL, 0);
	if (strtoull(argv[2], NULL, 0))
		end = now_ms() + strtoull(argv[2], NULL, 0);
	if (strtoull(argv[3], NULL, 0))
		count = strtoull(argv[3], NULL, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		err(1, "mmap");
	for (i = 0; i < jobs; i++) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			job(shared, argv + 4, end, count);
			return 0;
		}
	}
	while (wait(NULL) > 0)
		;
	printf("ran %" PRIu64 "\n", shared->begun);
	if (shared->failed)
		errx(1, "%" PRIu64 " of them failed", shared->failed);
	return 0;
}
