/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that differs between the kernels this module is built for.
 *
 * Each piece is headed by the upstream change that made the difference and
 * the version it came with, and gives one name that the other files use for
 * all versions.  LINUX_VERSION_CODE stands in this file and nowhere else.
 */
#ifndef OP_COMPAT_H
#define OP_COMPAT_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/jhash.h>
#include <linux/kcsan-checks.h>
#include <linux/module.h>
#include <linux/seqlock.h>
#include <linux/splice.h>
#include <linux/task_work.h>
#include <linux/version.h>

#if !IS_ENABLED(CONFIG_64BIT)
#error "oprofile needs a 64-bit kernel"
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "oprofile needs Linux 6.1 or later"
#endif

/*
 * 6.3: "fs: port ->permission() to pass mnt_idmap" and its sisters for
 * ->getattr(), ->setattr() and ->create(): inode operations get the mount's
 * id map instead of the user namespace.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define op_idmap mnt_idmap
#else
#define op_idmap user_namespace
#endif

/*
 * 6.6: "fs: pass the request_mask to generic_fillattr".
 */
static inline void op_generic_fillattr(struct op_idmap *idmap, u32 request_mask,
				       struct inode *inode, struct kstat *stat)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	generic_fillattr(idmap, request_mask, inode, stat);
#else
	generic_fillattr(idmap, inode, stat);
#endif
}

/*
 * 6.6: "fs: add ctime accessors infrastructure", 6.7: "fs: new accessor
 * methods for atime and mtime": the members are no longer for direct use.
 */
static inline void op_inode_set_times(struct inode *inode,
				      struct timespec64 time)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	inode_set_atime_to_ts(inode, time);
	inode_set_mtime_to_ts(inode, time);
	inode_set_ctime_to_ts(inode, time);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	inode->i_atime = time;
	inode->i_mtime = time;
	inode_set_ctime_to_ts(inode, time);
#else
	inode->i_atime = time;
	inode->i_mtime = time;
	inode->i_ctime = time;
#endif
}

/*
 * 6.14: "Pass parent directory inode and expected name to ->d_revalidate()".
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define OP_D_REVALIDATE_ARGS                                                   \
	struct inode *dir, const struct qstr *name, struct dentry *dentry,     \
		unsigned int flags
#else
#define OP_D_REVALIDATE_ARGS struct dentry *dentry, unsigned int flags
#endif

/*
 * 6.17: "new helper: set_default_d_op()": a superblock's dentry operations
 * are no longer for direct use.
 */
static inline void op_set_dentry_ops(struct super_block *sb,
				     const struct dentry_operations *ops)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	set_default_d_op(sb, ops);
#else
	sb->s_d_op = ops;
#endif
}

/*
 * 6.5: "splice: Remove generic_file_splice_read()": what is read by
 * ->read_iter() is spliced by copy_splice_read().
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define op_splice_read copy_splice_read
#else
#define op_splice_read generic_file_splice_read
#endif

/*
 * task_work_add() is exported by Debian (for Android's binder), not by every
 * kernel; Kbuild looks it up.  Without it a sample whose mappings are being
 * changed at that moment lands in unknown.
 */
static inline int op_task_work_add(struct task_struct *task,
				   struct callback_head *work)
{
#ifdef OP_HAVE_TASK_WORK_ADD
	return task_work_add(task, work, TWA_RESUME);
#else
	return -ESRCH;
#endif
}

/*
 * 6.8: "fs: factor out backing_file_mmap() helper" and its sisters: on
 * overlayfs a mapping's file is a backing file, whose f_path is the real one;
 * before that its f_path was the user's.
 */
static inline const struct path *op_file_user_path(struct file *file)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return file_user_path(file);
#else
	return &file->f_path;
#endif
}

/*
 * 6.16: "exit: change the release_task() paths to call flush_sigqueue()" and
 * its neighbours: sched_process_exit's probe is told whether it is the last.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define OP_EXIT_PROBE_ARGS void *unused, struct task_struct *task, bool last
#else
#define OP_EXIT_PROBE_ARGS void *unused, struct task_struct *task
#endif

/* 6.7: "fs: new accessor methods for atime and mtime". */
static inline u64 op_inode_mtime_ns(const struct inode *inode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return inode_get_mtime_sec(inode) * NSEC_PER_SEC +
	       inode_get_mtime_nsec(inode);
#else
	return inode->i_mtime.tv_sec * NSEC_PER_SEC + inode->i_mtime.tv_nsec;
#endif
}

/**
 * struct op_text_range - a module's text: [start, end)
 * @start: first byte
 * @end: one past the last byte; @start if there is none
 */
