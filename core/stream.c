// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stream: those who read the records of the event buffer.
 *
 * Each reader has its own place in the buffer and its own copy of what it is
 * going to get next, so that it can be as slow as it likes: the buffer goes on
 * without it, and it is told what it has missed.  It is also told what it
 * can't know: what was there before it came.
 *
 * Process context, under the reader's own mutex; op_sync_mutex only while
 * records are copied from one memory to another.
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/compat.h"
#include "core/internal.h"

/* What a reader has at hand. */
#define OP_STREAM_ROOM SZ_64K

/* How often a process's mappings' lock is tried, about a ms apart. */
#define OP_MAPS_TRIES 100

/* Mappings of a process that are looked at in one go. */
#define OP_MAPS_AT_ONCE 64

/**
 * struct op_reader - one open buffer file
 * @lock: guards all of it
 * @point: its place in the event buffer
 * @visible: may see addresses of the kernel
 * @ready: what it gets next: whole records
 * @ready_len: bytes of those
 * @ready_done: bytes that it has got
 * @names: the names of images come first, from @names_cookie on
 * @names_cookie: the dcookie of the latest one
 * @names_after: only of images that were named behind this position,
 * @names_upto: and not behind this one
 * @modules: the modules that are there come first
 * @modules_after: the section of theirs that was last
 * @maps: the mappings of these processes come first; %NULL for none
 * @nr_maps: how many they are
 * @maps_next: the first of them that is not done
 * @maps_address: where in it
 * @work: to have the host's root where paths are taken
 */
struct op_reader {
	struct mutex lock; /* of all of it */
	struct op_stream_point point;
	bool visible;
	void *ready;
	size_t ready_len;
	size_t ready_done;
	bool names;
	u64 names_cookie;
	u64 names_after;
	u64 names_upto;
	bool modules;
	u64 modules_after;
	struct pid **maps;
	size_t nr_maps;
	size_t maps_next;
	unsigned long maps_address;
	struct work_struct work;
};

/* ------------------------------------------------------------------ */
/* Making records                                                     */

/* Room for one more record in what the reader gets next, or %NULL. */
static void *op_ready_add(struct op_reader *reader, u16 type, u32 arg,
			  size_t size)
{
	struct op_stream_value *record = reader->ready + reader->ready_len;

	size = round_up(size, sizeof(*record));
	if (size > OP_STREAM_ROOM - reader->ready_len)
		return NULL;
	memset(record, 0, size);
	record->head = (struct op_stream_head){
		.type = type,
		.size = size,
		.arg = arg,
	};
	reader->ready_len += size;
	return record;
}

static bool op_ready_value(struct op_reader *reader, u16 type, u32 arg,
			   u64 value)
{
	struct op_stream_value *record;

	record = op_ready_add(reader, type, arg, sizeof(*record));
	if (record)
		record->value = value;
	return record;
}

static void op_ready_header(struct op_reader *reader)
{
	const char *cpu_type = op_counter_cpu_type();
	struct op_stream_header *record;
	size_t len = sizeof(OP_VERSION);

	record = op_ready_add(reader, OP_STREAM_HEADER, OP_STREAM_VERSION,
			      sizeof(*record) + len + strlen(cpu_type) + 1);
	record->magic = OP_STREAM_MAGIC;
	record->boottime = ktime_get_boottime_ns();
	record->realtime = ktime_get_real_ns();
	record->cpus = num_possible_cpus();
	memcpy(record->text, OP_VERSION, len);
	strcpy(record->text + len, cpu_type);
}

static void op_ready_counters(struct op_reader *reader)
{
	struct op_counter_config config;
	unsigned int idx;

	for (idx = 0; idx < OP_NR_COUNTERS; idx++) {
		op_counter_get(idx, &config);
		if (!config.enabled)
			continue;
		op_counter_record_fill(
			op_ready_add(reader, OP_STREAM_COUNTER, idx,
				     op_counter_record_size(&config)),
			&config);
	}
}

/* ------------------------------------------------------------------ */
/* What was there before                                              */

static bool op_ready_names(struct op_reader *reader)
{
	struct op_stream_name *record;
	struct op_image *image;
	u64 cookie = reader->names_cookie;
	u64 named_at;

	while ((image = op_image_next_known(&cookie))) {
		named_at = READ_ONCE(image->named_at);
		if (!reader->names_upto || (named_at > reader->names_after &&
					    named_at <= reader->names_upto)) {
			record = op_ready_add(reader, OP_STREAM_NAME,
					      OP_STREAM_F_STATE,
					      op_stream_name_size(image));
			if (!record) {
				op_image_put(image);
				return false;
			}
			op_stream_name_fill(record, image);
		}
		op_image_put(image);
		reader->names_cookie = cookie;
		cond_resched();
	}
	return true;
}

