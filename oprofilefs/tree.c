// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree: lookup, readdir, inodes, rights.
 *
 * Nothing is made before somebody asks for it, and nothing is kept when the
 * last user has gone: with a hundred thousand images an ls must leave no
 * trace.  So readdir makes neither dentries nor inodes, and every dentry is
 * dropped by its last dput() (op_d_delete()).  A dentry that somebody still
 * uses is asked again at each lookup whether it is what the name means now
 * (op_d_revalidate()): a reset takes images away and sampling brings others of
 * the same name.  Owner and rights come from the mount options whenever they
 * are looked at, so that a remount needs to find no inode.
 *
 * Runs in process context.  It must never hold anything of an image but a
 * reference, and that no longer than the inode or the call.
 */
#include <linux/capability.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/stat.h>

#include "core/compat.h"
#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"

/* Of the root: family and key are 0, and places of tables begin after it. */
#define OP_INO_FIRST 2

static const struct op_node *const op_root_tables[] = {
	op_control_nodes,  op_image_nodes, op_jit_nodes,     op_buffer_nodes,
	op_dcookies_nodes, op_stats_nodes, op_changes_nodes, NULL,
};

static const struct op_node op_root_node = {
	.name = "/",
	.access = OP_DIR,
	.family = OP_FAMILY_ROOT,
	.tables = op_root_tables,
	.dir_ops = &op_counters_dir_ops,
};

/* ------------------------------------------------------------------ */
/* What a folder holds                                                */

static const struct op_node *op_table_node(const struct op_node *dir,
					   unsigned int n)
{
	const struct op_node *const *table = dir->tables;
	const struct op_node *node;

	for (; table && *table; table++)
		for (node = *table; node->name; node++)
			if (!n--)
				return node;
	return NULL;
}

static unsigned long op_table_ino(const struct op_ref *dir, unsigned int n)
{
	return dir->key << 16 | dir->node->family << 8 | (n + OP_INO_FIRST);
}

static unsigned long op_keyed_ino(const struct op_ref *child)
{
	return child->key << 16 | child->node->family << 8;
}

static bool op_alive(const struct op_ref *ref)
{
	return !ref->node->alive || ref->node->alive(ref);
}

/*
 * Finds a folder's child.  An image in @child is referenced for the caller
 * afterwards: by find(), or here, where the child is one of the folder's own
 * image.
 */
static int op_find(const struct op_ref *dir, const char *name,
		   struct op_ref *child, unsigned long *ino)
{
	const struct op_node *node;
	unsigned int n;
	int err;

	if (!op_alive(dir))
		return -ENOENT;
	*child = *dir;
	for (n = 0; (node = op_table_node(dir->node, n)); n++) {
		if (strcmp(node->name, name))
			continue;
		child->node = node;
		if (child->image)
			refcount_inc(&child->image->refs);
		*ino = op_table_ino(dir, n);
		return 0;
	}
	if (!dir->node->dir_ops)
		return -ENOENT;
	err = dir->node->dir_ops->find(name, child);
	if (err)
		return err;
	*ino = op_keyed_ino(child);
	return 0;
}

/*
 * Positions: 0 and 1 are the dots, then come the tables, then what
 * dir_ops->next() counts: for images that is the dcookie, so that those that
 * come and go do not move the others.
 */
