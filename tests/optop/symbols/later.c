// SPDX-License-Identifier: GPL-2.0-only
/*
 * A name in anonymous memory that comes while somebody looks:
 *
 *     later TMP ADDRESS COMMAND
 *
 * Asks for the address, runs the command, and asks again until there is a name,
 * for at most ten seconds, but only while the state says that there are names,
 * as a view may do. Prints both answers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "symbols.h"

int main(int argc, char **argv)
{
	struct op_symbols_config config = { 0 };
	struct op_image_key key = { .path = "anon", .name = "anon" };
	struct op_symbols *symbols;
	struct op_symbol symbol;
	uint64_t address;
	bool found;

	if (argc != 4)
		return 2;
	config.tmp = argv[1];
	address = strtoull(argv[2], NULL, 0);
	symbols = op_symbols_new(&config);
	if (!symbols)
		return 2;
	op_symbols_state(symbols, &key);
	op_symbols_wait(symbols);
	found = op_symbols_find(symbols, &key, address, &symbol);
	puts(found ? symbol.name : "-");
	if (system(argv[3]))
		return 2;
	for (int i = 0; i < 100; i++) {
		found = op_symbols_state(symbols, &key) == OP_SYMBOLS_LOADED &&
			op_symbols_find(symbols, &key, address, &symbol);
		if (found)
			break;
		usleep(100000);
	}
	puts(found ? symbol.name : "-");
	op_symbols_free(symbols);
	return 0;
}
