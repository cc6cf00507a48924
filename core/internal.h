/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the stages of the core have of one another.
 *
 * In the order in which a sample travels: sample.c → cpu_buffer.c →
 * buffer_sync.c (asks kernel_map.c and dcookies.c for names) → event_buffer.c
 * → histogram.c.  control.c, counters.c, jit_maps.c and stats.c steer.
 */
#ifndef OP_INTERNAL_H
#define OP_INTERNAL_H

#include <linux/fs.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/oprofile.h"
#include "core/oprofile_stream.h"

/* sample.c */
void op_sample_init(void);
void op_sample_exit(void);
bool op_sample_pending(void);
void op_sample_set_modes(unsigned int idx, bool kernel, bool user);

/* buffer_sync.c */

/*
 * Held by whoever takes entries out of the CPU buffers and for all that
 * follows: the event buffer, the histograms and the losses counted there.
 * Taken inside op_control_mutex, outside op_image_mutex.
 */
extern struct mutex op_sync_mutex;

int op_sync_init(void);
void op_sync_exit(void);
void op_sync_start_cpu(unsigned int cpu);
void op_sync_stop_cpu(unsigned int cpu);
void op_sync_drain(unsigned int cpu);
void op_sync_drain_locked(unsigned int cpu);
void op_sync_late(void);
void op_sync_all(void);
void op_sync_run(struct work_struct *work);

/* kernel_map.c */
void op_kernel_map_init(void);
void op_kernel_map_exit(void);
void op_kernel_map_add(const struct module *mod, bool init);
void op_kernel_map_remove(const struct module *mod, bool init_only);
struct op_image *op_kernel_map_find(u64 pc, u64 *offset);

extern unsigned long op_kernel_start, op_kernel_end;

/**
 * op_kernel_map_is_vmlinux - is an address of the kernel's own text?
 * @pc: the address
 *
 * Context: any.
 */
static inline bool op_kernel_map_is_vmlinux(u64 pc)
{
	return pc >= op_kernel_start && pc < op_kernel_end;
}

/* bpf_text.c */
bool op_bpf_symbol(const char *symbol);
bool op_bpf_symbol_outside(const char *symbol);
void op_bpf_text_heard(u64 start, u64 len, const char *name);
bool op_bpf_text_was(u64 pc);
void op_bpf_text_forget(void);

/* image_name.c */

/* Paths are asked for with this much room; deeper ones keep their last name. */
#define OP_PATH_ROOM (4 * PATH_MAX)

/* Longest name of a folder, without its NUL. */
#define OP_NAME_MAX 255

size_t op_encode_name(const char *path, char *name, size_t room);
void op_cut_name(char *name, const char *full, size_t len, size_t room);
char *op_path_text(const struct path *path, char *room);

/* dcookies.c */
int op_dcookies_init(void);
void op_dcookies_exit(void);
extern struct op_image *op_image_fixed[OP_IMAGE_UNKNOWN + 1];
bool op_file_is_anon(const struct file *file);

/**
 * struct op_inode_key - what tells an inode from all others, at first sight
 * @dev: its superblock's
 * @ino: inode number
 * @stamp: as in &struct op_image_id
 * @generation: likewise
 */
struct op_inode_key {
	u64 dev;
	u64 ino;
	u64 stamp;
	u32 generation;
};

void op_inode_key(const struct path *path, const struct inode *real,
		  struct op_inode_key *key);
bool op_inode_key_is_exact(const struct inode *inode);
struct op_image *op_image_of_path(const struct path *path);
struct op_image *op_image_of_file(struct file *file);
struct op_image *op_image_of_file_unsampled(struct file *file);
struct op_image *op_image_of_name(enum op_image_kind kind, const char *name,
				  u64 dev, u32 generation);
struct op_image *op_image_known(enum op_image_kind kind, const char *name,
				u64 dev);
struct op_image *op_image_by_cookie(u64 cookie);
void op_image_unused(struct op_image *image);
bool op_images_forget_unused(bool named);
void op_images_forget(bool named);

/**
 * op_file_is_private - is a file of no file system that anybody can see?
 * @file: memfd, SysV or anonymous shared memory, huge pages: true
 *
 * Context: any, also NMI, while @file is mapped.
 */
static inline bool op_file_is_private(const struct file *file)
{
	return file->f_path.mnt->mnt_flags & MNT_INTERNAL;
}

/**
 * op_image_get - take one more reference
 * @image: an image to which the caller has a reference, or knows of one that
 *	lasts
 *
 * Context: any.
 */
static inline struct op_image *op_image_get(struct op_image *image)
{
	refcount_inc(&image->refs);
	return image;
}

/* marks.c */
DECLARE_STATIC_KEY_FALSE(op_marks_key);

/**
 * op_marks_active - is anything marked?
 *
 * Context: any.
 */
static __always_inline bool op_marks_active(void)
{
	return static_branch_unlikely(&op_marks_key);
}

