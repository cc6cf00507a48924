// SPDX-License-Identifier: GPL-2.0-only
/*
 * One image's histogram: the file hist, taken in line by line.
 *
 * The file may be anything.  What is no line of a histogram is counted as a
 * fault and left out; nothing is taken from the file's size, and there is a
 * bound to what it may hold.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "tree.h"

/* A path of 4096 bytes that are all escaped goes in. */
#define LINE_SIZE 32768

struct reader {
	int fd;
	char buffer[65536];
	size_t at, end;
	char line[LINE_SIZE];
};

struct parse {
	struct op_tree *tree;
	struct op_hist *hist;
	unsigned int *faults;
	char **fault;
	unsigned long line;
};

static void fault(struct parse *p, const char *what)
{
	char text[128];

	if (!(*p->faults)++) {
		snprintf(text, sizeof(text), "hist, line %lu: %s", p->line,
			 what);
		free(*p->fault);
		*p->fault = op_strdup(text);
	}
}

/*
 * The next line, without its newline. 1: there is one; 0: the end; 2: one that
 * is too long or holds a NUL and was passed over.
 */
static int next_line(struct reader *r)
{
	size_t used = 0;
	bool bad = false;

	for (;;) {
		size_t left = r->end - r->at, n;
		char *newline;

		if (!left) {
			ssize_t got = read(r->fd, r->buffer, sizeof(r->buffer));

			if (got < 0 && errno == EINTR)
				continue;
			if (got < 0)
				return -errno;
			if (!got)
				break;
			r->at = 0;
			r->end = left = (size_t)got;
		}
		newline = memchr(r->buffer + r->at, '\n', left);
		n = newline ? (size_t)(newline - r->buffer) - r->at : left;
		if (n >= sizeof(r->line) - used)
			bad = true;
		if (!bad) {
			memcpy(r->line + used, r->buffer + r->at, n);
			used += n;
		}
		r->at += n + !!newline;
		if (newline)
			goto whole;
	}
	if (!used && !bad)
		return 0;
whole:
	r->line[bad ? 0 : used] = '\0';
	return bad || strlen(r->line) != used ? 2 : 1;
}

/* Which of the tree's events a column's text is; the same text may come twice. */
static int event_of(struct parse *p, const char *text)
{
	struct op_tree *tree = p->tree;
	unsigned int i, column;

	for (i = 0; i < tree->nr_events; i++) {
		if (strcmp(tree->events[i], text))
			continue;
		for (column = 0; column < p->hist->columns; column++)
			if (p->hist->event[column] == i)
				break;
		if (column == p->hist->columns)
			return (int)i;
	}
	if (tree->nr_events == OP_MAX_EVENTS)
		return -1;
	snprintf(tree->events[i], OP_EVENT_SIZE, "%s", text);
	tree->nr_events++;
	return (int)i;
}

