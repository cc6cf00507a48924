// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of one image: filled once, then asked by offset.
 *
 * All names stand one after the other in one block, and an entry takes 24
 * bytes, for a big program has a million of them.  They are demangled when they
 * are asked for, since of that million a profile shows some hundred.
 *
 * What is found at an offset:
 *  - the symbol that contains it; where several do, the one that starts last,
 *    so that a function inside another's range has its own samples;
 *  - of those that start at one place, the function before the label, the
 *    global before the weak and the local, the one without a version, the
 *    shorter, and then the first in byte order, so that the answer does not
 *    depend on the order in the file; a longer one goes on where it ends;
 *  - a symbol of size 0 at its very address, if no other contains it;
 *  - otherwise none: what is between two symbols belongs to neither.
 *
 * Not thread-safe: asking demangles.  The caller has a lock.
 */
#define _GNU_SOURCE 1
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define OP_NAME_MAX 4096
#define OP_CHUNK_SIZE 65536
#define OP_NO_PARENT UINT32_MAX

/**
 * struct op_name - an entry
 * @start: the first offset
 * @size: bytes, 0 if not known
 * @name: where the text is; if @shown, where the text in the chunks is
 * @parent: the nearest earlier entry that ends behind this one
 * @type: letter as of nm(1)
 * @rank: enum op_name_rank
 * @shown: it has been asked for, and @name is what was made of it
 */
struct op_name {
	uint64_t start;
	uint32_t size;
	uint32_t name;
	uint32_t parent;
	char type;
	uint8_t rank;
	bool shown;
};

/**
 * struct op_names - the names of an image
 * @names: the entries, ascending once finished
 * @text: the names as they are in the file, each with its NUL
 * @chunks: the names as they are shown; they never move
 * @failed: no memory
 */
struct op_names {
	struct op_name *names;
	size_t count;
	size_t room;
	char *text;
	size_t text_size;
	size_t text_room;
	char **chunks;
	size_t chunk_count;
	size_t chunk_used;
	bool raw;
	bool failed;
};

/**
 * op_names_new - a table without names
 * @raw: do not demangle
 *
 * Return: NULL if there is no memory.
 */
struct op_names *op_names_new(bool raw)
{
	struct op_names *names = calloc(1, sizeof(*names));

	if (names)
		names->raw = raw;
	return names;
}

/**
 * op_names_free - with all texts that it gave
 * @names: the table, may be NULL
 */
void op_names_free(struct op_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->chunk_count; i++)
		free(names->chunks[i]);
	free(names->chunks);
	free(names->names);
	free(names->text);
	free(names);
}

static bool op_names_grow(void **block, size_t *room, size_t wanted,
			  size_t size)
{
	size_t next = *room ? *room : 64;
	void *grown;

	if (wanted <= *room)
		return true;
	while (next < wanted)
		next += next / 2;
	grown = realloc(*block, next * size);
	if (!grown)
		return false;
	*block = grown;
	*room = next;
	return true;
}

/* A name comes from a file that anybody may have written. */
static void op_names_copy(char *to, const char *from, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = from[i];

		to[i] = c < ' ' || c == 0x7f ? '?' : c;
	}
	to[length] = '\0';
}

/**
 * op_names_add - one more; lack of memory shows at the end
 * @names: a table that is not finished
 * @name: its text, of which control characters become question marks and what
 *	is beyond 4095 bytes is cut off
 * @length: its length
 * @start: the first offset
 * @size: in bytes; what is beyond 4 GiB is cut off
 * @type: letter as of nm(1)
 * @rank: what it is worth beside others
 */
void op_names_add(struct op_names *names, const char *name, size_t length,
		  uint64_t start, uint64_t size, char type,
		  enum op_name_rank rank)
{
	struct op_name *entry;

	if (length >= OP_NAME_MAX)
		length = OP_NAME_MAX - 1;
	if (names->text_size + length + 1 > UINT32_MAX ||
	    names->count >= OP_NO_PARENT ||
	    !op_names_grow((void **)&names->names, &names->room,
			   names->count + 1, sizeof(*names->names)) ||
	    !op_names_grow((void **)&names->text, &names->text_room,
			   names->text_size + length + 1, 1)) {
		names->failed = true;
		return;
	}
	if (size > UINT64_MAX - start)
		size = UINT64_MAX - start;
	entry = &names->names[names->count++];
	entry->start = start;
	entry->size = size > UINT32_MAX ? UINT32_MAX : size;
	entry->name = names->text_size;
	entry->parent = OP_NO_PARENT;
	entry->type = type;
	entry->rank = rank;
	entry->shown = false;
	op_names_copy(names->text + names->text_size, name, length);
	names->text_size += length + 1;
}

static uint64_t op_name_end(const struct op_name *name)
{
	return name->start + name->size;
}

/* By start; at the same one, the one to be shown first. */
static int op_name_compare(const void *one, const void *other, void *text)
{
	const struct op_name *a = one, *b = other;
	const char *x = (char *)text + a->name, *y = (char *)text + b->name;
	size_t length_x, length_y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (!strchr(x, '@') != !strchr(y, '@'))
		return strchr(x, '@') ? 1 : -1;
	length_x = strlen(x);
	length_y = strlen(y);
	if (length_x != length_y)
		return length_x < length_y ? -1 : 1;
	return strcmp(x, y);
}

/* Of those that start at one place, only what shows anywhere. */
static void op_names_drop_aliases(struct op_names *names)
{
	size_t kept = 0, first, next;

	for (first = 0; first < names->count; first = next) {
		size_t begin = kept;
		uint64_t start = names->names[first].start;

		for (next = first;
		     next < names->count && names->names[next].start == start;
		     next++) {
			if (next > first && names->names[next].size <=
						    names->names[kept - 1].size)
				continue;
			names->names[kept++] = names->names[next];
		}
		/* The longest first: the last that contains it is shown. */
		for (size_t i = begin, j = kept - 1; i < j; i++, j--) {
			struct op_name swap = names->names[i];

			names->names[i] = names->names[j];
			names->names[j] = swap;
		}
	}
	names->count = kept;
}

