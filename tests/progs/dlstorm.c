// SPDX-License-Identifier: GPL-2.0-only
/*
 * A storm of plugins that come and go.
 *
 * usage: dlstorm MS ITERATIONS PLUGIN...
 *
 * Opens one plugin after the other, runs its first function (work.h) and closes
 * it at once: each gets the addresses that the one before it had.  At the end
 * one line "truth PLUGIN ITERATIONS" for each.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "work.h"

#define MAX_PLUGINS 64

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	uint64_t done[MAX_PLUGINS] = { 0 };
	uint64_t end, n;
	int i, moved = 0;
	const struct work *table, *last = NULL;
	void *plugin;

	if (argc < 4 || argc - 3 > MAX_PLUGINS) {
		fprintf(stderr, "usage: dlstorm MS ITERATIONS PLUGIN...\n");
		return 2;
	}
	end = now_ms() + strtoull(argv[1], NULL, 0);
	n = strtoull(argv[2], NULL, 0);
	while (now_ms() < end) {
		for (i = 3; i < argc; i++) {
			plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
			if (!plugin)
				errx(1, "%s", dlerror());
			table = *(work_table *)dlsym(plugin, "works");
			table[0].fn(n);
			done[i - 3] += n;
			moved += last && table != last;
			last = table;
			dlclose(plugin);
		}
	}
	for (i = 3; i < argc; i++)
		printf("truth %s %" PRIu64 "\n", argv[i], done[i - 3]);
	printf("moved %d\n", moved);
	return 0;
}
