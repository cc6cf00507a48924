// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: the record stream, from a CPU's ring (core/buffer_sync.c) through the
 * event buffer (core/event_buffer.c) to a reader (core/stream.c). That each type
 * of core/oprofile_stream.h comes out as it stands there, and that a reader gets
 * all records or is told how many it did not get.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/uio.h>

#include "core/cpu_buffer.h"
#include "tests/kunit/kunit.h"

/* ------------------------------------------------------------------ */
/* Reading                                                            */

#define TAPE_ROOM SZ_1M

/**
 * struct tape - what a reader got
 * @records: whole records
 * @len: bytes
 */
struct tape {
	void *records;
	size_t len;
};

static struct op_reader *reader_open(struct kunit *test, bool visible)
{
	struct op_reader *reader = op_reader_open(visible);

	KUNIT_ASSERT_FALSE(test, IS_ERR(reader));
	return reader;
}

static ssize_t reader_read(struct op_reader *reader, void *to, size_t room)
{
	struct kvec vec = { to, room };
	struct iov_iter iter;

	iov_iter_kvec(&iter, READ, &vec, 1, room);
	return op_reader_read(reader, &iter, true);
}

/* All that there is to read; each record is one as the header says. */
static void tape_read(struct kunit *test, struct tape *tape,
		      struct op_reader *reader)
{
	const struct op_stream_head *head;
	ssize_t n;
	size_t at;

	if (!tape->records) {
		tape->records = kunit_kmalloc(test, TAPE_ROOM, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, tape->records);
	}
	tape->len = 0;
	for (;;) {
		n = reader_read(reader, tape->records + tape->len,
				TAPE_ROOM - tape->len);
		if (n == -EAGAIN)
			break;
		KUNIT_ASSERT_GT(test, n, 0);
		tape->len += n;
		KUNIT_ASSERT_LT(test, tape->len, TAPE_ROOM);
	}
	for (at = 0; at < tape->len; at += head->size) {
		head = tape->records + at;
		KUNIT_ASSERT_GE(test, head->size, 16);
		KUNIT_ASSERT_EQ(test, head->size % 16, 0);
		KUNIT_ASSERT_LE(test, head->size, OP_STREAM_RECORD_MAX);
		KUNIT_ASSERT_LE(test, at + head->size, tape->len);
		KUNIT_ASSERT_NE(test, head->type, OP_STREAM_PAD);
		KUNIT_ASSERT_LE(test, head->type, OP_STREAM_COUNTER);
	}
}

/* The record after @record, the first one after %NULL; %NULL past the last. */
static void *tape_next(const struct tape *tape, const void *record)
{
	const struct op_stream_head *head = record;
	const void *next = head ? record + head->size : tape->records;

	return next < tape->records + tape->len ? (void *)next : NULL;
}

/* The next one of a type. */
static void *tape_find(const struct tape *tape, u16 type, const void *record)
{
	const struct op_stream_head *head;

	while ((record = tape_next(tape, record))) {
		head = record;
		if (head->type == type)
			return (void *)record;
	}
	return NULL;
}

static unsigned int tape_count(const struct tape *tape, u16 type)
{
	const void *record = NULL;
	unsigned int n = 0;

	while ((record = tape_find(tape, type, record)))
		n++;
	return n;
}

/* ------------------------------------------------------------------ */
/* Writing                                                            */

/* The ring of CPU 0; no sample is taken there. */
static struct op_cpu_buffer *stream_ring(void)
{
	return &per_cpu(op_cpu_buffers, 0).ring[OP_RING_IRQ];
}

static void ring_push(struct kunit *test, u8 type, u8 counter, u64 value)
{
	struct op_cpu_buffer *b = stream_ring();

	KUNIT_ASSERT_TRUE(test, op_cpu_buffer_reserve(b, 1));
	if (type == OP_ENTRY_OFFSET || type == OP_ENTRY_KERNEL)
		b->stats[OP_STAT_RECEIVED]++;
	op_cpu_buffer_push(b, 0, OP_ENTRY_HEAD(type, counter), value);
	op_cpu_buffer_commit(b, 1);
}

/* A notification with its data, as hooks.c writes it. */
static void ring_notify(struct kunit *test, u8 type, u64 value, const u64 *data,
			unsigned int words)
{
	struct op_cpu_buffer *b = stream_ring();
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, op_cpu_buffer_reserve(b, 1 + words / 2));
	op_cpu_buffer_push(b, 0, OP_ENTRY_HEAD(type, words / 2), value);
	for (i = 0; i < words / 2; i++)
		op_cpu_buffer_push(b, 1 + i, data[2 * i], data[2 * i + 1]);
	op_cpu_buffer_commit(b, 1 + words / 2);
}

#define NOTIFY(test, type, value, ...)                                         \
	do {                                                                   \
		const u64 data[] = { __VA_ARGS__ };                            \
		ring_notify(test, type, value, data, ARRAY_SIZE(data));        \
	} while (0)

