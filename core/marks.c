// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks: which images are worth profiling.
 *
 * Once any image is marked, only samples of marked ones are kept.  The others
 * are counted as skipped_unmarked, and that at the sample, before they take
 * any room in a ring.  An interrupt can't know a file's image, though: that
 * takes locks and sometimes asks the file system.  So it looks the file's inode
 * up in a table of verdicts, and what is not there passes; the sync step finds
 * out, counts, and writes the verdict down.  That table is a cache: whatever it
 * forgets or mixes up costs time, never a sample.
 *
 * For kernel text the interrupt only tells the kernel's own from the rest.
 *
 * Marks are changed in process context; asked for in any.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jump_label.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "core/compat.h"
#include "core/cpu_buffer.h"
#include "core/internal.h"

/* Is anything marked? */
DEFINE_STATIC_KEY_FALSE(op_marks_key);

#define OP_VERDICT_BITS 10

/**
 * struct op_verdict - whether the file of an inode is marked
 * @seq: odd while it is being written; 0: never was
 * @marked: the answer
 * @key: the inode
 */
struct op_verdict {
	u32 seq;
	bool marked;
	struct op_inode_key key;
};

/* Written under op_sync_mutex. */
static struct op_verdict op_verdicts[1 << OP_VERDICT_BITS];

/* Is any image of the kernel's beside vmlinux marked? */
static bool op_marks_kernel;

/* Guards all marks; taken inside op_control_mutex, outside op_sync_mutex. */
static DEFINE_MUTEX(op_marks_mutex);
static unsigned int op_nr_marks;

static struct op_verdict *op_verdict_slot(const struct op_inode_key *key)
{
	return &op_verdicts[hash_64(key->ino ^ key->dev << 32 ^ key->stamp,
				    OP_VERDICT_BITS)];
}

static bool op_key_equal(const struct op_inode_key *a,
			 const struct op_inode_key *b)
{
	return a->ino == b->ino && a->stamp == b->stamp && a->dev == b->dev &&
	       a->generation == b->generation;
}

/**
 * op_marks_want_file - is a sample in this file worth its room?
 * @file: the file, mapped
 *
 * Context: any, also NMI.
 * Return: false if it is known not to be marked.
 */
bool op_marks_want_file(struct file *file)
{
	struct op_inode_key key;
	struct op_verdict *v;
	bool known, marked;
	u32 seq;

	op_inode_key(op_file_user_path(file), file_inode(file), &key);
	v = op_verdict_slot(&key);
	seq = READ_ONCE(v->seq);
	/* Also where this interrupts who is writing it. */
	if (!seq || seq & 1)
		return true;
	smp_rmb(); /* pairs with the first in op_verdict_write() */
	known = op_key_equal(&v->key, &key);
	marked = READ_ONCE(v->marked);
	smp_rmb(); /* pairs with the second one there */
	return !known || marked || READ_ONCE(v->seq) != seq;
}

/**
 * op_marks_want_kernel - is a sample at a kernel address worth its room?
 * @pc: the address, in no JIT range
 *
 * Context: any, also NMI.
 * Return: false if it is known not to be marked.
 */
bool op_marks_want_kernel(u64 pc)
{
	if (op_kernel_map_is_vmlinux(pc))
		return READ_ONCE(op_image_fixed[OP_IMAGE_VMLINUX]->marked);
	return READ_ONCE(op_marks_kernel);
}

/* Who reads it meanwhile finds an odd number, or another one than before. */
static void op_verdict_write(struct op_verdict *v,
			     const struct op_inode_key *key, bool marked)
{
	WRITE_ONCE(v->seq, v->seq + 1);
	smp_wmb(); /* the first: the number is odd before the rest changes */
	v->key = *key;
	WRITE_ONCE(v->marked, marked);
	smp_wmb(); /* the second: and even only afterwards */
	WRITE_ONCE(v->seq, v->seq + 1);
}

/**
 * op_marks_learn - write down whether a file is marked
 * @file: the file
 * @image: its image
 *
 * Context: process, op_sync_mutex held.
 */
void op_marks_learn(struct file *file, const struct op_image *image)
{
	const struct path *path = op_file_user_path(file);
	struct op_inode_key key;

	/* Where the key may be another image's as well nothing can be said. */
	if (!op_inode_key_is_exact(d_inode(path->dentry)))
		return;
	op_inode_key(path, file_inode(file), &key);
	op_verdict_write(op_verdict_slot(&key), &key, image->marked);
}

static void op_verdicts_forget(void)
{
	/* No inode's. */
	const struct op_inode_key key = { .ino = U64_MAX };
	struct op_verdict *v;

	for (v = op_verdicts; v < op_verdicts + ARRAY_SIZE(op_verdicts); v++)
		op_verdict_write(v, &key, true);
}

static bool op_is_kernel_kind(const struct op_image *image)
{
	return image->id.kind == OP_IMAGE_MODULE ||
	       image->id.kind == OP_IMAGE_BPF ||
	       image->id.kind == OP_IMAGE_UNKNOWN;
}

