// SPDX-License-Identifier: GPL-2.0-only
/*
 * A storm of mappings in one process.
 *
 * usage: mapstorm MAPPERS BURNERS MS FILE
 *
 * MAPPERS threads map and unmap FILE and anonymous memory, change protections
 * and give memory back, all the time, so that mmap_lock is taken for writing
 * when samples come; meanwhile BURNERS threads run a function of a shared
 * library (work.h), whose name must come out right nevertheless.  The main
 * thread has left before the storm begins.  At the end "maps N" is printed, and
 * "truth NAME ITERATIONS" for the function.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

#define PAGE 4096ul
#define SLICE 20000

static _Atomic uint64_t maps, iterations;
static _Atomic int running;
static uint64_t end;
static int fd;

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/* The last one out says how it was: the main thread isn't there any more. */
static void leave(void)
{
	if (--running)
		return;
	printf("maps %" PRIu64 "\n", maps);
	printf("truth %s %" PRIu64 "\n", works[0].name, iterations);
	exit(0);
}

static void map_once(unsigned int round)
{
	size_t bytes = (1 + round % 7) * PAGE;
	char *p;

	if (round % 2)
		p = mmap(NULL, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
			 round % 3 * PAGE);
	else
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	if (round % 2 == 0)
		p[bytes - 1] = 1;
	if (round % 5 == 0 && mprotect(p, PAGE, PROT_READ))
		err(1, "mprotect");
	if (round % 4 == 0 && madvise(p, bytes, MADV_DONTNEED))
		err(1, "madvise");
	if (munmap(p, bytes))
		err(1, "munmap");
	maps++;
}

static void *mapper(void *arg)
{
	unsigned int round = (uintptr_t)arg;

	while (now_ms() < end)
		map_once(round++);
	leave();
	return NULL;
}

static void *burner(void *arg)
{
	(void)arg;
	while (now_ms() < end) {
		works[0].fn(SLICE);
		iterations += SLICE;
	}
	leave();
	return NULL;
}

static void start(void *(*fn)(void *arg), long n)
{
	pthread_t thread;

	while (n--) {
		running++;
		if (pthread_create(&thread, NULL, fn, (void *)(uintptr_t)n))
			errx(1, "pthread_create");
		pthread_detach(thread);
	}
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: mapstorm MAPPERS BURNERS MS FILE\n");
		return 2;
	}
	fd = open(argv[4], O_RDONLY);
	if (fd < 0)
		err(1, "%s", argv[4]);
	end = now_ms() + strtoull(argv[3], NULL, 0);
	/* One for the main thread until all are there. */
	running = 1;
	start(mapper, strtol(argv[1], NULL, 0));
	start(burner, strtol(argv[2], NULL, 0));
	leave();
	pthread_exit(NULL);
}
