// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file "changes" of a mounted tree: what is new since the last look.
 *
 * With it a look costs what came meanwhile and not what there is: one read
 * brings the statistics, the images that have new samples, and those of their
 * bins that have.  An older module has no such file, and a copied tree one that
 * says nothing of later; then all is read anew, as far as it has changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "changes.h"
#include "files.h"
#include "tree.h"

/* More text than that is read as histograms, one after the other. */
#define OP_CHANGES_MAX (1u << 28)

struct op_changes {
	char *text;
	size_t room;
	uint64_t generation;
	bool all;
	char events[OP_MAX_EVENTS * OP_EVENT_SIZE];
	struct op_change_image *images;
	size_t nr_images, images_room;
	struct op_change_bin *bins;
	size_t nr_bins, bins_room;
};

/**
 * op_changes_new - nothing is known yet
 * Return: to be given to op_changes_free().
 */
struct op_changes *op_changes_new(void)
{
	struct op_changes *changes = op_alloc(NULL, 1, sizeof(*changes));

	return memset(changes, 0, sizeof(*changes));
}

/**
 * op_changes_free - give it back
 * @changes: from op_changes_new()
 */
void op_changes_free(struct op_changes *changes)
{
	free(changes->text);
	free(changes->images);
	free(changes->bins);
	free(changes);
}

