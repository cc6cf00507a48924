// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file system's type, its one superblock and its mount options.
 *
 *   uid=N, gid=N   owner and group of everything (default 0)
 *   mode=OCTAL     rights of the files that can be read and written (default
 *                  0600); those that cannot be written or read lack these
 *                  rights; folders have x wherever this gives r
 *
 * However often it is mounted, there is one tree.  As with tracefs, options
 * given to a further mount or to a remount hold for all mounts, and those not
 * given stay as they are; only read-only belongs to the one mount.  When the
 * last mount has gone the options are forgotten.
 *
 * Runs in process context.  Must never start or stop sampling: mounting shows
 * and unmounting hides, nothing else.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "core/compat.h"
#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"

#define OP_DEFAULT_MODE 0600

static struct kmem_cache *op_inode_cache;

/* ------------------------------------------------------------------ */
/* Options                                                            */

enum op_option {
	OP_OPTION_UID,
	OP_OPTION_GID,
	OP_OPTION_MODE,
};

/**
 * struct op_options - what one call of mount says
 * @given: bit of each &enum op_option that it says
 * @uid: owner
 * @gid: group
 * @mode: rights
 */
struct op_options {
	unsigned int given;
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
};

static const struct fs_parameter_spec op_fs_parameters[] = {
	fsparam_u32("uid", OP_OPTION_UID),
	fsparam_u32("gid", OP_OPTION_GID),
	fsparam_u32oct("mode", OP_OPTION_MODE),
	{},
};

static int op_parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct op_options *options = fc->fs_private;
	struct fs_parse_result result;
	int option;

	option = fs_parse(fc, op_fs_parameters, param, &result);
	if (option < 0)
		return option;

	switch (option) {
	case OP_OPTION_UID:
		options->uid = make_kuid(fc->user_ns, result.uint_32);
		if (!uid_valid(options->uid))
			return invalf(fc,
				      "oprofilefs: uid: no such user id here");
		break;
	case OP_OPTION_GID:
		options->gid = make_kgid(fc->user_ns, result.uint_32);
		if (!gid_valid(options->gid))
			return invalf(fc,
				      "oprofilefs: gid: no such group id here");
		break;
	case OP_OPTION_MODE:
		if (result.uint_32 & ~0777U)
			return invalf(fc,
				      "oprofilefs: mode: has bits beyond 0777");
		options->mode = result.uint_32;
		break;
	}
	options->given |= BIT(option);
	return 0;
}

/* The superblock's s_umount is held for writing. */
static void op_apply_options(struct super_block *sb,
			     const struct op_options *options)
{
	struct op_sb *info = sb->s_fs_info;

	if (options->given & BIT(OP_OPTION_UID))
		WRITE_ONCE(info->uid.val, options->uid.val);
	if (options->given & BIT(OP_OPTION_GID))
		WRITE_ONCE(info->gid.val, options->gid.val);
	if (options->given & BIT(OP_OPTION_MODE))
		WRITE_ONCE(info->mode, options->mode);
}

static int op_show_options(struct seq_file *m, struct dentry *root)
{
	const struct op_sb *info = OP_SB(root->d_sb);

	if (!uid_eq(info->uid, GLOBAL_ROOT_UID))
		seq_printf(m, ",uid=%u",
			   from_kuid_munged(&init_user_ns, info->uid));
	if (!gid_eq(info->gid, GLOBAL_ROOT_GID))
		seq_printf(m, ",gid=%u",
			   from_kgid_munged(&init_user_ns, info->gid));
	if (info->mode != OP_DEFAULT_MODE)
		seq_printf(m, ",mode=0%o", info->mode);
	return 0;
}

/* ------------------------------------------------------------------ */
/* The superblock                                                     */

static struct inode *op_alloc_inode(struct super_block *sb)
{
	struct op_inode *inode;

	inode = alloc_inode_sb(sb, op_inode_cache, GFP_KERNEL);
	if (!inode)
		return NULL;
	inode->ref = (struct op_ref){};
	return &inode->vfs_inode;
}

static void op_free_inode(struct inode *inode)
{
	kmem_cache_free(op_inode_cache, OP_I(inode));
}

static void op_evict_inode(struct inode *inode)
{
	struct op_ref *ref = &OP_I(inode)->ref;

	truncate_inode_pages_final(&inode->i_data);
	clear_inode(inode);
	if (ref->image)
		op_image_put(ref->image);
}

