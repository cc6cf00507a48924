/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for the kernel, so that files of the module run on the host.
 *
 * Each <linux/NAME.h> that these include and tests/unit/include does not have
 * is made by the Makefile and includes this one.  There is one task and one
 * CPU; what the kernel would do for the module (user memory, capabilities) is
 * what the target says.
 */
#ifndef OP_FUZZ_KERNEL_H
#define OP_FUZZ_KERNEL_H

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

#include <asm/types.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/ptrace.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/types.h>

typedef unsigned short umode_t;
typedef unsigned int gfp_t;
typedef struct {
	unsigned int val;
} kuid_t, kgid_t;

#define __read_mostly
#define noinline __attribute__((noinline))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define likely(x) (x)
#define unlikely(x) (x)
#define READ_ONCE(x) (x)
#define WRITE_ONCE(x, value) ((x) = (value))
#define U32_MAX ((u32)~0U)
#define GFP_KERNEL 0U
#define KBUILD_MODNAME "oprofile"
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SZ_64K 0x10000
#define SZ_1M 0x100000
#define SZ_128M 0x8000000
#define SZ_16M 0x1000000
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#define roundup(n, to) ((((n) + (to)-1) / (to)) * (to))
#define min(a, b)                                                              \
	({                                                                     \
		typeof(a) _a = (a);                                            \
		typeof(b) _b = (b);                                            \
		_a < _b ? _a : _b;                                             \
	})
#define max(a, b)                                                              \
	({                                                                     \
		typeof(a) _a = (a);                                            \
		typeof(b) _b = (b);                                            \
		_a > _b ? _a : _b;                                             \
	})
#define container_of(pointer, type, member)                                    \
	((type *)((char *)(pointer)-offsetof(type, member)))
#define WARN_ON_ONCE(condition)                                                \
	({                                                                     \
		if (condition)                                                 \
			abort();                                               \
		false;                                                         \
	})

#define IS_ERR(pointer) ((unsigned long)(pointer) >= (unsigned long)-4095)
#define ERR_PTR(error) ((void *)(long)(error))
#define PTR_ERR(pointer) ((long)(pointer))

static inline u64 roundup_pow_of_two(u64 n)
{
	u64 power = 1;

	while (power < n)
		power *= 2;
	return power;
}

/* ------------------------------------------------------------------ */
/* Memory, texts                                                      */

static inline void *kmalloc(size_t size, gfp_t flags)
{
	return malloc(size ? size : 1);
}

static inline void *kvmalloc_array(size_t n, size_t size, gfp_t flags)
{
	return calloc(n, size);
}

#define kfree(memory) free((void *)(memory))
#define kvfree(memory) free((void *)(memory))

static inline ssize_t op_fuzz_strscpy(char *to, const char *from, size_t size)
{
	snprintf(to, size, "%s", from);
	return strlen(to);
}

#define strscpy op_fuzz_strscpy

static inline size_t str_has_prefix(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? 0 : len;
}

/* ------------------------------------------------------------------ */
/* Locks: there is nobody else, but what is locked must be unlocked   */

struct mutex {
	int held;
};

#define DEFINE_MUTEX(name) struct mutex name = { 0 }

static inline void mutex_init(struct mutex *mutex)
{
	mutex->held = 0;
}

static inline void mutex_lock(struct mutex *mutex)
{
	assert(!mutex->held++);
}

static inline int mutex_lock_killable(struct mutex *mutex)
{
	mutex_lock(mutex);
	return 0;
}

static inline void mutex_unlock(struct mutex *mutex)
{
	assert(!--mutex->held);
}

#define cond_resched() ((void)0)

struct static_key_false {
	bool on;
};

#define DECLARE_STATIC_KEY_FALSE(name) extern struct static_key_false name
#define static_branch_unlikely(key) ((key)->on)

typedef struct {
	int dummy;
} wait_queue_head_t;

#define DECLARE_WAIT_QUEUE_HEAD(name) wait_queue_head_t name
#define wake_up_interruptible_poll(queue, events)                              \
	((void)(queue), (void)(events))

static inline void refcount_inc(refcount_t *refs)
{
	refs->refs++;
}

/* ------------------------------------------------------------------ */
/* Tasks                                                              */

#define PF_EXITING 4
#define PF_KTHREAD 0x200000

