// SPDX-License-Identifier: GPL-2.0-only
/*
 * buffer: the record stream, see core/oprofile_stream.h.
 *
 * Each open file is a reader of its own.  What can be written is "maps": asks
 * for the executable mappings of all processes that run, which then come before
 * what happens next.
 *
 * Runs in process context.  An open file holds its reader and its inode.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/splice.h>
#include <linux/uio.h>

#include "core/compat.h"
#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"
#include "oprofilefs/parse.h"

static int op_buffer_open(struct inode *inode, struct file *file)
{
	struct op_reader *reader;

	if (!perfmon_capable())
		return -EPERM;
	reader = op_reader_open(op_sees_addresses(file));
	if (IS_ERR(reader))
		return PTR_ERR(reader);
	file->private_data = reader;
	return stream_open(inode, file);
}

static ssize_t op_buffer_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;

	return op_reader_read(file->private_data, to,
			      (file->f_flags & O_NONBLOCK) ||
				      (iocb->ki_flags & IOCB_NOWAIT));
}

static ssize_t op_buffer_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	char text[OP_TEXT_MAX + 1];
	ssize_t len = op_take_text(iocb->ki_filp, from, text);
	char word[sizeof("maps")];
	int err;

	if (len < 0)
		return len;
	if (op_parse_word(text, len, word, sizeof(word)) ||
	    strcmp(word, "maps"))
		return op_refuse(iocb->ki_filp, -EINVAL,
				 "what can be asked for is maps");
	err = op_reader_ask_maps(iocb->ki_filp->private_data);
	return err ? err : len;
}

static __poll_t op_buffer_poll(struct file *file, poll_table *wait)
{
	return op_reader_poll(file->private_data, file, wait);
}

static int op_buffer_release(struct inode *inode, struct file *file)
{
	op_reader_close(file->private_data);
	return 0;
}

static const struct file_operations op_buffer_fops = {
	.owner = THIS_MODULE,
	.open = op_buffer_open,
	.read_iter = op_buffer_read_iter,
	.splice_read = op_splice_read,
	.write_iter = op_buffer_write_iter,
	.poll = op_buffer_poll,
	.llseek = no_llseek,
	.release = op_buffer_release,
};

const struct op_node op_buffer_nodes[] = {
	{
		.name = "buffer",
		.access = OP_READ_WRITE,
		.fops = &op_buffer_fops,
	},
	{},
};