/* Is an image of the kernel's, beside vmlinux, among the marked ones? */
static bool op_marks_any_kernel(void)
{
	struct op_image *image;
	bool any = false;
	u64 cookie = 0;

	while (!any && (image = op_image_next_known(&cookie))) {
		any = image->marked && op_is_kernel_kind(image);
		op_image_put(image);
	}
	return any;
}

/* Marks an image or takes its mark; with the mark goes a reference. */
static void op_mark_set(struct op_image *image, bool marked)
{
	/* What was sampled so far is judged by the marks of so far. */
	op_sync_all();
	if (marked && op_is_kernel_kind(image))
		WRITE_ONCE(op_marks_kernel, true);
	mutex_lock(&op_sync_mutex);
	WRITE_ONCE(image->marked, marked);
	op_nr_marks += marked ? 1 : -1;
	op_verdicts_forget();
	mutex_unlock(&op_sync_mutex);
	WRITE_ONCE(op_marks_kernel, op_marks_any_kernel());
	if (marked && op_nr_marks == 1)
		static_branch_enable(&op_marks_key);
	else if (!op_nr_marks)
		static_branch_disable(&op_marks_key);
}

struct op_path_work {
	struct work_struct work;
	const struct path *path;
	struct op_image *image;
};

static void op_path_work(struct work_struct *work)
{
	struct op_path_work *w = container_of(work, struct op_path_work, work);

	w->image = op_image_of_path(w->path);
}

/* As the sync step would: the path's text is that which the host's root sees. */
static struct op_image *op_image_in_worker(const struct path *path)
{
	struct op_path_work w = { .path = path };

	INIT_WORK_ONSTACK(&w.work, op_path_work);
	op_sync_run(&w.work);
	destroy_work_on_stack(&w.work);
	return w.image;
}

/* The image of a path, or of a name without a slash; referenced. */
static struct op_image *op_mark_image(const char *name)
{
	struct op_image *image;
	struct path path;
	int ret;

	if (name[0] != '/')
		return op_image_find_known(name) ?: ERR_PTR(-ENOENT);
	ret = kern_path(name, LOOKUP_FOLLOW, &path);
	if (ret)
		return ERR_PTR(ret);
	if (!d_is_reg(path.dentry))
		image = ERR_PTR(-EINVAL);
	else
		image = op_image_in_worker(&path);
	path_put(&path);
	return image;
}

/**
 * op_mark_add - mark an image
 * @name: a file's absolute path, as the caller sees it; or the name of any
 *	image's folder: vmlinux, NAME.ko, jit:NAME, …
 * @cookie: set to its dcookie
 *
 * Context: process, may sleep.
 * Return: 0, also if it was marked; -ENOENT or another error of looking up the
 * path; -EINVAL (no regular file), -ENOSPC (hist_memory) or -ENOMEM.
 */
int op_mark_add(const char *name, u64 *cookie)
{
	struct op_image *image = op_mark_image(name);

	if (IS_ERR(image))
		return PTR_ERR(image);
	*cookie = image->cookie;
	mutex_lock(&op_marks_mutex);
	if (image->marked) {
		mutex_unlock(&op_marks_mutex);
		op_image_put(image);
		return 0;
	}
	op_mark_set(image, true);
	mutex_unlock(&op_marks_mutex);
	return 0;
}

/* Takes the mark, not the reference; was there one? */
static bool op_mark_take(struct op_image *image)
{
	bool marked;

	mutex_lock(&op_marks_mutex);
	marked = image->marked;
	if (marked) {
		op_mark_set(image, false);
		/* That of the mark. */
		op_image_put(image);
	}
	mutex_unlock(&op_marks_mutex);
	return marked;
}

/**
 * op_mark_remove - take a mark away
 * @name: as for op_mark_add()
 * @cookie: if not 0, what @name stands for is this one's image
 *
 * A mark whose file has gone can only be named by its dcookie.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT (not marked), or as op_mark_add().
 */
int op_mark_remove(const char *name, u64 cookie)
{
	struct op_image *image;
	bool marked;

	if (cookie)
		image = op_image_get_cookie(cookie) ?: ERR_PTR(-ENOENT);
	else
		image = op_mark_image(name);
	if (IS_ERR(image))
		return PTR_ERR(image);
	marked = op_mark_take(image);

	if (image->id.kind != OP_IMAGE_FILE) {
		op_image_put(image);
		return marked ? 0 : -ENOENT;
	}
	/* A file's may have been made for the mark, or just now to look it up. */
	op_image_unused(image);
	mutex_lock(&op_sync_mutex);
	op_event_forget_images();
	mutex_unlock(&op_sync_mutex);
	return marked ? 0 : -ENOENT;
}

/**
 * op_marks_clear - take all marks away
 *
 * Context: process, may sleep.
 */
void op_marks_clear(void)
{
	struct op_image *image;
	u64 cookie = 0;

	while ((image = op_image_next_known(&cookie))) {
		op_mark_take(image);
		op_image_put(image);
	}
}
