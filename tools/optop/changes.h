/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is new since the last look, as far as a tree says that by itself.
 */
#ifndef OPTOP_CHANGES_H
#define OPTOP_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op_changes;
struct op_hist;
struct op_patch;
struct op_tree;

/**
 * struct op_change_image - an image that has new samples
 * @dcookie: the image
 * @samples: that it has now
 * @hist: its histogram is to be read
 * @taken: somebody knows of it
 * @first: of its bins
 * @nr: how many there are
 */
struct op_change_image {
	uint64_t dcookie;
	uint64_t samples;
	bool hist;
	bool taken;
	size_t first;
	size_t nr;
};

struct op_change_bin {
	uint64_t offset;
	uint64_t column;
	uint64_t count;
};

struct op_changes *op_changes_new(void);
void op_changes_free(struct op_changes *changes);
bool op_changes_read(struct op_tree *tree, int root, bool *force);
struct op_change_image *op_changes_of(struct op_changes *changes,
				      uint64_t dcookie);
bool op_changes_left(const struct op_changes *changes);
bool op_changes_apply(const struct op_changes *changes,
		      const struct op_change_image *change,
		      struct op_hist *hist, struct op_patch *patch);

#endif
