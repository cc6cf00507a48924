/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree of oprofilefs, mounted or copied, as it was at the last look.
 */
#ifndef OPTOP_TREE_H
#define OPTOP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols.h"

#define OP_TREE_DEFAULT "/dev/oprofile"

/* More than a tree of today has; what is beyond is a fault of the tree. */
#define OP_MAX_EVENTS 16
#define OP_MAX_IMAGES 65536
#define OP_MAX_BINS (1u << 25)
#define OP_MAX_STATS 512
#define OP_MAX_JITS 65536
#define OP_MAX_CPUS 8192
#define OP_EVENT_SIZE 96

/**
 * struct op_hist - one image's histogram
 * @columns: counts a bin has
 * @event: which of the tree's events a column is
 * @nr: bins
 * @room: and could be
 * @offsets: of the bins: as they were read, ascending; then those added, as they
 *	came, so that a bin keeps its place
 * @counts: @columns for each bin
 * @index: finds a bin by its offset; %NULL before that was asked for
 * @index_bits: its size is 2 to the power of it
 * @sum: of all counts
 * @dcookie: as its header says; 0 if it does not
 */
struct op_hist {
	unsigned int columns;
	unsigned char event[OP_MAX_EVENTS];
	size_t nr;
	size_t room;
	uint64_t *offsets;
	uint64_t *counts;
	uint32_t *index;
	unsigned int index_bits;
	uint64_t sum;
	uint64_t dcookie;
};

/* One count of a histogram that was brought up to date. */
struct op_patch_cell {
	uint32_t bin;
	uint32_t column;
	uint64_t more;
};

/**
 * struct op_patch - what a look changed in a histogram that was not read anew
 * @cells: counts that are others now
 * @nr: how many
 * @room: and could be
 * @added: bins that were not there before, the last ones
 */
struct op_patch {
	struct op_patch_cell *cells;
	size_t nr;
	size_t room;
	size_t added;
};

enum op_kind {
	OP_KIND_FILE,
	OP_KIND_KERNEL,
	OP_KIND_MODULE,
	OP_KIND_JIT,
	OP_KIND_BPF,
	OP_KIND_ANON,
	OP_KIND_VDSO,
	OP_KIND_UNKNOWN,
};

/**
 * struct op_image - one folder of images/
 * @serial: no other image that this program saw has it
 * @name: the folder's name
 * @path: unescaped
 * @identity: NULL if there is no such file
 * @dcookie: 0 if not known
 * @start: address of offset 0; 0 if not known
 * @samples: as the file samples said
 * @kind: what it is
 * @kernel: all of it is the kernel's
 * @hist: the histogram now
 * @before: the one before, if @hist was read anew at the last look
 * @changed: the look at which @hist was read
 * @patched: the look at which @hist was brought up to date instead
 * @patch: what that changed
 * @faults: what was wrong with its files
 * @fault: the first of these, or NULL
 * @seen: at this look
 * @private: the model's; tree->forget() gives it back
 */
struct op_image {
	uint64_t serial;
	char *name;
	char *path;
	char *identity;
	uint64_t dcookie;
	uint64_t start;
	uint64_t samples;
	enum op_kind kind;
	bool kernel;
	struct op_hist hist;
	struct op_hist before;
	uint64_t changed;
	uint64_t patched;
	struct op_patch patch;
	unsigned int faults;
	char *fault;
	bool seen;
	void *private;
};

struct op_stat {
	char name[64];
	uint64_t value;
};

struct op_jit {
	char name[256];
	uint64_t start;
	uint64_t end;
	long pid; /* 0: a range of the kernel */
};

/**
 * struct op_tree - a tree
 * @dir: where it is
 * @live: it is mounted, and no copy
 * @look: number of looks so far
 * @time: of the last look, seconds of the monotonic clock
 * @tells: what is new at this look is in @changes
 * @details: @hooks and @jits are wanted at each look; else where images come
 *	or go, or op_tree_details() is asked
 * @enabled: 1, 0, or -1 if not known
 * @cpus: that have samples
 * @faults: what was wrong with the tree at the last look
 * @fault: the first of these
 * @forget: called with an image's @private when it goes
 */
struct op_tree {
	char *dir;
	bool live;
	uint64_t look;
	double time;
	bool tells;
	bool details;
	char version[32];
	char cpu_type[32];
	int enabled;
	char events[OP_MAX_EVENTS][OP_EVENT_SIZE];
	unsigned int nr_events;
	struct op_image **images;
	size_t nr_images;
	size_t nr_bins;
	struct op_stat *stats;
	size_t nr_stats;
	char hooks[2048];
	struct op_jit *jits;
	size_t nr_jits;
	unsigned int cpus;
	unsigned int faults;
	char fault[512];
	void (*forget)(void *private);

	/* What has changed since the last look, where the tree can tell. */
	struct op_changes *changes;
	/* What tells that the columns are others. */
	char counters[1024];
	uint64_t received;
	uint64_t listed; /* stats/images when these were listed */
	uint64_t details_look;
	bool details_faulty;
	uint64_t next_serial;
	unsigned int own_faults;
	char own_fault[512];
};

struct op_tree *op_tree_new(const char *dir);
void op_tree_free(struct op_tree *tree);
int op_tree_refresh(struct op_tree *tree);
void op_tree_details(struct op_tree *tree);
int op_tree_write(struct op_tree *tree, const char *file, const char *text);
const char *op_tree_error(const struct op_tree *tree, int err, char *text,
			  size_t size);

bool op_tree_stat(const struct op_tree *tree, const char *name,
		  uint64_t *value);
uint64_t op_tree_losses(const struct op_tree *tree, const char *prefix);
const struct op_image *op_tree_image(const struct op_tree *tree,
				     uint64_t serial);
void op_image_key(const struct op_image *image, struct op_image_key *key);
const char *op_kind_text(enum op_kind kind);

/* hist.c */
int op_hist_read(int dir, const char *path, struct op_tree *tree,
		 struct op_hist *hist, unsigned int *faults, char **fault);
void op_hist_free(struct op_hist *hist);
#define OP_NO_BIN UINT32_MAX
uint32_t op_hist_find(struct op_hist *hist, uint64_t offset);
uint32_t op_hist_add(struct op_hist *hist, uint64_t offset);

/* tree_image.c */
bool op_tree_look_at_image(struct op_tree *tree, struct op_image *image,
			   int images, bool force);
bool op_tree_patch_image(struct op_tree *tree, struct op_image *image);
void op_tree_free_image(struct op_tree *tree, struct op_image *image);

/* tree_parts.c */
void op_tree_fault(struct op_tree *tree, const char *file, const char *what);
void op_tree_read_stats(struct op_tree *tree, int root);
void op_tree_read_hooks(struct op_tree *tree, int root);
void op_tree_clear_stats(struct op_tree *tree);
bool op_tree_take_stat(struct op_tree *tree, const char *line);
void op_tree_sort_stats(struct op_tree *tree);
void op_tree_read_jits(struct op_tree *tree, int root);
bool op_tree_read_counters(struct op_tree *tree, int root);

/* Memory that is not there ends the program, with a line that says so. */
void *op_alloc(void *old, size_t nr, size_t size);
char *op_strdup(const char *text);

#endif