static struct op_image *stream_image(struct kunit *test, const char *name)
{
	struct op_image *image;

	image = op_image_of_name(OP_IMAGE_JIT, name, 0x6b756e69, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(image));
	return image;
}

static int stream_init(struct kunit *test)
{
	int ret;

	op_reset();
	mutex_lock(&op_sync_mutex);
	op_event_buffer_free();
	ret = op_event_buffer_resize(4096);
	if (!ret)
		ret = op_cpu_buffer_alloc(0, OP_RING_IRQ, 1000);
	mutex_unlock(&op_sync_mutex);
	return ret;
}

static void stream_exit(struct kunit *test)
{
	struct op_cpu_buffer *b = stream_ring();

	op_sync_all();
	mutex_lock(&op_sync_mutex);
	op_cpu_buffer_free(0);
	if (b->image)
		op_image_put(b->image);
	b->image = NULL;
	b->image_error = 0;
	mutex_unlock(&op_sync_mutex);
	op_reset();
}

/* ------------------------------------------------------------------ */

/* What readers of user space have compiled in. */
static void stream_layout(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, OP_STREAM_VERSION, 1);
	KUNIT_EXPECT_EQ(test, memcmp(&(u64){ OP_STREAM_MAGIC }, "oprofile", 8),
			0);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_head), 8);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_value), 16);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_name), 32);
	KUNIT_EXPECT_EQ(test, offsetof(struct op_stream_name, start), 16);
	KUNIT_EXPECT_EQ(test, offsetof(struct op_stream_name, kind), 24);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_fork), 32);
	KUNIT_EXPECT_EQ(test, offsetof(struct op_stream_fork, parent), 24);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_exec), 32);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_exit), 32);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_map), 64);
	KUNIT_EXPECT_EQ(test, offsetof(struct op_stream_map, cookie), 24);
	KUNIT_EXPECT_EQ(test, offsetof(struct op_stream_map, offset), 48);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_module), 32);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_ksym), 32);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_header), 40);
	KUNIT_EXPECT_EQ(test, offsetof(struct op_stream_header, cpus), 32);
	KUNIT_EXPECT_EQ(test, sizeof(struct op_stream_counter), 24);
	/* The types' numbers, by the first and the last. */
	KUNIT_EXPECT_EQ(test, OP_STREAM_PAD, 0);
	KUNIT_EXPECT_EQ(test, OP_STREAM_NAME, 7);
	KUNIT_EXPECT_EQ(test, OP_STREAM_COUNTER, 19);
}

/* Who opens the stream learns what there is. */
static void stream_state(struct kunit *test)
{
	struct op_reader *reader = reader_open(test, true);
	struct op_stream_counter *counter;
	struct op_stream_header *header;
	struct op_stream_module *module;
	struct op_stream_name *name = NULL;
	struct tape tape = {};
	bool found = false;

	tape_read(test, &tape, reader);
	header = tape_next(&tape, NULL);
	KUNIT_ASSERT_NOT_NULL(test, header);
	KUNIT_EXPECT_EQ(test, header->head.type, OP_STREAM_HEADER);
	KUNIT_EXPECT_EQ(test, header->head.arg, OP_STREAM_VERSION);
	KUNIT_EXPECT_EQ(test, header->magic, OP_STREAM_MAGIC);
	KUNIT_EXPECT_EQ(test, header->cpus, num_possible_cpus());
	KUNIT_EXPECT_EQ(test, header->zero, 0);
	KUNIT_EXPECT_NE(test, header->boottime, 0);
	KUNIT_EXPECT_STREQ(test, header->text, OP_VERSION);
	KUNIT_EXPECT_STREQ(test, header->text + sizeof(OP_VERSION), "timer");

	KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_COUNTER), 1);
	counter = tape_find(&tape, OP_STREAM_COUNTER, NULL);
	KUNIT_ASSERT_NOT_NULL(test, counter);
	KUNIT_EXPECT_EQ(test, counter->head.arg, 0);
	KUNIT_EXPECT_EQ(test, counter->freq, OP_DEFAULT_HZ);
	KUNIT_EXPECT_EQ(test, counter->count, 0);
	KUNIT_EXPECT_EQ(test, counter->modes, 3);
	KUNIT_EXPECT_STREQ(test, counter->event, "timer");

	/* This module is one; its initial text has gone. */
	module = NULL;
	while ((module = tape_find(&tape, OP_STREAM_MODULE, module))) {
		KUNIT_EXPECT_EQ(test, module->head.arg, OP_STREAM_F_STATE);
		KUNIT_EXPECT_EQ(test, module->time, 0);
		if (strcmp(module->text, KBUILD_MODNAME))
			continue;
		KUNIT_EXPECT_NE(test, module->start, 0);
		KUNIT_EXPECT_NE(test, module->len, 0);
		if (!strcmp(module->text + sizeof(KBUILD_MODNAME), ".text")) {
			found = true;
			KUNIT_EXPECT_LE(test, module->start,
					(u64)(unsigned long)stream_state);
			KUNIT_EXPECT_GT(test, module->start + module->len,
					(u64)(unsigned long)stream_state);
		}
	}
	KUNIT_EXPECT_TRUE(test, found);

	found = false;
	while ((name = tape_find(&tape, OP_STREAM_NAME, name))) {
		KUNIT_EXPECT_EQ(test, name->head.arg, OP_STREAM_F_STATE);
		KUNIT_EXPECT_EQ(test, name->len, strlen(name->path));
		KUNIT_EXPECT_LE(test, sizeof(*name) + name->len + 1,
				name->head.size);
		if (strcmp(name->path, "vmlinux"))
			continue;
		found = true;
		KUNIT_EXPECT_EQ(test, name->kind, 1);
		KUNIT_EXPECT_EQ(test, name->start, op_kernel_start);
		KUNIT_EXPECT_EQ(test, name->cookie,
				op_image_fixed[OP_IMAGE_VMLINUX]->cookie);
	}
	KUNIT_EXPECT_TRUE(test, found);
	KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_NAME),
			op_stat_read(OP_STAT_IMAGES));
	op_reader_close(reader);
}

