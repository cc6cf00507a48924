// SPDX-License-Identifier: GPL-2.0-only
/*
 * One image of a tree: what it is, and what is new of it.
 *
 * A look reads the number of its samples, and its histogram only if that number
 * or the set of columns has changed; or nothing, where "changes" has said it all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "files.h"
#include "text.h"
#include "tree.h"

#define PATH_SIZE 32768

static bool ends_in_number(const char *tail)
{
	return tail[0] == '~' && tail[1] &&
	       strspn(tail + 1, "0123456789") == strlen(tail + 1);
}

/* An image that has no file may have ~2 behind its name, as all may. */
static bool is_named(const char *name, const char *what)
{
	size_t n = strlen(what);

	return !strncmp(name, what, n) &&
	       (!name[n] || ends_in_number(name + n));
}

static enum op_kind kind_of(const char *name)
{
	const char *ko;

	if (name[0] == '}')
		return OP_KIND_FILE;
	if (!strncmp(name, "jit:", 4))
		return OP_KIND_JIT;
	if (is_named(name, "vmlinux"))
		return OP_KIND_KERNEL;
	if (is_named(name, "bpf"))
		return OP_KIND_BPF;
	if (is_named(name, "anon"))
		return OP_KIND_ANON;
	if (is_named(name, "vdso"))
		return OP_KIND_VDSO;
	ko = strstr(name, ".ko");
	if (ko && (!ko[3] || ko[3] == ':' || ends_in_number(ko + 3)))
		return OP_KIND_MODULE;
	if (is_named(name, "unknown"))
		return OP_KIND_UNKNOWN;
	return OP_KIND_FILE;
}

static void image_fault(struct op_image *image, const char *file, int err)
{
	char text[128];

	if (image->faults++)
		return;
	snprintf(text, sizeof(text), "%s: %s", file,
		 err == -EINVAL ? "not what it should be" : strerror(-err));
	free(image->fault);
	image->fault = op_strdup(text);
}

/* Is a JIT range the kernel's? Its start may be hidden from us. */
static bool is_kernel_jit(const struct op_tree *tree,
			  const struct op_image *image)
{
	size_t i;

	if (image->start)
		return image->start >> 63;
	for (i = 0; i < tree->nr_jits; i++)
		if (!strcmp(tree->jits[i].name, image->path + 4))
			return !tree->jits[i].pid;
	return false;
}

/* What does not change as long as an image is the same one. */
static void read_about(struct op_tree *tree, struct op_image *image, int images)
{
	static char text[PATH_SIZE];
	char path[300];
	long got;
	int err;

	free(image->path);
	free(image->identity);
	image->identity = NULL;
	image->dcookie = 0;
	image->start = 0;

	snprintf(path, sizeof(path), "%s/path", image->name);
	got = op_read_text(images, path, text, sizeof(text));
	if (got <= 0) {
		image_fault(image, "path", got ? (int)got : -EINVAL);
		snprintf(text, sizeof(text), "%s", image->name);
	} else {
		op_text_unescape(text);
	}
	image->path = op_strdup(text);

	snprintf(path, sizeof(path), "%s/dcookie", image->name);
	err = op_read_number(images, path, &image->dcookie);
	if (err)
		image_fault(image, "dcookie", err);

	snprintf(path, sizeof(path), "%s/start", image->name);
	err = op_read_number(images, path, &image->start);
	if (err)
		image_fault(image, "start", err);

	snprintf(path, sizeof(path), "%s/identity", image->name);
	got = op_read_text(images, path, text, 1024);
	if (got > 0)
		image->identity = op_strdup(text);
	else if (got < 0 && got != -ENOENT)
		image_fault(image, "identity", (int)got);

	/* The folder's name can have bytes encoded, and its beginning cut. */
	image->kind = image->path[0] == '/' ? OP_KIND_FILE :
					      kind_of(image->path);
	image->kernel =
		image->kind == OP_KIND_KERNEL ||
		image->kind == OP_KIND_MODULE || image->kind == OP_KIND_BPF ||
		(image->kind == OP_KIND_JIT && is_kernel_jit(tree, image));
}

/**
 * op_tree_patch_image - look at an image without a look at its files
 * @tree: its tree
 * @image: the image
 *
 * Return: false: what is new of it is not known.
 */
