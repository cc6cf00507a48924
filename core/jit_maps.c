// SPDX-License-Identifier: GPL-2.0-only
/*
 * JIT maps: ranges of code that somebody has named.
 *
 * A range is of the kernel, or of one process's memory that no file in a file
 * system backs.  The image is looked up at the sample itself, from whatever
 * interrupt, so that a range counts from the moment that its write returns and
 * not one sample earlier.
 *
 * Ranges may overlap: the latest that is still there wins.  For the look-up,
 * each address space's ranges are cut into segments that do not overlap; these
 * stand in a latched tree, which can be searched from an NMI in the middle of
 * a change.  The ranges themselves stand in an interval tree, from which the
 * segments of a stretch are made anew when something in it changes.
 *
 * Changes: process context, op_jit_mutex.  Look-up: any context.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/interval_tree.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rbtree_latch.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "core/compat.h"
#include "core/internal.h"

/**
 * struct op_jit_space - an address space that has ranges
 * @list: in op_jit_spaces
 * @mm: the process's, grabbed; %NULL: the kernel
 * @pid: the process's number in the initial namespace, for the list
 * @ranges: its &struct op_jit_range by address
 * @id: never given twice; 0 is nobody's
 */
struct op_jit_space {
	struct list_head list;
	struct mm_struct *mm;
	pid_t pid;
	struct rb_root_cached ranges;
	u64 id;
};

/**
 * struct op_jit_range - what one add_mapping said
 * @node: in its space's tree; the last byte is included
 * @space: its address space
 * @seq: a later one wins; key in op_jit_ranges
 * @image: its image, referenced
 * @name: as written
 */
struct op_jit_range {
	struct interval_tree_node node;
	struct op_jit_space *space;
	unsigned long seq;
	struct op_image *image;
	char name[];
};

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

