// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all files of the tree have in common: open, read, write, seek.
 *
 * Every open asks for CAP_PERFMON (or CAP_SYS_ADMIN), after the VFS has asked
 * for the file's rights, and whatever these are.  Reading is a seq_file's.
 * Writing takes a whole value at a time: what one write(2) brings is the value
 * or is refused, and changes nothing then.  A write does not move the file's
 * position, so that the next one on the same descriptor is good as well; one
 * at any other position than 0 is refused.
 *
 * Runs in process context.  Nothing that was written may reach the log.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/splice.h>
#include <linux/string.h>
#include <linux/uio.h>
#include <linux/user_namespace.h>

#include "core/compat.h"
#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"
#include "oprofilefs/parse.h"

/**
 * op_refuse - say in the log why a write failed
 * @file: what was written to
 * @err: what the writer gets
 * @reason: why; must not hold what was written
 *
 * Context: process.
 * Return: @err.
 */
int op_refuse(const struct file *file, int err, const char *reason)
{
	const struct dentry *dentry = file->f_path.dentry;

	if (IS_ROOT(dentry->d_parent))
		pr_info_ratelimited("%pd: %s (%pe)\n", dentry, reason,
				    ERR_PTR(err));
	else
		pr_info_ratelimited("%pd2: %s (%pe)\n", dentry, reason,
				    ERR_PTR(err));
	return err;
}

/*
 * Has the administrator hidden addresses from everybody?  kptr_restrict can't be
 * asked, but what it does to an address can.
 */
static bool op_addresses_are_hidden(void)
{
	char text[2 * sizeof(void *) + 1];

	snprintf(text, sizeof(text), "%pK", &op_file_fops);
	return strspn(text, "0") == strlen(text);
}

/**
 * op_sees_addresses - may who opens a file see addresses of the kernel?
 * @file: the file
 *
 * As with /proc/kallsyms that takes CAP_SYSLOG, and kernel.kptr_restrict is not
 * 2.
 *
 * Context: process, the opener's.
 */
bool op_sees_addresses(const struct file *file)
{
	return file_ns_capable(file, &init_user_ns, CAP_SYSLOG) &&
	       !op_addresses_are_hidden();
}

/**
 * op_visible - an address as the file's opener may see it
 * @m: what it is printed to
 * @address: the address
 *
 * Context: process.
 * Return: @address, or 0 if it is one of the kernel's and the opener may not
 * see such.
 */
u64 op_visible(struct seq_file *m, u64 address)
{
	const struct op_open *open = m->private;

	return address < TASK_SIZE_MAX || open->visible ? address : 0;
}

/* ------------------------------------------------------------------ */
/* Files of one value                                                 */

static void *op_single_start(struct seq_file *m, loff_t *pos)
{
	return *pos ? NULL : SEQ_START_TOKEN;
}

static void *op_single_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return NULL;
}

static void op_single_stop(struct seq_file *m, void *v)
{
}

static int op_single_show(struct seq_file *m, void *v)
{
	const struct op_open *open = m->private;
	const struct op_node *node = open->ref->node;
	u64 value;
	int err;

	if (node->show)
		return node->show(m, open->ref);
	err = node->get(open->ref, &value);
	if (!err)
		seq_printf(m, "%llu\n", value);
	return err;
}

static const struct seq_operations op_single_seq = {
	.start = op_single_start,
	.next = op_single_next,
	.stop = op_single_stop,
	.show = op_single_show,
};

/* Why a number was refused. */
static const char *op_reason(const struct op_node *node, int err)
{
	if (node->refused)
		return node->refused;
	switch (err) {
	case -EBUSY:
		return "sampling is enabled";
	case -ERANGE:
		return "too small or too large";
	default:
		return "it cannot have this value";
	}
}

static int op_store_u64(const struct op_open *open, const char *text,
			size_t len)
{
	const struct op_ref *ref = open->ref;
	u64 value;
	int err;

	err = op_parse_u64(text, len, &value);
	if (err)
		return op_refuse(open->file, err,
				 err == -ERANGE ? "the number is too large" :
						  "not a number");
	err = ref->node->set(ref, value);
	if (err)
		return op_refuse(open->file, err, op_reason(ref->node, err));
	return 0;
}

