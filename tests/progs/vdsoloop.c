// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spends its time in the vdso, with a clock for which the vdso never has to ask
 * the kernel.
 *
 * usage: vdsoloop MS [FILE]
 *
 * FILE gets a copy of the vdso, which is an ELF file.
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

static void copy_vdso(const char *name)
{
	unsigned long from, to;
	char line[512];
	FILE *maps, *f;

	maps = fopen("/proc/self/maps", "r");
	f = fopen(name, "w");
	if (!maps || !f)
		err(1, "%s", maps ? name : "/proc/self/maps");
	while (fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[vdso]") &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2 &&
		    fwrite((void *)from, 1, to - from, f) != to - from)
			err(1, "%s", name);
	}
	fclose(maps);
	if (fclose(f))
		err(1, "%s", name);
}

int main(int argc, char **argv)
{
	uint64_t end;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: vdsoloop MS [FILE]\n");
		return 2;
	}
	if (argc == 3)
		copy_vdso(argv[2]);
	end = coarse_ms() + strtoull(argv[1], NULL, 0);
	while (coarse_ms() < end)
		;
	return 0;
}
