// SPDX-License-Identifier: GPL-2.0-only
/*
 * optop's names of a program or library: elffile.c, elfsymbols.c, minidebug.c,
 * plt.c and names.c, with the demangler, over ELF files that anybody made.
 *
 * Whatever the file says: an offset that has a name is within it, and nothing
 * takes more memory or time than the file is worth.
 *
 * Input: the file.
 */
#include "fuzz.h"

#include "elffile.h"
#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Debug files are looked for below a root that has none. */
	struct op_symbols_config config = { .root = fuzz_folder_path() };
	struct op_names *names = op_names_new(size & 1);
	enum op_symbols_state state;
	struct op_symbol symbol;
	unsigned int i;

	MUST(op_elf_init() && names);
	state = op_user_names(names, fuzz_file(data, size), "/bin/none",
			      &config);
	MUST(state == OP_SYMBOLS_LOADED || state == OP_SYMBOLS_NONE ||
	     state == OP_SYMBOLS_BROKEN);
	MUST(op_names_finish(names));
	if (state == OP_SYMBOLS_LOADED)
		MUST(op_names_count(names));
	for (i = 0; i < 1024; i++) {
		uint64_t at = i < 1000 ? i * 16 : 1ull << (i - 960);

		if (!op_names_find(names, at, &symbol))
			continue;
		MUST(symbol.name);
		MUST(symbol.start <= at);
		MUST(!symbol.size || at - symbol.start < symbol.size);
	}
	op_names_free(names);
	return 0;
}
