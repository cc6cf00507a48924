// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows: which of the model's values a view shows, and in which order.
 *
 * The order of rows that are equal in what they are sorted by is fixed, so that
 * a view does not shuffle them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "text.h"

/**
 * op_mode_text - a mode's name
 * @mode: the mode
 * Return: its name.
 */
const char *op_mode_text(enum op_mode mode)
{
	static const char *const texts[] = { "accumulate", "decay", "delta" };

	return texts[mode];
}

/**
 * op_sort_text - an order's name
 * @sort: the order
 * Return: its name.
 */
const char *op_sort_text(enum op_sort sort)
{
	static const char *const texts[] = { "samples", "rate", "image",
					     "symbol" };

	return texts[sort];
}

/**
 * op_event_find - an event by its number or the beginning of its name
 * @tree: the tree
 * @text: as the user wrote it
 * Return: its index, or -1 if there is none.
 */
int op_event_find(const struct op_tree *tree, const char *text)
{
	unsigned int i;
	size_t n = strlen(text);
	int found = -1;

	for (i = 0; i < tree->nr_events; i++) {
		const char *name = tree->events[i];
		char number[16];

		snprintf(number, sizeof(number), "%u", i);
		if (!strcmp(name, text) || !strcmp(number, text) ||
		    (!strncmp(name, text, n) && name[n] == ':'))
			return (int)i;
		if (found < 0 && n && !strncmp(name, text, n))
			found = (int)i;
	}
	return found;
}

static const struct op_sym *sym_of(const struct op_row *row)
{
	return row->sym < 0 ? NULL : &row->entry->syms[row->sym];
}

/**
 * op_row_symbol - what stands for a row's symbol
 * @row: the row
 * @text: where to; clean
 * @size: bytes there
 *
 * What has no name says why, in brackets.
 *
 * Return: bytes in @text.
 */
size_t op_row_symbol(const struct op_row *row, char *text, size_t size)
{
	const struct op_entry *entry = row->entry;
	const struct op_sym *sym = sym_of(row);
	const char *why;

	if (sym && sym->name)
		return op_text_clean(text, size, sym->name);
	if (entry->image->kind == OP_KIND_JIT)
		return op_text_clean(text, size, entry->image->path + 4);
	if (entry->state == OP_SYMBOLS_LOADED)
		why = "no symbol";
	else if (entry->state != OP_SYMBOLS_WAITING &&
		 entry->image->kind >= OP_KIND_BPF)
		why = op_kind_text(entry->image->kind);
	else
		why = op_symbols_state_text(entry->state);
	snprintf(text, size, "[%s]", why);
	return strlen(text);
}

/**
 * op_row_image - what stands for a row's image
 * @row: the row
 * @whole: the path, not only its last part
 * @text: where to; clean
 * @size: bytes there
 * Return: bytes in @text.
 */
size_t op_row_image(const struct op_row *row, bool whole, char *text,
		    size_t size)
{
	const struct op_image *image = row->entry->image;
	const char *name = image->kind == OP_KIND_FILE ? image->path :
							 image->name;

	if (!whole && image->kind == OP_KIND_FILE)
		name = op_text_base(name);
	return op_text_clean(text, size, name);
}

static void add(struct op_rows *rows, const struct op_row *row)
{
	if (rows->nr == rows->room) {
		rows->room = rows->room ? rows->room * 2 : 256;
		rows->rows =
			op_alloc(rows->rows, rows->room, sizeof(*rows->rows));
	}
	rows->rows[rows->nr++] = *row;
}

/* Fill in a row's numbers; false if there is nothing to show. */
static bool take_value(const struct op_model *model,
		       const struct op_query *query,
		       const struct op_value *value, struct op_row *row)
{
	double all;

	row->value = op_value_of(model, value, query->mode);
	/* Less than what would be shown as 0.0. */
	if (row->value < 0.05 && !query->all)
		return false;
	all = op_value_of(model, &model->totals[query->event], query->mode);
	row->share = all > 0 ? row->value / all : 0;
	row->rate = op_rate_of(model, value);
	return !(row->kernel ? query->hide_kernel : query->hide_user);
}

static enum op_sort sort_now;

