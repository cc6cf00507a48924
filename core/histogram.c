// SPDX-License-Identifier: GPL-2.0-only
/*
 * Histograms: the last stage, where samples stay.
 *
 * A bin counts the samples of one counter at one offset of one image.  All
 * bins stand in one hash table, so that a sample costs the same whether there
 * are ten addresses or a million, in one image or in ten thousand; the bins of
 * an image are also chained, so that its histogram can be read alone.  Sorting
 * is left to the reader.
 *
 * Process context, under op_sync_mutex.  Memory is charged before it is taken;
 * a sample that has no room for a bin is a loss, never another bin's.
 */
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "core/internal.h"

/*
 * @changed is no part of the key: the generation in which the bin last got a
 * sample, where otherwise nothing would be.
 */
struct op_bin_key {
	const struct op_image *image;
	u64 offset;
	u32 counter;
	u32 changed;
};

/**
 * struct op_bin - samples of one counter at one offset of one image
 * @node: in op_bins
 * @next: the image's next bin
 * @key: what it counts
 * @count: how many
 */
struct op_bin {
	struct rhash_head node;
	struct op_bin *next;
	struct op_bin_key key;
	u64 count;
};

static struct rhashtable op_bins;
static struct kmem_cache *op_bin_cache;

/* What the records so far said; under op_sync_mutex. */
static struct op_image *op_current_image;
/* Bins of late, by offset: loops hit the same few again and again. */
#define OP_RECENT_BITS 8
static struct op_bin *op_recent_bins[1 << OP_RECENT_BITS];
/* Bit i: counter i has bins. */
static unsigned long op_counters_used;
/*
 * Whoever asks what has changed begins a new generation, and names the one it
 * asks from: see op_changes_read(). What was before the latest reset is
 * forgotten. Both under op_sync_mutex.
 */
static u32 op_generation = 1;
static u32 op_generation_reset = 1;
/* Makes the numbers others than those before the module was loaded. */
static u64 op_generation_base;

/*
 * After four thousand million of them all begins anew, under numbers that nobody
 * has: whoever asks from an old one gets everything.
 */
static void op_generation_next(void)
{
	if (++op_generation)
		return;
	op_generation_base += BIT_ULL(32);
	op_generation = 1;
	op_generation_reset = 1;
}

static u32 op_bin_hash(const void *data, u32 len, u32 seed)
{
	const struct op_bin_key *key = data;

	/* Users choose offsets: the seed has to reach every bit. */
	return jhash_3words((u32)key->offset,
			    (u32)(key->offset >> 32) ^ key->counter << 28,
			    (u32)((unsigned long)key->image >> 5), seed);
}

static u32 op_bin_obj_hash(const void *data, u32 len, u32 seed)
{
	return op_bin_hash(&((const struct op_bin *)data)->key, len, seed);
}

static bool op_key_equal(const struct op_bin_key *a, const struct op_bin_key *b)
{
	return a->offset == b->offset && a->image == b->image &&
	       a->counter == b->counter;
}

static int op_bin_cmp(struct rhashtable_compare_arg *arg, const void *obj)
{
	return !op_key_equal(arg->key, &((const struct op_bin *)obj)->key);
}

static const struct rhashtable_params op_bin_params = {
	.head_offset = offsetof(struct op_bin, node),
	.key_len = sizeof(struct op_bin_key),
	.hashfn = op_bin_hash,
	.obj_hashfn = op_bin_obj_hash,
	.obj_cmpfn = op_bin_cmp,
	/* What a small profile has: no growth in its first second. */
	.nelem_hint = 3072,
	.automatic_shrinking = true,
};

static struct op_bin *op_bin_new(const struct op_bin_key *key,
				 struct op_image *image)
{
	struct op_bin *bin;
	int ret;