bool op_tree_patch_image(struct op_tree *tree, struct op_image *image)
{
	struct op_change_image *change =
		op_changes_of(tree->changes, image->dcookie);

	if (!image->serial || !image->dcookie || image->faults)
		return false;
	/* A second time at the same look, nothing is new any more. */
	if (change && image->patched != tree->look) {
		if (change->hist ||
		    !op_changes_apply(tree->changes, change, &image->hist,
				      &image->patch))
			return false;
		change->taken = true;
		image->samples = change->samples;
		image->patched = tree->look;
	}
	tree->nr_bins += image->hist.nr;
	return true;
}

/* What is new of an image is known from its files. */
static void take_change(struct op_tree *tree, const struct op_image *image)
{
	struct op_change_image *change =
		op_changes_of(tree->changes, image->dcookie);

	if (change)
		change->taken = true;
}

/**
 * op_tree_look_at_image - look at an image
 * @tree: its tree
 * @image: the image; new if it has no serial
 * @images: the folder of them all
 * @force: also if nothing seems to be new
 *
 * Return: false: its folder has gone, which is nothing special.
 */
bool op_tree_look_at_image(struct op_tree *tree, struct op_image *image,
			   int images, bool force)
{
	struct op_hist hist;
	unsigned int faults = 0;
	uint64_t samples = 0;
	char *fault = NULL;
	char path[300];
	int err, err2;

	if (tree->tells && !force && op_tree_patch_image(tree, image))
		return true;
	snprintf(path, sizeof(path), "%s/samples", image->name);
	err = op_read_number(images, path, &samples);
	/* The sum is what it was when the file was read, a bit later. */
	if (!err && !force && image->serial &&
	    (samples == image->samples || samples == image->hist.sum)) {
		take_change(tree, image);
		tree->nr_bins += image->hist.nr;
		return true;
	}
	snprintf(path, sizeof(path), "%s/hist", image->name);
	err2 = op_hist_read(images, path, tree, &hist, &faults, &fault);
	if (err2 == -ENOENT && err == -ENOENT)
		return false;

	if (!image->serial || (hist.dcookie && image->dcookie &&
			       hist.dcookie != image->dcookie)) {
		/* New, or another one that took the name. */
		image->serial = ++tree->next_serial;
		op_hist_free(&image->hist);
		op_hist_free(&image->before);
		image->faults = 0;
		read_about(tree, image, images);
	} else {
		image->faults = 0;
	}
	if (err)
		image_fault(image, "samples", err);
	if (err2)
		image_fault(image, "hist", err2);
	if (faults) {
		if (!image->faults) {
			free(image->fault);
			image->fault = fault;
			fault = NULL;
		}
		image->faults += faults;
	}
	free(fault);
	/* Read twice at one look, it is still the one of the look before. */
	if (image->changed == tree->look) {
		op_hist_free(&image->hist);
	} else {
		op_hist_free(&image->before);
		image->before = image->hist;
	}
	image->hist = hist;
	image->samples = samples;
	image->changed = tree->look;
	take_change(tree, image);
	tree->nr_bins += hist.nr;
	return true;
}

/**
 * op_tree_free_image - give back an image
 * @tree: its tree
 * @image: the image
 */
void op_tree_free_image(struct op_tree *tree, struct op_image *image)
{
	if (tree->forget && image->private)
		tree->forget(image->private);
	op_hist_free(&image->hist);
	op_hist_free(&image->before);
	free(image->name);
	free(image->path);
	free(image->identity);
	free(image->fault);
	free(image->patch.cells);
	free(image);
}

/**
 * op_image_key - an image as the symboliser wants it
 * @image: the image
 * @key: where to; good as long as @image is
 */
void op_image_key(const struct op_image *image, struct op_image_key *key)
{
	key->name = image->name;
	key->path = image->path;
	key->dcookie = image->dcookie;
	key->start = image->start;
	key->identity = image->identity;
}

/**
 * op_kind_text - what an image is, in one word
 * @kind: what it is
 * Return: the word.
 */
const char *op_kind_text(enum op_kind kind)
{
	static const char *const texts[] = {
		[OP_KIND_FILE] = "file",     [OP_KIND_KERNEL] = "kernel",
		[OP_KIND_MODULE] = "module", [OP_KIND_JIT] = "jit",
		[OP_KIND_BPF] = "bpf",	     [OP_KIND_ANON] = "anon",
		[OP_KIND_VDSO] = "vdso",     [OP_KIND_UNKNOWN] = "unknown",
	};

	return texts[kind];
}
