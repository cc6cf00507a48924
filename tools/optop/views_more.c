// SPDX-License-Identifier: GPL-2.0-only
/*
 * Further views: modules and JIT ranges, the numbers of stats/, the keys.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "ui.h"

/*
 * Modules first, as rows; the JIT ranges that there are come behind them, as
 * rows too if they have samples, and without an image if not.
 */
static bool is_module(const struct op_image *image)
{
	return image->kind == OP_KIND_MODULE || image->kind == OP_KIND_KERNEL;
}

static bool jit_passes(const struct op_ui *ui, const struct op_jit *jit)
{
	char name[1024];

	if (jit->pid ? ui->query.hide_user : ui->query.hide_kernel)
		return false;
	op_text_clean(name, sizeof(name), jit->name);
	return op_text_contains(name, ui->query.filter);
}

/* The range that is an entry behind the rows. */
static const struct op_jit *jit_at(const struct op_ui *ui,
				   const struct op_browser *browser, size_t i)
{
	const struct op_tree *tree = ui->model->tree;
	size_t n = browser->jits[i - browser->rows.nr];

	return n < tree->nr_jits ? &tree->jits[n] : NULL;
}

/* A range's image: two of the same name are told apart by where they begin. */
static const struct op_image *jit_image(const struct op_ui *ui,
					const struct op_jit *jit)
{
	const struct op_tree *tree = ui->model->tree;
	size_t i;

	for (i = 0; i < tree->nr_images; i++) {
		const struct op_image *image = tree->images[i];

		if (image->kind == OP_KIND_JIT && image->start == jit->start &&
		    !strcmp(image->path + 4, jit->name))
			return image;
	}
	return NULL;
}

static void modules_fill(struct op_ui *ui, struct op_browser *browser)
{
	const struct op_tree *tree = ui->model->tree;
	size_t i, kept;

	op_rows_images(ui->model, &ui->query, &browser->rows);
	for (i = kept = 0; i < browser->rows.nr; i++)
		if (is_module(browser->rows.rows[i].entry->image))
			browser->rows.rows[kept++] = browser->rows.rows[i];
	browser->rows.nr = browser->rows.sorted = kept;
	browser->nr = kept;
	browser->jits = op_alloc(browser->jits, tree->nr_jits + 1,
				 sizeof(*browser->jits));
	for (i = 0; i < tree->nr_jits; i++)
		if (jit_passes(ui, &tree->jits[i]))
			browser->jits[browser->nr++ - kept] = i;
}

static void modules_heading(const struct op_browser *browser, int width,
			    char *line, size_t size)
{
	(void)browser;
	(void)width;
	snprintf(line, size, " SAMPLES %-18s %-18s %7s NAME", "START", "END",
		 "PID");
	if (width < 60)
		snprintf(line, size, " SAMPLES %-18s NAME", "START");
}

static enum op_color modules_line(struct op_ui *ui,
				  const struct op_browser *browser, size_t i,
				  int width, char *line, size_t size)
{
	char start[32], end[32] = "", pid[32] = "", name[1024];
	double samples = 0;
	size_t used;

	if (i < browser->rows.nr) {
		const struct op_row *row = &browser->rows.rows[i];

		samples = row->value;
		snprintf(start, sizeof(start), "0x%llx",
			 (unsigned long long)row->entry->image->start);
		op_row_image(row, true, name, sizeof(name));
	} else {
		const struct op_jit *jit = jit_at(ui, browser, i);
		const struct op_image *image = jit ? jit_image(ui, jit) : NULL;
		const struct op_entry *entry = image ? image->private : NULL;

		if (!jit) {
			line[0] = '\0';
			return OP_COLOR_NONE;
		}
		if (entry)
			samples = op_value_of(ui->model,
					      &entry->sums[ui->query.event],
					      ui->query.mode);
		snprintf(start, sizeof(start), "0x%llx",
			 (unsigned long long)jit->start);
		snprintf(end, sizeof(end), "0x%llx",
			 (unsigned long long)jit->end);
		if (jit->pid)
			snprintf(pid, sizeof(pid), "%ld", jit->pid);
		snprintf(name, sizeof(name), "jit:");
		op_text_clean(name + 4, sizeof(name) - 4, jit->name);
	}
	if (width >= 60)
		snprintf(line, size, "%8.0f %-18s %-18s %7s ", samples, start,
			 end, pid);
	else
		snprintf(line, size, "%8.0f %-18s ", samples, start);
	used = strlen(line);
	op_text_fit(line + used, size - used, name, width - (int)used);
	return OP_COLOR_NONE;
}

/*
 * A range is where it begins, whose it is and its name: there may be several in
 * one place.  The name goes with the next look, so it is mixed in (FNV-1a).
 */
static void modules_place(struct op_ui *ui, const struct op_browser *browser,
			  size_t i, struct op_place *place)
{
	const struct op_jit *jit;
	const char *c;

	if (i < browser->rows.nr) {
		op_row_place(&browser->rows.rows[i], place);
		return;
	}
	*place = (struct op_place){ 0 };
	jit = jit_at(ui, browser, i);
	if (!jit)
		return;
	place->start = jit->start;
	place->number = 0xcbf29ce484222325 ^ (uint64_t)jit->pid;
	for (c = jit->name; *c; c++)
		place->number =
			(place->number ^ (unsigned char)*c) * 0x100000001b3;
}