static const char *image_name(const struct op_row *row)
{
	const struct op_image *image = row->entry->image;

	return image->kind == OP_KIND_FILE ? op_text_base(image->path) :
					     image->name;
}

static const char *symbol_name(const struct op_row *row)
{
	const struct op_sym *sym = sym_of(row);

	return sym && sym->name ? sym->name : "";
}

static uint64_t place(const struct op_row *row)
{
	const struct op_sym *sym = sym_of(row);

	return sym ? sym->start : 0;
}

static int by_sort(const void *a, const void *b)
{
	const struct op_row *x = a, *y = b;
	int order = 0;

	if (sort_now == OP_SORT_RATE && x->rate != y->rate)
		return x->rate > y->rate ? -1 : 1;
	if (sort_now == OP_SORT_IMAGE)
		order = strcmp(image_name(x), image_name(y));
	else if (sort_now == OP_SORT_SYMBOL)
		order = strcmp(symbol_name(x), symbol_name(y));
	if (order)
		return order;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->entry != y->entry)
		return strcmp(x->entry->image->name, y->entry->image->name);
	if (x->sym != y->sym)
		return place(x) != place(y) ? (place(x) < place(y) ? -1 : 1) :
					      (x->sym < y->sym ? -1 : 1);
	return x->bin < y->bin ? -1 : x->bin > y->bin;
}

static void sort(struct op_rows *rows, enum op_sort order)
{
	sort_now = order;
	if (rows->nr)
		qsort(rows->rows, rows->nr, sizeof(*rows->rows), by_sort);
	rows->sorted = rows->nr;
}

/* Each of so many is put in its place by moving the others, not by sorting. */
#define FEW 512

/**
 * op_rows_need - have the first rows in order
 * @rows: the rows
 * @n: how many
 *
 * A screen shows a few of what can be many.
 */
void op_rows_need(struct op_rows *rows, size_t n)
{
	struct op_row *row = rows->rows;
	size_t i, lo, hi;

	if (n > rows->nr)
		n = rows->nr;
	if (n <= rows->sorted)
		return;
	if (n * 8 > rows->nr || n > FEW) {
		sort(rows, rows->order);
		return;
	}
	sort_now = rows->order;
	qsort(row, n, sizeof(*row), by_sort);
	for (i = n; i < rows->nr; i++) {
		struct op_row better = row[i];

		if (by_sort(&better, &row[n - 1]) > 0)
			continue;
		row[i] = row[n - 1];
		for (lo = 0, hi = n - 1; lo < hi;) {
			size_t middle = (lo + hi) / 2;

			if (by_sort(&row[middle], &better) < 0)
				lo = middle + 1;
			else
				hi = middle;
		}
		memmove(row + lo + 1, row + lo, (n - 1 - lo) * sizeof(*row));
		row[lo] = better;
	}
	rows->sorted = n;
}

/**
 * op_rows_rank - have one row in order
 * @rows: the rows
 * @i: which one
 * Return: where it is by now.
 */
size_t op_rows_rank(struct op_rows *rows, size_t i)
{
	const struct op_row row = rows->rows[i];
	size_t rank = 0, k;

	/* What is in order need not be asked. */
	if (i < rows->sorted)
		return i;
	sort_now = rows->order;
	for (k = 0; k < rows->nr; k++)
		rank += by_sort(&rows->rows[k], &row) < 0;
	op_rows_need(rows, rank + 1);
	return rank;
}

/**
 * op_row_place - which one a row is
 * @row: the row
 * @place: where to
 */
void op_row_place(const struct op_row *row, struct op_place *place)
{
	const struct op_sym *sym = sym_of(row);

	*place = (struct op_place){ .serial = row->entry->serial };
	if (!sym)
		return;
	place->symbol = sym->name;
	place->start = sym->start;
	place->kernel = sym->kernel;
}

/**
 * op_place_same - whether two are the same
 * @a: the one
 * @b: the other
 * Return: that.
 */
bool op_place_same(const struct op_place *a, const struct op_place *b)
{
	/* The name at last: it is there as long as its image is. */
	return a->serial == b->serial && a->start == b->start &&
	       a->number == b->number && a->kernel == b->kernel &&
	       !a->symbol == !b->symbol &&
	       (!a->symbol || !strcmp(a->symbol, b->symbol));
}

