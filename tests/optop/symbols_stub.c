// SPDX-License-Identifier: GPL-2.0-only
/*
 * A symboliser whose names come from a text, so that the tests of the views
 * have the same ones everywhere.  It takes the place of tools/optop/symbols.c.
 *
 * The file that OPTOP_STUB names has lines of these kinds; IMAGE is a folder's
 * name, numbers are hexadecimal:
 *
 *	IMAGE state STATE			one of the texts below
 *	IMAGE symbol START SIZE TYPE NAME	NAME up to the line's end
 *	IMAGE line OFFSET TEXT
 *	IMAGE instruction OFFSET TEXT
 *
 * \ooo in a NAME is a byte, so that a name can have any.  An image that the
 * file does not have is "missing".  With OPTOP_STUB_DELAY, milliseconds, no
 * image is loaded before these are over.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "symbols.h"
#include "text.h"

struct entry {
	char image[256];
	char what[16];
	uint64_t at, size;
	char type;
	char text[8192];
	struct entry *next;
};

struct op_symbols {
	struct entry *entries;
	pthread_t thread;
	int fd;
	long delay;
	volatile bool ready;
	struct op_symbols_totals totals;
};

static void *load(void *arg)
{
	struct op_symbols *symbols = arg;
	struct timespec wait = { symbols->delay / 1000,
				 symbols->delay % 1000 * 1000000 };
	uint64_t one = 1;

	nanosleep(&wait, NULL);
	__atomic_store_n(&symbols->ready, true, __ATOMIC_RELEASE);
	if (write(symbols->fd, &one, sizeof(one)) < 0)
		perror("optop: eventfd");
	return NULL;
}

static void read_line(struct op_symbols *symbols, const char *line)
{
	struct entry *entry = calloc(1, sizeof(*entry));
	int n = 0;

	if (!entry ||
	    sscanf(line, "%255s %15s %n", entry->image, entry->what, &n) != 2) {
		free(entry);
		return;
	}
	line += n;
	n = 0;
	if (!strcmp(entry->what, "symbol"))
		sscanf(line, "%lx %lx %c %n", &entry->at, &entry->size,
		       &entry->type, &n);
	else if (strcmp(entry->what, "state") != 0)
		sscanf(line, "%lx %n", &entry->at, &n);
	snprintf(entry->text, sizeof(entry->text), "%s", line + n);
	entry->text[strcspn(entry->text, "\n")] = '\0';
	op_text_unescape(entry->text);
	entry->next = symbols->entries;
	symbols->entries = entry;
	symbols->totals.symbols += !strcmp(entry->what, "symbol");
}

struct op_symbols *op_symbols_new(const struct op_symbols_config *config)
{
	struct op_symbols *symbols = calloc(1, sizeof(*symbols));
	const char *name = getenv("OPTOP_STUB");
	const char *delay = getenv("OPTOP_STUB_DELAY");
	static char line[16384];
	FILE *file;

	(void)config;
	if (!symbols)
		return NULL;
	file = name ? fopen(name, "r") : NULL;
	while (file && fgets(line, sizeof(line), file))
		if (line[0] != '#')
			read_line(symbols, line);
	if (file)
		fclose(file);
	symbols->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	symbols->delay = delay ? atol(delay) : 0;
	symbols->ready = !symbols->delay;
	if (symbols->delay &&
	    pthread_create(&symbols->thread, NULL, load, symbols))
		abort();
	return symbols;
}

void op_symbols_free(struct op_symbols *symbols)
{
	if (!symbols)
		return;
	op_symbols_wait(symbols);
	while (symbols->entries) {
		struct entry *next = symbols->entries->next;

		free(symbols->entries);
		symbols->entries = next;
	}
	close(symbols->fd);
	free(symbols);
}

int op_symbols_fd(struct op_symbols *symbols)
{
	return symbols->fd;
}

enum op_symbols_state op_symbols_state(struct op_symbols *symbols,
				       const struct op_image_key *image)
{
	enum op_symbols_state state = OP_SYMBOLS_MISSING, i;
	struct entry *entry;

	if (!__atomic_load_n(&symbols->ready, __ATOMIC_ACQUIRE))
		return OP_SYMBOLS_WAITING;
	for (entry = symbols->entries; entry; entry = entry->next) {
		if (strcmp(entry->image, image->name) != 0)
			continue;
		if (!strcmp(entry->what, "symbol"))
			state = OP_SYMBOLS_LOADED;
		if (strcmp(entry->what, "state") != 0)
			continue;
		for (i = OP_SYMBOLS_WAITING; i <= OP_SYMBOLS_BROKEN; i++)
			if (!strcmp(entry->text, op_symbols_state_text(i)))
				return i;
	}
	return state;
}

void op_symbols_wait(struct op_symbols *symbols)
{
	if (symbols->delay)
		pthread_join(symbols->thread, NULL);
	symbols->delay = 0;
}

bool op_symbols_find(struct op_symbols *symbols,
		     const struct op_image_key *image, uint64_t offset,
		     struct op_symbol *symbol)
{
	struct entry *entry;

	for (entry = symbols->entries; entry; entry = entry->next) {
		if (strcmp(entry->what, "symbol") != 0 ||
		    strcmp(entry->image, image->name) != 0 ||
		    offset < entry->at || offset - entry->at >= entry->size)
			continue;
		symbol->name = entry->text;
		symbol->start = entry->at;
		symbol->size = entry->size;
		symbol->type = entry->type;
		return true;
	}
	return false;
}

static bool about(struct op_symbols *symbols, const char *what,
		  const struct op_image_key *image, uint64_t offset, char *text,
		  size_t size)
{
	struct entry *entry;

	text[0] = '\0';
	for (entry = symbols->entries; entry; entry = entry->next) {
		if (strcmp(entry->what, what) != 0 || entry->at != offset ||
		    strcmp(entry->image, image->name) != 0)
			continue;
		snprintf(text, size, "%s", entry->text);
		return true;
	}
	return false;
}

bool op_symbols_line(struct op_symbols *symbols,
		     const struct op_image_key *image, uint64_t offset,
		     char *text, size_t size)
{
	return about(symbols, "line", image, offset, text, size);
}

bool op_symbols_instruction(struct op_symbols *symbols,
			    const struct op_image_key *image, uint64_t offset,
			    char *text, size_t size)
{
	return about(symbols, "instruction", image, offset, text, size);
}

void op_symbols_totals(struct op_symbols *symbols,
		       struct op_symbols_totals *totals)
{
	*totals = symbols->totals;
}

const char *op_symbols_state_text(enum op_symbols_state state)
{
	static const char *const texts[] = { "waiting", "loaded",  "none",
					     "missing", "changed", "broken" };

	return texts[state];
}
