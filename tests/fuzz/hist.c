// SPDX-License-Identifier: GPL-2.0-only
/*
 * tools/optop/hist.c: a histogram's file.
 *
 * What it took, written as the module writes it and read again, is the same and
 * has no fault; the sum is that of the counts.
 *
 * Input: the file.
 */
#include <inttypes.h>

#include "fuzz.h"

#include "tree.h"

static void check(const struct op_hist *hist, const struct op_tree *tree)
{
	uint64_t sum = 0;
	size_t i;

	MUST(hist->columns <= OP_MAX_EVENTS);
	for (i = 0; i < hist->columns; i++)
		MUST(hist->event[i] < tree->nr_events);
	for (i = 0; i < hist->nr; i++)
		MUST(!i || hist->offsets[i] > hist->offsets[i - 1]);
	for (i = 0; i < hist->nr * hist->columns; i++)
		MUST(!__builtin_add_overflow(sum, hist->counts[i], &sum));
	MUST(sum == hist->sum);
}

static char *print(const struct op_hist *hist, const struct op_tree *tree,
		   size_t *size)
{
	char *text;
	FILE *file = open_memstream(&text, size);
	size_t i, k;

	fprintf(file, "# dcookie: %" PRIu64 "\n# events:", hist->dcookie);
	for (i = 0; i < hist->columns; i++)
		fprintf(file, " %s", tree->events[hist->event[i]]);
	fprintf(file, "\n");
	for (i = 0; i < hist->nr; i++) {
		fprintf(file, "0x%" PRIx64, hist->offsets[i]);
		for (k = 0; k < hist->columns; k++)
			fprintf(file, " %" PRIu64,
				hist->counts[i * hist->columns + k]);
		fprintf(file, "\n");
	}
	fclose(file);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct op_tree tree, other;
	struct op_hist hist, again;
	unsigned int faults = 0;
	char *fault = NULL, *text;

	tree.nr_events = other.nr_events = 0;
	fuzz_put("hist", data, size);
	MUST(!op_hist_read(fuzz_folder(), "hist", &tree, &hist, &faults,
			   &fault));
	MUST(!faults == !fault);
	free(fault);
	fault = NULL;
	check(&hist, &tree);

	text = print(&hist, &tree, &size);
	fuzz_put("hist", text, size);
	free(text);
	faults = 0;
	MUST(!op_hist_read(fuzz_folder(), "hist", &other, &again, &faults,
			   &fault));
	MUST(!faults);
	check(&again, &other);
	MUST(again.sum == hist.sum && again.nr == hist.nr);
	MUST(again.dcookie == hist.dcookie && again.columns == hist.columns);
	MUST(!hist.nr ||
	     (!memcmp(again.offsets, hist.offsets,
		      hist.nr * sizeof(*hist.offsets)) &&
	      !memcmp(again.counts, hist.counts,
		      hist.nr * hist.columns * sizeof(*hist.counts))));
	op_hist_free(&hist);
	op_hist_free(&again);
	return 0;
}
