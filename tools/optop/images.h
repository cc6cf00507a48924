/* SPDX-License-Identifier: GPL-2.0-only */
/* The images that were asked for: see images.c. */
#ifndef OPTOP_IMAGES_H
#define OPTOP_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names.h"
#include "symbols.h"

/**
 * struct op_image - an image that was asked for
 * @next: with the same hash
 * @queue: the one to be loaded after this one
 * @key: copies of what the asker said
 * @state: what it is told
 * @names: what was found, NULL if nothing was
 * @queued: it waits to be loaded
 * @loading: the thread has it in hand
 * @stale: what the thread loads is of the key as it was before
 * @can_change: it may get more names
 * @again: when it may be looked at again, as op_now()
 * @interval: after how long that is
 * @stamp: what op_loader_stamp() said
 */
struct op_image {
	struct op_image *next;
	struct op_image *queue;
	struct op_image_key key;
	enum op_symbols_state state;
	struct op_names *names;
	bool queued;
	bool loading;
	bool stale;
	bool can_change;
	uint64_t again;
	uint64_t interval;
	uint64_t stamp;
};

/**
 * struct op_images - all of them
 * @buckets: by dcookie; chains by op_image.next
 * @size: how many buckets, a power of two
 * @count: how many images
 */
struct op_images {
	struct op_image **buckets;
	size_t size;
	size_t count;
};

bool op_images_init(struct op_images *images);
void op_images_free(struct op_images *images);
struct op_image *op_images_find(const struct op_images *images,
				const struct op_image_key *key);
struct op_image *op_images_add(struct op_images *images,
			       const struct op_image_key *key);
bool op_image_changed(const struct op_image *image,
		      const struct op_image_key *key);
bool op_image_set(struct op_image *image, const struct op_image_key *key);
const char *op_key_path(const struct op_image_key *key);
bool op_key_copy(struct op_image_key *to, const struct op_image_key *from);
void op_key_drop(struct op_image_key *key);

#endif