/* The samples of a ring, and what is said before them. */
static void stream_samples(struct kunit *test)
{
	struct op_reader *reader = reader_open(test, true);
	struct op_image *image = stream_image(test, "jit:kunit-s");
	struct op_stream_value *r;
	struct op_stream_name *name;
	struct tape tape = {};
	u64 cookie = image->cookie;

	tape_read(test, &tape, reader);
	ring_push(test, OP_ENTRY_TASK, 0, 7ULL << 32 | 8);
	ring_push(test, OP_ENTRY_IMAGE, 0, (unsigned long)op_image_get(image));
	ring_push(test, OP_ENTRY_OFFSET, 0, 0x123);
	ring_push(test, OP_ENTRY_OFFSET, 3, U64_MAX);
	ring_push(test, OP_ENTRY_KERNEL, 1, op_kernel_start + 0x40);
	ring_push(test, OP_ENTRY_TASK, 0, 7ULL << 32 | 9);
	ring_push(test, OP_ENTRY_OFFSET, 0, 0x124);
	op_sync_all();

	tape_read(test, &tape, reader);
	r = tape_next(&tape, NULL);
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_CPU);
	KUNIT_EXPECT_EQ(test, r->value, 0);
	r = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_TIME);
	r = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_TASK);
	KUNIT_EXPECT_EQ(test, r->value, 7ULL << 32 | 8);
	name = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, name->head.type, OP_STREAM_NAME);
	KUNIT_EXPECT_EQ(test, name->head.arg, 0);
	KUNIT_EXPECT_EQ(test, name->cookie, cookie);
	KUNIT_EXPECT_EQ(test, name->kind, OP_IMAGE_JIT);
	KUNIT_EXPECT_STREQ(test, name->path, "jit:kunit-s");
	r = tape_next(&tape, name);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_COOKIE);
	KUNIT_EXPECT_EQ(test, r->value, cookie);
	r = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_SAMPLE);
	KUNIT_EXPECT_EQ(test, r->head.arg, 0);
	KUNIT_EXPECT_EQ(test, r->value, 0x123);
	r = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_SAMPLE);
	KUNIT_EXPECT_EQ(test, r->head.arg, 3);
	KUNIT_EXPECT_EQ(test, r->value, U64_MAX);
	r = tape_find(&tape, OP_STREAM_SAMPLE, r);
	KUNIT_EXPECT_EQ(test, r->head.arg, 1);
	KUNIT_EXPECT_EQ(test, r->value, 0x40);
	/* Back to the first image, whose name is known now. */
	r = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_TASK);
	r = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_COOKIE);
	KUNIT_EXPECT_EQ(test, r->value, cookie);
	r = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_SAMPLE);
	KUNIT_EXPECT_EQ(test, r->value, 0x124);
	KUNIT_EXPECT_PTR_EQ(test, tape_next(&tape, r), NULL);

	KUNIT_EXPECT_EQ(test, op_image_samples(image), 3);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_RECEIVED), 4);
	op_reader_close(reader);
	op_image_put(image);
}

