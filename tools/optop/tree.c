// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tree of oprofilefs, mounted or copied: looking at it, again and again.
 *
 * One image is tree_image.c's, what is beside them tree_parts.c's.  Between two
 * looks nothing of the tree is held open: an open file would keep it from being
 * unmounted and the module from being unloaded, and ten thousand images would
 * need as many file descriptors.  One look opens the root, and all else below it,
 * so that it sees one tree even if something else is mounted meanwhile.
 *
 * A tree is not trusted: see files.c and hist.c.  What is wrong with it is
 * counted in faults, so that a view can say so.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "changes.h"
#include "files.h"
#include "text.h"
#include "tree.h"

#define OPROFILEFS_MAGIC 0x6f70726f

/**
 * op_tree_new - a tree that nothing has been read of yet
 * @dir: where it is
 * Return: the tree.
 */
struct op_tree *op_tree_new(const char *dir)
{
	struct op_tree *tree = op_alloc(NULL, 1, sizeof(*tree));
	struct statfs fs;

	memset(tree, 0, sizeof(*tree));
	tree->dir = op_strdup(dir);
	tree->live = !statfs(dir, &fs) && fs.f_type == OPROFILEFS_MAGIC;
	tree->enabled = -1;
	tree->details = true;
	tree->changes = op_changes_new();
	return tree;
}

/**
 * op_tree_free - give back a tree
 * @tree: the tree, or NULL
 */
void op_tree_free(struct op_tree *tree)
{
	size_t i;

	if (!tree)
		return;
	for (i = 0; i < tree->nr_images; i++)
		op_tree_free_image(tree, tree->images[i]);
	free(tree->images);
	free(tree->stats);
	free(tree->jits);
	op_changes_free(tree->changes);
	free(tree->dir);
	free(tree);
}

/*
 * The same for all images, if none came or went.  False: then they are to be
 * listed.
 */
static bool patch_all(struct op_tree *tree)
{
	size_t i;

	tree->nr_bins = 0;
	for (i = 0; i < tree->nr_images; i++)
		if (!op_tree_patch_image(tree, tree->images[i]))
			return false;
	return !op_changes_left(tree->changes);
}

static int by_name(const void *a, const void *b)
{
	const struct op_image *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static struct op_image *find_image(struct op_tree *tree, size_t nr, char *name)
{
	struct op_image key = { .name = name }, *pointer = &key, **found;

	found = nr ? bsearch(&pointer, tree->images, nr, sizeof(*tree->images),
			     by_name) :
		     NULL;
	return found ? *found : NULL;
}

/* All of images/: @force reads all histograms. */
static int read_images(struct op_tree *tree, int root, bool force)
{
	size_t known = tree->nr_images, room = known, i, kept;
	struct dirent *entry;
	DIR *dir;
	int fd, err;

	fd = op_open_dir(root, "images");
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		err = -errno;
		close(fd);
		return err;
	}
	tree->nr_bins = 0;
	for (i = 0; i < known; i++)
		tree->images[i]->seen = false;
	while ((entry = readdir(dir))) {
		struct op_image *image;

		/* A name may begin with a dot, but these two do not count. */
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		image = find_image(tree, known, entry->d_name);
		if (image) {
			image->seen =
				op_tree_look_at_image(tree, image, fd, force);
			continue;
		}
		if (tree->nr_images == OP_MAX_IMAGES) {
			op_tree_fault(tree, "images", "too many");
			break;
		}
		image = op_alloc(NULL, 1, sizeof(*image));
		memset(image, 0, sizeof(*image));
		image->name = op_strdup(entry->d_name);
		image->seen = op_tree_look_at_image(tree, image, fd, force);
		if (tree->nr_images == room) {
			room = room ? room * 2 : 64;
			tree->images = op_alloc(tree->images, room,
						sizeof(*tree->images));
		}
		tree->images[tree->nr_images++] = image;
	}
	closedir(dir);
	for (i = kept = 0; i < tree->nr_images; i++) {
		if (tree->images[i]->seen)
			tree->images[kept++] = tree->images[i];
		else
			op_tree_free_image(tree, tree->images[i]);
	}
	tree->nr_images = kept;
	if (kept)
		qsort(tree->images, kept, sizeof(*tree->images), by_name);
	return 0;
}