static void modules_enter(struct op_ui *ui, struct op_browser *browser,
			  size_t i)
{
	const struct op_image *image;

	if (i < browser->rows.nr) {
		image = browser->rows.rows[i].entry->image;
	} else {
		const struct op_jit *jit = jit_at(ui, browser, i);

		image = jit ? jit_image(ui, jit) : NULL;
	}
	if (image)
		op_view_enter_image(ui, image);
	else
		op_say(ui, "this range has no samples");
}

/* What is wrong with the tree, the numbers, and the lines of "hooks". */
static size_t hook_lines(const char *hooks)
{
	size_t n = *hooks != '\0';

	while ((hooks = strchr(hooks, '\n'))) {
		hooks++;
		n++;
	}
	return n;
}

static void stats_fill(struct op_ui *ui, struct op_browser *browser)
{
	const struct op_tree *tree = ui->model->tree;

	browser->nr = !!tree->faults + tree->nr_stats + hook_lines(tree->hooks);
}

static void stats_heading(const struct op_browser *browser, int width,
			  char *line, size_t size)
{
	(void)browser;
	(void)width;
	snprintf(line, size, "%-24s %12s", "NAME", "NUMBER");
}

static enum op_color stats_line(struct op_ui *ui,
				const struct op_browser *browser, size_t i,
				int width, char *line, size_t size)
{
	const struct op_tree *tree = ui->model->tree;
	char text[sizeof(tree->hooks)], clean[sizeof(tree->hooks) * 4];

	(void)browser;
	(void)width;
	if (tree->faults && !i--) {
		op_text_clean(clean, sizeof(clean), tree->fault);
		snprintf(line, size, "faults %u: %s", tree->faults, clean);
		return OP_COLOR_HOT;
	}
	if (i < tree->nr_stats) {
		const struct op_stat *stat = &tree->stats[i];

		op_text_clean(clean, sizeof(clean), stat->name);
		snprintf(line, size, "%-24s %12llu", clean,
			 (unsigned long long)stat->value);
		return stat->value && !strncmp(stat->name, "lost_", 5) ?
			       OP_COLOR_HOT :
			       OP_COLOR_NONE;
	}
	i -= tree->nr_stats;
	snprintf(text, sizeof(text), "%s", tree->hooks);
	line[0] = '\0';
	for (char *save, *next = strtok_r(text, "\n", &save); next;
	     next = strtok_r(NULL, "\n", &save)) {
		if (i--)
			continue;
		op_text_clean(clean, sizeof(clean), next);
		snprintf(line, size, "hook %s", clean);
		return strstr(clean, " missing") ? OP_COLOR_OFF : OP_COLOR_NONE;
	}
	return OP_COLOR_NONE;
}

/* optop(1) has these too, and a test holds both against each other. */
static const char *const help[][2] = {
	{ "Up, k", "one line up" },
	{ "Down, j", "one line down" },
	{ "PgUp", "one page up" },
	{ "PgDn", "one page down" },
	{ "Home, g", "to the first line" },
	{ "End, G", "to the last line" },
	{ "Enter, Right", "go in: an image's symbols, a symbol's addresses" },
	{ "Esc, Backspace, Left", "go out; Esc also ends a filter" },
	{ "1", "view: symbols" },
	{ "2", "view: images" },
	{ "3", "view: modules and JIT ranges" },
	{ "4", "view: statistics" },
	{ "F2", "the next one of these" },
	{ "/, F4", "filter: symbol or image, while you type" },
	{ "F3", "find in this list; again: find next" },
	{ "s, F6", "sort: samples, rate, image, symbol (or address)" },
	{ "e, Tab", "the next event" },
	{ "a, F5", "accumulate, decay, delta" },
	{ "K, F7", "hide the kernel, or show it again" },
	{ "U, F8", "hide what is not the kernel, or show it again" },
	{ "Space", "freeze, or go on" },
	{ "d", "delay between two looks" },
	{ "S", "start or stop sampling" },
	{ "z, F9", "reset all counts (asks)" },
	{ "w", "write this view to a new file" },
	{ "h, ?, F1", "this help" },
	{ "q, F10", "quit" },
};

static void help_fill(struct op_ui *ui, struct op_browser *browser)
{
	(void)ui;
	browser->nr = sizeof(help) / sizeof(*help);
}

static void help_heading(const struct op_browser *browser, int width,
			 char *line, size_t size)
{
	(void)browser;
	(void)width;
	snprintf(line, size, "%-21s WHAT IT DOES", "KEY");
}

static enum op_color help_line(struct op_ui *ui,
			       const struct op_browser *browser, size_t i,
			       int width, char *line, size_t size)
{
	(void)ui;
	(void)browser;
	(void)width;
	snprintf(line, size, "%-21s %s", help[i][0], help[i][1]);
	return OP_COLOR_NONE;
}

const struct op_view op_view_modules = {
	.title = "modules and jit maps",
	.details = true,
	.fill = modules_fill,
	.heading = modules_heading,
	.line = modules_line,
	.place = modules_place,
	.enter = modules_enter,
};

const struct op_view op_view_stats = {
	.title = "statistics",
	.details = true,
	.fill = stats_fill,
	.heading = stats_heading,
	.line = stats_line,
};

const struct op_view op_view_help = {
	.title = "help",
	.fill = help_fill,
	.heading = help_heading,
	.line = help_line,
};
