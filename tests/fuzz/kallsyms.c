// SPDX-License-Identifier: GPL-2.0-only
/*
 * tools/optop/kallsyms.c: a table of the kernel's symbols.
 *
 * What is found at an address begins there or before it, ends behind it, and is
 * one of the table's own texts.
 *
 * Input: the text.
 */
#include "fuzz.h"

#include "kallsyms.h"
#include "text.h"

static void look(const struct op_kallsyms *table, const char *module,
		 uint64_t start, uint64_t end)
{
	struct op_names *names = op_names_new(true);
	struct op_symbol symbol;
	size_t found;
	unsigned int i;

	MUST(names);
	found = op_kallsyms_names(table, module, start, end, names);
	MUST(op_names_finish(names));
	MUST(op_names_count(names) <= found);
	for (i = 0; i < 64; i++) {
		uint64_t at = i < 32 ? i * 0x40 : 1ull << i;

		if (!op_names_find(names, at, &symbol))
			continue;
		MUST(symbol.name && *symbol.name);
		MUST(symbol.start <= at);
		MUST(!symbol.size || at - symbol.start < symbol.size);
	}
	op_names_free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_kallsyms *table;
	FILE *file;
	char *text;

	if (!size)
		return 0;
	text = fuzz_copy(data, size);
	file = fmemopen(text, size, "r");
	table = op_kallsyms_read(file);
	if (table) {
		uint64_t stext = op_kallsyms_stext(table);

		if (op_kallsyms_hidden(table))
			MUST(!stext);
		look(table, "", stext, UINT64_MAX);
		look(table, "", 0, UINT64_MAX);
		look(table, "ext4", op_kallsyms_module(table, "ext4", 0),
		     UINT64_MAX);
	}
	op_kallsyms_free(table);
	fclose(file);
	free(text);
	return 0;
}
