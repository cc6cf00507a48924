// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of offsets, as optop's symboliser knows them, on the command line.
 *
 *     lookup [OPTION]... PATH OFFSET...
 *
 * PATH is an image's path. "-" for the offsets reads them, one a line, from the
 * standard input. Each is printed as "OFFSET TYPE NAME+0xDELTA", or "OFFSET -"
 * where no name is known.
 *
 *     -r ROOT, -k KERNEL, -t TMP   as of struct op_symbols_config
 *     -i IDENTITY   the text of the image's file of that name
 *     -s START      the address of offset 0
 *     -R            do not demangle
 *     -V            the images are of another boot
 *     -D            may ask debuginfod
 *     -S            print the state instead
 *     -z            print each symbol's size as well
 *     -l            print "OFFSET FILE:LINE" instead
 *     -d            print "OFFSET INSTRUCTION" instead
 *     -m START      then look up again as if the image began there now
 *     -w COMMAND    once names are loaded, run this, and then look up
 *     -f            PATH is a file with a path on each line: ask for all that can
 *                   be asked of each, and print their states
 *     -T            print the totals at the end
 *     -q            only ask for the image, and end while it is loaded
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"

static struct op_symbols *symbols;
static struct op_image_key key = { .dcookie = 1 };
static bool lines, code, sizes;

static const char *state_name(enum op_symbols_state state)
{
	static const char *const names[] = {
		"WAITING", "LOADED", "NONE", "MISSING", "CHANGED", "BROKEN",
	};

	return names[state];
}

static void look_up(const char *text)
{
	uint64_t offset = strtoull(text, NULL, 0);
	struct op_symbol symbol;
	char buffer[4096];

	if (lines || code) {
		bool known = lines ? op_symbols_line(symbols, &key, offset,
						     buffer, sizeof(buffer)) :
				     op_symbols_instruction(symbols, &key,
							    offset, buffer,
							    sizeof(buffer));
		printf("0x%" PRIx64 " %s\n", offset, known ? buffer : "-");
		return;
	}
	if (!op_symbols_find(symbols, &key, offset, &symbol)) {
		printf("0x%" PRIx64 " -\n", offset);
		return;
	}
	printf("0x%" PRIx64 " %c %s+0x%" PRIx64, offset, symbol.type,
	       symbol.name, offset - symbol.start);
	if (sizes)
		printf(" %" PRIu64, symbol.size);
	putchar('\n');
}

/* All kinds of questions about an image. */
static void ask_all(void)
{
	static const uint64_t offsets[] = {
		0, 1, 0x40, 0x1000, 0x1129, 0x2000, INT64_MAX, UINT64_MAX,
	};
	struct op_symbol symbol;
	char text[64];
	size_t length = 0;

	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		if (op_symbols_find(symbols, &key, offsets[i], &symbol))
			length += strlen(symbol.name);
		if (op_symbols_line(symbols, &key, offsets[i], text,
				    sizeof(text)))
			length += strlen(text);
		if (op_symbols_instruction(symbols, &key, offsets[i], text,
					   sizeof(text)))
			length += strlen(text);
	}
	if (length > 1 << 20)
		abort();
}

/* The state of each image that a file lists. */
static int states(const char *list)
{
	FILE *file = fopen(list, "r");
	char line[4096];

	if (!file) {
		perror(list);
		return 2;
	}
	for (int pass = 0; pass < 2; pass++) {
		rewind(file);
		key.dcookie = 0;
		while (fgets(line, sizeof(line), file)) {
			line[strcspn(line, "\n")] = '\0';
			key.dcookie++;
			key.path = key.name = line;
			if (!pass) {
				op_symbols_state(symbols, &key);
				continue;
			}
			printf("%s %s\n",
			       state_name(op_symbols_state(symbols, &key)),
			       line);
			ask_all();
		}
		op_symbols_wait(symbols);
	}
	fclose(file);
	return 0;
}

static void print_totals(void)
{
	struct op_symbols_totals totals;

	op_symbols_totals(symbols, &totals);
	printf("images %u unreadable %u broken %u changed %u none %u "
	       "symbols %" PRIu64 "\n",
	       totals.images, totals.unreadable, totals.broken, totals.changed,
	       totals.none, totals.symbols);
	if (totals.seconds < 0 || totals.seconds > 3600)
		abort();
}

int main(int argc, char **argv)
{
	struct op_symbols_config config = { 0 };
	bool state = false, totals = false, list = false, quick = false;
	const char *run = NULL, *moved = NULL;
	char line[256];
	int option, status = 0;

	while ((option = getopt(argc, argv, "r:k:t:i:s:m:RVDSzldw:fTq")) !=
	       -1) {
		switch (option) {
		case 'r':
			config.root = optarg;
			break;
		case 'k':
			config.kernel = optarg;
			break;
		case 't':
			config.tmp = optarg;
			break;
		case 'i':
			key.identity = optarg;
			break;
		case 's':
			key.start = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			moved = optarg;
			break;
		case 'R':
			config.raw = true;
			break;
		case 'V':
			config.recorded = true;
			break;
		case 'D':
			config.debuginfod = true;
			break;
		case 'S':
			state = true;
			break;
		case 'z':
			sizes = true;
			break;
		case 'l':
			lines = true;
			break;
		case 'd':
			code = true;
			break;
		case 'w':
			run = optarg;
			break;
		case 'f':
			list = true;
			break;
		case 'q':
			quick = true;
			break;
		case 'T':
			totals = true;
			break;
		default:
			return 2;
		}
	}
	if (optind >= argc) {
		fprintf(stderr, "lookup [OPTION]... PATH OFFSET...\n");
		return 2;
	}
	symbols = op_symbols_new(&config);
	if (!symbols) {
		perror("lookup");
		return 2;
	}
	key.path = key.name = argv[optind++];
	if (quick) {
		op_symbols_state(symbols, &key);
		usleep(500000); /* it has begun */
		op_symbols_free(symbols);
		return 0;
	}
	if (list) {
		status = states(key.path);
	} else {
		op_symbols_state(symbols, &key);
		op_symbols_wait(symbols);
	}
	if (run && system(run))
		return 2;
	if (state)
		puts(state_name(op_symbols_state(symbols, &key)));
	for (; optind < argc; optind++) {
		if (strcmp(argv[optind], "-")) {
			look_up(argv[optind]);
			continue;
		}
		while (fgets(line, sizeof(line), stdin))
			look_up(line);
	}
	if (moved) {
		key.start = strtoull(moved, NULL, 0);
		op_symbols_state(symbols, &key);
		op_symbols_wait(symbols);
		look_up(argv[argc - 1]);
	}
	if (totals)
		print_totals();
	op_symbols_free(symbols);
	return status;
}
