// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines on top: what is sampled, how fast, and what was lost.
 *
 * What tells most stands first in each line, since a narrow screen cuts them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "text.h"

#define LINE 1024

__attribute__((format(printf, 2, 3))) static void
append(char *line, const char *format, ...)
{
	size_t used = strlen(line);
	va_list args;

	va_start(args, format);
	vsnprintf(line + used, LINE - used, format, args);
	va_end(args);
}

/* "LOST 12: cpu_buffer 10, hist_memory 2" */
static void causes(const struct op_tree *tree, const char *prefix, char *line)
{
	const char *comma = ": ";
	size_t i;

	for (i = 0; i < tree->nr_stats; i++) {
		const struct op_stat *stat = &tree->stats[i];
		char name[OP_EVENT_SIZE * 4];

		if (strncmp(stat->name, prefix, strlen(prefix)) || !stat->value)
			continue;
		op_text_clean(name, sizeof(name), stat->name + strlen(prefix));
		append(line, "%s%s %llu", comma, name,
		       (unsigned long long)stat->value);
		comma = ", ";
	}
}

/* A number per second; "-" as long as there was one look only. */
static void append_rate(char *line, const struct op_model *model,
			const char *before, double rate, const char *behind)
{
	if (model->dt > 0)
		append(line, "%s%.1f%s", before, rate, behind);
	else
		append(line, "%s-%s", before, behind);
}

static void what(const struct op_model *model, const struct op_query *query,
		 char *line)
{
	const struct op_tree *tree = model->tree;
	char text[OP_EVENT_SIZE * 4];
	unsigned int cpus = tree->cpus ? tree->cpus : 1;

	append(line, "%s ",
	       !tree->live	 ? "copy," :
	       tree->enabled > 0 ? "sampling" :
				   "OFF (S starts),");
	if (tree->nr_events) {
		op_text_clean(text, sizeof(text), tree->events[query->event]);
		append(line, "%s", text);
	} else {
		append(line, "no samples yet");
	}
	if (tree->nr_events > 1)
		append(line, " [%u of %u]", query->event + 1, tree->nr_events);
	op_text_clean(text, sizeof(text), tree->cpu_type);
	append(line, " (%s)", text);
	append_rate(line, model, ", real ", model->rate_received / cpus, " Hz");
	if (cpus > 1)
		append(line, " x %u CPUs", cpus);
}

/**
 * op_summary - the lines on top
 * @model: the model
 * @query: event and mode
 * @lines: where to; clean
 */
void op_summary(const struct op_model *model, const struct op_query *query,
		char lines[OP_SUMMARY_LINES][LINE])
{
	const struct op_tree *tree = model->tree;
	const struct op_value *total = &model->totals[query->event];
	uint64_t lost = op_tree_losses(tree, "lost_");
	uint64_t skipped = op_tree_losses(tree, "skipped_");
	uint64_t overrun = 0;

	lines[0][0] = lines[1][0] = lines[2][0] = '\0';
	what(model, query, lines[0]);

	append(lines[1], "%llu samples", (unsigned long long)total->total);
	append_rate(lines[1], model, ", ", op_rate_of(model, total), "/s");
	append_rate(lines[1], model, "  forks ", model->rate_forks, "/s");
	append_rate(lines[1], model, " execs ", model->rate_execs, "/s");
	append(lines[1], "  %zu images", tree->nr_images);

	if (lost) {
		append(lines[2], "LOST %llu", (unsigned long long)lost);
		causes(tree, "lost_", lines[2]);
	} else {
		append(lines[2], "lost 0");
	}
	if (tree->faults) {
		char text[sizeof(tree->fault)];

		op_text_clean(text, sizeof(text), tree->fault);
		append(lines[2], "  FAULTS in the tree %u: %s", tree->faults,
		       text);
	}
	if (skipped) {
		append(lines[2], "  skipped %llu", (unsigned long long)skipped);
		causes(tree, "skipped_", lines[2]);
	}
	if (op_tree_stat(tree, "timer_overrun", &overrun) && overrun)
		append(lines[2], "  timer overrun %llu",
		       (unsigned long long)overrun);
}

/**
 * op_summary_is_bad - is there something in the last line that must be seen?
 * @model: the model
 * Return: whether there is.
 */
bool op_summary_is_bad(const struct op_model *model)
{
	return op_tree_losses(model->tree, "lost_") || model->tree->faults;
}