	ret = op_memory_charge(sizeof(*bin));
	if (ret)
		return ERR_PTR(ret);
	bin = kmem_cache_alloc(op_bin_cache, GFP_KERNEL);
	if (!bin) {
		ret = -ENOMEM;
		goto err_uncharge;
	}
	bin->key = *key;
	bin->count = 0;
	while ((ret = rhashtable_insert_fast(&op_bins, &bin->node,
					     op_bin_params)) == -EBUSY) {
		/* The table is being made larger: that is no lack of memory. */
		flush_work(&op_bins.run_work);
	}
	if (ret) {
		ret = -ENOMEM;
		goto err_free;
	}
	bin->next = image->bins;
	image->bins = bin;
	image->nr_bins++;
	op_stat_add(OP_STAT_BINS, 1);
	__set_bit(key->counter, &op_counters_used);
	return bin;

err_free:
	kmem_cache_free(op_bin_cache, bin);
err_uncharge:
	op_memory_uncharge(sizeof(*bin));
	return ERR_PTR(ret);
}

static void op_histogram_add(struct op_image *image, u8 counter, u64 offset)
{
	const struct op_bin_key key = {
		.image = image,
		.offset = offset,
		.counter = counter,
	};
	struct op_bin **recent =
		&op_recent_bins[hash_64(offset, OP_RECENT_BITS)];
	struct op_bin *bin = *recent;

	if (!bin || !op_key_equal(&bin->key, &key)) {
		bin = rhashtable_lookup_fast(&op_bins, &key, op_bin_params);
		if (!bin)
			bin = op_bin_new(&key, image);
		if (IS_ERR(bin)) {
			op_stat_add(PTR_ERR(bin) == -ENOSPC ?
					    OP_STAT_LOST_HIST_MEMORY :
					    OP_STAT_LOST_NO_MEMORY,
				    1);
			return;
		}
		*recent = bin;
	}
	bin->count++;
	bin->key.changed = op_generation;
	image->samples++;
	image->changed = op_generation;
}

/**
 * op_histogram_consume - count the samples of a stretch of the stream
 * @records: the records, in order, right behind those of the last call
 * @slots: how many slots of the event buffer they take, whole records
 *
 * Context: process, may sleep; op_sync_mutex held.
 */
void op_histogram_consume(const struct op_stream_value *records, size_t slots)
{
	const struct op_stream_value *end = records + slots;

	for (; records < end; records += records->head.size / sizeof(*end)) {
		switch (records->head.type) {
		case OP_STREAM_SAMPLE:
			op_histogram_add(op_current_image, records->head.arg,
					 records->value);
			break;
		case OP_STREAM_COOKIE:
			op_current_image = op_image_by_cookie(records->value);
			break;
		default:
			break;
		}
	}
}

static void op_histogram_clear(struct op_image *image)
{
	struct op_bin *bin, *next;

	for (bin = image->bins; bin; bin = next) {
		next = bin->next;
		rhashtable_remove_fast(&op_bins, &bin->node, op_bin_params);
		kmem_cache_free(op_bin_cache, bin);
		cond_resched();
	}
	op_memory_uncharge(image->nr_bins * sizeof(*bin));
	op_stat_add(OP_STAT_BINS, -(s64)image->nr_bins);
	image->bins = NULL;
	image->nr_bins = 0;
	image->samples = 0;
}

/**
 * op_histogram_reset - throw all histograms away
 *
 * Context: process, may sleep; op_sync_mutex held.
 */
void op_histogram_reset(void)
{
	struct op_image *image;
	u64 cookie = 0;

	memset(op_recent_bins, 0, sizeof(op_recent_bins));
	op_current_image = NULL;
	op_counters_used = 0;
	op_generation_next();
	op_generation_reset = op_generation;
	while ((image = op_image_next(&cookie))) {
		op_histogram_clear(image);
		op_image_put(image);
	}
}

/**
 * op_histogram_uses - does a counter have samples?
 * @idx: the counter
 *
 * Context: any.
 */
bool op_histogram_uses(unsigned int idx)
{
	return test_bit(idx, &op_counters_used);
}