static bool op_ready_modules(struct op_reader *reader)
{
	struct op_section section;
	struct op_stream_module *record;
	u64 after = reader->modules_after;

	while (op_section_next(&after, &section)) {
		record = op_ready_add(reader, OP_STREAM_MODULE,
				      OP_STREAM_F_STATE,
				      op_stream_module_size(&section));
		if (!record)
			return false;
		op_stream_module_fill(record, &section, 0);
		reader->modules_after = after;
	}
	return true;
}

struct op_found_map {
	struct file *file;
	unsigned long start;
	unsigned long end;
	u64 offset;
	u32 flags;
};

/* Nobody knows for how long others keep a process from its mappings. */
static bool op_mmap_trylock(struct mm_struct *mm)
{
	int tries;

	for (tries = 0; tries < OP_MAPS_TRIES; tries++) {
		if (mmap_read_trylock(mm))
			return true;
		usleep_range(500, 1000);
	}
	return false;
}

/*
 * Some of a process's executable mappings of files; *@address: from where.
 * Returns how many, or -EBUSY.
 */
static int op_find_maps(struct mm_struct *mm, unsigned long *address,
			struct op_found_map *found)
{
	struct vm_area_struct *vma;
	int n = 0;

	if (!op_mmap_trylock(mm))
		return -EBUSY;
	for (vma = find_vma(mm, *address); vma && n < OP_MAPS_AT_ONCE;
	     vma = find_vma(mm, *address)) {
		*address = vma->vm_end;
		if (!(vma->vm_flags & VM_EXEC) || !op_map_file(vma))
			continue;
		found[n++] = (struct op_found_map){
			.file = get_file(vma->vm_file),
			.start = vma->vm_start,
			.end = vma->vm_end,
			.offset = (u64)vma->vm_pgoff << PAGE_SHIFT,
			.flags = op_map_flags(vma),
		};
	}
	if (!vma)
		*address = ULONG_MAX;
	mmap_read_unlock(mm);
	return n;
}

/* A mapping and the name of its image: true if there was room. */
static bool op_ready_map(struct op_reader *reader, struct task_struct *task,
			 const struct op_found_map *map)
{
	struct op_image *image = op_image_of_file_unsampled(map->file);
	struct op_stream_name *name;
	struct op_stream_map *record;
	size_t begin = reader->ready_len;
	bool done = false;

	if (!IS_ERR(image)) {
		name = op_ready_add(reader, OP_STREAM_NAME, OP_STREAM_F_STATE,
				    op_stream_name_size(image));
		if (!name)
			goto out;
		op_stream_name_fill(name, image);
	}
	record = op_ready_add(reader, OP_STREAM_MAP,
			      OP_STREAM_F_STATE | map->flags, sizeof(*record));
	if (!record) {
		reader->ready_len = begin;
		goto out;
	}
	record->task = (u64)task->tgid << 32 | task->tgid;
	record->cookie = IS_ERR(image) ? 0 : image->cookie;
	record->start = map->start;
	record->len = map->end - map->start;
	record->offset = map->offset;
	done = true;
out:
	if (!IS_ERR(image))
		op_image_put(image);
	return done;
}

/* Go on with the process; false if there was no room for all of it. */
static bool op_ready_process(struct op_reader *reader, struct task_struct *task,
			     struct mm_struct *mm, struct op_found_map *found)
{
	unsigned long address = reader->maps_address;
	bool room = true;
	int i, n;

	do {
		n = op_find_maps(mm, &address, found);
		/* One whose mappings cannot be had is said not to be known. */
		if (n < 0)
			return op_ready_value(reader, OP_STREAM_LOST,
					      OP_STREAM_LOST_MAPS, 1);
		for (i = 0; i < n; i++) {
			if (room && op_ready_map(reader, task, &found[i]))
				reader->maps_address = found[i].end;
			else
				room = false;
			fput(found[i].file);
		}
	} while (room && address != ULONG_MAX);
	return room;
}

static void op_reader_maps_end(struct op_reader *reader)
{
	while (reader->nr_maps)
		put_pid(reader->maps[--reader->nr_maps]);
	kvfree(reader->maps);
	reader->maps = NULL;
}

/* In a worker, whose root is the host's. */
static void op_ready_maps(struct work_struct *work)
{
	struct op_reader *reader = container_of(work, struct op_reader, work);
	struct op_found_map *found;
	struct task_struct *task;
	struct mm_struct *mm;

	found = kmalloc_array(OP_MAPS_AT_ONCE, sizeof(*found), GFP_KERNEL);
	if (!found)
		return;
	for (; reader->maps_next < reader->nr_maps; reader->maps_next++) {
		task = get_pid_task(reader->maps[reader->maps_next],
				    PIDTYPE_TGID);
		mm = task ? op_process_mm(task) : NULL;
		if (mm) {
			bool room = op_ready_process(reader, task, mm, found);

			/* It may be the last one: not here. */
			mmput_async(mm);
			if (!room) {
				put_task_struct(task);
				break;
			}
		}
		if (task)
			put_task_struct(task);
		reader->maps_address = 0;
		cond_resched();
	}
	if (reader->maps_next == reader->nr_maps)
		op_reader_maps_end(reader);
	kfree(found);
}

