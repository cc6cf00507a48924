/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the core offers to those around it.
 *
 * Two sides use this header: the sources below arch/, which call op_sample()
 * and register themselves with op_source_register(), and oprofilefs, which
 * shows and sets everything else.  The core knows neither a file's text nor a
 * PMU.  Everything here is called in process context and may sleep unless the
 * function's comment says otherwise.
 */
#ifndef OPROFILE_H
#define OPROFILE_H

#include <linux/list.h>
#include <linux/poll.h>
#include <linux/ptrace.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>

#define OP_VERSION "0.1.0"

/* Counter folders 0/ … ; a sample carries its counter's index in 4 bits. */
#define OP_NR_COUNTERS 4
/* Longest event name, with its final NUL. */
#define OP_EVENT_NAME_LEN 48
/* Longest NAME of a jit mapping, without a NUL. */
#define OP_JIT_NAME_MAX 200
/* The default rate in Hz: out of step with every usual tick. */
#define OP_DEFAULT_HZ 997

/* ------------------------------------------------------------------ */
/* Counters and the sources that drive them (counters.c)              */

/**
 * struct op_counter_config - what the files of one counter folder say
 * @event: event name: "timer", a name of perf, or "rHEX"
 * @count: period, in events a sample; 0 when @freq rules
 * @freq: samples a second on each CPU, in Hz; 0 when @count rules
 * @enabled: takes part when sampling is enabled
 * @kernel: samples of kernel mode are wanted
 * @user: samples of user mode are wanted
 */
struct op_counter_config {
	char event[OP_EVENT_NAME_LEN];
	u64 count;
	u32 freq;
	bool enabled;
	bool kernel;
	bool user;
};

enum op_counter_field {
	OP_COUNTER_COUNT,
	OP_COUNTER_FREQ,
	OP_COUNTER_ENABLED,
	OP_COUNTER_KERNEL,
	OP_COUNTER_USER,
};

/**
 * struct op_source - where samples come from
 * @name: what cpu_type shows while the source's event is counter 0's
 * @node: the core's
 * @check: is this configuration one of this source's?  -ENOENT: the event's
 *	name is not known here; -EINVAL, -ERANGE: known, but with a period or
 *	rate that cannot be; -ENODEV: known, and this machine lacks it.
 * @prepare: get all that sampling of counter @idx needs and that can't be got
 *	in a hotplug step; nothing runs yet.  May be %NULL.
 * @finish: give it back; nothing runs any more.  May be %NULL.
 * @start: begin sampling counter @idx on @cpu.  Runs on that CPU, in its
 *	hotplug thread, may sleep.
 * @stop: end it; when this returns, no op_sample() of it is under way.
 *	Same context as @start.
 * @event: the @n-th event's name, or %NULL past the last
 */
struct op_source {
	const char *name;
	struct list_head node;
	int (*check)(const struct op_counter_config *config);
	int (*prepare)(const struct op_counter_config *config,
		       unsigned int idx);
	void (*finish)(unsigned int idx);
	int (*start)(const struct op_counter_config *config, unsigned int idx,
		     unsigned int cpu);
	void (*stop)(unsigned int idx, unsigned int cpu);
	const char *(*event)(unsigned int n);
};

void op_source_register(struct op_source *source);
void op_source_unregister(struct op_source *source);

void op_counter_get(unsigned int idx, struct op_counter_config *config);
int op_counter_set(unsigned int idx, enum op_counter_field field, u64 value);
int op_counter_set_event(unsigned int idx, const char *event);
const char *op_counter_cpu_type(void);

/**
 * struct op_event_desc - one event that can be asked for
 * @name: what to write to a counter's event file
 * @source: the source's name
 * @error: 0 if this machine has it, else what enabling it would answer
 */
struct op_event_desc {
	const char *name;
	const char *source;
	int error;
};

int op_event_describe(unsigned int n, struct op_event_desc *desc);

/* ------------------------------------------------------------------ */
/* The sample itself (sample.c)                                       */

void op_sample_irq(struct pt_regs *regs, unsigned int idx);
void op_sample(struct pt_regs *regs, unsigned int idx);
void op_sample_overrun(u64 n);
void op_sample_throttled(void);

/* ------------------------------------------------------------------ */
/* Switches and sizes (control.c)                                     */

enum op_param {
	OP_PARAM_CPU_BUFFER_SIZE,  /* entries of 16 bytes in each CPU's ring */
	OP_PARAM_BUFFER_SIZE,	   /* records of 16 bytes in the event buffer */
	OP_PARAM_BUFFER_WATERSHED, /* records that may wait there */
	OP_PARAM_SYNC_MS,	   /* longest stay in a CPU's ring, ms */
	OP_PARAM_HIST_MEMORY,	   /* bound of images and histograms, bytes */
	OP_NR_PARAMS,
};

