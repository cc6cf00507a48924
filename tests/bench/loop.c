// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fixed amount of work, and how long it took: the load of the bench.
 *
 * Prints "NANOSECONDS SAMPLES" of one loop.  The clock is the guest's, which
 * under tests/vm/run --icount goes one nanosecond an instruction; everything
 * that a profiler does on this one CPU meanwhile is therefore inside.
 *
 * Kinds of loop, each about 1.5e9 instructions at the bench's counts:
 *   user     one hot spot: COUNT times 16 instructions in one place
 *   spread   COUNT visits of 100,000 instructions each, to random ones of
 *	      4096 functions in each of 64 mapped files
 *   syscall  COUNT times getppid(2): most samples are the kernel's
 *   switch   COUNT times two processes wake each other over pipes
 *   fork     COUNT times a child that runs another program, which ends at once
 *   map      COUNT times a file is mapped executable and unmapped
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SPREAD_FILES 64
#define SPREAD_BYTES 65536
#define SPREAD_STUB 16
#define SPREAD_STUBS (SPREAD_BYTES / SPREAD_STUB)
#define SPREAD_WORK 50000 /* two instructions each */

/*
 * A no-op that tests/bench/insns.c, when it watches, knows by its operand: the
 * loop begins, or ends.
 */
static inline void mark(void)
{
#ifdef __x86_64__
	asm volatile(".byte 0x0f, 0x1f, 0x84, 0x00; .long 0x4f504231");
#endif
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static unsigned long long read_number(const char *path)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		err(2, "%s", path);
	close(fd);
	return strtoull(text, NULL, 10);
}

static void loop_user(unsigned long count)
{
#if defined(__x86_64__)
	unsigned long n = count, x = 0;

	asm volatile("1:\n\t"
		     ".rept 14\n\tadd $1, %1\n\t.endr\n\t"
		     "sub $1, %0\n\t"
		     "jnz 1b"
		     : "+r"(n), "+r"(x)
		     :
		     : "cc");
#else
	volatile unsigned long x = 0;

	while (count--)
		x += count;
#endif
}

/* mov $SPREAD_WORK, %eax; 1: dec %eax; jnz 1b; ret */
static const unsigned char spread_code[] = {
	0xb8,
	SPREAD_WORK & 0xff,
	SPREAD_WORK >> 8 & 0xff,
	0,
	0,
	0xff,
	0xc8,
	0x75,
	0xfc,
	0xc3,
};

static unsigned char *spread_map[SPREAD_FILES];

static void prepare_spread(void)
{
	char name[] = "/tmp/spread.XXXXXX";
	static unsigned char text[SPREAD_BYTES];
	int i, fd;

#ifndef __x86_64__
	errx(2, "spread: not on this machine");
#endif
	memset(text, 0xcc, sizeof(text));
	for (i = 0; i < SPREAD_STUBS; i++)
		memcpy(text + i * SPREAD_STUB, spread_code,
		       sizeof(spread_code));
	for (i = 0; i < SPREAD_FILES; i++) {
		strcpy(strrchr(name, '.'), ".XXXXXX");
		fd = mkstemp(name);
		if (fd < 0 || write(fd, text, sizeof(text)) != sizeof(text))
			err(2, "%s", name);
		spread_map[i] = mmap(NULL, SPREAD_BYTES, PROT_READ | PROT_EXEC,
				     MAP_PRIVATE | MAP_POPULATE, fd, 0);
		if (spread_map[i] == MAP_FAILED)
			err(2, "mmap");
		close(fd);
		unlink(name);
	}
}

static void loop_spread(unsigned long count)
{
	uint64_t x = 1;
	size_t pick;

	while (count--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		pick = x >> 33;
		((void (*)(void))(spread_map[pick % SPREAD_FILES] +
				  pick / SPREAD_FILES % SPREAD_STUBS *
					  SPREAD_STUB))();
	}
}

static void loop_syscall(unsigned long count)
{
	while (count--)
		syscall(SYS_getppid);
}

static int to_child[2], to_parent[2];
static pid_t child;

static void prepare_switch(void)
{
	char c;

	if (pipe(to_child) || pipe(to_parent))
		err(2, "pipe");
	child = fork();
	if (child < 0)
		err(2, "fork");
	if (child)
		return;
	close(to_child[1]);
	while (read(to_child[0], &c, 1) == 1)
		if (write(to_parent[1], &c, 1) != 1)
			_exit(1);
	_exit(0);
}

static void loop_switch(unsigned long count)
{
	char c = 'x';

	while (count--)
		if (write(to_child[1], &c, 1) != 1 ||
		    read(to_parent[0], &c, 1) != 1)
			err(2, "pipe");
}

static void loop_fork(unsigned long count)
{
	char *const args[] = { "loop", NULL };
	pid_t pid;

	while (count--) {
		pid = fork();
		if (pid < 0)
			err(2, "fork");
		if (!pid) {
			execv("/proc/self/exe", args);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
}

static int map_fd;

static void prepare_map(void)
{
	map_fd = open("/proc/self/exe", O_RDONLY);
	if (map_fd < 0)
		err(2, "/proc/self/exe");
}

static void loop_map(unsigned long count)
{
	void *at;

	while (count--) {
		at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			  map_fd, 0);
		if (at == MAP_FAILED || munmap(at, 4096))
			err(2, "mmap");
	}
}

static const struct kind {
	const char *name;
	void (*prepare)(void);
	void (*run)(unsigned long count);
} kinds[] = {
	{ "user", NULL, loop_user },
	{ "spread", prepare_spread, loop_spread },
	{ "syscall", NULL, loop_syscall },
	{ "switch", prepare_switch, loop_switch },
	{ "fork", NULL, loop_fork },
	{ "map", prepare_map, loop_map },
};

/* How long one write(2) to a file takes: what dump and disable cost. */
static int time_write(const char *path, const char *text)
{
	uint64_t start, end;
	int fd;

	start = now();
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(2, "%s", path);
	close(fd);
	end = now();
	printf("%llu\n", (unsigned long long)(end - start));
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long long before = 0, after = 0;
	const struct kind *kind = NULL;
	const char *samples = NULL;
	uint64_t start, end;
	unsigned long count;
	size_t i;

	/* What the fork loop runs. */
	if (argc == 1)
		return 0;
	if (argc == 4 && !strcmp(argv[1], "-w"))
		return time_write(argv[2], argv[3]);
	if (argc == 5 && !strcmp(argv[1], "-s")) {
		samples = argv[2];
		argc -= 2;
		argv += 2;
	}
	for (i = 0; argc == 3 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[1], kinds[i].name))
			kind = &kinds[i];
	if (!kind) {
		fprintf(stderr, "usage: loop [-s FILE] KIND COUNT\n"
				"       loop -w FILE TEXT\n");
		return 2;
	}
	count = strtoul(argv[2], NULL, 0);

	if (kind->prepare)
		kind->prepare();
	if (samples)
		before = read_number(samples);
	mark();
	start = now();
	kind->run(count);
	end = now();
	mark();
	if (samples)
		after = read_number(samples);
	printf("%llu %llu\n", (unsigned long long)(end - start),
	       after - before);
	if (child) {
		close(to_child[1]);
		waitpid(child, NULL, 0);
	}
	return 0;
}
