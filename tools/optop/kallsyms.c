// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of /proc/kallsyms, or of a System.map: ADDRESS TYPE NAME [MODULE].
 *
 * It says where symbols begin and not where they end, so each of them ends
 * where the next one of the kernel, or of the same module, begins; a gap can't
 * be seen.  The last one of a module is taken to end with its page.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"
#include "textpool.h"

#define OP_PAGE_SIZE 4096

/**
 * struct op_ksym - a line
 * @address: where it begins
 * @name: where its name is in the text
 * @module: where its module's name is; 0: the kernel itself
 * @type: its letter
 */
struct op_ksym {
	uint64_t address;
	uint32_t name;
	uint32_t module;
	char type;
};

/**
 * struct op_kallsyms - the table
 * @symbols: by module, then by address
 * @texts: all names; begins with an empty one
 */
struct op_kallsyms {
	struct op_ksym *symbols;
	size_t count;
	size_t room;
	struct op_textpool texts;
	uint64_t stext;
	bool hidden;
};

/* Where the text went; 0, which is the empty text, if there is no memory. */
static uint32_t op_kallsyms_text(struct op_kallsyms *table, const char *text,
				 size_t length)
{
	uint32_t at = op_textpool_add(&table->texts, text, length);

	return at == OP_TEXTPOOL_NONE ? 0 : at;
}

static bool op_kallsyms_add(struct op_kallsyms *table,
			    const struct op_ksym *symbol)
{
	if (table->count == table->room) {
		size_t room = table->room ? 2 * table->room : 4096;
		struct op_ksym *grown =
			realloc(table->symbols, room * sizeof(*grown));

		if (!grown)
			return false;
		table->symbols = grown;
		table->room = room;
	}
	table->symbols[table->count++] = *symbol;
	return true;
}

/* Modules come one after the other, so the last one's name mostly fits. */
static uint32_t op_kallsyms_module_text(struct op_kallsyms *table,
					const char *text, size_t length)
{
	if (table->count) {
		uint32_t last = table->symbols[table->count - 1].module;

		if (last && !strncmp(table->texts.text + last, text, length) &&
		    !table->texts.text[last + length])
			return last;
	}
	return op_kallsyms_text(table, text, length);
}

