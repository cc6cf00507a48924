/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the tree of files is made: one table of nodes a subject.
 *
 * A node says what a file or folder is; a reference (struct op_ref) says
 * which one, where a node stands for many: of which counter, CPU or image.
 * tree.c makes inodes of references when they are looked up and forgets them
 * when nobody uses them; file.c reads and writes; the other files hold the
 * tables and what their files say.
 */
#ifndef OPROFILEFS_H
#define OPROFILEFS_H

#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/types.h>
#include <linux/uio.h>

#include "core/oprofile.h"
#include "oprofilefs/parse.h"

#define OPROFILEFS_MAGIC 0x6f70726f

struct op_node;
struct op_open;

/**
 * enum op_access - what can be done with a node
 * @OP_DIR: a folder
 * @OP_READ: read only
 * @OP_WRITE: write only
 * @OP_READ_WRITE: both
 */
enum op_access {
	OP_DIR,
	OP_READ,
	OP_WRITE,
	OP_READ_WRITE,
};

/*
 * An inode number is made of a reference's key, of its folder's family and of
 * its place in there: it is the same whenever and however often it is asked
 * for, and after the next boot, too.
 */
enum op_family {
	OP_FAMILY_ROOT,
	OP_FAMILY_COUNTER,
	OP_FAMILY_IMAGES,
	OP_FAMILY_IMAGE,
	OP_FAMILY_STATS,
	OP_FAMILY_STAT,
	OP_FAMILY_CPU,
	OP_FAMILY_CPU_STAT,
};

/**
 * struct op_ref - one file or folder
 * @node: what it is
 * @key: which one: the counter, the CPU, the statistic, the dcookie
 * @image: the image below whose folder it is; the reference holds it
 */
struct op_ref {
	const struct op_node *node;
	u64 key;
	struct op_image *image;
};

/**
 * struct op_dir_ops - a folder's children that are in no table
 * @find: fill in the child of that name (@child comes with the folder's key
 *	and image; an image that is put there is referenced for the caller), or
 *	-ENOENT
 * @next: the child after position *@pos (0: the first), whose position is
 *	stored there; @name, of NAME_MAX + 1 bytes, takes its name; no image is
 *	referenced.  -ENOENT past the last.
 *
 * Both run in process context and may sleep.
 */
struct op_dir_ops {
	int (*find)(const char *name, struct op_ref *child);
	int (*next)(u64 *pos, char *name, struct op_ref *child);
};

/**
 * struct op_node - what a file or a folder is
 * @name: in its folder; %NULL ends a table
 * @access: kind and rights
 * @family: of a folder's children's and of a keyed child's inode numbers
 * @arg: for the callbacks
 * @tables: a folder's children: tables, ended by %NULL
 * @dir_ops: a folder's further children
 * @alive: is what the folder stands for still there?  May be %NULL for yes.
 * @get: a number's file: read it
 * @set: a number's file: write it
 * @refused: a number's file: what the log says when @set fails, where that is
 *	more than a matter of the number
 * @show: a text's file: print it
 * @store: a file that takes a whole text: take it; @text ends in a NUL that is
 *	not of @len
 * @seq: a list's file
 * @open_size: size of what an open file of this node keeps: a structure that
 *	begins with a struct op_open; 0 for just that
 * @init: make what an open file of this node keeps, zeroed before, ready
 * @write: takes each write as it comes, for files that are streams
 * @rewind: a write may come at any position, and what is read next begins at the
 *	beginning
 * @flush: a descriptor is closed; a result for close(2)
 * @release: the last descriptor was closed
 * @fops: a file that is like no other: its operations; none of the above then
 *
 * All callbacks run in process context and may sleep.
 */
struct op_node {
	const char *name;
	enum op_access access;
	enum op_family family;
	unsigned int arg;

	const struct op_node *const *tables;
	const struct op_dir_ops *dir_ops;
	bool (*alive)(const struct op_ref *ref);

	int (*get)(const struct op_ref *ref, u64 *value);
	int (*set)(const struct op_ref *ref, u64 value);
	const char *refused;
	int (*show)(struct seq_file *m, const struct op_ref *ref);
	int (*store)(const struct op_ref *ref, const char *text, size_t len);
	const struct seq_operations *seq;
	size_t open_size;
	void (*init)(struct op_open *open);
	ssize_t (*write)(struct op_open *open, struct iov_iter *from);
	bool rewind;
	int (*flush)(struct op_open *open, struct file *file);
	void (*release)(struct op_open *open, struct file *file);
	const struct file_operations *fops;
};

/**
 * struct op_open - what an open file keeps, its seq_file's private
 * @ref: the file's
 * @file: the open file itself
 * @visible: its opener may see addresses of the kernel
 */
struct op_open {
	const struct op_ref *ref;
	struct file *file;
	bool visible;
};

/**
 * struct op_sb - of the mounted file system, one for all its mounts
 * @uid: owner of everything
 * @gid: group of everything
 * @mode: rights of a file that can be read and written
 * @born: the time stamps of everything
 * @rcu: who looks up a path without references may come after the last mount
 */
struct op_sb {
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
	struct timespec64 born;
	struct rcu_head rcu;
};

/**
 * struct op_inode - a reference that somebody uses
 * @vfs_inode: the VFS's
 * @ref: the reference; its image is put when the inode goes
 */
struct op_inode {
	struct inode vfs_inode;
	struct op_ref ref;
};

static inline struct op_inode *OP_I(const struct inode *inode)
{
	return container_of(inode, struct op_inode, vfs_inode);
}

static inline const struct op_sb *OP_SB(const struct super_block *sb)
{
	return sb->s_fs_info;
}

/* super.c */
int op_super_init(void);
void op_super_exit(void);

/* tree.c */
extern const struct dentry_operations op_dentry_ops;
struct dentry *op_tree_root(struct super_block *sb);

/* file.c */
extern const struct file_operations op_file_fops;
int op_refuse(const struct file *file, int err, const char *reason);
ssize_t op_take_text(const struct file *file, struct iov_iter *from,
		     char text[OP_TEXT_MAX + 1]);
bool op_sees_addresses(const struct file *file);
u64 op_visible(struct seq_file *m, u64 address);

/**
 * op_seq_anew - is this a read from the file's beginning?
 * @m: the file
 * @pos: the position that its start is asked for
 *
 * Seeking goes by a start at 0 as well, but not from there.
 *
 * Context: the start of a seq_file.
 */
static inline bool op_seq_anew(const struct seq_file *m, loff_t pos)
{
	return !pos && !m->read_pos;
}

/* Room for a column's event and rate: a colon, 20 digits, "Hz", a NUL. */
#define OP_COLUMN_LEN (OP_EVENT_NAME_LEN + 24)

/* images.c */
void op_path_print(struct seq_file *m, const struct op_image *image);
void op_columns_name(unsigned long *columns,
		     char names[OP_NR_COUNTERS][OP_COLUMN_LEN]);
void op_columns_print(struct seq_file *m, unsigned long columns,
		      char names[OP_NR_COUNTERS][OP_COLUMN_LEN]);
bool op_offset_is_address(u32 kind);

/* The tables. */
extern const struct op_node op_buffer_nodes[];
extern const struct op_node op_changes_nodes[];
extern const struct op_node op_control_nodes[];
extern const struct op_dir_ops op_counters_dir_ops;
extern const struct op_node op_dcookies_nodes[];
extern const struct op_node op_image_nodes[];
extern const struct op_node op_jit_nodes[];
extern const struct op_node op_stats_nodes[];

#endif /* OPROFILEFS_H */