static const struct super_operations op_super_operations = {
	.alloc_inode = op_alloc_inode,
	.free_inode = op_free_inode,
	.evict_inode = op_evict_inode,
	.statfs = simple_statfs,
	.show_options = op_show_options,
};

static int op_fill_super(struct super_block *sb, struct fs_context *fc)
{
	struct op_sb *info;

	info = kzalloc(sizeof(*info), GFP_KERNEL);
	if (!info)
		return -ENOMEM;
	info->uid = GLOBAL_ROOT_UID;
	info->gid = GLOBAL_ROOT_GID;
	info->mode = OP_DEFAULT_MODE;
	ktime_get_real_ts64(&info->born);

	/* From here on op_kill_sb() frees it, also when this fails. */
	sb->s_fs_info = info;
	op_apply_options(sb, fc->fs_private);
	sb->s_magic = OPROFILEFS_MAGIC;
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_time_gran = 1;
	sb->s_flags |= SB_NOATIME;
	sb->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;
	sb->s_op = &op_super_operations;
	op_set_dentry_ops(sb, &op_dentry_ops);
	sb->s_root = op_tree_root(sb);
	return sb->s_root ? 0 : -ENOMEM;
}

static void op_kill_sb(struct super_block *sb)
{
	struct op_sb *info = sb->s_fs_info;

	kill_anon_super(sb);
	kfree_rcu(info, rcu);
}

/* ------------------------------------------------------------------ */
/* Mounting                                                           */

/*
 * "ro" is two flags: the mount's own, which is set all the same, and the
 * superblock's, which would make all other mounts read-only as well.
 */
static void op_never_read_only(struct fs_context *fc)
{
	fc->sb_flags &= ~SB_RDONLY;
}

static int op_get_tree(struct fs_context *fc)
{
	int err;

	op_never_read_only(fc);
	err = get_tree_single(fc, op_fill_super);
	if (err)
		return err;
	op_apply_options(fc->root->d_sb, fc->fs_private);
	return 0;
}

static int op_reconfigure(struct fs_context *fc)
{
	op_never_read_only(fc);
	op_apply_options(fc->root->d_sb, fc->fs_private);
	return 0;
}

static void op_free_fc(struct fs_context *fc)
{
	kfree(fc->fs_private);
}

static const struct fs_context_operations op_context_operations = {
	.free = op_free_fc,
	.parse_param = op_parse_param,
	.get_tree = op_get_tree,
	.reconfigure = op_reconfigure,
};

static int op_init_fs_context(struct fs_context *fc)
{
	struct op_options *options;

	options = kzalloc(sizeof(*options), GFP_KERNEL);
	if (!options)
		return -ENOMEM;
	fc->fs_private = options;
	fc->ops = &op_context_operations;
	return 0;
}

static struct file_system_type op_fs_type = {
	.owner = THIS_MODULE,
	.name = "oprofilefs",
	.init_fs_context = op_init_fs_context,
	.parameters = op_fs_parameters,
	.kill_sb = op_kill_sb,
};

static void op_init_once(void *object)
{
	struct op_inode *inode = object;

	inode_init_once(&inode->vfs_inode);
}

/**
 * op_super_init - make the file system known
 *
 * Context: process, may sleep.
 * Return: 0; -ENOMEM; -EBUSY: there is one of that name.
 */
int op_super_init(void)
{
	int err;

	op_inode_cache = kmem_cache_create("oprofilefs_inode",
					   sizeof(struct op_inode), 0,
					   SLAB_RECLAIM_ACCOUNT | SLAB_ACCOUNT,
					   op_init_once);
	if (!op_inode_cache)
		return -ENOMEM;
	err = register_filesystem(&op_fs_type);
	if (err)
		goto err_cache;
	return 0;

err_cache:
	kmem_cache_destroy(op_inode_cache);
	return err;
}

/**
 * op_super_exit - make the file system unknown
 *
 * It is not mounted any more: each mount holds the module.
 *
 * Context: process, may sleep.
 */
void op_super_exit(void)
{
	unregister_filesystem(&op_fs_type);
	/* The last inodes are freed by RCU. */
	rcu_barrier();
	kmem_cache_destroy(op_inode_cache);
}
