// SPDX-License-Identifier: GPL-2.0-only
/*
 * dcookies: "COOKIE PATH", a line each image that is known.  After a dcookie
 * was written, the same open file shows its line only.
 *
 * mark: the same for what is marked.  What is written is
 *
 *   PATH           a file, absolute; or an image's name: mark it
 *   unmark PATH    or a name, or a dcookie: take the mark away
 *
 * A write takes one of these; one newline at its end is none of the path's.
 * After a path was marked, the same open file reads as its dcookie.
 *
 * Runs in process context.  Nothing that was written may reach the log.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/limits.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uio.h>

#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"
#include "oprofilefs/parse.h"

static const char op_unmark[] = "unmark ";

/**
 * struct op_cookie_open - an open file of these
 * @open: what each open file has
 * @cookie: what was asked for; 0: everything
 */
struct op_cookie_open {
	struct op_open open;
	u64 cookie;
};

static struct op_cookie_open *op_cookie_open(struct op_open *open)
{
	return container_of(open, struct op_cookie_open, open);
}

/* ------------------------------------------------------------------ */
/* Reading: a position is the latest cookie shown                     */

static void *op_dcookies_start(struct seq_file *m, loff_t *pos)
{
	u64 asked = READ_ONCE(op_cookie_open(m->private)->cookie);
	u64 cookie = *pos;

	if (!asked)
		return op_image_next_known(&cookie);
	return cookie < asked ? op_image_get_cookie(asked) : NULL;
}

static void op_dcookies_stop(struct seq_file *m, void *v)
{
	if (v)
		op_image_put(v);
}

static void *op_dcookies_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct op_image *image = v;

	*pos = image->cookie;
	op_image_put(image);
	return op_dcookies_start(m, pos);
}

static int op_dcookies_show(struct seq_file *m, void *v)
{
	const struct op_image *image = v;

	seq_printf(m, "%llu ", image->cookie);
	op_path_print(m, image);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations op_dcookies_seq = {
	.start = op_dcookies_start,
	.next = op_dcookies_next,
	.stop = op_dcookies_stop,
	.show = op_dcookies_show,
};

static int op_mark_show(struct seq_file *m, void *v)
{
	const struct op_image *image = v;

	if (op_cookie_open(m->private)->cookie)
		seq_printf(m, "%llu\n", image->cookie);
	else if (READ_ONCE(image->marked))
		op_dcookies_show(m, v);
	return 0;
}

static const struct seq_operations op_mark_seq = {
	.start = op_dcookies_start,
	.next = op_dcookies_next,
	.stop = op_dcookies_stop,
	.show = op_mark_show,
};

/* ------------------------------------------------------------------ */
/* Writing                                                            */

static ssize_t op_dcookies_write(struct op_open *open, struct iov_iter *from)
{
	char text[OP_TEXT_MAX + 1];
	ssize_t len = op_take_text(open->file, from, text);
	struct op_image *image;
	u64 cookie;
	int err;

	if (len < 0)
		return len;
	err = op_parse_u64(text, len, &cookie);
	if (err)
		return op_refuse(open->file, err, "not a dcookie");
	image = op_image_get_cookie(cookie);
	if (!image)
		return op_refuse(open->file, -ENOENT,
				 "no image has this dcookie");
	op_image_put(image);
	WRITE_ONCE(op_cookie_open(open)->cookie, cookie);
	return len;
}

static int op_mark_run(struct op_cookie_open *mark, const char *text)
{
	u64 cookie = 0;
	int err;

	if (!str_has_prefix(text, op_unmark)) {
		err = op_mark_add(text, &cookie);
	} else {
		text += strlen(op_unmark);
		if (op_parse_u64(text, strlen(text), &cookie))
			cookie = 0;
		err = op_mark_remove(text, cookie);
		cookie = 0;
	}
	if (err)
		return op_refuse(mark->open.file, err, "not marked");
	WRITE_ONCE(mark->cookie, cookie);
	return 0;
}

static ssize_t op_mark_write(struct op_open *open, struct iov_iter *from)
{
	size_t len = iov_iter_count(from);
	size_t end = len;
	char *text;
	int err;

	if (len > strlen(op_unmark) + PATH_MAX)
		return op_refuse(open->file, -ENAMETOOLONG,
				 "the path is too long");
	text = kmalloc(len + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	if (!copy_from_iter_full(text, len, from)) {
		kfree(text);
		return -EFAULT;
	}
	if (end && text[end - 1] == '\n')
		end--;
	text[end] = '\0';
	if (!end || strlen(text) != end)
		err = op_refuse(open->file, -EINVAL, "not a path");
	else
		err = op_mark_run(op_cookie_open(open), text);
	kfree(text);
	return err ? err : (ssize_t)len;
}

const struct op_node op_dcookies_nodes[] = {
	{
		.name = "dcookies",
		.access = OP_READ_WRITE,
		.seq = &op_dcookies_seq,
		.open_size = sizeof(struct op_cookie_open),
		.write = op_dcookies_write,
		.rewind = true,
	},
	{
		.name = "mark",
		.access = OP_READ_WRITE,
		.seq = &op_mark_seq,
		.open_size = sizeof(struct op_cookie_open),
		.write = op_mark_write,
		.rewind = true,
	},
	{},
};