/* All processes there are: pids, referenced; %NULL if there is no memory. */
static struct pid **op_processes(size_t *n)
{
	struct task_struct *process;
	struct pid **pids;
	size_t room = 256;

	for (;;) {
		pids = kvmalloc_array(room, sizeof(*pids), GFP_KERNEL);
		if (!pids)
			return NULL;
		*n = 0;
		rcu_read_lock();
		for_each_process(process) {
			if (*n < room)
				pids[*n] = get_pid(task_tgid(process));
			++*n;
		}
		rcu_read_unlock();
		if (*n <= room)
			return pids;
		while (room)
			put_pid(pids[--room]);
		kvfree(pids);
		room = *n + 256;
	}
}

/* ------------------------------------------------------------------ */
/* Readers                                                            */

/* Whatever is ready may go out: without what the reader may not see. */
static void op_ready_hide(struct op_reader *reader)
{
	struct op_stream_value *record;
	size_t at;

	if (reader->visible)
		return;
	for (at = 0; at < reader->ready_len; at += record->head.size) {
		record = reader->ready + at;
		switch (record->head.type) {
		case OP_STREAM_SAMPLE:
			if (record->value >= TASK_SIZE_MAX)
				record->value = U64_MAX;
			break;
		case OP_STREAM_NAME:
			if (((struct op_stream_name *)record)->start >=
			    TASK_SIZE_MAX)
				((struct op_stream_name *)record)->start = 0;
			break;
		case OP_STREAM_MODULE:
		case OP_STREAM_MODULE_GONE:
			((struct op_stream_module *)record)->start = 0;
			break;
		case OP_STREAM_KSYM:
		case OP_STREAM_KSYM_GONE:
			((struct op_stream_ksym *)record)->start = 0;
			break;
		}
	}
}

/* The reader has been overtaken: say so, and what it must know to go on. */
static void op_ready_lost(struct op_reader *reader, u64 behind, u64 lost)
{
	const struct op_stream_state *state = &reader->point.state;

	if (lost)
		op_ready_value(reader, OP_STREAM_LOST, OP_STREAM_LOST_RECORDS,
			       lost);
	if (state->cpu != U64_MAX)
		op_ready_value(reader, OP_STREAM_CPU, 0, state->cpu);
	if (state->task != U64_MAX)
		op_ready_value(reader, OP_STREAM_TASK, 0, state->task);
	if (state->cookie != U64_MAX)
		op_ready_value(reader, OP_STREAM_COOKIE, 0, state->cookie);
	if (!lost)
		return;
	/* Modules may have come and gone with what it has missed. */
	reader->modules = true;
	reader->modules_after = 0;
	/* Names were among it as well. */
	if (!reader->names || reader->names_upto) {
		if (!reader->names)
			reader->names_after = behind;
		reader->names = true;
		reader->names_cookie = 0;
		reader->names_upto = reader->point.position;
	}
}

/* Get what comes next ready. */
static void op_reader_fill(struct op_reader *reader)
{
	u64 behind, lost;

	reader->ready_len = 0;
	reader->ready_done = 0;
	if (reader->modules)
		reader->modules = !op_ready_modules(reader);
	if (!reader->ready_len && reader->names)
		reader->names = !op_ready_names(reader);
	if (!reader->ready_len && reader->maps)
		op_sync_run(&reader->work);
	if (!reader->ready_len) {
		mutex_lock(&op_sync_mutex);
		behind = reader->point.position;
		if (op_event_overtaken(&reader->point, &lost))
			op_ready_lost(reader, behind, lost);
		/* Moved on without a loss: what is there is next. */
		if (!reader->ready_len)
			reader->ready_len = op_event_copy(
				&reader->point, reader->ready, OP_STREAM_ROOM);
		mutex_unlock(&op_sync_mutex);
	}
	op_ready_hide(reader);
}

static bool op_reader_pending(const struct op_reader *reader)
{
	return READ_ONCE(reader->ready_done) != READ_ONCE(reader->ready_len) ||
	       READ_ONCE(reader->names) || READ_ONCE(reader->modules) ||
	       READ_ONCE(reader->maps) || op_event_pending(&reader->point);
}

/**
 * op_reader_open - begin to read the stream
 * @visible: the reader may see addresses of the kernel
 *
 * Context: process, may sleep.
 * Return: the reader or ERR_PTR of -ENOMEM.
 */
