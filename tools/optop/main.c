// SPDX-License-Identifier: GPL-2.0-only
/*
 * optop: what oprofile.ko has counted, live or as a report.
 *
 * It knows the module by its files only.  tree.c reads them, model.c makes
 * symbols of them with the help of symbols.h, and live.c and report.c are the
 * two ways to look at that.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"
#include "options.h"
#include "report.h"
#include "text.h"
#include "ui.h"

static int no_tree(const struct op_tree *tree, int err)
{
	char text[1024];

	fprintf(stderr, "optop: %s\n",
		op_tree_error(tree, err, text, sizeof(text)));
	return err == -EACCES || err == -EPERM ? OP_EXIT_NO_RIGHTS :
						 OP_EXIT_NO_TREE;
}

/* Start sampling; a report that is made once is of what comes then. */
static int start(struct op_tree *tree, const struct op_options *options)
{
	struct timespec wait = { .tv_sec = (time_t)options->delay };
	int err = op_tree_write(tree, "enable", "1");

	if (err == -ENOTSUP) {
		fprintf(stderr, "optop: --start: %s is a copy\n", tree->dir);
		return OP_EXIT_USAGE;
	}
	if (err) {
		fprintf(stderr,
			"optop: sampling cannot be started: %s; the kernel's "
			"log says more (dmesg)\n",
			strerror(-err));
		return err == -EACCES || err == -EPERM ? OP_EXIT_NO_RIGHTS :
							 OP_EXIT_FAILED;
	}
	if (options->format != OP_FORMAT_LIVE && options->pictures == 1) {
		wait.tv_nsec =
			(long)((options->delay - (double)wait.tv_sec) * 1e9);
		nanosleep(&wait, NULL);
		op_tree_write(tree, "dump", "1");
	}
	return OP_EXIT_OK;
}

static int choose_event(const struct op_tree *tree,
			const struct op_options *options,
			struct op_query *query)
{
	unsigned int i;
	int event;

	if (!options->event)
		return OP_EXIT_OK;
	event = op_event_find(tree, options->event);
	if (event >= 0) {
		query->event = (unsigned int)event;
		query->only = true;
		return OP_EXIT_OK;
	}
	fprintf(stderr, "optop: no event %s; there %s", options->event,
		tree->nr_events ? "is" : "are no samples yet");
	for (i = 0; i < tree->nr_events; i++)
		fprintf(stderr, "%s %s", i ? "," : "", tree->events[i]);
	putc('\n', stderr);
	return OP_EXIT_USAGE;
}

/* What is left to say when all has been shown. */
static int finish(const struct op_model *model,
		  const struct op_options *options, int status)
{
	int err;

	if (options->map) {
		err = op_map_write(model->tree, options->map);
		if (err) {
			fprintf(stderr, "optop: %s: %s\n", options->map,
				strerror(-err));
			status = status ? status : OP_EXIT_FAILED;
		}
	}
	if (!options->quiet && model->tree->faults)
		fprintf(stderr, "optop: faults in the tree: %u: %s\n",
			model->tree->faults, model->tree->fault);
	if (!options->quiet && options->start && status != OP_EXIT_GONE)
		fprintf(stderr,
			"optop: sampling goes on; to end it: echo 0 > "
			"%s/enable\n",
			model->tree->dir);
	if (options->verbose)
		op_report_totals(model);
	return status;
}

int main(int argc, char **argv)
{
	struct op_symbols_config config = { 0 };
	struct op_query query = { 0 };
	struct op_options options;
	struct op_symbols *symbols = NULL;
	struct op_model *model = NULL;
	struct op_tree *tree = NULL;
	int status, err;
	bool live;

	op_text_init(false);
	status = op_options_parse(argc, argv, &options);
	if (status >= 0)
		return status;
	live = options.format == OP_FORMAT_LIVE;
	if (live)
		op_screen_block_signals();
	query.mode = options.mode;

	tree = op_tree_new(options.fs);
	if (options.start) {
		/* Before that: a tree that is not there has its own line. */
		err = op_tree_refresh(tree);
		status = err ? no_tree(tree, err) : start(tree, &options);
		if (status)
			goto out;
		op_tree_free(tree);
		tree = op_tree_new(options.fs);
	}
	config.root = options.root;
	config.kernel = options.kernel;
	config.raw = options.raw;
	config.recorded = !tree->live;
	/* A server can be slow: no good behind a live view. */
	config.debuginfod = !live && getenv("DEBUGINFOD_URLS");
	symbols = op_symbols_new(&config);
	if (!symbols) {
		fputs("optop: no memory for symbols\n", stderr);
		status = OP_EXIT_FAILED;
		goto out;
	}
	model = op_model_new(tree, symbols);
	err = op_model_refresh(model);
	if (err) {
		status = no_tree(tree, err);
		goto out;
	}
	status = choose_event(tree, &options, &query);
	if (status)
		goto out;
	if (live)
		status = op_live_run(model, &options, &query);
	else
		status = op_report_run(model, &options, &query);
	status = finish(model, &options, status);
out:
	op_tree_free(tree);
	op_model_free(model);
	op_symbols_free(symbols);
	return status;
}