bool op_marks_want_file(struct file *file);
bool op_marks_want_kernel(u64 pc);
void op_marks_learn(struct file *file, const struct op_image *image);
void op_marks_clear(void);

/* event_buffer.c */

/**
 * struct op_stream_state - what the switches of the stream said last
 * @cpu: CPU number
 * @task: tgid << 32 | pid
 * @cookie: dcookie
 */
struct op_stream_state {
	u64 cpu;
	u64 task;
	u64 cookie;
};

/* Nothing that follows may rely on what was said. */
#define OP_STREAM_STATE_NONE                                                   \
	((struct op_stream_state){ U64_MAX, U64_MAX, U64_MAX })

/**
 * struct op_stream_point - a place in the stream
 * @position: of the next record's first slot, counted from the beginning
 * @sequence: the next record's number, counted likewise, without pads
 * @state: what the records before it said
 */
struct op_stream_point {
	u64 position;
	u64 sequence;
	struct op_stream_state state;
};

extern wait_queue_head_t op_stream_wait;

int op_event_buffer_resize(u64 size);
void op_event_buffer_free(void);
void op_event_add(u16 type, u32 arg, u64 value);
void *op_event_append(u16 type, u32 arg, size_t size);
u64 op_event_cookie(struct op_image *image);
void op_event_sample(unsigned int cpu, u64 task, struct op_image *image,
		     u8 counter, u64 offset);
void op_event_of_cpu(unsigned int cpu);
void op_event_forget(void);
void op_event_flush(void);
bool op_event_forget_images(void);
size_t op_stream_name_size(const struct op_image *image);
void op_stream_name_fill(struct op_stream_name *record,
			 const struct op_image *image);
int op_event_reader_begin(struct op_stream_point *point);
void op_event_reader_end(void);
bool op_event_readers(void);
bool op_event_pending(const struct op_stream_point *point);
bool op_event_overtaken(struct op_stream_point *point, u64 *lost);
size_t op_event_copy(struct op_stream_point *point, void *to, size_t room);

/* histogram.c */
int op_histogram_init(void);
void op_histogram_exit(void);
void op_histogram_consume(const struct op_stream_value *records, size_t slots);
void op_histogram_reset(void);
bool op_histogram_uses(unsigned int idx);

/* jit_maps.c */
void op_jit_exit(void);
struct mm_struct *op_process_mm(struct task_struct *process);
struct op_image *op_jit_find_user(struct mm_struct *mm, u64 pc, u64 *offset);
struct op_image *op_jit_find_kernel(u64 pc, u64 *offset);

/* settings.c */

/*
 * Held for every change of what is sampled and how; the outermost of all.
 * While sampling is enabled nothing that it guards changes.
 */
extern struct mutex op_control_mutex;

void op_set_enabled(bool enabled);

/* modules.c */

/**
 * struct op_section - a section of a module that is there
 * @module: the module's name
 * @section: the section's
 * @start: its address
 * @size: bytes
 */
struct op_section {
	char module[MODULE_NAME_LEN];
	const char *section;
	u64 start;
	u64 size;
};

int op_modules_init(void);
void op_modules_exit(void);
bool op_section_next(u64 *after, struct op_section *section);
size_t op_stream_module_size(const struct op_section *section);
void op_stream_module_fill(struct op_stream_module *record,
			   const struct op_section *section, u64 time);

/**
 * op_map_file - the file whose image a mapping shows
 * @vma: the mapping
 *
 * A private mapping of /dev/zero has a file, but is no file's.
 *
 * Context: any, also NMI; @vma is stable.
 * Return: the file or %NULL.
 */
static inline struct file *op_map_file(struct vm_area_struct *vma)
{
	struct file *file = vma->vm_file;

	return file && !vma_is_anonymous(vma) && !op_file_is_anon(file) ? file :
									  NULL;
}

/**
 * op_fileless_kind - what a mapping that shows no file is made of
 * @vma: the mapping
 *
 * Context: any, also NMI; @vma is stable.
 */
static inline enum op_image_kind op_fileless_kind(struct vm_area_struct *vma)
{
	const char *name = NULL;

	if (!vma->vm_file && vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	return name && !strcmp(name, "[vdso]") ? OP_IMAGE_VDSO : OP_IMAGE_ANON;
}

/* hooks.c */
u32 op_map_flags(const struct vm_area_struct *vma);
void op_hooks_start(void);
void op_hooks_stop(void);

/* counters.c */
int op_counters_start_cpu(unsigned int cpu);
void op_counters_stop_cpu(unsigned int cpu);
int op_counters_prepare(void);
void op_counters_finish(void);
void op_counters_init(void);
void op_counters_tell(void);
size_t op_counter_record_size(const struct op_counter_config *config);
void op_counter_record_fill(struct op_stream_counter *record,
			    const struct op_counter_config *config);

/* stats.c */
int op_memory_charge(size_t bytes);
void op_memory_uncharge(size_t bytes);
void op_stat_add(enum op_stat stat, s64 n);
void op_stats_reset(void);

#endif /* OP_INTERNAL_H */