/* Each type that there is, as its structure says, from where it really comes. */
static void stream_every_type(struct kunit *test)
{
	struct op_reader *reader = reader_open(test, true);
	struct op_cpu_buffer *b = stream_ring();
	const u64 task = 20ULL << 32 | 20;
	struct op_stream_module *module;
	struct op_section section = {
		.module = "kunit",
		.section = ".text",
		.start = 5,
		.size = 6,
	};
	struct op_stream_value *value;
	struct op_stream_fork *fork;
	struct op_stream_exec *exec;
	struct op_stream_exit *exit;
	struct op_stream_ksym *ksym;
	struct op_stream_map *map;
	const void *record = NULL;
	struct tape tape = {}, state = {};
	unsigned long seen = 0;
	struct file *file;
	u64 name[2] = {};

	tape_read(test, &state, reader);
	file = filp_open("/bin/sh", O_RDONLY, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	memcpy(name, "bpf_prog_x", 11);

	ring_push(test, OP_ENTRY_TASK, 0, task);
	ring_push(test, OP_ENTRY_FILE, 0, (unsigned long)get_file(file));
	ring_push(test, OP_ENTRY_OFFSET, 0, 0x99);
	NOTIFY(test, OP_ENTRY_FORK, 21ULL << 32 | 21, 1001, task);
	NOTIFY(test, OP_ENTRY_FORK, 20ULL << 32 | 22, 1002, task);
	NOTIFY(test, OP_ENTRY_EXEC, task, 1003, (unsigned long)get_file(file));
	NOTIFY(test, OP_ENTRY_EXEC, task, 1004, 0);
	NOTIFY(test, OP_ENTRY_EXIT, task, 1005, 0x0900);
	NOTIFY(test, OP_ENTRY_EXIT, task, 1006, 1ULL << 32 | 11);
	NOTIFY(test, OP_ENTRY_MAP, task, 1007, (unsigned long)get_file(file),
	       0x400000, 0x2000, 0x1000,
	       OP_STREAM_F_WRITE | (u64)OP_IMAGE_ANON << 32);
	NOTIFY(test, OP_ENTRY_MAP, task, 1008, 0, 0x500000, 0x1000, 0,
	       OP_STREAM_F_SHARED | (u64)OP_IMAGE_VDSO << 32);
	NOTIFY(test, OP_ENTRY_UNMAP, task, 1009, 0, 0x400000, 0x2000);
	NOTIFY(test, OP_ENTRY_KSYM, 0xffffffffc0000000, 1010, 77, name[0],
	       name[1]);
	NOTIFY(test, OP_ENTRY_KSYM_GONE, 0xffffffffc0000000, 1011, 77, name[0],
	       name[1]);
	b->stats[OP_STAT_LOST_CPU_BUFFER] += 3;
	b->stats[OP_STAT_RECEIVED] += 3;
	b->stats[OP_STAT_NOTIFICATIONS_LOST] += 2;
	op_sync_all();
	fput(file);
	mutex_lock(&op_sync_mutex);
	module = op_event_append(OP_STREAM_MODULE_GONE, 0,
				 op_stream_module_size(&section));
	op_stream_module_fill(module, &section, 1012);
	mutex_unlock(&op_sync_mutex);
	op_reset();
	tape_read(test, &tape, reader);

	fork = tape_find(&tape, OP_STREAM_FORK, NULL);
	KUNIT_ASSERT_NOT_NULL(test, fork);
	KUNIT_EXPECT_EQ(test, fork->head.size, sizeof(*fork));
	KUNIT_EXPECT_EQ(test, fork->head.arg, 0);
	KUNIT_EXPECT_EQ(test, fork->time, 1001);
	KUNIT_EXPECT_EQ(test, fork->task, 21ULL << 32 | 21);
	KUNIT_EXPECT_EQ(test, fork->parent, task);
	fork = tape_find(&tape, OP_STREAM_FORK, fork);
	KUNIT_ASSERT_NOT_NULL(test, fork);
	KUNIT_EXPECT_EQ(test, fork->head.arg, OP_STREAM_F_THREAD);
	KUNIT_EXPECT_EQ(test, fork->task, 20ULL << 32 | 22);

	exec = tape_find(&tape, OP_STREAM_EXEC, NULL);
	KUNIT_ASSERT_NOT_NULL(test, exec);
	KUNIT_EXPECT_EQ(test, exec->head.size, sizeof(*exec));
	KUNIT_EXPECT_EQ(test, exec->time, 1003);
	KUNIT_EXPECT_EQ(test, exec->task, task);
	KUNIT_EXPECT_NE(test, exec->cookie, 0);
	value = tape_find(&tape, OP_STREAM_COOKIE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, value);
	KUNIT_EXPECT_EQ(test, exec->cookie, value->value);
	exec = tape_find(&tape, OP_STREAM_EXEC, exec);
	KUNIT_ASSERT_NOT_NULL(test, exec);
	KUNIT_EXPECT_EQ(test, exec->cookie, 0);

	exit = tape_find(&tape, OP_STREAM_EXIT, NULL);
	KUNIT_ASSERT_NOT_NULL(test, exit);
	KUNIT_EXPECT_EQ(test, exit->head.arg, 0);
	KUNIT_EXPECT_EQ(test, exit->time, 1005);
	KUNIT_EXPECT_EQ(test, exit->code, 0x0900);
	exit = tape_find(&tape, OP_STREAM_EXIT, exit);
	KUNIT_ASSERT_NOT_NULL(test, exit);
	KUNIT_EXPECT_EQ(test, exit->head.arg, OP_STREAM_F_LAST);
	KUNIT_EXPECT_EQ(test, exit->code, 11);

	map = tape_find(&tape, OP_STREAM_MAP, NULL);
	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_EXPECT_EQ(test, map->head.size, sizeof(*map));
	KUNIT_EXPECT_EQ(test, map->head.arg, OP_STREAM_F_WRITE);
	KUNIT_EXPECT_EQ(test, map->time, 1007);
	KUNIT_EXPECT_EQ(test, map->task, task);
	KUNIT_EXPECT_EQ(test, map->cookie, value->value);
	KUNIT_EXPECT_EQ(test, map->start, 0x400000);
	KUNIT_EXPECT_EQ(test, map->len, 0x2000);
	KUNIT_EXPECT_EQ(test, map->offset, 0x1000);
	KUNIT_EXPECT_EQ(test, map->zero, 0);
	map = tape_find(&tape, OP_STREAM_MAP, map);
	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_EXPECT_EQ(test, map->head.arg, OP_STREAM_F_SHARED);
	KUNIT_EXPECT_EQ(test, map->cookie,
			op_image_fixed[OP_IMAGE_VDSO]->cookie);
	map = tape_find(&tape, OP_STREAM_UNMAP, NULL);
	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_EXPECT_EQ(test, map->head.arg, 0);
	KUNIT_EXPECT_EQ(test, map->time, 1009);
	KUNIT_EXPECT_EQ(test, map->cookie, 0);
	KUNIT_EXPECT_EQ(test, map->start, 0x400000);
	KUNIT_EXPECT_EQ(test, map->len, 0x2000);
	KUNIT_EXPECT_EQ(test, map->offset, 0);

	ksym = tape_find(&tape, OP_STREAM_KSYM, NULL);
	KUNIT_ASSERT_NOT_NULL(test, ksym);
	KUNIT_EXPECT_EQ(test, ksym->head.size, sizeof(*ksym) + 16);
	KUNIT_EXPECT_EQ(test, ksym->time, 1010);
	KUNIT_EXPECT_EQ(test, ksym->start, 0xffffffffc0000000);
	KUNIT_EXPECT_EQ(test, ksym->len, 77);
	KUNIT_EXPECT_STREQ(test, ksym->name, "bpf_prog_x");
	ksym = tape_find(&tape, OP_STREAM_KSYM_GONE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, ksym);
	KUNIT_EXPECT_EQ(test, ksym->time, 1011);

	module = tape_find(&tape, OP_STREAM_MODULE_GONE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, module);
	KUNIT_EXPECT_EQ(test, module->head.size, 48); /* 32 + "kunit" ".text" */
	KUNIT_EXPECT_EQ(test, module->time, 1012);
	KUNIT_EXPECT_EQ(test, module->start, 5);
	KUNIT_EXPECT_EQ(test, module->len, 6);
	KUNIT_EXPECT_STREQ(test, module->text, "kunit");
	KUNIT_EXPECT_STREQ(test, module->text + 6, ".text");

	value = tape_find(&tape, OP_STREAM_LOST, NULL);
	KUNIT_ASSERT_NOT_NULL(test, value);
	KUNIT_EXPECT_EQ(test, value->head.arg, OP_STREAM_LOST_CPU_BUFFER);
	KUNIT_EXPECT_EQ(test, value->value, 3);
	value = tape_find(&tape, OP_STREAM_LOST, value);
	KUNIT_ASSERT_NOT_NULL(test, value);
	KUNIT_EXPECT_EQ(test, value->head.arg, OP_STREAM_LOST_NOTIFICATIONS);
	KUNIT_EXPECT_EQ(test, value->value, 2);
	KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_LOST), 2);
	KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_RESET), 1);

	while ((record = tape_next(&state, record)))
		seen |= BIT(((const struct op_stream_head *)record)->type);
	while ((record = tape_next(&tape, record)))
		seen |= BIT(((const struct op_stream_head *)record)->type);
	KUNIT_EXPECT_EQ(test, seen,
			GENMASK(OP_STREAM_COUNTER, 0) & ~BIT(OP_STREAM_PAD));
	op_reader_close(reader);
}

