// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model: from a tree's histograms to symbols, over time.
 *
 * What happened since the look before is kept for each bin and not for each
 * symbol, since the symbols of a bin become known only later.  All three modes
 * are kept at once, so that a view can go from one to another and back.
 *
 * Only what has changed is worked on: an image whose histogram is the old one
 * keeps its symbols and sums.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* What a sample is worth at the next look. */
#define DECAY (7.0 / 8)
/* A double has room for 1e308. */
#define WEIGHT_MAX 1e100

static void forget(void *private)
{
	struct op_entry *entry = private;

	free(entry->bins);
	free(entry->owner);
	free(entry->syms);
	free(entry->values);
	free(entry);
}

/**
 * op_model_new - a model of a tree
 * @tree: the tree
 * @symbols: where names come from
 * Return: the model; both stay the caller's, and are to outlive it.
 */
struct op_model *op_model_new(struct op_tree *tree, struct op_symbols *symbols)
{
	struct op_model *model = op_alloc(NULL, 1, sizeof(*model));

	memset(model, 0, sizeof(*model));
	model->tree = tree;
	model->weight = 1;
	model->symbols = symbols;
	tree->forget = forget;
	return model;
}

/**
 * op_model_free - give back a model
 * @model: the model, or NULL
 */
void op_model_free(struct op_model *model)
{
	free(model);
}

/**
 * op_value_add - add to a sum
 * @model: the model
 * @sum: of values of it
 * @value: one more
 */
void op_value_add(const struct op_model *model, struct op_value *sum,
		  const struct op_value *value)
{
	sum->delta = op_delta_of(model, sum) + op_delta_of(model, value);
	sum->look = (uint32_t)model->tree->look;
	sum->total += value->total;
	sum->decay += value->decay;
}

static void take_samples(const struct op_model *model, struct op_value *value,
			 uint64_t samples)
{
	struct op_value new = { .total = samples,
				.delta = samples,
				.decay = (double)samples * model->weight,
				.look = (uint32_t)model->tree->look };

	op_value_add(model, value, &new);
}

static bool same_columns(const struct op_hist *a, const struct op_hist *b)
{
	return a->columns == b->columns &&
	       !memcmp(a->event, b->event, a->columns);
}

/*
 * The values of a histogram that was read anew.  What was there at the very
 * first look has no delta.
 */
static void take_bins(struct op_model *model, struct op_entry *entry)
{
	struct op_image *image = entry->image;
	const struct op_hist *now = &image->hist;
	struct op_value *before = entry->bins, *value;
	size_t i, nr_before = 0;
	unsigned int c;
	uint32_t bin;

	if (same_columns(now, &image->before))
		nr_before = entry->nr_bins;
	entry->room = entry->nr_bins = now->nr;
	value = op_alloc(NULL, now->nr * now->columns, sizeof(*value));
	memset(value, 0, now->nr * now->columns * sizeof(*value));
	entry->bins = value;
	for (i = 0; i < now->nr; i++) {
		bin = nr_before ?
			      op_hist_find(&image->before, now->offsets[i]) :
			      OP_NO_BIN;
		for (c = 0; c < now->columns; c++, value++) {
			uint64_t count = now->counts[i * now->columns + c];

			/* It may have got some before it was read. */
			if (bin < nr_before &&
			    before[bin * now->columns + c].total <= count)
				*value = before[bin * now->columns + c];
			take_samples(model, value, count - value->total);
			if (model->tree->look == 1)
				value->delta = 0;
		}
	}
	free(before);
}

struct sorted {
	struct op_sym sym;
	size_t index;
};

static int by_start(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (!x->sym.name != !y->sym.name)
		return !x->sym.name - !y->sym.name;
	if (x->sym.start != y->sym.start)
		return x->sym.start < y->sym.start ? -1 : 1;
	if (x->sym.kernel != y->sym.kernel)
		return x->sym.kernel - y->sym.kernel;
	return x->sym.name ? strcmp(x->sym.name, y->sym.name) : 0;
}

/* The name of a place; what has none is one symbol without a name. */
static struct op_sym name_of(struct op_model *model, struct op_entry *entry,
			     const struct op_image_key *key, uint64_t offset)
{
	const struct op_image *image = entry->image;
	struct op_sym sym = { .kernel = image->kernel };
	struct op_symbol found;

	if (image->kind == OP_KIND_UNKNOWN)
		sym.kernel = offset >> 63;
	if (entry->state == OP_SYMBOLS_LOADED &&
	    op_symbols_find(model->symbols, key, offset, &found)) {
		sym.name = found.name;
		sym.start = found.start;
		sym.size = found.size;
		sym.type = found.type;
	}
	return sym;
}

/*
 * The place of a symbol among those of an image, which are in order: where it
 * is, or would be.
 */