/**
 * op_take_text - take what one write brings to a file of short texts
 * @file: what is written to
 * @from: where from
 * @text: takes it, with a NUL behind it
 *
 * Context: process, may sleep.
 * Return: its length, -EINVAL (too long) or -EFAULT.
 */
ssize_t op_take_text(const struct file *file, struct iov_iter *from,
		     char text[OP_TEXT_MAX + 1])
{
	size_t len = iov_iter_count(from);

	if (len > OP_TEXT_MAX)
		return op_refuse(file, -EINVAL, "the text is too long");
	if (!copy_from_iter_full(text, len, from))
		return -EFAULT;
	text[len] = '\0';
	return len;
}

static ssize_t op_write_value(struct op_open *open, struct iov_iter *from)
{
	const struct op_ref *ref = open->ref;
	char text[OP_TEXT_MAX + 1];
	ssize_t len = op_take_text(open->file, from, text);
	int err;

	if (len < 0)
		return len;
	if (!ref->node->store)
		err = op_store_u64(open, text, len);
	else
		err = ref->node->store(ref, text, len);
	return err ? err : len;
}

/* ------------------------------------------------------------------ */
/* The operations                                                     */

static struct op_open *op_opened(const struct file *file)
{
	const struct seq_file *m = file->private_data;

	return m->private;
}

static int op_open(struct inode *inode, struct file *file)
{
	const struct op_ref *ref = &OP_I(inode)->ref;
	const struct op_node *node = ref->node;
	struct op_open *open;

	if (!perfmon_capable())
		return -EPERM;
	/* The modes say so, too, but root is not bound by modes. */
	if (((file->f_mode & FMODE_READ) && node->access == OP_WRITE) ||
	    ((file->f_mode & FMODE_WRITE) && node->access == OP_READ))
		return -EACCES;

	open = __seq_open_private(file, node->seq ? node->seq : &op_single_seq,
				  node->open_size ? node->open_size :
						    sizeof(*open));
	if (!open)
		return -ENOMEM;
	open->ref = ref;
	open->file = file;
	open->visible = op_sees_addresses(file);
	if (node->init)
		node->init(open);
	/* A seq_file forbids pwrite(2); here it is for op_write_iter() to say. */
	if (file->f_mode & FMODE_WRITE)
		file->f_mode |= FMODE_PWRITE;
	return 0;
}

static ssize_t op_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct op_open *open = op_opened(iocb->ki_filp);
	const struct op_node *node = open->ref->node;
	ssize_t ret;

	if (iocb->ki_pos && !node->rewind)
		return op_refuse(open->file, -EINVAL,
				 "written at an offset other than 0");
	ret = node->write ? node->write(open, from) :
			    op_write_value(open, from);
	if (node->rewind && ret >= 0)
		iocb->ki_pos = 0;
	return ret;
}

static loff_t op_llseek(struct file *file, loff_t offset, int whence)
{
	/* A seq_file finds a position by printing everything before it. */
	if (file->f_mode & FMODE_READ)
		return seq_lseek(file, offset, whence);
	return generic_file_llseek(file, offset, whence);
}

static int op_flush(struct file *file, fl_owner_t id)
{
	struct op_open *open = op_opened(file);

	return open->ref->node->flush ? open->ref->node->flush(open, file) : 0;
}

static int op_release(struct inode *inode, struct file *file)
{
	struct op_open *open = op_opened(file);

	if (open->ref->node->release)
		open->ref->node->release(open, file);
	return seq_release_private(inode, file);
}

const struct file_operations op_file_fops = {
	.owner = THIS_MODULE,
	.open = op_open,
	.read_iter = seq_read_iter,
	.splice_read = op_splice_read,
	.write_iter = op_write_iter,
	.llseek = op_llseek,
	.flush = op_flush,
	.release = op_release,
};