struct op_flat_bin {
	u64 offset;
	u64 count;
	u32 counter;
};

static int op_flat_bin_cmp(const void *a, const void *b)
{
	const struct op_flat_bin *x = a, *y = b;

	/* Millions may have to be sorted. */
	cond_resched();
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/*
 * Memory for a reader's copy, which is the reader's to answer for.  kvmalloc()
 * takes a size that large for a mistake.
 */
static void *op_copy_alloc(size_t size)
{
	if (size > INT_MAX)
		return __vmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	return kvmalloc(size, GFP_KERNEL_ACCOUNT);
}

/* Copy an image's bins out; returns how many, or -EAGAIN if @room is short. */
static long op_flat_bins(const struct op_image *image, struct op_flat_bin *flat,
			 unsigned long room)
{
	const struct op_bin *bin;
	long n = 0;

	mutex_lock(&op_sync_mutex);
	if (image->nr_bins > room) {
		n = -EAGAIN;
	} else {
		for (bin = image->bins; bin; bin = bin->next) {
			flat[n++] = (struct op_flat_bin){
				.offset = bin->key.offset,
				.count = bin->count,
				.counter = bin->key.counter,
			};
			if (!(n % 1024))
				cond_resched();
		}
	}
	mutex_unlock(&op_sync_mutex);
	return n;
}

/**
 * op_hist_read - an image's histogram at this moment
 * @image: the image, referenced by the caller
 *
 * Context: process, may sleep.
 * Return: the histogram, to be given back by op_hist_free(), or ERR_PTR of
 * -ENOMEM.
 */
struct op_hist *op_hist_read(struct op_image *image)
{
	struct op_flat_bin *flat;
	struct op_hist_row *row;
	struct op_hist *hist;
	unsigned long room;
	long i, n;

	do {
		/* Some more than now, since sampling may go on. */
		room = READ_ONCE(image->nr_bins) + 64;
		flat = op_copy_alloc(array_size(room, sizeof(*flat)));
		if (!flat)
			return ERR_PTR(-ENOMEM);
		n = op_flat_bins(image, flat, room);
		if (n < 0)
			kvfree(flat);
	} while (n == -EAGAIN);
	sort(flat, n, sizeof(*flat), op_flat_bin_cmp, NULL);

	hist = op_copy_alloc(struct_size(hist, rows, n));
	if (!hist) {
		kvfree(flat);
		return ERR_PTR(-ENOMEM);
	}
	hist->nr_rows = 0;
	hist->columns = READ_ONCE(op_counters_used);
	for (i = 0; i < n; i++) {
		if (!hist->nr_rows ||
		    hist->rows[hist->nr_rows - 1].offset != flat[i].offset)
			hist->rows[hist->nr_rows++] = (struct op_hist_row){
				.offset = flat[i].offset,
			};
		row = &hist->rows[hist->nr_rows - 1];
		row->count[flat[i].counter] += flat[i].count;
		__set_bit(flat[i].counter, &hist->columns);
		if (!(i % 1024))
			cond_resched();
	}
	kvfree(flat);
	return hist;
}

/**
 * op_hist_free - give a histogram back
 * @hist: from op_hist_read()
 *
 * Context: process.
 */
void op_hist_free(struct op_hist *hist)
{
	kvfree(hist);
}

/* Room for one more; under op_sync_mutex. */
static struct op_change *op_change_new(struct op_changes *changes)
{
	struct op_change *list;
	size_t room;

	if (changes->nr == changes->room) {
		room = changes->room ? changes->room * 2 : 256;
		list = op_copy_alloc(array_size(room, sizeof(*list)));
		if (!list)
			return NULL;
		if (changes->nr)
			memcpy(list, changes->list,
			       changes->nr * sizeof(*list));
		kvfree(changes->list);
		changes->list = list;
		changes->room = room;
	}
	return &changes->list[changes->nr++];
}

static int op_changes_of(struct op_changes *changes,
			 const struct op_image *image, u32 from)
{
	const struct op_bin *bin;
	struct op_change *change;
	unsigned long n = 0;

	if (image->changed < from || !image->nr_bins)
		return 0;
	change = op_change_new(changes);
	if (!change)
		return -ENOMEM;
	*change = (struct op_change){
		.kind = image->id.kind,
		.of_image = true,
		.value = image->cookie,
		.count = image->samples,
	};
	for (bin = from ? image->bins : NULL; bin; bin = bin->next) {
		/* Millions may have to be looked at. */
		if (!(++n % 1024))
			cond_resched();
		if (bin->key.changed < from)
			continue;
		change = op_change_new(changes);
		if (!change)
			return -ENOMEM;
		*change = (struct op_change){
			.kind = image->id.kind,
			.counter = bin->key.counter,
			.value = bin->key.offset,
			.count = bin->count,
		};
	}
	return 0;
}

/**
 * op_changes_read - what has samples that it had not before
 * @since: the generation of an earlier call; that and all that came after it is
 *	looked for. 0, or one that is not known, is the beginning: then all
 *	images are listed, and no bins.
 *
 * What changes during the call may be in this one's result and in that of the
 * next one, too, but never in neither.
 *
 * Context: process, may sleep.
 * Return: the changes, to be given back by op_changes_free(), or ERR_PTR of
 * -ENOMEM.
 */
struct op_changes *op_changes_read(u64 since)
{
	struct op_changes *changes;
	struct op_image *image;
	u64 cookie = 0;
	u32 from = 0;
	int ret = 0;

	changes = kzalloc(sizeof(*changes), GFP_KERNEL_ACCOUNT);
	if (!changes)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&op_sync_mutex);
	if (since >= op_generation_base + op_generation_reset &&
	    since <= op_generation_base + op_generation) {
		changes->since = since;
		from = since - op_generation_base;
	}
	op_generation_next();
	changes->generation = op_generation_base + op_generation;
	changes->columns = op_counters_used;
	mutex_unlock(&op_sync_mutex);

	while (!ret && (image = op_image_next(&cookie))) {
		mutex_lock(&op_sync_mutex);
		ret = op_changes_of(changes, image, from);
		changes->columns |= op_counters_used;
		mutex_unlock(&op_sync_mutex);
		op_image_put(image);
	}
	if (ret) {
		op_changes_free(changes);
		return ERR_PTR(ret);
	}
	return changes;
}

