// SPDX-License-Identifier: GPL-2.0-only
/*
 * The images that were asked for, found by what the asker says of them.
 *
 * An image is its dcookie, with its path and name beside it since the module
 * begins to count anew when it is loaded again.  Where it begins and which file
 * it was may change: then it is to be loaded anew.
 *
 * No locks: the caller has one.
 */
#include <stdlib.h>
#include <string.h>

#include "images.h"

#define OP_FIRST_BUCKETS 64

static struct op_image **op_bucket(const struct op_images *images,
				   uint64_t dcookie)
{
	return &images->buckets[(dcookie * 0x9e3779b97f4a7c15ull >> 32) &
				(images->size - 1)];
}

/**
 * op_images_init - none yet
 * @images: filled in
 *
 * Return: false if there is no memory.
 */
bool op_images_init(struct op_images *images)
{
	images->size = OP_FIRST_BUCKETS;
	images->count = 0;
	images->buckets = calloc(images->size, sizeof(*images->buckets));
	return images->buckets;
}

static void op_image_free(struct op_image *image)
{
	op_names_free(image->names);
	op_key_drop(&image->key);
	free(image);
}

/**
 * op_images_free - all of them, with their names
 * @images: what was initialised
 */
void op_images_free(struct op_images *images)
{
	for (size_t i = 0; images->buckets && i < images->size; i++) {
		for (struct op_image *image = images->buckets[i], *next; image;
		     image = next) {
			next = image->next;
			op_image_free(image);
		}
	}
	free(images->buckets);
	images->buckets = NULL;
}

static void op_images_grow(struct op_images *images)
{
	struct op_images grown = { .size = 2 * images->size };

	grown.buckets = calloc(grown.size, sizeof(*grown.buckets));
	/* Without memory it stays as it is, only slower. */
	if (!grown.buckets)
		return;
	for (size_t i = 0; i < images->size; i++) {
		for (struct op_image *image = images->buckets[i], *next; image;
		     image = next) {
			struct op_image **bucket =
				op_bucket(&grown, image->key.dcookie);

			next = image->next;
			image->next = *bucket;
			*bucket = image;
		}
	}
	free(images->buckets);
	images->buckets = grown.buckets;
	images->size = grown.size;
}

static bool op_same_text(const char *one, const char *other)
{
	return one == other || (one && other && !strcmp(one, other));
}

/**
 * op_key_path - what an image is
 * @key: what the asker says
 *
 * Return: its path or, if it has none, its name.
 */
const char *op_key_path(const struct op_image_key *key)
{
	return key->path && *key->path ? key->path : key->name ? key->name : "";
}

/**
 * op_key_copy - make a key that is nobody else's
 * @to: filled in, to be dropped also if there was no memory
 * @from: what the asker says
 *
 * Return: false if there is no memory.
 */
bool op_key_copy(struct op_image_key *to, const struct op_image_key *from)
{
	*to = *from;
	to->path = strdup(op_key_path(from));
	to->name = from->name ? strdup(from->name) : NULL;
	to->identity = from->identity ? strdup(from->identity) : NULL;
	return to->path && !to->name == !from->name &&
	       !to->identity == !from->identity;
}

/**
 * op_key_drop - free a copy
 * @key: made by op_key_copy()
 */
void op_key_drop(struct op_image_key *key)
{
	free((char *)key->path);
	free((char *)key->name);
	free((char *)key->identity);
}

/**
 * op_images_find - an image that was asked for before
 * @images: where to look
 * @key: what the asker says
 *
 * Return: the image, NULL if it is new.
 */
struct op_image *op_images_find(const struct op_images *images,
				const struct op_image_key *key)
{
	struct op_image *image = *op_bucket(images, key->dcookie);

	while (image && (image->key.dcookie != key->dcookie ||
			 strcmp(image->key.path, op_key_path(key)) ||
			 !op_same_text(image->key.name, key->name)))
		image = image->next;
	return image;
}

/**
 * op_images_add - an image that is new
 * @images: where it goes
 * @key: what the asker says; copied
 *
 * Return: the image, NULL if there is no memory.
 */
struct op_image *op_images_add(struct op_images *images,
			       const struct op_image_key *key)
{
	struct op_image *image = calloc(1, sizeof(*image)), **bucket;

	if (!image)
		return NULL;
	if (!op_key_copy(&image->key, key)) {
		op_image_free(image);
		return NULL;
	}
	if (images->count >= images->size)
		op_images_grow(images);
	bucket = op_bucket(images, key->dcookie);
	image->next = *bucket;
	*bucket = image;
	images->count++;
	return image;
}

/**
 * op_image_changed - whether what is known of it is of another time
 * @image: the image
 * @key: what the asker says
 *
 * Return: that.
 */
bool op_image_changed(const struct op_image *image,
		      const struct op_image_key *key)
{
	return image->key.start != key->start ||
	       !op_same_text(image->key.identity, key->identity);
}

/**
 * op_image_set - from now on it is as the asker says
 * @image: the image
 * @key: what the asker says
 *
 * Return: false if there is no memory; then it is as it was.
 */
bool op_image_set(struct op_image *image, const struct op_image_key *key)
{
	char *identity = key->identity ? strdup(key->identity) : NULL;

	if (!identity != !key->identity)
		return false;
	free((char *)image->key.identity);
	image->key.identity = identity;
	image->key.start = key->start;
	return true;
}
