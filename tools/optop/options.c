// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line.  tests/optop/optop.sh holds the help against the man page
 * and the completion.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

enum {
	OPT_ONCE = 256,
	OPT_JSON,
	OPT_CSV,
	OPT_FS,
	OPT_START,
	OPT_RAW,
};

static const struct option long_options[] = {
	{ "batch", no_argument, NULL, 'b' },
	{ "pictures", required_argument, NULL, 'n' },
	{ "delay", required_argument, NULL, 'd' },
	{ "once", no_argument, NULL, OPT_ONCE },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "output", required_argument, NULL, 'o' },
	{ "fs", required_argument, NULL, OPT_FS },
	{ "start", no_argument, NULL, OPT_START },
	{ "event", required_argument, NULL, 'e' },
	{ "mode", required_argument, NULL, 'm' },
	{ "root", required_argument, NULL, 'r' },
	{ "kernel", required_argument, NULL, 'k' },
	{ "map", required_argument, NULL, 'M' },
	{ "no-demangle", no_argument, NULL, OPT_RAW },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"Usage: optop [OPTION]...\n"
	"Shows what the machine spends its time on, as the kernel module oprofile\n"
	"has counted it, live.\n"
	"\n"
	"  -b, --batch          print pictures as text instead of the live view\n"
	"  -n, --pictures N     end after N pictures\n"
	"  -d, --delay SECS     seconds between two pictures (default 1)\n"
	"      --once           print the ranked symbols as perf report does\n"
	"      --json           print one JSON document (one picture unless -n)\n"
	"      --csv            print CSV (one picture unless -n)\n"
	"  -o, --output FILE    print to FILE\n"
	"      --fs DIR         the tree, mounted or a copy (default /dev/oprofile)\n"
	"      --start          start sampling first\n"
	"  -e, --event EVENT    the event to show, by name or column (from 0)\n"
	"  -m, --mode MODE      accumulate (default), decay or delta\n"
	"  -r, --root DIR       look up the images' files below DIR\n"
	"  -k, --kernel PATH    vmlinux, a copy of kallsyms, or a folder of these and\n"
	"                       of modules\n"
	"  -M, --map FILE       write the images, their cookies and addresses to FILE\n"
	"      --no-demangle    names as they are in the files\n"
	"  -q, --quiet          no warnings\n"
	"  -v, --verbose        say at the end what was found and what was not\n"
	"  -h, --help           this help\n"
	"  -V, --version        the version\n"
	"\n"
	"In the live view h shows the keys.  See optop(1).\n";

/**
 * op_parse_delay - seconds, as a user writes them
 * @text: the text
 * @delay: where to; untouched on an error
 * Return: whether it is a number in the range that is allowed.
 */
bool op_parse_delay(const char *text, double *delay)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (errno || end == text || *end || !isfinite(value) ||
	    value < OP_DELAY_MIN || value > OP_DELAY_MAX)
		return false;
	*delay = value;
	return true;
}

static bool parse_mode(const char *text, enum op_mode *mode)
{
	unsigned int i;

	for (i = 0; i < OP_MODES; i++) {
		if (!strcmp(text, op_mode_text(i))) {
			*mode = i;
			return true;
		}
	}
	return false;
}

static bool parse_pictures(const char *text, unsigned long *n)
{
	char *end;

	errno = 0;
	if (text[0] < '0' || text[0] > '9')
		return false;
	*n = strtoul(text, &end, 10);
	return !errno && !*end && *n > 0;
}

static int bad(const char *what, const char *text)
{
	fprintf(stderr, "optop: %s: %s\n", what, text);
	return OP_EXIT_USAGE;
}

/* Two of --once, --json, --csv can't be. */
static bool take_format(struct op_options *options, enum op_format format)
{
	if (options->format == OP_FORMAT_LIVE ||
	    options->format == OP_FORMAT_BATCH)
		options->format = format;
	return options->format == format;
}

/**
 * op_options_parse - read the command line
 * @argc: as of main()
 * @argv: as of main()
 * @options: where to
 *
 * Return: -1 to go on, or what the program is to end with.
 */
int op_options_parse(int argc, char **argv, struct op_options *options)
{
	bool ok = true;
	int c;

	memset(options, 0, sizeof(*options));
	options->fs = OP_TREE_DEFAULT;
	options->delay = 1;
	while ((c = getopt_long(argc, argv, "bn:d:o:e:m:r:k:M:qvhV",
				long_options, NULL)) != -1) {
		switch (c) {
		case 'b':
			if (options->format == OP_FORMAT_LIVE)
				options->format = OP_FORMAT_BATCH;
			break;
		case 'n':
			if (!parse_pictures(optarg, &options->pictures))
				return bad("not a number of pictures", optarg);
			break;
		case 'd':
			if (!op_parse_delay(optarg, &options->delay))
				return bad("not a delay of 0.1 to 86400 s",
					   optarg);
			break;
		case OPT_ONCE:
			ok &= take_format(options, OP_FORMAT_ONCE);
			break;
		case OPT_JSON:
			ok &= take_format(options, OP_FORMAT_JSON);
			break;
		case OPT_CSV:
			ok &= take_format(options, OP_FORMAT_CSV);
			break;
		case 'o':
			options->output = optarg;
			break;
		case OPT_FS:
			options->fs = optarg;
			break;
		case OPT_START:
			options->start = true;
			break;
		case 'e':
			options->event = optarg;
			break;
		case 'm':
			if (!parse_mode(optarg, &options->mode))
				return bad("not accumulate, decay or delta",
					   optarg);
			break;
		case 'r':
			options->root = optarg;
			break;
		case 'k':
			options->kernel = optarg;
			break;
		case 'M':
			options->map = optarg;
			break;
		case OPT_RAW:
			options->raw = true;
			break;
		case 'q':
			options->quiet = true;
			break;
		case 'v':
			options->verbose = true;
			break;
		case 'h':
			fputs(help, stdout);
			return OP_EXIT_OK;
		case 'V':
			puts("optop " OPTOP_VERSION);
			return OP_EXIT_OK;
		default:
			fputs("optop: --help lists the options\n", stderr);
			return OP_EXIT_USAGE;
		}
	}
	if (optind < argc)
		return bad("not an option", argv[optind]);
	if (!ok)
		return bad("only one can be", "--once, --json, --csv");
	if (options->output && options->format == OP_FORMAT_LIVE)
		return bad("-o needs one of", "-b, --once, --json, --csv");
	if (options->pictures && options->format == OP_FORMAT_ONCE)
		return bad("--once prints one picture, without", "-n");
	if (options->format == OP_FORMAT_LIVE && options->pictures)
		return bad("-n needs one of", "-b, --json, --csv");
	if (!options->pictures && options->format >= OP_FORMAT_ONCE)
		options->pictures = 1;
	return -1;
}