static bool passes(const struct op_query *query, const struct op_row *row)
{
	char text[OP_TEXT_MAX];

	if (!query->filter[0])
		return true;
	op_row_image(row, true, text, sizeof(text));
	if (op_text_contains(text, query->filter))
		return true;
	if (row->sym < 0)
		return false;
	op_row_symbol(row, text, sizeof(text));
	return op_text_contains(text, query->filter);
}

/**
 * op_rows_symbols - one row a symbol
 * @model: the model
 * @query: which, and how
 * @rows: where to; what was there goes
 */
void op_rows_symbols(const struct op_model *model, const struct op_query *query,
		     struct op_rows *rows)
{
	const struct op_tree *tree = model->tree;
	size_t i, s;

	rows->nr = 0;
	for (i = 0; i < tree->nr_images; i++) {
		const struct op_entry *entry = tree->images[i]->private;

		if (query->serial && entry->serial != query->serial)
			continue;
		for (s = 0; s < entry->nr_syms; s++) {
			struct op_row row = { .entry = entry,
					      .sym = (long)s,
					      .kernel = entry->syms[s].kernel };

			if (take_value(model, query,
				       entry->values + s * OP_MAX_EVENTS +
					       query->event,
				       &row) &&
			    passes(query, &row))
				add(rows, &row);
		}
	}
	rows->order = query->sort;
	rows->sorted = 0;
	if (!query->lazy)
		sort(rows, query->sort);
}

/**
 * op_rows_images - one row an image
 * @model: the model
 * @query: which, and how; sorting by symbol is sorting by image here
 * @rows: where to; what was there goes
 */
void op_rows_images(const struct op_model *model, const struct op_query *query,
		    struct op_rows *rows)
{
	const struct op_tree *tree = model->tree;
	size_t i, s;

	rows->nr = 0;
	for (i = 0; i < tree->nr_images; i++) {
		const struct op_entry *entry = tree->images[i]->private;
		struct op_row row = { .entry = entry, .sym = -1 };
		struct op_value sum = { 0 };

		/* "unknown" has places of both: what is hidden is not in it. */
		for (s = 0; s < entry->nr_syms; s++) {
			const struct op_value *value = entry->values +
						       s * OP_MAX_EVENTS +
						       query->event;

			if (entry->syms[s].kernel ? query->hide_kernel :
						    query->hide_user)
				continue;
			row.kernel = entry->syms[s].kernel;
			op_value_add(model, &sum, value);
		}
		if (take_value(model, query, &sum, &row) && passes(query, &row))
			add(rows, &row);
	}
	sort(rows, query->sort == OP_SORT_SYMBOL ? OP_SORT_IMAGE : query->sort);
}

/**
 * op_rows_addresses - one row an address of one symbol
 * @model: the model
 * @query: how; sorting by symbol is by address here
 * @of: which symbol
 * @rows: where to; what was there goes
 */
void op_rows_addresses(const struct op_model *model,
		       const struct op_query *query, const struct op_place *of,
		       struct op_rows *rows)
{
	const struct op_image *image = op_tree_image(model->tree, of->serial);
	const struct op_entry *entry = image ? image->private : NULL;
	size_t i;
	unsigned int c;

	rows->nr = rows->sorted = 0;
	if (!entry)
		return;
	for (i = 0; i < image->hist.nr; i++) {
		struct op_row row = { .entry = entry,
				      .sym = (long)entry->owner[i],
				      .bin = i,
				      .kernel = of->kernel };
		struct op_place place;

		op_row_place(&row, &place);
		if (!op_place_same(&place, of))
			continue;
		for (c = 0; c < image->hist.columns; c++)
			if (image->hist.event[c] == query->event &&
			    take_value(model, query,
				       entry->bins + i * image->hist.columns +
					       c,
				       &row))
				add(rows, &row);
	}
	if (query->sort == OP_SORT_SAMPLES || query->sort == OP_SORT_RATE)
		sort(rows, query->sort);
	rows->sorted = rows->nr;
}