struct op_text_range {
	unsigned long start;
	unsigned long end;
};

/* 6.4: "module: replace module_layout with module_memory". */
static inline struct op_text_range op_module_text(const struct module *mod,
						  bool init)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	const struct module_memory *mem =
		&mod->mem[init ? MOD_INIT_TEXT : MOD_TEXT];
	unsigned long base = (unsigned long)mem->base;
	unsigned int size = mem->size;
#else
	const struct module_layout *layout = init ? &mod->init_layout :
						    &mod->core_layout;
	unsigned long base = (unsigned long)layout->base;
	unsigned int size = layout->text_size;
#endif
	return (struct op_text_range){ base, base + size };
}

/**
 * struct op_module_sections - what a module consists of, as the kernel lays it
 *	out: sections of one kind stand together
 * @of: the sections; @of.init: gone once the module is live
 */
struct op_module_sections {
	struct {
		const char *name;
		unsigned long start;
		unsigned long size;
		bool init;
	} of[7];
};

#define OP_MODULE_SECTIONS 7

static inline void op_module_sections(const struct module *mod,
				      struct op_module_sections *sections)
{
	static const char *const names[OP_MODULE_SECTIONS] = {
		".text",	".data",
		".rodata",	".data..ro_after_init",
		".init.text",	".init.data",
		".init.rodata",
	};
	int i;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	static const enum mod_mem_type types[OP_MODULE_SECTIONS] = {
		MOD_TEXT,	   MOD_DATA,	  MOD_RODATA,
		MOD_RO_AFTER_INIT, MOD_INIT_TEXT, MOD_INIT_DATA,
		MOD_INIT_RODATA,
	};

	for (i = 0; i < OP_MODULE_SECTIONS; i++) {
		sections->of[i].start = (unsigned long)mod->mem[types[i]].base;
		sections->of[i].size = mod->mem[types[i]].size;
	}
#else
	/* One after the other: text, rodata, ro_after_init, data. */
	const struct module_layout *core = &mod->core_layout;
	const struct module_layout *init = &mod->init_layout;
	unsigned long at = (unsigned long)core->base;
	unsigned long init_at = (unsigned long)init->base;
	const unsigned long borders[OP_MODULE_SECTIONS][2] = {
		{ at, at + core->text_size },
		{ at + core->ro_after_init_size, at + core->size },
		{ at + core->text_size, at + core->ro_size },
		{ at + core->ro_size, at + core->ro_after_init_size },
		{ init_at, init_at + init->text_size },
		{ init_at + init->ro_size, init_at + init->size },
		{ init_at + init->text_size, init_at + init->ro_size },
	};

	for (i = 0; i < OP_MODULE_SECTIONS; i++) {
		sections->of[i].start = borders[i][0];
		sections->of[i].size = borders[i][1] - borders[i][0];
	}
#endif
	for (i = 0; i < OP_MODULE_SECTIONS; i++) {
		sections->of[i].name = names[i];
		sections->of[i].init = i >= 4;
	}
}

/*
 * A hash of where in a module's text its symbols are.  The table is of what
 * stays when init is over, and there from before the module's first notice on;
 * it has no members that changed since 6.1.
 */
static inline u32 op_module_hash_symbols(const struct module *mod,
					 struct op_text_range text, u32 hash)
{
#ifdef CONFIG_KALLSYMS
	const struct mod_kallsyms *table = &mod->core_kallsyms;
	unsigned int i;

	for (i = 0; i < table->num_symtab; i++) {
		const typeof(*table->symtab) *symbol = &table->symtab[i];
		const char *name = table->strtab + symbol->st_name;

		if (symbol->st_value < text.start ||
		    symbol->st_value >= text.end)
			continue;
		hash = jhash_2words(symbol->st_value - text.start,
				    symbol->st_size, hash);
		hash = jhash(name, strlen(name), hash);
	}
#endif
	return hash;
}

/*
 * 6.13: "seqlock, treewide: Switch to non-raw seqcount_latch interface".  To be
 * called before copy @i, 0 or 1, is changed, and op_latch_end() after both.
 */
static inline void op_latch_switch(seqcount_latch_t *seq, int i)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	if (i)
		write_seqcount_latch(seq);
	else
		write_seqcount_latch_begin(seq);
#else
	/* That the count is read while it changes is what it is for. */
	kcsan_nestable_atomic_begin();
	raw_write_seqcount_latch(seq);
	kcsan_nestable_atomic_end();
#endif
}

static inline void op_latch_end(seqcount_latch_t *seq)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	write_seqcount_latch_end(seq);
#endif
}

#endif /* OP_COMPAT_H */