/* Told of each loss once; and a sample whose image can't be had is one. */
static void stream_losses(struct kunit *test)
{
	struct op_reader *reader = reader_open(test, true);
	struct op_stream_value *lost;
	struct tape tape = {};
	int i;

	tape_read(test, &tape, reader);
	ring_push(test, OP_ENTRY_TASK, 0, 1ULL << 32 | 1);
	ring_push(test, OP_ENTRY_IMAGE, 0, (unsigned long)ERR_PTR(-ENOSPC));
	ring_push(test, OP_ENTRY_OFFSET, 0, 1);
	ring_push(test, OP_ENTRY_IMAGE, 0, (unsigned long)ERR_PTR(-ENOMEM));
	ring_push(test, OP_ENTRY_OFFSET, 0, 1);
	ring_push(test, OP_ENTRY_OFFSET, 0, 2);
	op_sync_all();
	tape_read(test, &tape, reader);
	KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_LOST), 3);
	lost = NULL;
	for (i = 0; i < 3; i++) {
		lost = tape_find(&tape, OP_STREAM_LOST, lost);
		KUNIT_ASSERT_NOT_NULL(test, lost);
		KUNIT_EXPECT_EQ(test, lost->head.arg, OP_STREAM_LOST_MEMORY);
		KUNIT_EXPECT_EQ(test, lost->value, 1);
	}
	KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_SAMPLE), 0);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_LOST_HIST_MEMORY), 1);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_LOST_NO_MEMORY), 2);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_RECEIVED), op_stat_lost());
	op_sync_all();
	tape_read(test, &tape, reader);
	KUNIT_EXPECT_EQ(test, tape.len, 0);
	op_reader_close(reader);
}

