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
	int enabled; /* -1 if it is not told */
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

/* Most of what there is are these: the line as it stands in the file. */
static bool take_bin(struct op_changes *changes, const char **line)
{
	struct op_change_bin *bin;
	const char *at = *line;

	if (!changes->nr_images)
		return false;
	if (changes->nr_bins == changes->bins_room) {
		changes->bins_room = changes->bins_room * 2 + 256;
		changes->bins = op_alloc(changes->bins, changes->bins_room,
					 sizeof(*changes->bins));
	}
	bin = &changes->bins[changes->nr_bins++];
	changes->images[changes->nr_images - 1].nr++;
	if (!op_parse_number(at, &bin->offset, &at) || *at != ' ' ||
	    !op_parse_number(at + 1, &bin->count, &at))
		return false;
	bin->column = 0;
	if (*at == ' ' && !op_parse_number(at + 1, &bin->column, &at))
		return false;
	if (*at != '\n')
		return false;
	*line = at + 1;
	return true;
}

static bool take_head(struct op_changes *changes, const char *line, bool *other)
{
	uint64_t since;

	if (!strncmp(line, "# generation: ", 14))
		return op_parse_number(line + 14, &changes->generation, &line);
	if (!strncmp(line, "# enabled: ", 11)) {
		changes->enabled = line[11] == '1';
		return (line[11] == '0' || line[11] == '1') && !line[12];
	}
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
 * @tree: the tree; gets its statistics, and whether it samples if that is told
 * @root: its folder
 * @force: set if all histograms have to be read
 *
 * Return: false if that can't be told so; then nothing of the tree is changed.
 */
bool op_changes_read(struct op_tree *tree, int root, bool *force)
{
	struct op_changes *changes = tree->changes;
	bool other = false, good = true;
	const char *line;
	long used;

	changes->nr_images = changes->nr_bins = 0;
	changes->all = true;
	changes->enabled = -1;
	used = tree->live ? fetch(changes, root) : -ENOENT;
	if (used < 0) {
		/* What is told later is to be told from the beginning. */
		changes->generation = 0;
		return false;
	}
	op_tree_clear_stats(tree);
	for (line = changes->text; good && *line;) {
		char *end;

		if (*line == '0') {
			good = take_bin(changes, &line);
			continue;
		}
		end = strchr(line, '\n');
		good = end != NULL;
		if (good) {
			*end = '\0';
			good = take_line(tree, line, &other);
			line = end + 1;
		}
	}
	if (!good || line != changes->text + used) {
		op_tree_fault(tree, "changes", "not what it should be");
		changes->generation = 0;
		changes->nr_images = 0;
		return false;
	}
	if (changes->nr_images)
		qsort(changes->images, changes->nr_images,
		      sizeof(*changes->images), by_dcookie);
	*force = other || changes->all;
	tree->enabled = changes->enabled;
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
	/* Where there is none at all there is no array either. */
	const struct op_change_bin *bins =
		change->nr ? changes->bins + change->first : NULL;
	size_t i, nr = hist->nr, new = 0;

	patch->nr = patch->added = 0;
	if (change->nr > patch->room) {
		patch->room = change->nr * 2;
		free(patch->cells);
		patch->cells =
			op_alloc(NULL, patch->room, sizeof(*patch->cells));
	}
	for (i = 0; i < change->nr; i++) {
		struct op_patch_cell *cell = &patch->cells[i];

		if (bins[i].column >= hist->columns)
			return false;
		cell->bin = op_hist_find(hist, bins[i].offset);
		cell->column = (uint32_t)bins[i].column;
		if (cell->bin == OP_NO_BIN)
			new ++;
		else if (hist->counts[cell->bin * hist->columns +
				      cell->column] > bins[i].count)
			return false;
	}
	if (nr + new > OP_MAX_BINS)
		return false;
	for (i = 0; i < change->nr; i++) {
		struct op_patch_cell *cell = &patch->cells[i];
		uint64_t *count;

		if (cell->bin == OP_NO_BIN)
			cell->bin = op_hist_add(hist, bins[i].offset);
		count = &hist->counts[cell->bin * hist->columns + cell->column];
		/* Less than itself only where one is told twice. */
		cell->more = bins[i].count > *count ? bins[i].count - *count :
						      0;
		hist->sum += cell->more;
		*count += cell->more;
	}
	patch->nr = change->nr;
	/* One may have come with more than one column. */
	patch->added = hist->nr - nr;
	return true;
}
