/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports: the model as text for other programs and for later.
 */
#ifndef OPTOP_REPORT_H
#define OPTOP_REPORT_H

#include <signal.h>
#include <stdio.h>

#include "model.h"
#include "options.h"

/**
 * struct op_report - one format
 * @begin: what stands before the pictures; may be NULL, as the others
 * @picture: one look at the tree, the @n-th, counted from 1
 * @end: what stands behind them
 */
struct op_report {
	void (*begin)(FILE *out);
	void (*picture)(FILE *out, const struct op_model *model,
			const struct op_query *query, unsigned long n);
	void (*end)(FILE *out);
};

extern const struct op_report op_report_batch;
extern const struct op_report op_report_once;
extern const struct op_report op_report_json;
extern const struct op_report op_report_csv;

int op_report_run(struct op_model *model, const struct op_options *options,
		  struct op_query *query);
int op_map_write(const struct op_tree *tree, const char *file);
void op_report_totals(const struct op_model *model);
void op_now_text(char *text, size_t size);

#endif