/* False: the line is none of such a table. */
static bool op_kallsyms_line(struct op_kallsyms *table, const char *line)
{
	struct op_ksym symbol = { 0 };
	size_t length;
	char *end;

	errno = 0;
	symbol.address = strtoull(line, &end, 16);
	if (errno || end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	symbol.type = end[1];
	line = end + 3;
	length = strcspn(line, " \t\n");
	if (!length)
		return false;
	symbol.name = op_kallsyms_text(table, line, length);
	line += length;
	line += strspn(line, " \t");
	if (*line == '[') {
		length = strcspn(++line, "]\n");
		symbol.module = op_kallsyms_module_text(table, line, length);
		if (!symbol.module)
			return false;
	}
	return symbol.name && op_kallsyms_add(table, &symbol);
}

static int op_ksym_compare(const void *one, const void *other, void *text)
{
	const struct op_ksym *a = one, *b = other;
	int order = a->module == b->module ? 0 :
					     strcmp((char *)text + a->module,
						    (char *)text + b->module);

	if (order)
		return order;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return 0;
}

/**
 * op_kallsyms_read - read a table
 * @file: open on the text
 *
 * Return: the table, to be freed; NULL if it is no such text (errno: EINVAL) or
 *	there is no memory.
 */
struct op_kallsyms *op_kallsyms_read(FILE *file)
{
	struct op_kallsyms *table = calloc(1, sizeof(*table));
	char *line = NULL;
	size_t room = 0;

	if (!table)
		return NULL;
	op_kallsyms_text(table, "", 0);
	if (!table->texts.text)
		goto err_free;
	while (getline(&line, &room, file) > 0) {
		if (!op_kallsyms_line(table, line)) {
			errno = EINVAL;
			goto err_line;
		}
	}
	free(line);
	table->hidden = true;
	for (size_t i = 0; i < table->count; i++) {
		const struct op_ksym *symbol = &table->symbols[i];

		if (symbol->address)
			table->hidden = false;
		if (!symbol->module &&
		    !strcmp(table->texts.text + symbol->name, "_stext"))
			table->stext = symbol->address;
	}
	if (table->count)
		qsort_r(table->symbols, table->count, sizeof(*table->symbols),
			op_ksym_compare, table->texts.text);
	return table;

err_line:
	free(line);
err_free:
	op_kallsyms_free(table);
	return NULL;
}

/**
 * op_kallsyms_free - and its texts
 * @table: the table, may be NULL
 */
void op_kallsyms_free(struct op_kallsyms *table)
{
	if (!table)
		return;
	free(table->symbols);
	free(table->texts.text);
	free(table);
}

/**
 * op_kallsyms_hidden - whether there is nothing to learn from it
 * @table: the table
 *
 * Return: true if it is empty or, as for whoever lacks CAP_SYSLOG, all of its
 *	addresses are 0.
 */
bool op_kallsyms_hidden(const struct op_kallsyms *table)
{
	return table->hidden;
}

/**
 * op_kallsyms_stext - where the kernel's text begins
 * @table: the table
 *
 * Return: address of _stext, 0 if it is not there.
 */
uint64_t op_kallsyms_stext(const struct op_kallsyms *table)
{
	return table->stext;
}

static bool op_ksym_is_text(const struct op_ksym *symbol)
{
	return strchr("tTwW", symbol->type);
}

/* The part of a module: [first, end) in the table. */
static size_t op_kallsyms_part(const struct op_kallsyms *table,
			       const char *module, size_t *end)
{
	size_t low = 0, high = table->count, first;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(table->texts.text + table->symbols[middle].module,
			   module) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	first = low;
	while (low < table->count &&
	       !strcmp(table->texts.text + table->symbols[low].module, module))
		low++;
	*end = low;
	return first;
}

/**
 * op_kallsyms_module - where a module's first function is
 * @table: the table
 * @module: its name, as the kernel writes it; "" for the kernel itself
 * @from: the first address that counts
 *
 * Return: that address, 0 if there is none.
 */
uint64_t op_kallsyms_module(const struct op_kallsyms *table, const char *module,
			    uint64_t from)
{
	size_t end;

	for (size_t i = op_kallsyms_part(table, module, &end); i < end; i++) {
		const struct op_ksym *symbol = &table->symbols[i];

		if (symbol->address >= from && op_ksym_is_text(symbol))
			return symbol->address;
	}
	return 0;
}

/**
 * op_kallsyms_names - the functions of the kernel or of a module
 * @table: the table
 * @module: name of the module, "" for the kernel itself
 * @start: the address that has offset 0
 * @end: the first address that does not count any more
 * @names: where they go
 *
 * Return: how many.
 */
size_t op_kallsyms_names(const struct op_kallsyms *table, const char *module,
			 uint64_t start, uint64_t end, struct op_names *names)
{
	uint64_t next = 0, address = 0, size = 0;
	size_t last, first, found = 0;

	first = op_kallsyms_part(table, module, &last);
	/* From the end, since the next one tells where a symbol ends. */
	for (size_t i = last; i-- > first;) {
		const struct op_ksym *symbol = &table->symbols[i];
		const char *name = table->texts.text + symbol->name;

		if (i + 1 == last || symbol->address != address) {
			next = address;
			address = symbol->address;
			size = i + 1 == last ?
				       OP_PAGE_SIZE - address % OP_PAGE_SIZE :
				       next - address;
		}
		if (address < start || address >= end ||
		    !op_ksym_is_text(symbol))
			continue;
		op_names_add(names, name, strlen(name), address - start, size,
			     symbol->type,
			     symbol->type == 'T' ? OP_NAME_GLOBAL :
			     symbol->type == 't' ? OP_NAME_LOCAL :
						   OP_NAME_WEAK);
		found++;
	}
	return found;
}
