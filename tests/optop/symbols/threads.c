// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several threads ask the symboliser at once, while it loads; and how long
 * asking takes meanwhile.
 *
 *     threads [-s] LIST
 *
 * LIST has an image's path on each line. Prints the longest time and the median
 * that an asker waited, in microseconds, and how many questions had an answer.
 * -s: one asker only, as the view is, who goes on until all is loaded.
 */
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "symbols.h"

#define ASKERS 4
#define ROUNDS 200
#define ROUNDS_MAX 5000

static struct op_symbols *symbols;
static struct op_image_key *images;
static size_t count;
static atomic_ulong answers, wrong;
static double *waits;
static size_t wait_count;
static bool single;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void *ask(void *context)
{
	size_t self = (size_t)context;
	struct op_symbol symbol;
	bool waiting = true;
	char text[256];

	/* While it loads, and a while after that. */
	for (int round = 0, more = ROUNDS; round < ROUNDS_MAX && more;
	     round++) {
		if (!single || !waiting)
			more--;
		waiting = false;
		for (size_t i = 0; i < count; i++) {
			struct op_image_key *key =
				&images[(i + self * 7) % count];
			double begin = now();
			bool found;

			if (op_symbols_state(symbols, key) ==
			    OP_SYMBOLS_WAITING)
				waiting = true;
			found = op_symbols_find(symbols, key,
						0x1000 + round % 512 * 0x100,
						&symbol);
			if (single)
				waits[wait_count++] = now() - begin;
			if (!found)
				continue;
			answers++;
			if (!*symbol.name ||
			    symbol.start > 0x1000ull + round % 512 * 0x100)
				wrong++;
		}
		if (self == 1 && round % 50 == 0)
			op_symbols_line(symbols, &images[round % count], 0x1000,
					text, sizeof(text));
		if (single || round % 20 == 0)
			usleep(2000);
	}
	return NULL;
}

static void read_list(const char *name)
{
	FILE *file = fopen(name, "r");
	char line[4096];

	if (!file) {
		perror(name);
		exit(2);
	}
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		images = realloc(images, (count + 1) * sizeof(*images));
		if (!images)
			exit(2);
		images[count] = (struct op_image_key){ .dcookie = count + 1 };
		images[count].path = images[count].name = strdup(line);
		count++;
	}
	fclose(file);
}

static int compare(const void *one, const void *other)
{
	const double *a = one, *b = other;

	return (*a > *b) - (*a < *b);
}

int main(int argc, char **argv)
{
	struct op_symbols_config config = { 0 };
	struct op_symbols_totals totals;
	pthread_t threads[ASKERS];
	struct pollfd poller;
	size_t askers;
	uint64_t news;

	single = argc > 2 && !strcmp(argv[1], "-s");
	if (argc < 2)
		return 2;
	read_list(argv[argc - 1]);
	waits = calloc(ROUNDS_MAX * count, sizeof(*waits));
	symbols = op_symbols_new(&config);
	if (!waits || !symbols || !count)
		return 2;
	askers = single ? 1 : ASKERS;
	for (size_t i = 0; i < askers; i++)
		pthread_create(&threads[i], NULL, ask, (void *)i);
	for (size_t i = 0; i < askers; i++)
		pthread_join(threads[i], NULL);
	op_symbols_wait(symbols);
	poller = (struct pollfd){ op_symbols_fd(symbols), POLLIN, 0 };
	if (poll(&poller, 1, 0) != 1 || read(poller.fd, &news, 8) != 8 ||
	    poll(&poller, 1, 0))
		return 3;
	op_symbols_totals(symbols, &totals);
	if (totals.images != count)
		return 4;
	qsort(waits, wait_count, sizeof(*waits), compare);
	printf("wrong %lu answers %lu", wrong, answers);
	if (single)
		printf(" median %.1f p99 %.1f longest %.1f",
		       waits[wait_count / 2], waits[wait_count * 99 / 100],
		       waits[wait_count - 1]);
	putchar('\n');
	op_symbols_free(symbols);
	/* Another one, that is ended while it loads. */
	symbols = op_symbols_new(&config);
	if (!symbols)
		return 2;
	for (size_t i = 0; i < count; i++)
		op_symbols_state(symbols, &images[i]);
	op_symbols_free(symbols);
	for (size_t i = 0; i < count; i++)
		free((char *)images[i].path);
	free(images);
	free(waits);
	return 0;
}