/* Guards all of this; outside op_image_mutex. */
static DEFINE_MUTEX(op_jit_mutex);
static LIST_HEAD(op_jit_spaces);
static DEFINE_XARRAY(op_jit_ranges);
static unsigned long op_jit_last_seq;
static u64 op_jit_last_space;

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
	struct op_jit_segment *s = container_of(rcu, struct op_jit_segment,
						rcu);

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
			if (r->node.start > lo &&
			    (!best || r->seq > best->seq))
				end = min_t(u64, end, r->node.start - 1);
		}
		if (best) {
			ret = op_segment_new(list, space->mm, lo, end,
					     best->node.start, best->image, must);
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

/* The ranges in [lo, hi] have changed: make its segments anew. */
static int op_segments_update(struct op_jit_space *space, u64 lo, u64 hi,
			      bool must)
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

static void op_range_free(struct op_jit_range *r)
{
	xa_erase(&op_jit_ranges, r->seq);
	if (r->image->jit_range == r)
		r->image->jit_range = NULL;
	op_image_put(r->image);
	op_memory_uncharge(sizeof(*r) + strlen(r->name) + 1);
	op_stat_add(OP_STAT_JIT_MAPS, -1);
	kfree(r);
}

/* The space of a process is gone, and with it all that was said of it. */
static void op_space_drop(struct op_jit_space *space)
{
	LIST_HEAD(stale);
	LIST_HEAD(fresh);
	struct interval_tree_node *node;
	struct op_jit_segment *s;

	for (s = op_segment_first(space->mm, 0); s; s = op_segment_after(s))
		list_add_tail(&s->list, &stale);
	op_segments_swap(space, &stale, &fresh);
	while ((node = interval_tree_iter_first(&space->ranges, 0, U64_MAX))) {
		interval_tree_remove(node, &space->ranges);
		op_range_free(container_of(node, struct op_jit_range, node));
		cond_resched();
	}
	list_del(&space->list);
	if (space->mm)
		mmdrop(space->mm);
	kfree(space);
}

static bool op_space_is_dead(const struct op_jit_space *space)
{
	return space->mm && !atomic_read(&space->mm->mm_users);
}

static void op_jit_prune_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(op_jit_prune_dwork, op_jit_prune_work);

/* Drop the spaces of processes that are gone; comes again while there are any. */
static void op_jit_prune_work(struct work_struct *work)
{
	struct op_jit_space *space, *next;
	bool more = false;

	mutex_lock(&op_jit_mutex);
	list_for_each_entry_safe(space, next, &op_jit_spaces, list) {
		if (op_space_is_dead(space))
			op_space_drop(space);
		else if (space->mm)
			more = true;
	}
	if (more)
		schedule_delayed_work(&op_jit_prune_dwork, HZ);
	mutex_unlock(&op_jit_mutex);
}

/* A process's mm, grabbed; %NULL if there is none.  @global: its outside pid */
static struct mm_struct *op_mm_of_pid(pid_t nr, pid_t *global)
{
	struct mm_struct *mm = NULL;
	struct task_struct *task, *t;
	struct pid *pid;

	pid = find_get_pid(nr);
	if (!pid)
		return NULL;
	task = get_pid_task(pid, PIDTYPE_TGID);
	if (task) {
		*global = pid_nr(pid);
		/* The main thread may have gone before the others. */
		rcu_read_lock();
		for_each_thread(task, t) {
			mm = get_task_mm(t);
			if (mm)
				break;
		}
		rcu_read_unlock();
		put_task_struct(task);
	}
	put_pid(pid);
	if (mm) {
		mmgrab(mm);
		mmput(mm);
	}
	return mm;
}

/* The space of @pid, made if it isn't there and @make says so. */
static struct op_jit_space *op_space_get(pid_t pid, bool make)
{
	struct op_jit_space *space;
	struct mm_struct *mm = NULL;
	pid_t global = 0;

	if (pid) {
		mm = op_mm_of_pid(pid, &global);
		if (!mm)
			return ERR_PTR(-ESRCH);
	}
	list_for_each_entry(space, &op_jit_spaces, list) {
		if (space->mm == mm)
			goto out;
	}
	if (!make) {
		space = ERR_PTR(-ENOENT);
		goto out;
	}
	space = kzalloc(sizeof(*space), GFP_KERNEL_ACCOUNT);
	if (!space) {
		space = ERR_PTR(-ENOMEM);
		goto out;
	}
	space->id = ++op_jit_last_space;
	space->mm = mm;
	space->pid = global;
	space->ranges = RB_ROOT_CACHED;
	list_add(&space->list, &op_jit_spaces);
	if (mm)
		schedule_delayed_work(&op_jit_prune_dwork, HZ);
	return space;

out:
	if (mm)
		mmdrop(mm);
	return space;
}

static struct op_image *op_jit_image(const struct op_jit_space *space,
				     const char *name, u64 start)
{
	char full[OP_JIT_NAME_MAX + sizeof("jit:")];

	snprintf(full, sizeof(full), "jit:%s", name);
	return op_image_of_name(OP_IMAGE_JIT, full, space->mm ? space->id : 0,
				0, start);
}

static struct op_image *op_jit_image_find(const struct op_jit_space *space,
					  const char *name)
{
	char full[OP_JIT_NAME_MAX + sizeof("jit:")];

	snprintf(full, sizeof(full), "jit:%s", name);
	return op_image_known(OP_IMAGE_JIT, full, space->mm ? space->id : 0);
}

static int op_range_add(struct op_jit_space *space, const char *name,
			u64 start, u64 end)
{
	size_t bytes = sizeof(struct op_jit_range) + strlen(name) + 1;
	struct op_jit_range *r, *old;
	int ret;

	ret = op_memory_charge(bytes);
	if (ret)
		return ret;
	r = kzalloc(bytes, GFP_KERNEL);
	if (!r) {
		ret = -ENOMEM;
		goto err_uncharge;
	}
	strcpy(r->name, name);
	r->space = space;
	r->seq = op_jit_last_seq + 1;
	r->node.start = start;
	r->node.last = end - 1;
	r->image = op_jit_image(space, name, start);
	if (IS_ERR(r->image)) {
		ret = PTR_ERR(r->image);
		goto err_free;
	}
	ret = xa_err(xa_store(&op_jit_ranges, r->seq, r, GFP_KERNEL));
	if (ret)
		goto err_put;

	/* A name that is added again has moved. */
	old = r->image->jit_range;
	if (old)
		interval_tree_remove(&old->node, &space->ranges);
	interval_tree_insert(&r->node, &space->ranges);
	ret = op_segments_update(space, r->node.start, r->node.last, false);
	if (ret)
		goto err_restore;
	if (old) {
		op_segments_update(space, old->node.start, old->node.last,
				   true);
		op_range_free(old);
	}
	r->image->jit_range = r;
	op_jit_last_seq++;
	op_stat_add(OP_STAT_JIT_MAPS, 1);
	return 0;

err_restore:
	interval_tree_remove(&r->node, &space->ranges);
	if (old)
		interval_tree_insert(&old->node, &space->ranges);
	xa_erase(&op_jit_ranges, r->seq);
err_put:
	op_image_put(r->image);
err_free:
	kfree(r);
err_uncharge:
	op_memory_uncharge(bytes);
	return ret;
}

/* Is [start, end) a range of the half that it is said to be in? */
static int op_jit_check(const char *name, u64 start, u64 end, pid_t pid)
{
	if (!*name)
		return -EINVAL;
	if (strlen(name) > OP_JIT_NAME_MAX)
		return -ENAMETOOLONG;
	if (start >= end)
		return -EINVAL;
	if (pid && end > TASK_SIZE_MAX)
		return -EINVAL;
	/* 64-bit kernels have the upper half of all addresses. */
	if (!pid && (s64)start >= 0)
		return -EINVAL;
	return 0;
}

/**
 * op_jit_add - name a range of code from now on
 * @name: 1 to OP_JIT_NAME_MAX bytes; one that the address space has already
 *	is moved
 * @start: its first byte
 * @end: one past its last byte
 * @pid: whose memory, as the caller's pid namespace numbers it; 0: the kernel's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL (the range is empty or of the other half), -ENAMETOOLONG,
 * -ESRCH (no such process, or one without memory of its own), -ENOSPC
 * (hist_memory) or -ENOMEM; then nothing has changed.
 */
int op_jit_add(const char *name, u64 start, u64 end, pid_t pid)
{
	struct op_jit_space *space;
	int ret;

	ret = op_jit_check(name, start, end, pid);
	if (ret)
		return ret;
	mutex_lock(&op_jit_mutex);
	space = op_space_get(pid, true);
	ret = IS_ERR(space) ? PTR_ERR(space) :
			      op_range_add(space, name, start, end);
	mutex_unlock(&op_jit_mutex);
	return ret;
}

/**
 * op_jit_remove - a range of code is gone
 * @name: its name
 * @pid: as for op_jit_add()
 *
 * Its histogram stays, and older ranges that it covered are seen again.
 *
 * Context: process, may sleep.
 * Return: 0, -ESRCH (no such process) or -ENOENT (no such range).
 */
int op_jit_remove(const char *name, pid_t pid)
{
	struct op_jit_range *r = NULL;
	struct op_jit_space *space;
	struct op_image *image;
	int ret = -ENOENT;

	mutex_lock(&op_jit_mutex);
	space = op_space_get(pid, false);
	if (IS_ERR(space)) {
		ret = PTR_ERR(space);
		goto out;
	}
	image = op_jit_image_find(space, name);
	if (image) {
		r = image->jit_range;
		op_image_put(image);
	}
	if (r) {
		interval_tree_remove(&r->node, &space->ranges);
		op_segments_update(space, r->node.start, r->node.last, true);
		op_range_free(r);
		ret = 0;
	}
out:
	mutex_unlock(&op_jit_mutex);
	return ret;
}

/**
 * op_jit_next - go through the ranges, the oldest first
 * @pos: 0 to begin; moved on by each call
 * @info: filled in
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOENT past the last.
 */
int op_jit_next(u64 *pos, struct op_jit_info *info)
{
	unsigned long seq = *pos;
	struct op_jit_range *r;
	int ret = -ENOENT;

	mutex_lock(&op_jit_mutex);
	do {
		r = xa_find_after(&op_jit_ranges, &seq, ULONG_MAX, XA_PRESENT);
	} while (r && op_space_is_dead(r->space));
	if (r) {
		strscpy(info->name, r->name, sizeof(info->name));
		info->start = r->node.start;
		info->end = (u64)r->node.last + 1;
		info->pid = r->space->pid;
		*pos = seq;
		ret = 0;
	}
	mutex_unlock(&op_jit_mutex);
	return ret;
}

/**
 * op_jit_exit - forget all ranges
 *
 * Context: process, at unload; no source runs.
 */
void op_jit_exit(void)
{
	struct op_jit_space *space, *next;

	cancel_delayed_work_sync(&op_jit_prune_dwork);
	mutex_lock(&op_jit_mutex);
	list_for_each_entry_safe(space, next, &op_jit_spaces, list)
		op_space_drop(space);
	mutex_unlock(&op_jit_mutex);
	/* The segments' callbacks put images. */
	rcu_barrier();
}