static void read_head(struct op_tree *tree, int root, bool force)
{
	uint64_t enabled;
	long got;

	/* These go with the columns. */
	if (!tree->tells || force) {
		got = op_read_text(root, "version", tree->version,
				   sizeof(tree->version));
		if (got < 0)
			op_tree_fault(tree, "version", strerror((int)-got));
		got = op_read_text(root, "cpu_type", tree->cpu_type,
				   sizeof(tree->cpu_type));
		if (got < 0)
			op_tree_fault(tree, "cpu_type", strerror((int)-got));
	}
	if (tree->tells && tree->enabled >= 0)
		return;
	tree->enabled = -1;
	if (!op_read_number(root, "enable", &enabled) && enabled <= 1)
		tree->enabled = (int)enabled;
	else
		op_tree_fault(tree, "enable", "neither 0 nor 1");
}

static void read_details(struct op_tree *tree, int root)
{
	unsigned int faults = tree->own_faults;

	op_tree_read_hooks(tree, root);
	op_tree_read_jits(tree, root);
	tree->details_look = tree->look;
	/* What is wrong is said at each look. */
	tree->details_faulty = tree->own_faults != faults;
}

/**
 * op_tree_details - have hooks and JIT ranges of the last look, too
 * @tree: the tree, of which @details is false; else it has them
 *
 * What is wrong with them is left for the next look to say.
 */
void op_tree_details(struct op_tree *tree)
{
	int root;

	if (tree->details_look == tree->look)
		return;
	root = op_open_dir(AT_FDCWD, tree->dir);
	if (root < 0)
		return;
	read_details(tree, root);
	close(root);
}

static void sum_faults(struct op_tree *tree)
{
	size_t i;

	tree->faults = tree->own_faults;
	snprintf(tree->fault, sizeof(tree->fault), "%s", tree->own_fault);
	for (i = 0; i < tree->nr_images; i++) {
		const struct op_image *image = tree->images[i];

		if (image->faults && !tree->faults)
			snprintf(tree->fault, sizeof(tree->fault),
				 "images/%s/%s", image->name, image->fault);
		tree->faults += image->faults;
	}
}

/**
 * op_tree_refresh - look at a tree
 * @tree: the tree
 *
 * Return: 0, or a negative errno if there is no tree (any more), of which
 * op_tree_error() makes a line; then it holds what it held.
 */
int op_tree_refresh(struct op_tree *tree)
{
	uint64_t received = 0, images = 0;
	struct timespec now;
	struct statfs fs;
	bool force = true, known;
	int root, err;
	size_t i;

	root = op_open_dir(AT_FDCWD, tree->dir);
	if (root < 0)
		return root;
	tree->live = !fstatfs(root, &fs) && fs.f_type == OPROFILEFS_MAGIC;
	/* What is not there now is no tree, and no reason to forget one. */
	err = faccessat(root, "images", F_OK, 0) ? -errno : 0;
	if (err)
		goto out;
	tree->look++;
	tree->own_faults = 0;
	tree->own_fault[0] = '\0';
	tree->tells = op_changes_read(tree, root, &force);
	read_head(tree, root, force);
	if (tree->tells) {
		op_tree_sort_stats(tree);
	} else {
		op_tree_read_stats(tree, root);
		force = op_tree_read_counters(tree, root);
	}
	op_tree_stat(tree, "received", &received);
	op_tree_stat(tree, "images", &images);
	/* After a reset the same number may be of other samples. */
	if (received < tree->received)
		force = true;
	tree->received = received;
	if (force)
		tree->nr_events = 0;
	for (i = 0; i < tree->nr_images; i++)
		op_hist_free(&tree->images[i]->before);
	known = tree->tells && !force && images == tree->listed &&
		patch_all(tree);
	if (tree->details || tree->details_faulty || !known)
		read_details(tree, root);
	if (!known) {
		err = read_images(tree, root, force);
		/* A folder by whose name there is another image now. */
		if (!err && tree->tells && !force &&
		    op_changes_left(tree->changes))
			err = read_images(tree, root, true);
		/* A list that was cut is to be made, and said to be cut, again. */
		tree->listed = tree->nr_images < OP_MAX_IMAGES ? images :
								 UINT64_MAX;
	}
	sum_faults(tree);
	clock_gettime(CLOCK_MONOTONIC, &now);
	tree->time = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
out:
	close(root);
	return err;
}