u64 op_param_get(enum op_param param);
int op_param_set(enum op_param param, u64 value);

bool op_enabled(void);
int op_enable(void);
int op_disable(void);
int op_dump(void);
int op_reset(void);

int op_core_init(void);
void op_core_exit(void);

/* ------------------------------------------------------------------ */
/* Images (dcookies.c) and their histograms (histogram.c)             */

/**
 * enum op_image_kind - what an image is made of
 * @OP_IMAGE_FILE: a file that user space has mapped
 * @OP_IMAGE_VMLINUX: the kernel's own text
 * @OP_IMAGE_MODULE: a kernel module's text
 * @OP_IMAGE_JIT: a range that somebody named in jit_maps
 * @OP_IMAGE_ANON: memory without a file
 * @OP_IMAGE_VDSO: the vdso
 * @OP_IMAGE_BPF: a BPF program's text
 * @OP_IMAGE_UNKNOWN: what could not be named
 */
enum op_image_kind {
	OP_IMAGE_FILE,
	OP_IMAGE_VMLINUX,
	OP_IMAGE_MODULE,
	OP_IMAGE_JIT,
	OP_IMAGE_ANON,
	OP_IMAGE_VDSO,
	OP_IMAGE_BPF,
	OP_IMAGE_UNKNOWN,
};

/**
 * struct op_image_id - what tells one image from all others
 * @kind: &enum op_image_kind
 * @generation: of the inode; a hash of a module's build
 * @dev: the device as stat(2) shows it; a JIT range's mm
 * @ino: inode number; 0 for what has none
 * @stamp: modification time in ns, which tells a file from what was written
 *	over it and from its successor of the same number; 0 for memfd and the
 *	like
 * @name: the path member's text for modules and JIT ranges, else %NULL
 */
struct op_image_id {
	u32 kind;
	u32 generation;
	u64 dev;
	u64 ino;
	u64 stamp;
	const char *name;
};

/**
 * struct op_image - one image, known by its dcookie
 * @refs: held by the tables, by jit mappings, by notes under way, by readers
 * @cookie: the dcookie: never 0, never given twice
 * @id: identity
 * @start: address of offset 0 for kernel images and JIT ranges, else 0
 * @path: the path as its user saw it at first sight, unescaped; for the
 *	others the same text as @name
 * @name: of its folder: unique, 1 to 255 bytes, needs no quoting in a shell
 * @samples: in its histogram, all counters; under op_sync_mutex
 * @bins: its histogram's bins, unsorted; under op_sync_mutex
 * @nr_bins: how many those are
 * @marked: marked; written under op_sync_mutex
 * @changed: the generation in which it last got a sample; under op_sync_mutex
 * @named_at: the position in the event buffer behind the record that said its
 *	name; 0 if none did; written under op_sync_mutex
 *
 * The remaining members are those of the tables in dcookies.c, but for
 * jit_range, which is jit_maps.c's.
 */
struct op_image {
	refcount_t refs;
	u64 cookie;
	u64 start;
	u64 samples;
	struct op_bin *bins;
	unsigned long nr_bins;
	bool marked;
	u32 changed;
	u64 named_at;
	char *path;
	char *name;
	struct rhash_head id_node;
	struct rhash_head name_node;
	unsigned int next_suffix;
	u32 bytes;
	struct op_jit_range *jit_range;
	struct rcu_head rcu;
	struct op_image_id id;
};

struct op_image *op_image_next(u64 *cookie);
struct op_image *op_image_next_known(u64 *cookie);
struct op_image *op_image_get_cookie(u64 cookie);
struct op_image *op_image_find_known(const char *name);
struct op_image *op_image_find(const char *name);
void op_image_put(struct op_image *image);

/**
 * struct op_hist_row - one line of a histogram
 * @offset: in the image, bytes
 * @count: samples by counter
 */
struct op_hist_row {
	u64 offset;
	u64 count[OP_NR_COUNTERS];
};

/**
 * struct op_hist - a histogram at one moment
 * @columns: bit i: counter i has samples, in this image or another
 * @nr_rows: lines
 * @rows: ascending by offset
 */
struct op_hist {
	unsigned long columns;
	size_t nr_rows;
	struct op_hist_row rows[];
};

struct op_hist *op_hist_read(struct op_image *image);
void op_hist_free(struct op_hist *hist);

