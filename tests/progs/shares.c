// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that knows what a profile of it must say.
 *
 * It calls functions of equal instructions (work.h) for numbers of iterations
 * that are in given ratios, in an order and in slices drawn by lot, so that no
 * timer can be in step with it; and it counts what it asked for.  On SIGTERM or
 * after --ms it prints one line for each function:
 *
 *	truth NAME ITERATIONS
 *
 * With --children, each slice is done by a process of its own, which executes
 * this program anew and is gone after about 100 ms.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

#define NSEC_PER_MSEC 1000000ull

/* Mean length of a slice of weight 1. */
#define SLICE_NS 400000
/* A child begins this often, and works for this long on average. */
#define CHILD_PERIOD_NS 125000000
#define CHILD_SLICE_NS 100000000

extern char **environ;

static volatile sig_atomic_t stop;
static uint64_t done[NR_WORKS];
static const struct work *table;

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* xorshift64*: good enough, and the same everywhere. */
static uint64_t lot(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 2685821657736338717ull;
}

/* A number from 1 to 2 * @mean - 1. */
static uint64_t about(uint64_t mean)
{
	return 1 + lot() % (2 * mean - 1);
}

static void do_work(unsigned int i, uint64_t n)
{
	table[i].fn(n);
	done[i] += n;
}

/* How many iterations take @ns: the best of some tries, each counted. */
static uint64_t calibrate(uint64_t ns)
{
	uint64_t best = UINT64_MAX, n = 100000, start, t;
	unsigned int i;

	for (i = 0; i < 3 * NR_WORKS; i++) {
		start = now_ns();
		do_work(i % NR_WORKS, n);
		t = now_ns() - start;
		if (t && t < best)
			best = t;
	}
	n = n * ns / best;
	return n ? n : 1;
}

static void shuffle(unsigned int *order, unsigned int n)
{
	unsigned int i, j, t;

	for (i = n - 1; i; i--) {
		j = lot() % (i + 1);
		t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
}

static void run_slices(uint64_t end)
{
	uint64_t unit = calibrate(SLICE_NS);
	unsigned int order[NR_WORKS];
	unsigned int i;

	for (i = 0; i < NR_WORKS; i++)
		order[i] = i;
	while (!stop && now_ns() < end) {
		shuffle(order, NR_WORKS);
		for (i = 0; i < NR_WORKS; i++)
			do_work(order[i], about(unit * table[order[i]].weight));
	}
}

static void run_child(const char *self, unsigned int i, uint64_t n)
{
	char index[16], count[32];
	char *argv[] = { (char *)self, "--slice", index, count, NULL };
	int status;
	pid_t pid;

	snprintf(index, sizeof(index), "%u", i);
	snprintf(count, sizeof(count), "%" PRIu64, n);
	errno = posix_spawn(&pid, self, NULL, NULL, argv, environ);
	if (errno)
		err(1, "%s", self);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			err(1, "waitpid");
	}
	if (status)
		errx(1, "a child failed: status %#x", status);
	done[i] += n;
}

static void run_children(const char *self, uint64_t end)
{
	uint64_t unit = calibrate(CHILD_SLICE_NS);
	unsigned int deck[64];
	unsigned int size = 0, i, j;
	uint64_t next = now_ns();
	struct timespec ts;

	for (i = 0; i < NR_WORKS; i++) {
		for (j = 0; j < table[i].weight; j++)
			deck[size++] = i;
	}
	for (i = size; !stop && now_ns() < end; i++) {
		if (i == size) {
			shuffle(deck, size);
			i = 0;
		}
		/* From half to one and a half of the mean. */
		run_child(self, deck[i], unit / 2 + lot() % unit);
		next += CHILD_PERIOD_NS;
		if (next <= now_ns()) {
			next = now_ns();
			continue;
		}
		ts.tv_sec = next / 1000000000;
		ts.tv_nsec = next % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	}
}

#ifdef PLUGIN
static const struct work *find_table(void)
{
	const struct work *found;
	void *plugin;

	plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
	if (!plugin)
		errx(1, "%s", dlerror());
	found = *(work_table *)dlsym(plugin, "works");
	if (!found)
		errx(1, "%s", dlerror());
	return found;
}
#else
static const struct work *find_table(void)
{
	return works;
}
#endif

static void usage(void)
{
	fprintf(stderr, "usage: shares [--ms N] [--children]\n"
			"       shares --slice INDEX ITERATIONS\n");
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "ms", required_argument, NULL, 'm' },
		{ "children", no_argument, NULL, 'c' },
		{ "slice", required_argument, NULL, 's' },
		{}
	};
	struct sigaction sa = { .sa_handler = on_term };
	uint64_t end = UINT64_MAX;
	int children = 0, opt;
	unsigned long index;
	unsigned int i;

	table = find_table();
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'm':
			end = now_ns() +
			      strtoull(optarg, NULL, 0) * NSEC_PER_MSEC;
			break;
		case 'c':
			children = 1;
			break;
		case 's':
			index = strtoul(optarg, NULL, 0);
			if (index >= NR_WORKS || optind != argc - 1)
				usage();
			table[index].fn(strtoull(argv[optind], NULL, 0));
			return 0;
		default:
			usage();
		}
	}
	sigaction(SIGTERM, &sa, NULL);
	if (children)
		run_children(argv[0], end);
	else
		run_slices(end);
	for (i = 0; i < NR_WORKS; i++)
		printf("truth %s %" PRIu64 "\n", table[i].name, done[i]);
	return 0;
}