struct pid {
	int refs;
};

struct task_struct {
	unsigned int flags;
	int exit_code;
	bool killed;
	struct pid pid;
};

extern struct task_struct op_fuzz_task;
#define current (&op_fuzz_task)

static inline bool fatal_signal_pending(const struct task_struct *task)
{
	return task->killed;
}

static inline struct pid *task_tgid(struct task_struct *task)
{
	return &task->pid;
}

static inline struct pid *get_pid(struct pid *pid)
{
	pid->refs++;
	return pid;
}

static inline void put_pid(struct pid *pid)
{
	if (pid)
		pid->refs--;
}

struct user_namespace;
extern struct user_namespace init_user_ns;
#define CAP_SYSLOG 34

/* ------------------------------------------------------------------ */
/* Files                                                              */

#define MNT_INTERNAL 0x4000
#define FMODE_READ 1u
#define FMODE_WRITE 2u
#define FMODE_PWRITE 16u
#define S_IFMT_FUZZ 0170000
#define TASK_SIZE_MAX 0x7ffffffff000ULL
#define MODULE_NAME_LEN 56
#define SEQ_SKIP 1
#define SEQ_START_TOKEN ((void *)1)

struct dentry;
struct vm_area_struct;

struct dentry_operations {
	char *(*d_dname)(struct dentry *dentry, char *buffer, int size);
};

struct dentry {
	const struct dentry_operations *d_op;
	struct dentry *d_parent;
};

struct vfsmount {
	int mnt_flags;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct super_block {
	void *s_fs_info;
};

struct inode {
	struct super_block *i_sb;
};

struct file {
	struct path f_path;
	unsigned int f_mode;
	void *private_data;
	int count;
	bool syslog;
};

struct vm_operations_struct {
	const char *(*name)(struct vm_area_struct *vma);
};

struct vm_area_struct {
	struct file *vm_file;
	const struct vm_operations_struct *vm_ops;
};

struct timespec64 {
	long long tv_sec;
	long tv_nsec;
};

struct work_struct;
struct mm_struct;
struct module;

static inline bool vma_is_anonymous(const struct vm_area_struct *vma)
{
	return !vma->vm_ops;
}

static inline bool d_unlinked(const struct dentry *dentry)
{
	return false;
}

static inline char *d_path(const struct path *path, char *room, int size)
{
	return ERR_PTR(-ENAMETOOLONG);
}

static inline long file_count(const struct file *file)
{
	return file->count;
}

static inline bool file_ns_capable(const struct file *file,
				   struct user_namespace *space, int cap)
{
	return cap == CAP_SYSLOG && file->syslog;
}

/* What a write brings: the rest of a text, some of which cannot be read. */
struct iov_iter {
	const char *text;
	size_t count;
	bool faulty;
};

struct kiocb {
	struct file *ki_filp;
	loff_t ki_pos;
};

static inline size_t iov_iter_count(const struct iov_iter *from)
{
	return from->count;
}

static inline size_t copy_from_iter(void *to, size_t len, struct iov_iter *from)
{
	if (from->faulty)
		return 0;
	len = min(len, from->count);
	memcpy(to, from->text, len);
	from->text += len;
	from->count -= len;
	return len;
}

static inline bool copy_from_iter_full(void *to, size_t len,
				       struct iov_iter *from)
{
	return copy_from_iter(to, len, from) == len;
}

/* What was printed is a text of its own. */
struct seq_file {
	char *text;
	size_t len;
	size_t room;
	loff_t read_pos;
	void *private;
	struct file *file;
};

struct seq_operations {
	void *(*start)(struct seq_file *m, loff_t *pos);
	void (*stop)(struct seq_file *m, void *v);
	void *(*next)(struct seq_file *m, void *v, loff_t *pos);
	int (*show)(struct seq_file *m, void *v);
};

static inline void seq_printf(struct seq_file *m, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	m->len += vsnprintf(m->text + m->len, m->room - m->len, format, args);
	va_end(args);
	assert(m->len < m->room);
}

#define seq_puts(m, string) seq_printf(m, "%s", string)
#define seq_putc(m, c) seq_printf(m, "%c", c)
#define pr_info_ratelimited(...) ((void)0)

#endif /* OP_FUZZ_KERNEL_H */
