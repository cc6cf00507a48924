// SPDX-License-Identifier: GPL-2.0-only
/*
 * JIT segments: which JIT range has an address, asked at the sample itself.
 *
 * It exists because ranges may overlap, and because the question comes from
 * whatever interrupt: each address space's ranges are cut into segments that do
 * not overlap, each of the latest range that has it, and these stand in a
 * latched tree, which can be searched from an NMI in the middle of a change.
 * When ranges change, the segments of that stretch are made anew and swapped in
 * as one change.
 *
 * Look-up: any context, no lock.  Changes: process context, op_jit_mutex.
 */
#include <linux/mm_types.h>
#include <linux/rbtree_latch.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "core/compat.h"
#include "core/internal.h"
#include "core/jit.h"

/**
 * struct op_jit_segment - a stretch of addresses that is one image's
 * @latch: in op_jit_segments
 * @mm: the address space
 * @start: first byte
 * @last: last byte
 * @base: start of the range, where the image's offset 0 is
 * @image: the image, referenced
 * @rcu: frees it when no look-up can have it any more
 * @list: while it is being put in or taken out
 */
struct op_jit_segment {
	struct latch_tree_node latch;
	const struct mm_struct *mm;
	u64 start;
	u64 last;
	u64 base;
	struct op_image *image;
	struct rcu_head rcu;
	struct list_head list;
};

struct op_jit_key {
	const struct mm_struct *mm;
	u64 address;
};

static struct latch_tree_root op_jit_segments __cacheline_aligned;
/* How many segments there are, so that most samples need not look. */
static unsigned long op_jit_nr_user __read_mostly;
static unsigned long op_jit_nr_kernel __read_mostly;

static bool op_segment_less(struct latch_tree_node *a,
			    struct latch_tree_node *b)
{
	const struct op_jit_segment *x, *y;

	x = container_of(a, struct op_jit_segment, latch);
	y = container_of(b, struct op_jit_segment, latch);
	return x->mm != y->mm ? x->mm < y->mm : x->start < y->start;
}

static int op_segment_comp(void *data, struct latch_tree_node *node)
{
	const struct op_jit_segment *s;
	const struct op_jit_key *key = data;

	s = container_of(node, struct op_jit_segment, latch);
	if (key->mm != s->mm)
		return key->mm < s->mm ? -1 : 1;
	if (key->address < s->start)
		return -1;
	return key->address > s->last;
}

static const struct latch_tree_ops op_segment_ops = {
	.less = op_segment_less,
	.comp = op_segment_comp,
};

static struct op_image *op_jit_find(const struct mm_struct *mm, u64 pc,
				    u64 *offset)
{
	struct op_jit_key key = { .mm = mm, .address = pc };
	struct latch_tree_node *node;
	struct op_jit_segment *s;

	node = latch_tree_find(&key, &op_jit_segments, &op_segment_ops);
	if (!node)
		return NULL;
	s = container_of(node, struct op_jit_segment, latch);
	*offset = pc - s->base;
	return s->image;
}

/**
 * op_jit_find_user - the JIT range of a user address
 * @mm: the address space
 * @pc: the address
 * @offset: set to the offset in the image, if there is one
 *
 * Context: interrupts off, or NMI: an RCU read side, for which the image lasts.
 * Return: the image, without a reference, or %NULL.
 */
struct op_image *op_jit_find_user(struct mm_struct *mm, u64 pc, u64 *offset)
{
	return READ_ONCE(op_jit_nr_user) ? op_jit_find(mm, pc, offset) : NULL;
}

/**
 * op_jit_find_kernel - the JIT range of a kernel address
 * @pc: the address
 * @offset: set to the offset in the image, if there is one
 *
 * Context and return value as for op_jit_find_user().
 */
struct op_image *op_jit_find_kernel(u64 pc, u64 *offset)
{
	return READ_ONCE(op_jit_nr_kernel) ? op_jit_find(NULL, pc, offset) :
					     NULL;
}

/* The first segment of @mm that does not end before @address. */
static struct op_jit_segment *op_segment_first(const struct mm_struct *mm,
					       u64 address)
{
	struct rb_node *rb = op_jit_segments.tree[0].rb_node;
	struct op_jit_segment *s, *best = NULL;

	while (rb) {
		s = container_of(rb, struct op_jit_segment, latch.node[0]);
		if (s->mm > mm || (s->mm == mm && s->last >= address)) {
			best = s;
			rb = rb->rb_left;
		} else {
			rb = rb->rb_right;
		}
	}
	return best && best->mm == mm ? best : NULL;
}

static struct op_jit_segment *op_segment_after(struct op_jit_segment *s)
{
	struct rb_node *rb = rb_next(&s->latch.node[0]);
	struct op_jit_segment *next;

	if (!rb)
		return NULL;
	next = container_of(rb, struct op_jit_segment, latch.node[0]);
	return next->mm == s->mm ? next : NULL;
}

static void op_segment_free_rcu(struct rcu_head *rcu)
{
	struct op_jit_segment *s =
		container_of(rcu, struct op_jit_segment, rcu);

	op_image_put(s->image);
	op_memory_uncharge(sizeof(*s));
	kfree(s);
}

/*
 * @must: it has to work, since something that was there goes away: what is
 * needed then is no more than a few segments, and the bound may be passed.
 */
