// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spends its time in the vdso, with a clock for which the vdso never has to ask
 * the kernel.
 *
 * usage: vdsoloop MS
 *
 * Prints "vdso 0xSTART 0xEND", where the vdso's mapping is.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t coarse_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	unsigned long from, to;
	char line[512];
	uint64_t end;
	FILE *f;

	if (argc != 2) {
		fprintf(stderr, "usage: vdsoloop MS\n");
		return 2;
	}
	f = fopen("/proc/self/maps", "r");
	if (!f)
		err(1, "/proc/self/maps");
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, "[vdso]") &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2)
			printf("vdso %#lx %#lx\n", from, to);
	}
	fclose(f);
	end = coarse_ms() + strtoull(argv[1], NULL, 0);
	while (coarse_ms() < end)
		;
	return 0;
}