/* A file's image cannot be made: its notifications say 0, and it is put. */
static void stream_no_room_for_names(struct kunit *test)
{
	struct op_reader *reader = reader_open(test, true);
	struct op_stream_exec *exec;
	struct op_stream_map *map;
	struct tape tape = {};
	struct file *file;
	char name[16];
	int n = 0;

	tape_read(test, &tape, reader);
	KUNIT_ASSERT_EQ(test, op_param_set(OP_PARAM_HIST_MEMORY, SZ_64K), 0);
	while (op_stat_read(OP_STAT_MEMORY) <= SZ_64K / 2 && n < 1000) {
		snprintf(name, sizeof(name), "jit:n%d", n++);
		op_image_put(stream_image(test, name));
	}
	op_kunit_do(test, "mkdir -p $D; echo >$D/new");
	file = filp_open(OP_KUNIT_DIR "/new", O_RDONLY, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	NOTIFY(test, OP_ENTRY_EXEC, 1, 1, (unsigned long)get_file(file));
	NOTIFY(test, OP_ENTRY_MAP, 1, 1, (unsigned long)get_file(file), 0, 1, 0,
	       0);
	op_sync_all();
	op_param_set(OP_PARAM_HIST_MEMORY, SZ_128M);
	tape_read(test, &tape, reader);
	exec = tape_find(&tape, OP_STREAM_EXEC, NULL);
	KUNIT_ASSERT_NOT_NULL(test, exec);
	KUNIT_EXPECT_EQ(test, exec->cookie, 0);
	map = tape_find(&tape, OP_STREAM_MAP, NULL);
	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_EXPECT_EQ(test, map->cookie, 0);
	KUNIT_EXPECT_EQ(test, file_count(file), 1);
	fput(file);
	op_reader_close(reader);
	op_kunit_do(test, "rm -r $D");
}

/* Records of one kind only, which count themselves. */
static void stream_write(u64 *next, u64 n)
{
	mutex_lock(&op_sync_mutex);
	while (n--)
		op_event_add(OP_STREAM_TIME, 0, (*next)++);
	mutex_unlock(&op_sync_mutex);
}

/* The buffer full to the last slot is no loss, one more record is one. */
static void stream_overtaken(struct kunit *test)
{
	static const u64 more[] = { 0, 1, 2, 1000, 4095, 4096, 4097, 10000 };
	struct op_stream_value *lost, *r;
	struct tape tape = {};
	u64 next = 0, want;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(more); i++) {
		struct op_reader *reader = reader_open(test, true);

		tape_read(test, &tape, reader);
		want = next + more[i];
		stream_write(&next, 4096 + more[i]);
		tape_read(test, &tape, reader);
		lost = tape_find(&tape, OP_STREAM_LOST, NULL);
		KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_LOST),
				more[i] ? 1 : 0);
		if (lost) {
			KUNIT_EXPECT_PTR_EQ(test, (void *)lost,
					    tape_next(&tape, NULL));
			KUNIT_EXPECT_EQ(test, lost->head.arg,
					OP_STREAM_LOST_RECORDS);
			KUNIT_EXPECT_EQ(test, lost->value, more[i]);
		}
		KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_TIME), 4096);
		for (r = tape_find(&tape, OP_STREAM_TIME, NULL); r;
		     r = tape_find(&tape, OP_STREAM_TIME, r))
			KUNIT_ASSERT_EQ(test, r->value, want++);
		KUNIT_EXPECT_EQ(test, want, next);
		op_reader_close(reader);
	}
}

