// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of the record stream, tests/progs/opstream.c, over any bytes.
 *
 * It takes a stream or says what is wrong with it.  What it makes of one are
 * histograms, and each sample behind the latest reset is in them.
 *
 * Input: a stream.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static jmp_buf give_up;
static FILE *input;
static FILE *output;

/* What it does with the world outside. */
#define main op_stream_main
#define exit(status) longjmp(give_up, 1)
#undef stdin
#undef stderr
#define stdin input
#define stderr output
#define printf(...) fprintf(output, __VA_ARGS__)
#include "../progs/opstream.c"
#undef main
#undef exit
#undef stderr

static uint64_t in_bins;

static void count_bin(const void *node, VISIT visit, int depth)
{
	const struct bin *bin = *(struct bin *const *)node;

	(void)depth;
	if (visit == postorder || visit == leaf) {
		MUST(bin->cookie && named[bin->cookie]);
		in_bins += bin->count;
	}
}

/* Samples behind the latest reset, counted by the heads alone. */
static uint64_t samples_in(const uint8_t *data, size_t size)
{
	struct op_stream_head head;
	uint64_t n = 0;

	for (; size; data += head.size, size -= head.size) {
		memcpy(&head, data, sizeof(head));
		if (head.type == OP_STREAM_RESET)
			n = 0;
		n += head.type == OP_STREAM_SAMPLE;
	}
	return n;
}

static void run(const uint8_t *data, size_t size, char *mode)
{
	static char name[] = "opstream";
	char *argv[] = { name, mode, NULL };

	memset(counts, 0, sizeof(counts));
	memset(named, 0, sizeof(named));
	unknown_types = records = cookie = 0;
	output = fuzz_nowhere();
	input = fmemopen((void *)data, size, "r");
	MUST(input);
	if (!setjmp(give_up)) {
		MUST(!op_stream_main(2, argv));
		in_bins = 0;
		twalk(bins, count_bin);
		MUST(in_bins == samples_in(data, size));
	}
	fclose(input);
	tdestroy(bins, free);
	bins = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text_mode[] = "text", replay[] = "replay";

	if (!size)
		return 0;
	run(data, size, text_mode);
	run(data, size, replay);
	return 0;
}