static void take_events(struct parse *p, char *text)
{
	char *save, *word;

	if (p->hist->columns) {
		fault(p, "events for a second time");
		return;
	}
	for (word = strtok_r(text, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		int event;

		if (p->hist->columns == OP_MAX_EVENTS ||
		    strlen(word) >= OP_EVENT_SIZE ||
		    (event = event_of(p, word)) < 0) {
			fault(p, "too many events, or one that is too long");
			return;
		}
		p->hist->event[p->hist->columns++] = (unsigned char)event;
	}
}

static void take_header(struct parse *p, char *line)
{
	const char *end;

	if (!strncmp(line, "# events:", 9))
		take_events(p, line + 9);
	else if (!strncmp(line, "# dcookie: ", 11) &&
		 !op_parse_number(line + 11, &p->hist->dcookie, &end))
		fault(p, "no dcookie");
}

static void append(struct op_hist *hist, uint64_t offset,
		   const uint64_t *counts)
{
	if (hist->nr == hist->room) {
		hist->room = hist->room ? hist->room * 2 : 16;
		hist->offsets = op_alloc(hist->offsets, hist->room,
					 sizeof(*hist->offsets));
		hist->counts = op_alloc(hist->counts,
					hist->room * hist->columns,
					sizeof(*hist->counts));
	}
	hist->offsets[hist->nr] = offset;
	memcpy(hist->counts + hist->nr * hist->columns, counts,
	       hist->columns * sizeof(*counts));
	hist->nr++;
}

static void take_bin(struct parse *p, const char *line)
{
	struct op_hist *hist = p->hist;
	uint64_t offset, counts[OP_MAX_EVENTS], sum = hist->sum;
	unsigned int i;

	if (!hist->columns) {
		fault(p, "counts without events");
		return;
	}
	if (!op_parse_number(line, &offset, &line)) {
		fault(p, "no offset");
		return;
	}
	for (i = 0; i < hist->columns; i++) {
		if (*line != ' ' ||
		    !op_parse_number(line + 1, &counts[i], &line) ||
		    __builtin_add_overflow(sum, counts[i], &sum)) {
			fault(p, "no count");
			return;
		}
	}
	if (*line) {
		fault(p, "more than an offset and its counts");
		return;
	}
	if (hist->nr && offset <= hist->offsets[hist->nr - 1]) {
		fault(p, "an offset that does not ascend");
		return;
	}
	if (p->tree->nr_bins + hist->nr >= OP_MAX_BINS) {
		fault(p, "too many addresses");
		return;
	}
	append(hist, offset, counts);
	hist->sum = sum;
}

/**
 * op_hist_read - read a histogram
 * @dir: folder that @path begins at
 * @path: the file
 * @tree: whose events get those that are new
 * @hist: where to; empty before
 * @faults: counts what was wrong
 * @fault_text: the first of these
 *
 * Return: 0, or a negative errno; then @hist is empty.
 */
int op_hist_read(int dir, const char *path, struct op_tree *tree,
		 struct op_hist *hist, unsigned int *faults, char **fault_text)
{
	static struct reader reader;
	struct parse p = { .tree = tree,
			   .hist = hist,
			   .faults = faults,
			   .fault = fault_text };
	int got;

	memset(hist, 0, sizeof(*hist));
	reader.fd = op_open_file(dir, path);
	reader.at = reader.end = 0;
	if (reader.fd < 0)
		return reader.fd;
	while ((got = next_line(&reader)) > 0) {
		p.line++;
		if (got == 2)
			fault(&p, "too long, or not text");
		else if (reader.line[0] == '#')
			take_header(&p, reader.line);
		else
			take_bin(&p, reader.line);
	}
	close(reader.fd);
	if (got < 0)
		op_hist_free(hist);
	return got;
}

/**
 * op_hist_free - give back what a histogram holds
 * @hist: the histogram; empty afterwards
 */
void op_hist_free(struct op_hist *hist)
{
	free(hist->offsets);
	free(hist->counts);
	free(hist->index);
	memset(hist, 0, sizeof(*hist));
}

/*
 * Where the index has the bin of an offset, or would have it: the place holds
 * the bin's number plus 1, or 0.  Linear probing; at most half of it is used.
 */
static uint32_t *place_of(const struct op_hist *hist, uint64_t offset)
{
	size_t mask = ((size_t)1 << hist->index_bits) - 1, at;

	/* Fibonacci hashing: 2^64 divided by the golden ratio. */
	at = offset * 0x9e3779b97f4a7c15u >> (64 - hist->index_bits);
	while (hist->index[at] && hist->offsets[hist->index[at] - 1] != offset)
		at = (at + 1) & mask;
	return &hist->index[at];
}

static void make_index(struct op_hist *hist)
{
	size_t size, i;

	hist->index_bits = 5;
	while ((size_t)1 << hist->index_bits < hist->nr * 4)
		hist->index_bits++;
	size = (size_t)1 << hist->index_bits;
	free(hist->index);
	hist->index = op_alloc(NULL, size, sizeof(*hist->index));
	memset(hist->index, 0, size * sizeof(*hist->index));
	for (i = 0; i < hist->nr; i++)
		*place_of(hist, hist->offsets[i]) = (uint32_t)(i + 1);
}

/**
 * op_hist_find - the bin of an offset
 * @hist: the histogram
 * @offset: the offset
 *
 * Return: its number, or %OP_NO_BIN.
 */
uint32_t op_hist_find(struct op_hist *hist, uint64_t offset)
{
	uint32_t bin;

	if (!hist->index)
		make_index(hist);
	bin = *place_of(hist, offset);
	return bin ? bin - 1 : OP_NO_BIN;
}

/**
 * op_hist_add - the bin of an offset, made if there is none
 * @hist: the histogram
 * @offset: the offset
 *
 * Return: its number.
 */
uint32_t op_hist_add(struct op_hist *hist, uint64_t offset)
{
	static const uint64_t none[OP_MAX_EVENTS];
	uint32_t bin = op_hist_find(hist, offset);

	if (bin != OP_NO_BIN)
		return bin;
	append(hist, offset, none);
	if (hist->nr * 2 > (size_t)1 << hist->index_bits)
		make_index(hist);
	else
		*place_of(hist, offset) = (uint32_t)hist->nr;
	return (uint32_t)hist->nr - 1;
}
