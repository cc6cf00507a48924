// SPDX-License-Identifier: GPL-2.0-only
/*
 * JIT segments: which JIT range has an address, asked at the sample itself.
 *
 * It exists because ranges may overlap, and because the question comes from
 * whatever interrupt: each address space's ranges are cut into segments that do
 * not overlap, each of the latest range that has it, and these stand in a
 * latched tree, which can be searched from an NMI in the middle of a change.
 * When a range comes or goes, the segments that this concerns are made anew and
 * swapped in as one change.
 *
 * Neighbours are never of the same range.  So a segment begins where a range
 * begins or behind one's end, and n ranges have at most 2n - 1 of them: each
 * range has two segments' memory charged when it is added, and what happens to
 * it later needs no more.
 *
 * Look-up: any context, no lock.  Changes: process context, op_jit_mutex.
 */
#include <linux/atomic.h>
#include <linux/mm_types.h>
#include <linux/rbtree.h>
#include <linux/rbtree_latch.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
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
 * @range: whose it is; for comparing, as it may outlast the range
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
	const struct op_jit_range *range;
	struct rcu_head rcu;
	struct list_head list;
};

/* What a range is charged for its segments, see above. */
const size_t op_segments_of_range = 2 * sizeof(struct op_jit_segment);

struct op_jit_key {
	const struct mm_struct *mm;
	u64 address;
};

static struct latch_tree_root op_jit_segments __cacheline_aligned;
/* How many segments there are, so that most samples need not look. */
static unsigned long op_jit_nr_user __read_mostly;
static unsigned long op_jit_nr_kernel __read_mostly;

/*
 * Those that are taken out last until no look-up can have them any more.  They
 * are not charged, so there must not be many.
 */
#define OP_JIT_LEAVING_MAX 4096
static atomic_t op_jit_leaving;

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

static void op_segment_free(struct op_jit_segment *s)
{
	op_image_put(s->image);
	kfree(s);
}

static void op_segment_free_rcu(struct rcu_head *rcu)
{
	op_segment_free(container_of(rcu, struct op_jit_segment, rcu));
	atomic_dec(&op_jit_leaving);
}

static struct op_jit_segment *op_segment_new(const struct op_jit_range *r,
					     u64 start, u64 last, gfp_t gfp)
{
	struct op_jit_segment *s = kmalloc(sizeof(*s), gfp);

	if (!s)
		return NULL;
	s->mm = r->space->mm;
	s->start = start;
	s->last = last;
	s->base = r->node.start;
	s->image = op_image_get(r->image);
	s->range = r;
	INIT_LIST_HEAD(&s->list);
	return s;
}

/**
 * struct op_jit_change - what a change of the ranges does to the segments
 * @stale: those that go
 * @fresh: those that come
 * @latest: the one behind which the next is going to be; %NULL for none
 * @latest_is_fresh: it is in @fresh, so that it may still grow
 */
struct op_jit_change {
	struct list_head stale;
	struct list_head fresh;
	struct op_jit_segment *latest;
	bool latest_is_fresh;
};

static void op_change_init(struct op_jit_change *change)
{
	INIT_LIST_HEAD(&change->stale);
	INIT_LIST_HEAD(&change->fresh);
	change->latest = NULL;
	change->latest_is_fresh = false;
}

static void op_change_comes(struct op_jit_change *change,
			    struct op_jit_segment *s)
{
	list_add_tail(&s->list, &change->fresh);
	change->latest = s;
	change->latest_is_fresh = true;
}

static void op_change_goes(struct op_jit_change *change,
			   struct op_jit_segment *s)
{
	list_add_tail(&s->list, &change->stale);
}

/* Would a segment of @r that begins at @start only go on with the latest? */
static bool op_change_goes_on(const struct op_jit_change *change,
			      const struct op_jit_range *r, u64 start)
{
	return change->latest && change->latest->range == r &&
	       change->latest->last + 1 == start;
}

/*
 * The stretch [start, last] is going to be @r's.  This has no failure: it is
 * about something that was there and goes, and nobody could be told.
 */