/**
 * op_tree_write - write to a control file of a mounted tree
 * @tree: the tree
 * @file: "enable", "reset" or "dump"
 * @text: what
 *
 * Return: 0, or a negative errno; ENOTSUP if the tree is a copy.
 */
int op_tree_write(struct op_tree *tree, const char *file, const char *text)
{
	struct statfs fs;
	int root, err;

	root = op_open_dir(AT_FDCWD, tree->dir);
	if (root < 0)
		return root;
	if (fstatfs(root, &fs) || fs.f_type != OPROFILEFS_MAGIC)
		err = -ENOTSUP;
	else
		err = op_write_text(root, file, text);
	close(root);
	return err;
}

static bool module_is_loaded(void)
{
	char line[256];
	bool found = false;
	FILE *file = fopen("/proc/filesystems", "re");

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, "\toprofilefs\n") != NULL;
	fclose(file);
	return found;
}

/**
 * op_tree_error - why there is no tree, and what to do
 * @tree: the tree
 * @err: what op_tree_refresh() returned
 * @text: where to
 * @size: bytes there
 *
 * Return: @text, one line.
 */
const char *op_tree_error(const struct op_tree *tree, int err, char *text,
			  size_t size)
{
	bool standard = !strcmp(tree->dir, OP_TREE_DEFAULT);
	char dir[512];

	op_text_clean(dir, sizeof(dir), tree->dir);
	if (err == -EACCES || err == -EPERM)
		snprintf(text, size,
			 "no rights to read %s: be root, or have CAP_PERFMON "
			 "and a mount with uid= or mode= for you",
			 dir);
	else if (!standard && err == -ENOENT && access(tree->dir, F_OK) == 0)
		snprintf(text, size,
			 "%s is no tree of oprofilefs: it has no folder images",
			 dir);
	else if (!standard)
		snprintf(text, size, "%s: %s", dir, strerror(-err));
	else if (module_is_loaded())
		snprintf(text, size,
			 "oprofilefs is not mounted: mkdir -p %s && "
			 "mount -t oprofilefs nodev %s",
			 dir, dir);
	else
		snprintf(text, size,
			 "the module oprofile is not loaded: modprobe oprofile "
			 "&& mkdir -p %s && mount -t oprofilefs nodev %s",
			 dir, dir);
	return text;
}

/**
 * op_tree_stat - one number of stats/
 * @tree: the tree
 * @name: the file
 * @value: where to; untouched if there is none
 * Return: whether there is one.
 */
bool op_tree_stat(const struct op_tree *tree, const char *name, uint64_t *value)
{
	size_t i;

	for (i = 0; i < tree->nr_stats; i++) {
		if (!strcmp(tree->stats[i].name, name)) {
			*value = tree->stats[i].value;
			return true;
		}
	}
	return false;
}

/**
 * op_tree_losses - sum of the numbers of stats/ whose names begin alike
 * @tree: the tree
 * @prefix: "lost_" or "skipped_"
 * Return: the sum.
 */
uint64_t op_tree_losses(const struct op_tree *tree, const char *prefix)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < tree->nr_stats; i++)
		if (!strncmp(tree->stats[i].name, prefix, strlen(prefix)))
			sum += tree->stats[i].value;
	return sum;
}

/**
 * op_tree_image - the image with a serial
 * @tree: the tree
 * @serial: its serial
 * Return: the image, or NULL if it has gone.
 */
const struct op_image *op_tree_image(const struct op_tree *tree,
				     uint64_t serial)
{
	size_t i;

	for (i = 0; i < tree->nr_images; i++)
		if (tree->images[i]->serial == serial)
			return tree->images[i];
	return NULL;
}