/* Behind a loss it is said where one is; and the names that were in it. */
static void stream_goes_on_after_loss(struct kunit *test)
{
	struct op_reader *reader = reader_open(test, true);
	struct op_image *image = stream_image(test, "jit:kunit-l");
	struct op_stream_value *r;
	struct op_stream_name *name;
	struct tape tape = {};
	u64 next = 0;

	tape_read(test, &tape, reader);
	mutex_lock(&op_sync_mutex);
	op_event_sample(1, 5ULL << 32 | 6, image, 0, 1);
	mutex_unlock(&op_sync_mutex);
	stream_write(&next, 5000);
	mutex_lock(&op_sync_mutex);
	op_event_sample(1, 5ULL << 32 | 6, image, 2, 0x77);
	op_event_flush();
	mutex_unlock(&op_sync_mutex);

	tape_read(test, &tape, reader);
	r = tape_next(&tape, NULL);
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_LOST);
	/* cpu, task, name, cookie, the sample, and 905 of 5000 */
	KUNIT_EXPECT_EQ(test, r->value, 5 + 905);
	r = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_CPU);
	KUNIT_EXPECT_EQ(test, r->value, 1);
	r = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_TASK);
	KUNIT_EXPECT_EQ(test, r->value, 5ULL << 32 | 6);
	r = tape_next(&tape, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_COOKIE);
	KUNIT_EXPECT_EQ(test, r->value, image->cookie);
	KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_SAMPLE), 1);
	r = tape_find(&tape, OP_STREAM_SAMPLE, NULL);
	KUNIT_EXPECT_EQ(test, r->head.arg, 2);
	KUNIT_EXPECT_EQ(test, r->value, 0x77);
	/* The name comes, and no other one of those that were known. */
	KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_NAME), 1);
	name = tape_find(&tape, OP_STREAM_NAME, NULL);
	KUNIT_ASSERT_NOT_NULL(test, name);
	KUNIT_EXPECT_EQ(test, name->cookie, image->cookie);
	/* Both samples are in the histogram, whoever was too slow. */
	KUNIT_EXPECT_EQ(test, op_image_samples(image), 2);
	op_reader_close(reader);
	op_image_put(image);
}

static void stream_fill(struct op_stream_ksym *r, u64 seed)
{
	size_t i, room = r->head.size - sizeof(*r);

	r->time = seed;
	for (i = 0; i < room; i++)
		r->name[i] = seed + i;
}

static bool stream_is_filled(const struct op_stream_ksym *r, u64 seed)
{
	size_t i, room = r->head.size - sizeof(*r);

	if (r->time != seed || r->start || r->len)
		return false;
	for (i = 0; i < room; i++) {
		if (r->name[i] != (char)(seed + i))
			return false;
	}
	return true;
}

/*
 * Records of all sizes, so that the ring's end comes at each place of one, and
 * readers that are quick, slow and too slow: each gets whole records in order,
 * and what it gets and what it is told to have lost is all.
 */
static void stream_wraps(struct kunit *test)
{
	struct op_reader *reader[3];
	u64 next = 0, got[3] = {}, gap[3] = {};
	struct tape tape = {};
	u32 seed = 362436069;
	int i, turn;

	for (i = 0; i < 3; i++) {
		reader[i] = reader_open(test, true);
		tape_read(test, &tape, reader[i]);
	}
	for (turn = 1; turn <= 400; turn++) {
		u32 size = sizeof(struct op_stream_ksym);
		struct op_stream_ksym *r;

		size += op_kunit_random(&seed) % (turn % 16 ? 500 : 20000);
		mutex_lock(&op_sync_mutex);
		r = op_event_append(OP_STREAM_KSYM, 0, size);
		if (r)
			stream_fill(r, next++);
		mutex_unlock(&op_sync_mutex);
		KUNIT_ASSERT_NOT_NULL(test, r);
		KUNIT_ASSERT_EQ(test, r->head.size, round_up(size, 16));
		for (i = 0; i < 3; i++) {
			static const int every[] = { 1, 16, 97 };
			const struct op_stream_ksym *k = NULL;
			const struct op_stream_value *lost = NULL;

			if (turn % every[i] && turn != 400)
				continue;
			tape_read(test, &tape, reader[i]);
			lost = tape_find(&tape, OP_STREAM_LOST, NULL);
			KUNIT_ASSERT_LE(test, tape_count(&tape, OP_STREAM_LOST),
					1);
			if (lost) {
				got[i] += lost->value;
				gap[i] += lost->value;
			}
			while ((k = tape_find(&tape, OP_STREAM_KSYM, k))) {
				KUNIT_ASSERT_TRUE(test,
						  stream_is_filled(k, got[i]));
				got[i]++;
			}
			KUNIT_ASSERT_EQ(test, got[i], next);
		}
	}
	KUNIT_EXPECT_EQ(test, gap[0], 0);
	KUNIT_EXPECT_GT(test, gap[2], 0);
	for (i = 0; i < 3; i++)
		op_reader_close(reader[i]);
}

/* What a reader had before it when the buffer changed its size is told lost. */
static void stream_resized(struct kunit *test)
{
	struct op_reader *reader = reader_open(test, true);
	struct op_stream_value *r;
	struct tape tape = {};
	u64 next = 0;

	tape_read(test, &tape, reader);
	stream_write(&next, 100);
	mutex_lock(&op_sync_mutex);
	KUNIT_EXPECT_EQ(test, op_event_buffer_resize(4096), 0);
	KUNIT_EXPECT_EQ(test, op_event_buffer_resize(8192), 0);
	mutex_unlock(&op_sync_mutex);
	stream_write(&next, 8192);
	tape_read(test, &tape, reader);
	r = tape_next(&tape, NULL);
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->head.type, OP_STREAM_LOST);
	KUNIT_EXPECT_EQ(test, r->value, 100);
	KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_TIME), 8192);
	r = tape_find(&tape, OP_STREAM_TIME, NULL);
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->value, 100);
	op_reader_close(reader);
}