static int op_segment_new(struct list_head *list, const struct mm_struct *mm,
			  u64 start, u64 last, u64 base, struct op_image *image,
			  bool must)
{
	struct op_jit_segment *s;
	int ret;

	ret = op_memory_charge(sizeof(*s));
	if (ret && !must)
		return ret;
	if (ret)
		op_memory_charge_over(sizeof(*s));
	s = kmalloc(sizeof(*s), GFP_KERNEL | (must ? __GFP_NOFAIL : 0));
	if (!s) {
		op_memory_uncharge(sizeof(*s));
		return -ENOMEM;
	}
	s->mm = mm;
	s->start = start;
	s->last = last;
	s->base = base;
	s->image = op_image_get(image);
	list_add_tail(&s->list, list);
	return 0;
}

/* The segments of @space for the stretch [lo, hi], from what ranges it has. */
static int op_segments_make(struct op_jit_space *space, u64 lo, u64 hi,
			    struct list_head *list, bool must)
{
	struct interval_tree_node *node;
	struct op_jit_range *r, *best;
	u64 end;
	int ret;

	for (;;) {
		/* The latest range that has the byte lo … */
		best = NULL;
		for (node = interval_tree_iter_first(&space->ranges, lo, lo);
		     node; node = interval_tree_iter_next(node, lo, lo)) {
			r = container_of(node, struct op_jit_range, node);
			if (!best || r->seq > best->seq)
				best = r;
		}
		/* … and how far until a later one begins. */
		end = best ? min_t(u64, best->node.last, hi) : hi;
		for (node = interval_tree_iter_first(&space->ranges, lo, end);
		     node; node = interval_tree_iter_next(node, lo, end)) {
			r = container_of(node, struct op_jit_range, node);
			if (r->node.start > lo && (!best || r->seq > best->seq))
				end = min_t(u64, end, r->node.start - 1);
		}
		if (best) {
			ret = op_segment_new(list, space->mm, lo, end,
					     best->node.start, best->image,
					     must);
			if (ret)
				return ret;
		}
		if (end >= hi)
			return 0;
		lo = end + 1;
	}
}

/* Put @fresh in and take @stale out, as one change for whoever looks. */
static void op_segments_swap(struct op_jit_space *space,
			     struct list_head *stale, struct list_head *fresh)
{
	unsigned long *nr = space->mm ? &op_jit_nr_user : &op_jit_nr_kernel;
	struct op_jit_segment *s, *next;
	int i;

	for (i = 0; i < 2; i++) {
		op_latch_switch(&op_jit_segments.seq, i);
		list_for_each_entry(s, stale, list)
			__lt_erase(&s->latch, &op_jit_segments, i);
		list_for_each_entry(s, fresh, list)
			__lt_insert(&s->latch, &op_jit_segments, i,
				    op_segment_less);
	}
	op_latch_end(&op_jit_segments.seq);

	list_for_each_entry(s, fresh, list)
		WRITE_ONCE(*nr, *nr + 1);
	list_for_each_entry_safe(s, next, stale, list) {
		WRITE_ONCE(*nr, *nr - 1);
		list_del(&s->list);
		call_rcu(&s->rcu, op_segment_free_rcu);
	}
	/* Out of the callers' frames. */
	list_for_each_entry_safe(s, next, fresh, list)
		list_del_init(&s->list);
}

static void op_segments_discard(struct list_head *fresh)
{
	struct op_jit_segment *s, *next;

	list_for_each_entry_safe(s, next, fresh, list) {
		list_del(&s->list);
		op_segment_free_rcu(&s->rcu);
	}
}

/**
 * op_segments_update - the ranges in a stretch have changed
 * @space: the address space, with the ranges as they are now
 * @lo: first byte of the stretch
 * @hi: its last byte
 * @must: it may not fail, since something that was there goes away
 *
 * Whoever looks finds either all as it was or all as it is.
 *
 * Context: process, may sleep; op_jit_mutex held.
 * Return: 0, or if not @must -ENOSPC (hist_memory) or -ENOMEM; then nothing
 * has changed.
 */
int op_segments_update(struct op_jit_space *space, u64 lo, u64 hi, bool must)
{
	LIST_HEAD(stale);
	LIST_HEAD(fresh);
	struct op_jit_segment *s;
	int ret;

	ret = op_segments_make(space, lo, hi, &fresh, must);
	if (ret)
		goto err_discard;
	for (s = op_segment_first(space->mm, lo); s && s->start <= hi;
	     s = op_segment_after(s)) {
		list_add_tail(&s->list, &stale);
		/* What of it is outside stays. */
		if (s->start < lo)
			ret = op_segment_new(&fresh, s->mm, s->start, lo - 1,
					     s->base, s->image, must);
		if (!ret && s->last > hi)
			ret = op_segment_new(&fresh, s->mm, hi + 1, s->last,
					     s->base, s->image, must);
		if (ret)
			goto err_discard;
	}
	op_segments_swap(space, &stale, &fresh);
	return 0;

err_discard:
	op_segments_discard(&fresh);
	return ret;
}

/**
 * op_segments_drop - an address space is gone: nothing in it is found any more
 * @space: the address space
 *
 * Context: process, may sleep; op_jit_mutex held.
 */
void op_segments_drop(struct op_jit_space *space)
{
	LIST_HEAD(stale);
	LIST_HEAD(fresh);
	struct op_jit_segment *s;

	for (s = op_segment_first(space->mm, 0); s; s = op_segment_after(s))
		list_add_tail(&s->list, &stale);
	op_segments_swap(space, &stale, &fresh);
}