/**
 * struct op_change - an image that has new samples, or one of its bins
 * @kind: of the image, enum op_image_kind
 * @of_image: it is the image; its bins come behind it
 * @counter: of the bin
 * @value: the dcookie, or the bin's offset
 * @count: samples in all
 */
struct op_change {
	u32 kind;
	bool of_image;
	u8 counter;
	u64 value;
	u64 count;
};

/**
 * struct op_changes - what has new samples
 * @generation: what to ask from next time
 * @since: from which generation on, or 0: images only, and all of them
 * @columns: bit i: counter i has samples
 * @nr: how many there are
 * @room: and could be
 * @list: the changes
 */
struct op_changes {
	u64 generation;
	u64 since;
	unsigned long columns;
	size_t nr;
	size_t room;
	struct op_change *list;
};

struct op_changes *op_changes_read(u64 since);
void op_changes_free(struct op_changes *changes);
u64 op_image_samples(struct op_image *image);

/* ------------------------------------------------------------------ */
/* Marks (marks.c)                                                    */

int op_mark_add(const char *name, u64 *cookie);
int op_mark_remove(const char *name, u64 cookie);

/* ------------------------------------------------------------------ */
/* The record stream (stream.c)                                       */

struct op_reader;
struct iov_iter;

struct op_reader *op_reader_open(bool visible);
void op_reader_close(struct op_reader *reader);
int op_reader_ask_maps(struct op_reader *reader);
__poll_t op_reader_poll(struct op_reader *reader, struct file *file,
			poll_table *wait);
ssize_t op_reader_read(struct op_reader *reader, struct iov_iter *to,
		       bool nonblock);

/* ------------------------------------------------------------------ */
/* JIT ranges (jit_maps.c)                                            */

/**
 * struct op_jit_info - one line of the live list
 * @name: as it was written
 * @start: first byte
 * @end: one past the last byte
 * @pid: process number in the initial namespace; 0 for a kernel range
 */
struct op_jit_info {
	char name[OP_JIT_NAME_MAX + 1];
	u64 start;
	u64 end;
	pid_t pid;
};

int op_jit_add(const char *name, u64 start, u64 end, pid_t pid);
int op_jit_remove(const char *name, pid_t pid);
int op_jit_next(u64 *pos, struct op_jit_info *info);

/* ------------------------------------------------------------------ */
/* Statistics (stats.c)                                               */

/*
 * The law: at any quiet moment RECEIVED is the sum of all histogram counts,
 * of all LOST_ and of all SKIPPED_.  Those before OP_STAT_NR_PERCPU are
 * counted by CPU.
 */
enum op_stat {
	OP_STAT_RECEIVED,
	OP_STAT_LOST_CPU_BUFFER,
	OP_STAT_SKIPPED_KERNEL,
	OP_STAT_SKIPPED_USER,
	OP_STAT_SKIPPED_UNMARKED,
	OP_STAT_DEFERRED,
	OP_STAT_UNRESOLVED,
	OP_STAT_TIMER_OVERRUN,
	OP_STAT_THROTTLED,
	OP_STAT_FORKS,
	OP_STAT_EXECS,
	OP_STAT_EXITS,
	OP_STAT_MAPS,
	OP_STAT_UNMAPS,
	OP_STAT_KSYMS,
	OP_STAT_KSYMS_GONE,
	OP_STAT_NOTIFICATIONS_LOST,
	OP_STAT_NR_PERCPU,
	OP_STAT_LOST_HIST_MEMORY = OP_STAT_NR_PERCPU,
	OP_STAT_LOST_NO_MEMORY,
	OP_STAT_MODULE_LOADS,
	OP_STAT_MODULE_UNLOADS,
	OP_STAT_IMAGES,
	OP_STAT_BINS,
	OP_STAT_JIT_MAPS,
	OP_STAT_MEMORY,
	OP_NR_STATS,
};

/**
 * struct op_hook_desc - one place where the kernel is listened to
 * @what: what is heard there
 * @where: the tracepoint or the function
 * @tracepoint: which of the two
 * @placed: it is there, which it is while sampling is enabled
 * @error: why it could not be placed the last time, else 0
 * @missed: how often it was not called since it was last placed, as a kprobe is
 *	not while another one's handler runs
 */
struct op_hook_desc {
	const char *what;
	const char *where;
	bool tracepoint;
	bool placed;
	int error;
	unsigned long missed;
};

int op_hook_describe(unsigned int n, struct op_hook_desc *desc);

const char *op_stat_name(enum op_stat stat);
u64 op_stat_read(enum op_stat stat);
u64 op_stat_lost(void);
u64 op_stat_read_cpu(enum op_stat stat, unsigned int cpu);

#endif /* OPROFILE_H */