static void op_change_give(struct op_jit_change *change,
			   const struct op_jit_range *r, u64 start, u64 last)
{
	struct op_jit_segment *latest = change->latest;

	if (!op_change_goes_on(change, r, start)) {
		op_change_comes(change,
				op_segment_new(r, start, last,
					       GFP_KERNEL | __GFP_NOFAIL));
		return;
	}
	/* One that can be found keeps its borders: another takes its place. */
	if (!change->latest_is_fresh) {
		op_change_goes(change, latest);
		latest = op_segment_new(r, latest->start, last,
					GFP_KERNEL | __GFP_NOFAIL);
		op_change_comes(change, latest);
	}
	latest->last = last;
}

/* The segment @s stays as it is, or is the latest's end. */
static void op_change_keep(struct op_jit_change *change,
			   struct op_jit_segment *s)
{
	if (change->latest_is_fresh &&
	    op_change_goes_on(change, s->range, s->start)) {
		change->latest->last = s->last;
		op_change_goes(change, s);
		return;
	}
	change->latest = s;
	change->latest_is_fresh = false;
}

/* Have it found, as one change for whoever looks. */
static void op_change_commit(struct op_jit_change *change,
			     const struct op_jit_space *space)
{
	unsigned long *nr = space->mm ? &op_jit_nr_user : &op_jit_nr_kernel;
	struct op_jit_segment *s, *next;
	int i;

	if (list_empty(&change->stale) && list_empty(&change->fresh))
		return;
	/* While one copy changes, look-ups use the other: no hurry. */
	for (i = 0; i < 2; i++) {
		op_latch_switch(&op_jit_segments.seq, i);
		list_for_each_entry(s, &change->stale, list) {
			__lt_erase(&s->latch, &op_jit_segments, i);
			cond_resched();
		}
		list_for_each_entry(s, &change->fresh, list) {
			__lt_insert(&s->latch, &op_jit_segments, i,
				    op_segment_less);
			cond_resched();
		}
	}
	op_latch_end(&op_jit_segments.seq);

	list_for_each_entry_safe(s, next, &change->fresh, list) {
		WRITE_ONCE(*nr, *nr + 1);
		list_del_init(&s->list);
		cond_resched();
	}
	list_for_each_entry_safe(s, next, &change->stale, list) {
		WRITE_ONCE(*nr, *nr - 1);
		list_del(&s->list);
		atomic_inc(&op_jit_leaving);
		call_rcu(&s->rcu, op_segment_free_rcu);
		cond_resched();
	}
	if (atomic_read(&op_jit_leaving) > OP_JIT_LEAVING_MAX)
		rcu_barrier();
}

/**
 * op_segments_add - a range is there, the latest of all
 * @r: the range; whether it is in its space's tree does not matter
 *
 * Whoever looks finds either all as it was or all as it is.
 *
 * Context: process, may sleep; op_jit_mutex held.
 * Return: 0, or -ENOMEM; then nothing has changed.
 */
int op_segments_add(struct op_jit_range *r)
{
	u64 lo = r->node.start, hi = r->node.last;
	struct op_jit_change change;
	struct op_jit_segment *s, *next;

	op_change_init(&change);
	s = op_segment_new(r, lo, hi, GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	op_change_comes(&change, s);
	for (s = op_segment_first(r->space->mm, lo); s && s->start <= hi;
	     s = op_segment_after(s)) {
		op_change_goes(&change, s);
		/* What of it is outside stays. */
		if (s->start < lo) {
			next = op_segment_new(s->range, s->start, lo - 1,
					      GFP_KERNEL);
			if (!next)
				goto err_discard;
			op_change_comes(&change, next);
		}
		if (s->last > hi) {
			next = op_segment_new(s->range, hi + 1, s->last,
					      GFP_KERNEL);
			if (!next)
				goto err_discard;
			op_change_comes(&change, next);
		}
		cond_resched();
	}
	op_change_commit(&change, r->space);
	return 0;

err_discard:
	list_for_each_entry_safe(s, next, &change.fresh, list)
		op_segment_free(s);
	return -ENOMEM;
}

/**
 * struct op_jit_sweep - who has what, asked from low to high addresses
 * @active: ranges that have been come by, by their seq; those that have ended
 *	go when they are found on top
 * @next: the range that begins next
 * @start: where the sweep begins
 * @last: where it ends
 *
 * A range goes in and out once, so that a sweep over n of them takes n * log(n)
 * steps, however they overlap.
 */
struct op_jit_sweep {
	struct rb_root_cached active;
	struct interval_tree_node *next;
	u64 start;
	u64 last;
};

static void op_sweep_begin(struct op_jit_sweep *sweep,
			   struct op_jit_space *space, u64 start, u64 last)
{
	sweep->active = RB_ROOT_CACHED;
	/* In the order in which they begin. */
	sweep->next = interval_tree_iter_first(&space->ranges, start, last);
	sweep->start = start;
	sweep->last = last;
}

/* The latest first. */
static bool op_range_later(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct op_jit_range, active)->seq >
	       rb_entry(b, struct op_jit_range, active)->seq;
}