static int op_iterate(struct file *file, struct dir_context *ctx)
{
	const struct op_ref *dir = &OP_I(file_inode(file))->ref;
	const struct op_node *node;
	struct op_ref child;
	char *name;
	loff_t base = 2;
	u64 pos;
	int err = 0;

	if (!op_alive(dir))
		return -ENOENT;
	if (!dir_emit_dots(file, ctx))
		return 0;

	for (; (node = op_table_node(dir->node, base - 2)); base++) {
		if (ctx->pos > base)
			continue;
		if (!dir_emit(ctx, node->name, strlen(node->name),
			      op_table_ino(dir, base - 2),
			      node->access == OP_DIR ? DT_DIR : DT_REG))
			return 0;
		ctx->pos++;
	}
	if (!dir->node->dir_ops)
		return 0;

	name = kmalloc(NAME_MAX + 1, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	pos = ctx->pos - base;
	for (;;) {
		child = *dir;
		err = dir->node->dir_ops->next(&pos, name, &child);
		if (err)
			break;
		if (!dir_emit(ctx, name, strlen(name), op_keyed_ino(&child),
			      child.node->access == OP_DIR ? DT_DIR : DT_REG))
			break;
		ctx->pos = base + pos;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	kfree(name);
	return err == -ENOENT ? 0 : err;
}

static int op_dir_open(struct inode *inode, struct file *file)
{
	return perfmon_capable() ? 0 : -EPERM;
}

static const struct file_operations op_dir_fops = {
	.owner = THIS_MODULE,
	.open = op_dir_open,
	.llseek = generic_file_llseek,
	.read = generic_read_dir,
	.iterate_shared = op_iterate,
};

/* ------------------------------------------------------------------ */
/* Inodes                                                             */

static umode_t op_mode(const struct op_node *node, umode_t mode)
{
	switch (node->access) {
	case OP_DIR:
		return S_IFDIR | mode | (mode & 0444) >> 2;
	case OP_READ:
		return S_IFREG | (mode & ~0222);
	case OP_WRITE:
		return S_IFREG | (mode & ~0444);
	case OP_READ_WRITE:
		break;
	}
	return S_IFREG | mode;
}

/*
 * Brings an inode up to what the mount options say now.  Called whenever
 * rights are checked or shown, also in RCU mode; two that do it at once store
 * the same.
 */
static void op_refresh(struct inode *inode)
{
	const struct op_sb *options = OP_SB(inode->i_sb);

	inode->i_uid.val = READ_ONCE(options->uid.val);
	inode->i_gid.val = READ_ONCE(options->gid.val);
	inode->i_mode =
		op_mode(OP_I(inode)->ref.node, READ_ONCE(options->mode));
}

static int op_permission(struct op_idmap *idmap, struct inode *inode, int mask)
{
	op_refresh(inode);
	return generic_permission(idmap, inode, mask);
}

static int op_getattr(struct op_idmap *idmap, const struct path *path,
		      struct kstat *stat, u32 request_mask, unsigned int flags)
{
	struct inode *inode = d_inode(path->dentry);

	op_refresh(inode);
	op_generic_fillattr(idmap, request_mask, inode, stat);
	return 0;
}

/*
 * The options of the mount are all that sets owners and rights.  Only what
 * opening with O_TRUNC asks for is granted, since "echo 1 >file" does that.
 */
static int op_setattr(struct op_idmap *idmap, struct dentry *dentry,
		      struct iattr *attr)
{
	if (attr->ia_valid & (ATTR_MODE | ATTR_UID | ATTR_GID))
		return -EPERM;
	if (!(attr->ia_valid & ATTR_SIZE) || attr->ia_size)
		return -EPERM;
	return 0;
}

static struct dentry *op_lookup(struct inode *dir, struct dentry *dentry,
				unsigned int flags);

static const struct inode_operations op_dir_iops = {
	.lookup = op_lookup,
	.permission = op_permission,
	.getattr = op_getattr,
	.setattr = op_setattr,
};

static const struct inode_operations op_file_iops = {
	.permission = op_permission,
	.getattr = op_getattr,
	.setattr = op_setattr,
};

/* Takes over the reference's image, also when it fails. */
static struct inode *op_new_inode(struct super_block *sb,
				  const struct op_ref *ref, unsigned long ino)
{
	struct inode *inode = new_inode(sb);

	if (!inode) {
		if (ref->image)
			op_image_put(ref->image);
		return ERR_PTR(-ENOMEM);
	}
	OP_I(inode)->ref = *ref;
	inode->i_ino = ino;
	op_refresh(inode);
	op_inode_set_times(inode, OP_SB(sb)->born);
	if (ref->node->access == OP_DIR) {
		inode->i_op = &op_dir_iops;
		inode->i_fop = &op_dir_fops;
	} else {
		inode->i_op = &op_file_iops;
		inode->i_fop = ref->node->fops ? ref->node->fops :
						 &op_file_fops;
	}
	return inode;
}

/* ------------------------------------------------------------------ */
/* Dentries                                                           */

/*
 * As in procfs, a name that is not there gets no dentry: to create it is
 * ENOENT, too, which tells more of a name that was mistyped than EPERM would.
 */
static struct dentry *op_lookup(struct inode *dir, struct dentry *dentry,
				unsigned int flags)
{
	struct op_ref child;
	unsigned long ino;
	int err;

	if (dentry->d_name.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	err = op_find(&OP_I(dir)->ref, dentry->d_name.name, &child, &ino);
	if (err)
		return ERR_PTR(err);
	return d_splice_alias(op_new_inode(dir->i_sb, &child, ino), dentry);
}

static int op_d_revalidate(OP_D_REVALIDATE_ARGS)
{
	if (flags & LOOKUP_RCU)
		return -ECHILD;
	return op_alive(&OP_I(d_inode(dentry))->ref);
}

static int op_d_delete(const struct dentry *dentry)
{
	return 1;
}

const struct dentry_operations op_dentry_ops = {
	.d_revalidate = op_d_revalidate,
	.d_delete = op_d_delete,
};

/**
 * op_tree_root - make the root of a new superblock
 * @sb: the superblock, its options filled in
 *
 * Context: process, may sleep.
 * Return: the root's dentry, or %NULL if there is no memory.
 */
struct dentry *op_tree_root(struct super_block *sb)
{
	const struct op_ref root = { .node = &op_root_node };
	struct inode *inode = op_new_inode(sb, &root, 1);

	return IS_ERR(inode) ? NULL : d_make_root(inode);
}