/**
 * op_changes_free - give changes back
 * @changes: from op_changes_read()
 *
 * Context: process.
 */
void op_changes_free(struct op_changes *changes)
{
	kvfree(changes->list);
	kfree(changes);
}

/**
 * op_image_samples - how many samples an image has
 * @image: the image, referenced by the caller
 *
 * Context: process, may sleep.
 */
u64 op_image_samples(struct op_image *image)
{
	u64 samples;

	mutex_lock(&op_sync_mutex);
	samples = image->samples;
	mutex_unlock(&op_sync_mutex);
	return samples;
}

/**
 * op_histogram_init - prepare this stage
 *
 * Context: process, at load.
 * Return: 0 or -ENOMEM.
 */
int op_histogram_init(void)
{
	int ret;

	op_generation_base = (u64)ktime_get_real_seconds() << 32;
	op_bin_cache = KMEM_CACHE(op_bin, 0);
	if (!op_bin_cache)
		return -ENOMEM;
	ret = rhashtable_init(&op_bins, &op_bin_params);
	if (ret)
		kmem_cache_destroy(op_bin_cache);
	return ret;
}

/**
 * op_histogram_exit - free it all
 *
 * Context: process, at unload.
 */
void op_histogram_exit(void)
{
	mutex_lock(&op_sync_mutex);
	op_histogram_reset();
	mutex_unlock(&op_sync_mutex);
	rhashtable_destroy(&op_bins);
	kmem_cache_destroy(op_bin_cache);
}