static struct op_jit_range *op_sweep_next(const struct op_jit_sweep *sweep)
{
	return sweep->next ?
		       container_of(sweep->next, struct op_jit_range, node) :
		       NULL;
}

/* Come by the range that begins next. */
static void op_sweep_step(struct op_jit_sweep *sweep)
{
	struct op_jit_range *r = op_sweep_next(sweep);

	rb_add_cached(&r->active, &sweep->active, op_range_later);
	sweep->next =
		interval_tree_iter_next(sweep->next, sweep->start, sweep->last);
	cond_resched();
}

/* The latest range that has not ended before @pos. */
static struct op_jit_range *op_sweep_top(struct op_jit_sweep *sweep, u64 pos)
{
	struct op_jit_range *r;
	struct rb_node *rb;

	while ((rb = rb_first_cached(&sweep->active))) {
		r = rb_entry(rb, struct op_jit_range, active);
		if (r->node.last >= pos)
			return r;
		rb_erase_cached(rb, &sweep->active);
		cond_resched();
	}
	return NULL;
}

/*
 * The range that has the byte @pos, if any; @last: where to end, set to where
 * it ceases to have it.  To be asked from low to high.
 */
static struct op_jit_range *op_sweep_at(struct op_jit_sweep *sweep, u64 pos,
					u64 *last)
{
	struct op_jit_range *top, *next;

	while ((next = op_sweep_next(sweep)) && next->node.start <= pos)
		op_sweep_step(sweep);
	top = op_sweep_top(sweep, pos);
	if (top)
		*last = min_t(u64, *last, top->node.last);
	while ((next = op_sweep_next(sweep)) && next->node.start <= *last) {
		if (!top || next->seq > top->seq) {
			*last = next->node.start - 1;
			break;
		}
		op_sweep_step(sweep);
	}
	return top;
}

/**
 * op_segments_remove - a range is gone: what it had is those's that it covered
 * @r: the range, not in its space's tree any more
 *
 * Whoever looks finds either all as it was or all as it is.
 *
 * Context: process, may sleep; op_jit_mutex held.
 */
void op_segments_remove(struct op_jit_range *r)
{
	u64 lo = r->node.start, hi = r->node.last;
	struct op_jit_change change;
	struct op_jit_sweep sweep;
	struct op_jit_range *heir;
	struct op_jit_segment *s;
	u64 pos, last;

	op_change_init(&change);
	op_sweep_begin(&sweep, r->space, lo, hi);
	/* Also the neighbours, which may grow together with what comes. */
	for (s = op_segment_first(r->space->mm, lo ? lo - 1 : lo);
	     s && (s->start <= hi || s->start == hi + 1);
	     s = op_segment_after(s)) {
		if (s->range != r) {
			op_change_keep(&change, s);
			continue;
		}
		op_change_goes(&change, s);
		for (pos = s->start;; pos = last + 1) {
			last = s->last;
			heir = op_sweep_at(&sweep, pos, &last);
			if (heir)
				op_change_give(&change, heir, pos, last);
			if (last == s->last)
				break;
		}
		cond_resched();
	}
	op_change_commit(&change, r->space);
}

/**
 * op_segments_drop - an address space is gone: nothing in it is found any more
 * @space: the address space
 *
 * Context: process, may sleep; op_jit_mutex held.
 */
void op_segments_drop(struct op_jit_space *space)
{
	struct op_jit_change change;
	struct op_jit_segment *s;

	op_change_init(&change);
	for (s = op_segment_first(space->mm, 0); s; s = op_segment_after(s)) {
		op_change_goes(&change, s);
		cond_resched();
	}
	op_change_commit(&change, space);
}