/* Who is to be asked where an entry does not reach; a label has nothing. */
static void op_names_set_parents(struct op_names *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->count; i++) {
		struct op_name name = names->names[i];
		uint32_t parent = kept ? kept - 1 : OP_NO_PARENT;

		while (parent != OP_NO_PARENT &&
		       op_name_end(&names->names[parent]) <= op_name_end(&name))
			parent = names->names[parent].parent;
		if (!name.size && parent != OP_NO_PARENT)
			continue;
		name.parent = parent;
		names->names[kept++] = name;
	}
	names->count = kept;
}

/* Without the texts that nothing points to any more. */
static bool op_names_pack(struct op_names *names)
{
	size_t size = 0;
	char *text;

	for (size_t i = 0; i < names->count; i++)
		size += strlen(names->text + names->names[i].name) + 1;
	text = malloc(size + 1);
	if (!text)
		return false;
	size = 0;
	for (size_t i = 0; i < names->count; i++) {
		size_t length = strlen(names->text + names->names[i].name) + 1;

		memcpy(text + size, names->text + names->names[i].name, length);
		names->names[i].name = size;
		size += length;
	}
	free(names->text);
	names->text = text;
	names->text_size = names->text_room = size;
	return true;
}

/**
 * op_names_finish - all are there: from now on, they can be found
 * @names: the table
 *
 * Return: false if there was no memory; then there are no names in it.
 */
bool op_names_finish(struct op_names *names)
{
	struct op_name *fitting;

	if (names->failed)
		goto err_empty;
	if (!names->count)
		return true;
	qsort_r(names->names, names->count, sizeof(*names->names),
		op_name_compare, names->text);
	op_names_drop_aliases(names);
	op_names_set_parents(names);
	if (!op_names_pack(names))
		goto err_empty;
	fitting = realloc(names->names, names->count * sizeof(*fitting));
	if (fitting) {
		names->names = fitting;
		names->room = names->count;
	}
	return true;

err_empty:
	names->count = 0;
	return false;
}

/**
 * op_names_count - how many there are
 * @names: the table
 *
 * Return: that, without those that never show.
 */
size_t op_names_count(const struct op_names *names)
{
	return names->count;
}

/* Room for a text that stays; NULL if there is no memory. */
static char *op_names_chunk(struct op_names *names, size_t size, uint32_t *at)
{
	char **chunks;

	if (!names->chunk_count || names->chunk_used + size > OP_CHUNK_SIZE) {
		chunks = realloc(names->chunks,
				 (names->chunk_count + 1) * sizeof(*chunks));
		if (!chunks)
			return NULL;
		names->chunks = chunks;
		chunks[names->chunk_count] = malloc(OP_CHUNK_SIZE);
		if (!chunks[names->chunk_count] ||
		    names->chunk_count == UINT32_MAX / OP_CHUNK_SIZE) {
			free(chunks[names->chunk_count]);
			return NULL;
		}
		names->chunk_count++;
		names->chunk_used = 0;
	}
	*at = (names->chunk_count - 1) * OP_CHUNK_SIZE + names->chunk_used;
	names->chunk_used += size;
	return names->chunks[names->chunk_count - 1] + *at % OP_CHUNK_SIZE;
}

/* What is given out is a copy, since it outlives the table: see retire. */
static const char *op_name_text(struct op_names *names, struct op_name *name)
{
	char demangled[OP_NAME_MAX], *shown;
	const char *text;
	size_t length = 0;
	uint32_t at;

	if (name->shown)
		return names->chunks[name->name / OP_CHUNK_SIZE] +
		       name->name % OP_CHUNK_SIZE;
	text = names->text + name->name;
	/* Only a name that begins so can be a mangled one. */
	if (!names->raw && *text == '_')
		length = op_demangle(text, demangled, sizeof(demangled));
	if (length)
		text = demangled;
	else
		length = strlen(text);
	shown = op_names_chunk(names, length + 1, &at);
	if (!shown)
		return "?";
	op_names_copy(shown, text, length);
	name->name = at;
	name->shown = true;
	return shown;
}

/**
 * op_names_retire - nothing is looked for in it any more
 * @names: the table, of which only the texts that it gave are left
 *
 * Return: false if there are none, and it can be freed.
 */
bool op_names_retire(struct op_names *names)
{
	free(names->names);
	free(names->text);
	names->names = NULL;
	names->text = NULL;
	names->count = names->room = names->text_size = names->text_room = 0;
	return names->chunk_count;
}

/**
 * op_names_find - the name at an offset
 * @names: the table, finished
 * @offset: in the image
 * @symbol: filled in if there is one; its name lives until
 *	the table is freed
 *
 * Return: whether there is one.
 */
bool op_names_find(struct op_names *names, uint64_t offset,
		   struct op_symbol *symbol)
{
	size_t low = 0, high = names->count;
	struct op_name *name;
	uint32_t i;

	/* The last that starts at the offset or before it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->names[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	for (i = low - 1; i != OP_NO_PARENT; i = names->names[i].parent) {
		name = &names->names[i];
		if (offset < op_name_end(name) ||
		    (!name->size && offset == name->start))
			break;
	}
	if (i == OP_NO_PARENT)
		return false;
	symbol->name = op_name_text(names, name);
	symbol->start = name->start;
	/* Cut off, or never known. */
	symbol->size = name->size == UINT32_MAX ? 0 : name->size;
	symbol->type = name->type;
	return true;
}
