/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the views show: a tree's histograms by symbol, over time.
 */
#ifndef OPTOP_MODEL_H
#define OPTOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols.h"
#include "tree.h"

enum op_mode {
	OP_MODE_ACCUMULATE, /* all since the last reset */
	OP_MODE_DECAY,	    /* the older, the less it weighs */
	OP_MODE_DELTA,	    /* since the look before */
	OP_MODES,
};

enum op_sort {
	OP_SORT_SAMPLES,
	OP_SORT_RATE,
	OP_SORT_IMAGE,
	OP_SORT_SYMBOL, /* in the view of addresses: by address */
	OP_SORTS,
};

/**
 * struct op_value - what there is of one event in one place
 * @total: samples
 * @delta: of these, the new ones of the look @look; no others are new
 * @decay: each sample at the weight that the model had when it came: the older,
 *	the less.  op_value_of() is what makes sense of it
 * @look: see @delta
 */
struct op_value {
	uint64_t total;
	uint64_t delta;
	double decay;
	uint32_t look;
};

/**
 * struct op_sym - a symbol that has samples, or what has no name of an image
 * @name: NULL if it has none
 * @start: offset at which it begins
 * @size: bytes; 0: not known
 * @type: letter as of nm(1); 0 if it has no name
 * @kernel: the kernel's
 */
struct op_sym {
	const char *name;
	uint64_t start;
	uint64_t size;
	char type;
	bool kernel;
};

/**
 * struct op_entry - what the model knows of an image
 * @image: the image
 * @serial: of the image that this is of
 * @state: of its symbols when the bins got their names
 * @bins: values, of each bin its columns'
 * @owner: of each bin: its symbol
 * @syms: the symbols
 * @nr_bins: bins that have these
 * @room: bins that @bins and @owner have room for
 * @values: of each symbol all events'
 * @sums: of all these
 */
struct op_entry {
	struct op_image *image;
	uint64_t serial;
	enum op_symbols_state state;
	struct op_value *bins;
	uint32_t *owner;
	size_t nr_bins;
	size_t room;
	struct op_sym *syms;
	size_t nr_syms;
	struct op_value *values;
	struct op_value sums[OP_MAX_EVENTS];
};

/**
 * struct op_model - the model
 * @dt: seconds between the last two looks; 0 after the first
 * @weight: of a sample of the last look, in @decay of all values
 * @totals: of all images, for each event
 * @received: of the last look, as the rates @rate_* which are per second
 */
struct op_model {
	struct op_tree *tree;
	struct op_symbols *symbols;
	double dt;
	double weight;
	struct op_value totals[OP_MAX_EVENTS];
	double rate_received;
	double rate_forks;
	double rate_execs;
	uint64_t received, forks, execs;
};

/**
 * op_delta_of - samples that are new
 * @model: the model
 * @value: of it
 * Return: those of the last look.
 */
static inline uint64_t op_delta_of(const struct op_model *model,
				   const struct op_value *value)
{
	return value->look == (uint32_t)model->tree->look ? value->delta : 0;
}

/**
 * op_rate_of - new samples per second
 * @model: the model
 * @value: of it
 * Return: those; 0 after the first look.
 */
static inline double op_rate_of(const struct op_model *model,
				const struct op_value *value)
{
	return model->dt > 0 ? (double)op_delta_of(model, value) / model->dt :
			       0;
}

/**
 * op_value_of - the number that counts
 * @model: the model
 * @value: of it
 * @mode: which one
 * Return: the number.
 */
static inline double op_value_of(const struct op_model *model,
				 const struct op_value *value,
				 enum op_mode mode)
{
	switch (mode) {
	case OP_MODE_DECAY:
		return value->decay / model->weight;
	case OP_MODE_DELTA:
		return (double)op_delta_of(model, value);
	default:
		return (double)value->total;
	}
}

/**
 * struct op_query - which rows, and in which order
 * @event: index of the event
 * @only: that one was asked for; reports leave out the others
 * @all: rows without samples of it, too
 * @mode: which of its values counts
 * @sort: order
 * @filter: part of a symbol's or image's name; "" is all
 * @hide_kernel: no rows of the kernel
 * @hide_user: no others
 * @serial: of this image only, if not 0
 * @lazy: op_rows_need() puts them in order
 */
struct op_query {
	unsigned int event;
	bool only;
	bool all;
	enum op_mode mode;
	enum op_sort sort;
	char filter[256];
	bool hide_kernel;
	bool hide_user;
	uint64_t serial;
	bool lazy;
};

/**
 * struct op_row - one line of a view
 * @entry: its image
 * @sym: its symbol's index, -1 in the view of images
 * @bin: its bin's index, in the view of addresses
 * @value: what counts
 * @share: of all, 0 to 1
 * @rate: samples a second
 * @kernel: the kernel's
 */
struct op_row {
	const struct op_entry *entry;
	long sym;
	size_t bin;
	double value;
	double share;
	double rate;
	bool kernel;
};

/**
 * struct op_place - which one of a view's entries, whatever the order is
 * @serial: its image's; 0: it is of none
 * @symbol: its symbol's name; NULL: it has none, or it is an image
 * @start: where the symbol begins
 * @number: what tells apart two that are the same in the rest
 * @kernel: whether it is the kernel's
 */
struct op_place {
	uint64_t serial;
	const char *symbol;
	uint64_t start;
	uint64_t number;
	bool kernel;
};

/**
 * struct op_rows - rows
 * @rows: the rows
 * @nr: how many
 * @room: and could be
 * @sorted: so many of the first are in order
 * @order: that is to say, in this one
 */
struct op_rows {
	struct op_row *rows;
	size_t nr;
	size_t room;
	size_t sorted;
	enum op_sort order;
};

struct op_model *op_model_new(struct op_tree *tree, struct op_symbols *symbols);
void op_model_free(struct op_model *model);
int op_model_refresh(struct op_model *model);
void op_model_names(struct op_model *model);

/* rows.c */
void op_rows_symbols(const struct op_model *model, const struct op_query *query,
		     struct op_rows *rows);
void op_rows_images(const struct op_model *model, const struct op_query *query,
		    struct op_rows *rows);
void op_rows_addresses(const struct op_model *model,
		       const struct op_query *query, const struct op_place *of,
		       struct op_rows *rows);
void op_rows_need(struct op_rows *rows, size_t n);
size_t op_rows_rank(struct op_rows *rows, size_t i);
void op_row_place(const struct op_row *row, struct op_place *place);
bool op_place_same(const struct op_place *a, const struct op_place *b);
void op_value_add(const struct op_model *model, struct op_value *sum,
		  const struct op_value *value);
size_t op_row_symbol(const struct op_row *row, char *text, size_t size);
size_t op_row_image(const struct op_row *row, bool whole, char *text,
		    size_t size);
const char *op_mode_text(enum op_mode mode);
const char *op_sort_text(enum op_sort sort);
int op_event_find(const struct op_tree *tree, const char *text);

/* summary.c */
#define OP_SUMMARY_LINES 3
void op_summary(const struct op_model *model, const struct op_query *query,
		char lines[OP_SUMMARY_LINES][1024]);
bool op_summary_is_bad(const struct op_model *model);

#endif
