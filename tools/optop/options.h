/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line.
 */
#ifndef OPTOP_OPTIONS_H
#define OPTOP_OPTIONS_H

#include <stdbool.h>

#include "model.h"

#define OPTOP_VERSION "0.1"

/* What the program ends with; by a signal: 128 and its number. */
enum op_exit {
	OP_EXIT_OK = 0,
	OP_EXIT_FAILED = 1,  /* a file could not be read or written */
	OP_EXIT_USAGE = 2,   /* a bad option, or a terminal that can't do */
	OP_EXIT_NO_TREE = 3, /* not loaded, not mounted, no such tree */
	OP_EXIT_NO_RIGHTS = 4,
	OP_EXIT_GONE = 5, /* the tree went while it was looked at */
};

enum op_format {
	OP_FORMAT_LIVE,
	OP_FORMAT_BATCH,
	OP_FORMAT_ONCE,
	OP_FORMAT_JSON,
	OP_FORMAT_CSV,
};

struct op_options {
	enum op_format format;
	const char *fs;
	const char *root;
	const char *kernel;
	const char *map;
	const char *output;
	const char *event;
	enum op_mode mode;
	unsigned long pictures; /* 0: without end */
	double delay;
	bool start;
	bool quiet;
	bool verbose;
	bool raw;
};

/* No picture more often than that, in seconds. */
#define OP_DELAY_MIN 0.1
#define OP_DELAY_MAX 86400.0

int op_options_parse(int argc, char **argv, struct op_options *options);
bool op_parse_delay(const char *text, double *delay);

#endif
