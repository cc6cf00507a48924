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
#include <linux/mount.h>
#include <linux/mutex.h>

#include "core/oprofile.h"

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
void op_sync_all(void);
void op_sync_request(void);
void op_sync_forget_images(void);

/* kernel_map.c */
struct module;
void op_kernel_map_init(void);
void op_kernel_map_exit(void);
void op_kernel_map_add(const struct module *mod, bool init);
void op_kernel_map_remove(const struct module *mod, bool init_only);
struct op_image *op_kernel_map_find(u64 pc, u64 *offset);

/* image_name.c */

/* Paths are asked for with this much room; deeper ones keep their last name. */
#define OP_PATH_ROOM (4 * PATH_MAX)

size_t op_encode_name(const char *path, char *name, size_t room);
char *op_path_text(const struct path *path, char *room);

/* dcookies.c */
int op_dcookies_init(void);
void op_dcookies_exit(void);
extern struct op_image *op_image_fixed[OP_IMAGE_UNKNOWN + 1];
bool op_file_is_anon(const struct file *file);
struct op_image *op_image_of_file(struct file *file);
struct op_image *op_image_of_name(enum op_image_kind kind, const char *name,
				  u64 dev, u32 generation);
struct op_image *op_image_known(enum op_image_kind kind, const char *name,
				u64 dev);
struct op_image *op_image_by_cookie(u64 cookie);
void op_images_forget(void);

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

/* event_buffer.c */

enum op_record_type {
	OP_RECORD_CPU,	  /* value: CPU number of what follows */
	OP_RECORD_TASK,	  /* value: tgid << 32 | pid of what follows */
	OP_RECORD_COOKIE, /* value: dcookie of what follows */
	OP_RECORD_SAMPLE, /* counter, value: offset */
};

/* One store each: what a type and a counter are packed into. */
#define OP_RECORD_HEAD(type, counter) ((u64)(type) | (u64)(counter) << 8)
#define OP_RECORD_TYPE(head) ((u8)(head))
#define OP_RECORD_COUNTER(head) ((u8)((head) >> 8))

struct op_record {
	u64 head;
	u64 value;
};

int op_event_buffer_resize(u64 size);
void op_event_buffer_free(void);
void op_event_add(u64 head, u64 value);
void op_event_flush(void);

/* histogram.c */
int op_histogram_init(void);
void op_histogram_exit(void);
void op_histogram_consume(const struct op_record *records, size_t n);
void op_histogram_reset(void);
bool op_histogram_uses(unsigned int idx);

/* jit_maps.c */
void op_jit_exit(void);
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
int op_modules_init(void);
void op_modules_exit(void);

/* counters.c */
int op_counters_start_cpu(unsigned int cpu);
void op_counters_stop_cpu(unsigned int cpu);
int op_counters_prepare(void);
void op_counters_finish(void);
void op_counters_init(void);

/* stats.c */
int op_memory_charge(size_t bytes);
void op_memory_charge_over(size_t bytes);
void op_memory_uncharge(size_t bytes);
void op_stat_add(enum op_stat stat, s64 n);
void op_stats_reset(void);

#endif /* OP_INTERNAL_H */