struct op_reader *op_reader_open(bool visible)
{
	struct op_reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	int ret;

	if (!reader)
		return ERR_PTR(-ENOMEM);
	reader->ready = kvmalloc(OP_STREAM_ROOM, GFP_KERNEL);
	if (!reader->ready) {
		kfree(reader);
		return ERR_PTR(-ENOMEM);
	}
	mutex_init(&reader->lock);
	INIT_WORK(&reader->work, op_ready_maps);
	reader->visible = visible;
	/* What is there is said after it is known from where on it is not. */
	mutex_lock(&op_sync_mutex);
	ret = op_event_reader_begin(&reader->point);
	mutex_unlock(&op_sync_mutex);
	if (ret) {
		kvfree(reader->ready);
		kfree(reader);
		return ERR_PTR(ret);
	}
	reader->names = true;
	reader->modules = true;
	op_ready_header(reader);
	op_ready_counters(reader);
	/* What does not fit comes with the next read. */
	reader->modules = !op_ready_modules(reader);
	op_ready_hide(reader);
	return reader;
}

/**
 * op_reader_close - end it
 * @reader: the reader; gone afterwards
 *
 * Context: process, may sleep; nobody reads any more.
 */
void op_reader_close(struct op_reader *reader)
{
	mutex_lock(&op_sync_mutex);
	op_event_reader_end();
	mutex_unlock(&op_sync_mutex);
	op_reader_maps_end(reader);
	kvfree(reader->ready);
	kfree(reader);
}

/**
 * op_reader_ask_maps - ask for the mappings of the processes that run
 * @reader: the reader, who gets them before what happens next
 *
 * Context: process, may sleep.
 * Return: 0, -EINTR or -ENOMEM.
 */
int op_reader_ask_maps(struct op_reader *reader)
{
	struct pid **pids;
	size_t n;

	if (mutex_lock_interruptible(&reader->lock))
		return -EINTR;
	pids = op_processes(&n);
	if (pids) {
		op_reader_maps_end(reader);
		reader->maps = pids;
		reader->nr_maps = n;
		reader->maps_next = 0;
		reader->maps_address = 0;
	}
	mutex_unlock(&reader->lock);
	wake_up_interruptible_poll(&op_stream_wait, EPOLLIN | EPOLLRDNORM);
	return pids ? 0 : -ENOMEM;
}

/**
 * op_reader_poll - wait until there is something to read
 * @reader: the reader
 * @file: the open file
 * @wait: of poll(2)
 *
 * Context: process, may sleep.
 */
__poll_t op_reader_poll(struct op_reader *reader, struct file *file,
			poll_table *wait)
{
	poll_wait(file, &op_stream_wait, wait);
	return op_reader_pending(reader) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* Whole records of what is ready; 0 if not even one goes in. */
static size_t op_ready_fits(const struct op_reader *reader, size_t room)
{
	const struct op_stream_head *head;
	size_t at = reader->ready_done;

	while (at < reader->ready_len) {
		head = reader->ready + at;
		if (at + head->size - reader->ready_done > room)
			break;
		at += head->size;
	}
	return at - reader->ready_done;
}

static ssize_t op_reader_take(struct op_reader *reader, struct iov_iter *to)
{
	ssize_t done = 0;
	size_t len;

	while (iov_iter_count(to)) {
		if (reader->ready_done == reader->ready_len)
			op_reader_fill(reader);
		if (reader->ready_done == reader->ready_len)
			break;
		len = op_ready_fits(reader, iov_iter_count(to));
		if (!len)
			return done ? done : -EINVAL;
		if (copy_to_iter(reader->ready + reader->ready_done, len, to) !=
		    len)
			return done ? done : -EFAULT;
		reader->ready_done += len;
		done += len;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return done;
}

/**
 * op_reader_read - give a reader what comes next
 * @reader: the reader
 * @to: where to
 * @nonblock: do not wait if there is nothing
 *
 * What could not be copied is given again.
 *
 * Context: process, may sleep.
 * Return: bytes, whole records; -EINVAL (no room for the next one), -EAGAIN,
 * -EINTR or -EFAULT.
 */
ssize_t op_reader_read(struct op_reader *reader, struct iov_iter *to,
		       bool nonblock)
{
	ssize_t ret;

	if (!iov_iter_count(to))
		return 0;
	for (;;) {
		if (mutex_lock_interruptible(&reader->lock))
			return -EINTR;
		ret = op_reader_take(reader, to);
		mutex_unlock(&reader->lock);
		if (ret)
			return ret;
		if (nonblock)
			return -EAGAIN;
		if (wait_event_interruptible(op_stream_wait,
					     op_reader_pending(reader)))
			return -ERESTARTSYS;
	}
}