/* All of the file; the answer to the generation, if there was one. */
static long fetch(struct op_changes *changes, int root)
{
	int fd = openat(root, "changes", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	size_t used = 0;
	char text[32];
	ssize_t n;
	int size;

	if (fd < 0)
		return -errno;
	size = snprintf(text, sizeof(text), "%llu",
			(unsigned long long)changes->generation);
	n = write(fd, text, (size_t)size);
	while (n > 0) {
		if (used + 65536 > changes->room) {
			changes->room = changes->room * 2 + 131072;
			changes->text =
				op_alloc(changes->text, changes->room, 1);
		}
		n = read(fd, changes->text + used, changes->room - used - 1);
		if (n > 0)
			used += (size_t)n;
		if (used > OP_CHANGES_MAX) {
			errno = EFBIG;
			n = -1;
		}
	}
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	changes->text[used] = '\0';
	return (long)used;
}

static bool take_image(struct op_changes *changes, const char *line)
{
	struct op_change_image *image;

	if (changes->nr_images == changes->images_room) {
		changes->images_room = changes->images_room * 2 + 64;
		changes->images = op_alloc(changes->images,
					   changes->images_room,
					   sizeof(*changes->images));
	}
	image = &changes->images[changes->nr_images++];
	memset(image, 0, sizeof(*image));
	image->first = changes->nr_bins;
	if (!op_parse_number(line, &image->dcookie, &line) || *line != ' ' ||
	    !op_parse_number(line + 1, &image->samples, &line))
		return false;
	image->hist = !strcmp(line, " hist");
	return image->hist || !*line;
}

static bool take_bin(struct op_changes *changes, const char *line)
{
	struct op_change_bin *bin;

	if (!changes->nr_images)
		return false;
	if (changes->nr_bins == changes->bins_room) {
		changes->bins_room = changes->bins_room * 2 + 256;
		changes->bins = op_alloc(changes->bins, changes->bins_room,
					 sizeof(*changes->bins));
	}
	bin = &changes->bins[changes->nr_bins++];
	changes->images[changes->nr_images - 1].nr++;
	return op_parse_number(line, &bin->offset, &line) && *line == ' ' &&
	       op_parse_number(line + 1, &bin->column, &line) && *line == ' ' &&
	       op_parse_number(line + 1, &bin->count, &line) && !*line;
}

static bool take_head(struct op_changes *changes, const char *line, bool *other)
{
	uint64_t since;

	if (!strncmp(line, "# generation: ", 14))
		return op_parse_number(line + 14, &changes->generation, &line);
	if (!strncmp(line, "# since: ", 9)) {
		if (!op_parse_number(line + 9, &since, &line))
			return false;
		changes->all = !since;
		return true;
	}
	if (!strncmp(line, "# events:", 9)) {
		if (strlen(line) >= sizeof(changes->events))
			return false;
		*other = strcmp(changes->events, line) != 0;
		strcpy(changes->events, line);
	}
	return true;
}

static bool take_line(struct op_tree *tree, const char *line, bool *other)
{
	struct op_changes *changes = tree->changes;

	if (line[0] == '0')
		return take_bin(changes, line);
	if (line[0] == '#')
		return take_head(changes, line, other);
	if (!strncmp(line, "image ", 6))
		return take_image(changes, line + 6);
	if (!strncmp(line, "stat ", 5))
		return op_tree_take_stat(tree, line + 5);
	/* A later module may say more. */
	return true;
}

static int by_dcookie(const void *a, const void *b)
{
	const struct op_change_image *x = a, *y = b;

	return x->dcookie < y->dcookie ? -1 : x->dcookie > y->dcookie;
}

/**
 * op_changes_read - ask what is new since the last call, for this look
 * @tree: the tree; gets its statistics
 * @root: its folder
 * @force: set if all histograms have to be read
 *
 * Return: false if that can't be told so; then nothing of the tree is changed.
 */
bool op_changes_read(struct op_tree *tree, int root, bool *force)
{
	struct op_changes *changes = tree->changes;
	bool other = false, good = true;
	char *line, *end;
	long used;

	changes->nr_images = changes->nr_bins = 0;
	changes->all = true;
	used = tree->live ? fetch(changes, root) : -ENOENT;
	if (used < 0) {
		/* What is told later is to be told from the beginning. */
		changes->generation = 0;
		return false;
	}
	op_tree_clear_stats(tree);
	for (line = changes->text; good && (end = strchr(line, '\n'));
	     line = end + 1) {
		*end = '\0';
		good = take_line(tree, line, &other);
	}
	if (!good || *line) {
		op_tree_fault(tree, "changes", "not what it should be");
		changes->generation = 0;
		changes->nr_images = 0;
		return false;
	}
	if (changes->nr_images)
		qsort(changes->images, changes->nr_images,
		      sizeof(*changes->images), by_dcookie);
	*force = other || changes->all;
	return true;
}

/**
 * op_changes_of - what is new of an image
 * @changes: as of op_changes_read()
 * @dcookie: the image
 * Return: NULL if nothing is.
 */
struct op_change_image *op_changes_of(struct op_changes *changes,
				      uint64_t dcookie)
{
	struct op_change_image key = { .dcookie = dcookie };

	return changes->nr_images ?
		       bsearch(&key, changes->images, changes->nr_images,
			       sizeof(key), by_dcookie) :
		       NULL;
}

/**
 * op_changes_left - is there an image that nobody asked for?
 * @changes: the changes
 * Return: that.
 */
bool op_changes_left(const struct op_changes *changes)
{
	size_t i;

	for (i = 0; i < changes->nr_images; i++)
		if (!changes->images[i].taken)
			return true;
	return false;
}

static size_t place_of(const struct op_hist *hist, uint64_t offset)
{
	size_t lo = 0, hi = hist->nr;

	while (lo < hi) {
		size_t middle = (lo + hi) / 2;

		if (hist->offsets[middle] < offset)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

static int by_offset(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Make room for offsets that are new, ascending; their counts are 0. */
static void insert(struct op_patch *patch, struct op_hist *hist,
		   const uint64_t *offsets, size_t nr)
{
	size_t from = hist->nr, to = hist->nr + nr, columns = hist->columns;
	size_t i = nr, n;

	hist->offsets = op_alloc(hist->offsets, to, sizeof(*hist->offsets));
	hist->counts =
		op_alloc(hist->counts, to * columns, sizeof(*hist->counts));
	patch->inserted =
		op_alloc(patch->inserted, nr, sizeof(*patch->inserted));
	patch->nr_inserted = nr;
	hist->nr = to;
	while (i--) {
		/* How many of those there were come behind this one. */
		struct op_hist old = { .offsets = hist->offsets, .nr = from };
		size_t place = place_of(&old, offsets[i]);

		n = from - place;
		to -= n;
		memmove(hist->offsets + to, hist->offsets + place,
			n * sizeof(*hist->offsets));
		memmove(hist->counts + to * columns,
			hist->counts + place * columns,
			n * columns * sizeof(*hist->counts));
		from = place;
		to--;
		hist->offsets[to] = offsets[i];
		memset(hist->counts + to * columns, 0,
		       columns * sizeof(*hist->counts));
		patch->inserted[i] = to;
	}
}

/**
 * op_changes_apply - bring a histogram up to date
 * @changes: the changes
 * @change: what is new of its image
 * @hist: the histogram
 * @patch: says what became of it
 *
 * Return: false if that can't be; then it is as it was, and has to be read.
 */
bool op_changes_apply(const struct op_changes *changes,
		      const struct op_change_image *change,
		      struct op_hist *hist, struct op_patch *patch)
{
	const struct op_change_bin *bins = changes->bins + change->first;
	uint64_t *new = NULL;
	size_t i, nr_new = 0, unique = 0;

	patch->nr = patch->nr_inserted = 0;
	patch->cells =
		op_alloc(patch->cells, change->nr, sizeof(*patch->cells));
	for (i = 0; i < change->nr; i++) {
		struct op_patch_cell *cell = &patch->cells[i];
		size_t place = place_of(hist, bins[i].offset);
		bool there = place < hist->nr &&
			     hist->offsets[place] == bins[i].offset;

		if (bins[i].column >= hist->columns ||
		    (there &&
		     hist->counts[place * hist->columns + bins[i].column] >
			     bins[i].count)) {
			free(new);
			return false;
		}
		cell->bin = place;
		cell->column = (unsigned int)bins[i].column;
		if (!there) {
			if (!new)
				new = op_alloc(NULL, change->nr, sizeof(*new));
			new[nr_new++] = bins[i].offset;
		}
	}
	if (nr_new) {
		qsort(new, nr_new, sizeof(*new), by_offset);
		for (i = 1; i < nr_new; i++)
			if (new[i] != new[unique])
				new[++unique] = new[i];
		unique++;
		insert(patch, hist, new, unique);
	}
	for (i = 0; i < change->nr; i++) {
		struct op_patch_cell *cell = &patch->cells[i];
		uint64_t *count;

		if (unique)
			cell->bin = place_of(hist, bins[i].offset);
		count = &hist->counts[cell->bin * hist->columns + cell->column];
		cell->more = bins[i].count - *count;
		hist->sum += cell->more;
		*count = bins[i].count;
	}
	patch->nr = change->nr;
	free(new);
	return true;
}