static size_t place_of(const struct op_entry *entry, const struct op_sym *sym,
		       bool *there)
{
	struct sorted key = { .sym = *sym }, other;
	size_t lo = 0, hi = entry->nr_syms;

	while (lo < hi) {
		size_t middle = (lo + hi) / 2;
		int order;

		other.sym = entry->syms[middle];
		order = by_start(&other, &key);
		if (!order) {
			*there = true;
			return middle;
		}
		if (order < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	*there = false;
	return lo;
}

static void insert_sym(struct op_entry *entry, size_t at,
		       const struct op_sym *sym, size_t nr_bins)
{
	size_t behind = entry->nr_syms - at, i;

	entry->nr_syms++;
	entry->syms =
		op_alloc(entry->syms, entry->nr_syms, sizeof(*entry->syms));
	entry->values = op_alloc(entry->values, entry->nr_syms * OP_MAX_EVENTS,
				 sizeof(*entry->values));
	memmove(entry->syms + at + 1, entry->syms + at,
		behind * sizeof(*entry->syms));
	memmove(entry->values + (at + 1) * OP_MAX_EVENTS,
		entry->values + at * OP_MAX_EVENTS,
		behind * OP_MAX_EVENTS * sizeof(*entry->values));
	entry->syms[at] = *sym;
	memset(entry->values + at * OP_MAX_EVENTS, 0,
	       OP_MAX_EVENTS * sizeof(*entry->values));
	for (i = 0; i < nr_bins; i++)
		entry->owner[i] += entry->owner[i] >= at;
}

/* Bins that were not there, and their symbols. */
static void add_bins(struct op_model *model, struct op_entry *entry, size_t nr)
{
	const struct op_hist *hist = &entry->image->hist;
	size_t columns = hist->columns, bin, at;
	struct op_image_key key;
	bool there;

	if (hist->nr > entry->room) {
		entry->room = hist->nr * 2;
		entry->bins = op_alloc(entry->bins, entry->room * columns,
				       sizeof(*entry->bins));
		entry->owner = op_alloc(entry->owner, entry->room,
					sizeof(*entry->owner));
	}
	memset(entry->bins + (hist->nr - nr) * columns, 0,
	       nr * columns * sizeof(*entry->bins));
	op_image_key(entry->image, &key);
	entry->nr_bins = hist->nr;
	for (bin = hist->nr - nr; bin < hist->nr; bin++) {
		struct op_sym sym =
			name_of(model, entry, &key, hist->offsets[bin]);

		at = place_of(entry, &sym, &there);
		if (!there)
			insert_sym(entry, at, &sym, bin);
		entry->owner[bin] = (uint32_t)at;
	}
}

/* What a look brought to a histogram that was not read anew. */
static void take_patch(struct op_model *model, struct op_entry *entry)
{
	const struct op_patch *patch = &entry->image->patch;
	const struct op_hist *hist = &entry->image->hist;
	uint64_t sums[OP_MAX_EVENTS] = { 0 };
	unsigned int c;
	size_t i;

	if (patch->added)
		add_bins(model, entry, patch->added);
	for (i = 0; i < patch->nr; i++) {
		const struct op_patch_cell *cell = &patch->cells[i];

		take_samples(model,
			     entry->bins + cell->bin * hist->columns +
				     cell->column,
			     cell->more);
		take_samples(model,
			     entry->values +
				     entry->owner[cell->bin] * OP_MAX_EVENTS +
				     hist->event[cell->column],
			     cell->more);
		sums[cell->column] += cell->more;
	}
	for (c = 0; c < hist->columns; c++)
		take_samples(model, &entry->sums[hist->event[c]], sums[c]);
}

/* Give the bins their symbols, and the symbols their sums. */
static void take_names(struct op_model *model, struct op_entry *entry)
{
	const struct op_hist *hist = &entry->image->hist;
	struct sorted *list = NULL;
	struct op_image_key key;
	size_t nr = 0, room = 0, i, last = 0;
	uint32_t *order;
	unsigned int c;

	op_image_key(entry->image, &key);
	entry->owner =
		op_alloc(entry->owner, entry->room, sizeof(*entry->owner));
	for (i = 0; i < hist->nr; i++) {
		struct sorted new = { .sym = name_of(model, entry, &key,
						     hist->offsets[i]) };

		if (!nr || by_start(&list[last], &new)) {
			if (nr == room) {
				room = room ? room * 2 : 16;
				list = op_alloc(list, room, sizeof(*list));
			}
			last = new.index = nr;
			list[nr++] = new;
		}
		entry->owner[i] = (uint32_t)last;
	}
	/* A symbol whose bins do not all follow each other is there twice. */
	if (nr)
		qsort(list, nr, sizeof(*list), by_start);
	order = op_alloc(NULL, nr, sizeof(*order));
	entry->syms = op_alloc(entry->syms, nr, sizeof(*entry->syms));
	entry->nr_syms = 0;
	for (i = 0; i < nr; i++) {
		if (!i || by_start(&list[i - 1], &list[i]))
			entry->syms[entry->nr_syms++] = list[i].sym;
		order[list[i].index] = (uint32_t)(entry->nr_syms - 1);
	}
	free(list);

	free(entry->values);
	entry->values = op_alloc(NULL, entry->nr_syms * OP_MAX_EVENTS,
				 sizeof(*entry->values));
	memset(entry->values, 0,
	       entry->nr_syms * OP_MAX_EVENTS * sizeof(*entry->values));
	memset(entry->sums, 0, sizeof(entry->sums));
	for (i = 0; i < hist->nr; i++) {
		uint32_t owner = order[entry->owner[i]];

		entry->owner[i] = owner;
		for (c = 0; c < hist->columns; c++) {
			const struct op_value *bin =
				entry->bins + i * hist->columns + c;

			op_value_add(model,
				     entry->values + owner * OP_MAX_EVENTS +
					     hist->event[c],
				     bin);
			op_value_add(model, &entry->sums[hist->event[c]], bin);
		}
	}
	free(order);
}

static void sum_up(struct op_model *model)
{
	size_t i;
	unsigned int e;

	memset(model->totals, 0, sizeof(model->totals));
	for (i = 0; i < model->tree->nr_images; i++) {
		struct op_entry *entry = model->tree->images[i]->private;

		for (e = 0; e < model->tree->nr_events; e++)
			op_value_add(model, &model->totals[e], &entry->sums[e]);
	}
}

/*
 * A look makes all samples of before worth less: instead of that, those to come
 * are worth more, and only before that gets too much all are made smaller.
 */
static void age(struct op_model *model)
{
	size_t i, n;

	model->weight /= DECAY;
	if (model->weight < WEIGHT_MAX)
		return;
	for (i = 0; i < model->tree->nr_images; i++) {
		struct op_entry *entry = model->tree->images[i]->private;
		const struct op_hist *hist = &entry->image->hist;

		for (n = 0; n < entry->nr_bins * hist->columns; n++)
			entry->bins[n].decay /= model->weight;
		for (n = 0; n < entry->nr_syms * OP_MAX_EVENTS; n++)
			entry->values[n].decay /= model->weight;
		for (n = 0; n < OP_MAX_EVENTS; n++)
			entry->sums[n].decay /= model->weight;
	}
	model->weight = 1;
}

/* Per second; a number that fell was reset meanwhile. */
static double rate_of(const struct op_model *model, const char *name,
		      uint64_t *last)
{
	uint64_t now = 0, delta;

	op_tree_stat(model->tree, name, &now);
	delta = now < *last ? now : now - *last;
	*last = now;
	return model->dt > 0 ? (double)delta / model->dt : 0;
}

static void take_image(struct op_model *model, struct op_image *image)
{
	struct op_entry *entry = image->private;
	enum op_symbols_state state;
	struct op_image_key key;
	bool read = image->changed == model->tree->look;

	if (!entry) {
		entry = op_alloc(NULL, 1, sizeof(*entry));
		memset(entry, 0, sizeof(*entry));
		image->private = entry;
	}
	entry->image = image;
	if (read) {
		take_bins(model, entry);
		entry->serial = image->serial;
	} else if (image->patched == model->tree->look) {
		take_patch(model, entry);
	}
	op_image_key(image, &key);
	state = op_symbols_state(model->symbols, &key);
	if (read || state != entry->state) {
		entry->state = state;
		take_names(model, entry);
	}
}

/**
 * op_model_refresh - look at the tree
 * @model: the model
 *
 * Rows made before are no longer good.
 *
 * Return: as op_tree_refresh().
 */
int op_model_refresh(struct op_model *model)
{
	struct op_tree *tree = model->tree;
	double last = tree->time;
	size_t i;
	int err;

	/* As long as the histograms are those that it has values of. */
	age(model);
	err = op_tree_refresh(tree);
	if (err)
		return err;
	model->dt = tree->look > 1 ? tree->time - last : 0;
	model->rate_received = rate_of(model, "received", &model->received);
	model->rate_forks = rate_of(model, "forks", &model->forks);
	model->rate_execs = rate_of(model, "execs", &model->execs);
	for (i = 0; i < tree->nr_images; i++)
		take_image(model, tree->images[i]);
	sum_up(model);
	return 0;
}

/**
 * op_model_names - take in names that have come since
 * @model: the model
 *
 * Rows made before are no longer good.
 */
void op_model_names(struct op_model *model)
{
	size_t i;

	for (i = 0; i < model->tree->nr_images; i++) {
		struct op_entry *entry = model->tree->images[i]->private;
		enum op_symbols_state state;
		struct op_image_key key;

		op_image_key(entry->image, &key);
		state = op_symbols_state(model->symbols, &key);
		if (state != entry->state) {
			entry->state = state;
			take_names(model, entry);
		}
	}
}