/* A read gets whole records, as many as have room, and none twice. */
static void stream_small_reads(struct kunit *test)
{
	struct op_reader *reader = reader_open(test, true);
	struct tape tape = {};
	struct op_stream_value r[8];
	u64 next = 0;

	KUNIT_EXPECT_EQ(test, reader_read(reader, r, 0), 0);
	/* The header is larger than that. */
	KUNIT_EXPECT_EQ(test, reader_read(reader, r, 47), -EINVAL);
	tape_read(test, &tape, reader);
	KUNIT_EXPECT_EQ(test, tape_count(&tape, OP_STREAM_HEADER), 1);
	KUNIT_EXPECT_EQ(test, reader_read(reader, r, sizeof(r)), -EAGAIN);

	stream_write(&next, 5);
	KUNIT_EXPECT_EQ(test, reader_read(reader, r, 15), -EINVAL);
	KUNIT_EXPECT_EQ(test, reader_read(reader, r, 16), 16);
	KUNIT_EXPECT_EQ(test, r[0].value, 0);
	KUNIT_EXPECT_EQ(test, reader_read(reader, r, 47), 32);
	KUNIT_EXPECT_EQ(test, r[0].value, 1);
	KUNIT_EXPECT_EQ(test, r[1].value, 2);
	KUNIT_EXPECT_EQ(test, reader_read(reader, r, sizeof(r)), 32);
	KUNIT_EXPECT_EQ(test, r[0].value, 3);
	KUNIT_EXPECT_EQ(test, r[1].value, 4);
	KUNIT_EXPECT_EQ(test, reader_read(reader, r, sizeof(r)), -EAGAIN);
	op_reader_close(reader);
}

/* Who may not see the kernel's addresses sees none, and all the rest. */
static void stream_hides(struct kunit *test)
{
	struct op_reader *reader = reader_open(test, false);
	struct op_image *image = stream_image(test, "jit:kunit-h");
	struct op_stream_value *r = NULL;
	struct op_stream_module *module = NULL;
	struct op_stream_name *name = NULL;
	struct op_stream_ksym *ksym;
	struct tape tape = {};
	int user = 0;

	image->start = 0x1000;
	tape_read(test, &tape, reader);
	while ((module = tape_find(&tape, OP_STREAM_MODULE, module)))
		KUNIT_EXPECT_EQ(test, module->start, 0);
	KUNIT_EXPECT_GT(test, tape_count(&tape, OP_STREAM_MODULE), 0);
	while ((name = tape_find(&tape, OP_STREAM_NAME, name))) {
		user += name->start == 0x1000;
		KUNIT_EXPECT_LT(test, name->start, TASK_SIZE_MAX);
	}
	KUNIT_EXPECT_EQ(test, user, 1);

	NOTIFY(test, OP_ENTRY_KSYM, 0xffffffffc0000000, 1, 2, 3, 4);
	ring_push(test, OP_ENTRY_TASK, 0, 1);
	ring_push(test, OP_ENTRY_IMAGE, 0, (unsigned long)op_image_get(image));
	ring_push(test, OP_ENTRY_OFFSET, 0, 0x10);
	ring_push(test, OP_ENTRY_OFFSET, 0, TASK_SIZE_MAX - 1);
	ring_push(test, OP_ENTRY_OFFSET, 0, TASK_SIZE_MAX);
	op_sync_all();
	tape_read(test, &tape, reader);
	ksym = tape_find(&tape, OP_STREAM_KSYM, NULL);
	KUNIT_ASSERT_NOT_NULL(test, ksym);
	KUNIT_EXPECT_EQ(test, ksym->start, 0);
	KUNIT_EXPECT_EQ(test, ksym->len, 2);
	r = tape_find(&tape, OP_STREAM_SAMPLE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->value, 0x10);
	r = tape_find(&tape, OP_STREAM_SAMPLE, r);
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->value, TASK_SIZE_MAX - 1);
	r = tape_find(&tape, OP_STREAM_SAMPLE, r);
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, r->value, U64_MAX);
	op_reader_close(reader);
	op_image_put(image);
}

static struct kunit_case stream_cases[] = {
	KUNIT_CASE(stream_layout),
	KUNIT_CASE(stream_state),
	KUNIT_CASE(stream_samples),
	KUNIT_CASE(stream_every_type),
	KUNIT_CASE(stream_losses),
	KUNIT_CASE(stream_no_room_for_names),
	KUNIT_CASE(stream_overtaken),
	KUNIT_CASE(stream_goes_on_after_loss),
	KUNIT_CASE(stream_wraps),
	KUNIT_CASE(stream_resized),
	KUNIT_CASE(stream_small_reads),
	KUNIT_CASE(stream_hides),
	{}
};

struct kunit_suite op_kunit_stream = {
	.name = "oprofile_stream",
	.init = stream_init,
	.exit = stream_exit,
	.test_cases = stream_cases,
};
