// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports for people: -b, as top -b, and --once, as perf report --stdio.
 */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "text.h"

static void print_batch(FILE *out, const struct op_model *model,
			const struct op_query *query, unsigned long n)
{
	static char lines[OP_SUMMARY_LINES][1024];
	struct op_rows rows = { 0 };
	char image[OP_TEXT_MAX], symbol[OP_TEXT_MAX], now[64];
	char rate[32] = "-"; /* as long as there was one look only */
	unsigned int i;
	size_t r;

	op_now_text(now, sizeof(now));
	op_summary(model, query, lines);
	fprintf(out, "%soptop - %s, %s\n", n > 1 ? "\n" : "", now,
		op_mode_text(query->mode));
	for (i = 0; i < OP_SUMMARY_LINES; i++)
		fprintf(out, "%s\n", lines[i]);
	fprintf(out,
		"\n  SHARE    SAMPLES       RATE IMAGE                SYMBOL\n");
	op_rows_symbols(model, query, &rows);
	for (r = 0; r < rows.nr; r++) {
		const struct op_row *row = &rows.rows[r];

		op_row_image(row, false, image, sizeof(image));
		op_row_symbol(row, symbol, sizeof(symbol));
		if (model->dt > 0)
			snprintf(rate, sizeof(rate), "%.1f/s", row->rate);
		fprintf(out, "%6.2f%% %10.*f %10s %s%*s [%c] %s\n",
			row->share * 100, query->mode == OP_MODE_DECAY ? 1 : 0,
			row->value, rate, image,
			op_text_width(image) < 20 ? 20 - op_text_width(image) :
						    0,
			"", row->kernel ? 'k' : '.', symbol);
	}
	free(rows.rows);
}

/* A line of dots or blanks, as the columns' heads have them. */
static void fill(FILE *out, char c, int n)
{
	while (n-- > 0)
		putc(c, out);
}

static void print_event(FILE *out, const struct op_model *model,
			const struct op_query *query)
{
	char image[OP_TEXT_MAX], symbol[OP_TEXT_MAX];
	char event[OP_EVENT_SIZE * 4];
	struct op_rows rows = { 0 };
	int image_width = 13, symbol_width = 6;
	size_t r;

	op_rows_symbols(model, query, &rows);
	for (r = 0; r < rows.nr; r++) {
		int width;

		op_row_image(&rows.rows[r], false, image, sizeof(image));
		op_row_symbol(&rows.rows[r], symbol, sizeof(symbol));
		width = op_text_width(image);
		if (width > image_width)
			image_width = width;
		width = op_text_width(symbol) + 4;
		if (width > symbol_width)
			symbol_width = width;
	}
	op_text_clean(event, sizeof(event), model->tree->events[query->event]);
	fprintf(out, "# Samples: %llu of event '%s'\n#\n",
		(unsigned long long)model->totals[query->event].total, event);
	fputs("# Overhead  Shared Object", out);
	fill(out, ' ', image_width - 13);
	fputs("  Symbol\n# ........  ", out);
	fill(out, '.', image_width);
	fputs("  ", out);
	fill(out, '.', symbol_width);
	fputs("\n#\n", out);
	for (r = 0; r < rows.nr; r++) {
		const struct op_row *row = &rows.rows[r];

		op_row_image(row, false, image, sizeof(image));
		op_row_symbol(row, symbol, sizeof(symbol));
		fprintf(out, "%9.2f%%  %s", row->share * 100, image);
		fill(out, ' ', image_width - op_text_width(image));
		fprintf(out, "  [%c] %s\n", row->kernel ? 'k' : '.', symbol);
	}
	free(rows.rows);
}

static void print_once(FILE *out, const struct op_model *model,
		       const struct op_query *query, unsigned long n)
{
	struct op_query one = *query;
	const struct op_tree *tree = model->tree;
	char text[sizeof(tree->fault)];
	unsigned int printed = 0;

	(void)n;
	fprintf(out, "#\n# Total Lost Samples: %llu\n#\n",
		(unsigned long long)op_tree_losses(tree, "lost_"));
	if (tree->faults) {
		op_text_clean(text, sizeof(text), tree->fault);
		fprintf(out, "# Faults in the tree: %u: %s\n#\n", tree->faults,
			text);
	}
	if (!tree->nr_events)
		fputs("# No samples\n", out);
	/* A section for each event, or for the one that was asked for. */
	for (one.event = 0; one.event < tree->nr_events; one.event++) {
		if (query->only && query->event != one.event)
			continue;
		if (printed++)
			putc('\n', out);
		print_event(out, model, &one);
	}
}

const struct op_report op_report_batch = { .picture = print_batch };
const struct op_report op_report_once = { .picture = print_once };
