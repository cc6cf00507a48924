// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: the ring of a CPU, core/cpu_buffer.h and .c. That it holds what it
 * says, refuses the newest when it is full, and gives in order what was put in.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/sched.h>

#include "core/cpu_buffer.h"
#include "tests/kunit/kunit.h"

/* A ring of nobody's, at any position. */
static struct op_cpu_buffer *ring_at(struct kunit *test, u64 size, u64 position)
{
	struct op_cpu_buffer *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	u64 slots = roundup_pow_of_two(size);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->entries =
		kunit_kcalloc(test, slots, sizeof(*b->entries), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b->entries);
	b->size = size;
	b->mask = slots - 1;
	b->head = position;
	b->tail = position;
	b->tail_seen = position;
	return b;
}

static bool ring_put(struct op_cpu_buffer *b, u64 value)
{
	if (!op_cpu_buffer_reserve(b, 1))
		return false;
	op_cpu_buffer_push(b, 0, OP_ENTRY_HEAD(OP_ENTRY_OFFSET, 0), value);
	op_cpu_buffer_commit(b, 1);
	return true;
}

static void ring_heads(struct kunit *test)
{
	unsigned int type, counter;

	for (type = 0; type <= OP_ENTRY_KSYM_GONE; type++) {
		for (counter = 0; counter < 256; counter++) {
			u64 head = OP_ENTRY_HEAD(type, counter);

			KUNIT_ASSERT_EQ(test, OP_ENTRY_TYPE(head), type);
			KUNIT_ASSERT_EQ(test, OP_ENTRY_COUNTER(head), counter);
		}
	}
	/* The longest notification must fit in what stands for the counter. */
	KUNIT_EXPECT_LE(test, OP_NOTIFICATION_MAX, 255);
}

/* Sizes are as asked for, also where the memory is a power of two. */
static void ring_holds_its_size(struct kunit *test)
{
	u64 size, i;

	for (size = 1; size <= 9; size++) {
		struct op_cpu_buffer *b = ring_at(test, size, 0);

		for (i = 0; i < size; i++)
			KUNIT_ASSERT_TRUE(test, ring_put(b, i));
		KUNIT_EXPECT_FALSE(test, ring_put(b, i));
		/* What was refused has changed nothing. */
		KUNIT_EXPECT_EQ(test, op_cpu_buffer_peek(b), size);
		for (i = 0; i < size; i++)
			KUNIT_EXPECT_EQ(test, b->entries[i & b->mask].value, i);
		op_cpu_buffer_release(b, 1);
		KUNIT_EXPECT_TRUE(test, ring_put(b, size));
		KUNIT_EXPECT_FALSE(test, ring_put(b, size + 1));
	}
}

static void ring_reserves_all_or_none(struct kunit *test)
{
	struct op_cpu_buffer *b = ring_at(test, 5, 0);

	KUNIT_EXPECT_TRUE(test, op_cpu_buffer_reserve(b, 5));
	KUNIT_EXPECT_FALSE(test, op_cpu_buffer_reserve(b, 6));
	op_cpu_buffer_commit(b, 3);
	KUNIT_EXPECT_TRUE(test, op_cpu_buffer_reserve(b, 2));
	KUNIT_EXPECT_FALSE(test, op_cpu_buffer_reserve(b, 3));
	op_cpu_buffer_release(b, 2);
	KUNIT_EXPECT_TRUE(test, op_cpu_buffer_reserve(b, 4));
	KUNIT_EXPECT_FALSE(test, op_cpu_buffer_reserve(b, 5));
}

/* What is pushed is not there before the commit, and then all at once. */
static void ring_publishes_at_commit(struct kunit *test)
{
	struct op_cpu_buffer *b = ring_at(test, 8, 100);
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, op_cpu_buffer_reserve(b, 3));
	for (i = 0; i < 3; i++) {
		op_cpu_buffer_push(b, i, i, 10 + i);
		KUNIT_EXPECT_EQ(test, op_cpu_buffer_peek(b), 100);
	}
	op_cpu_buffer_commit(b, 3);
	KUNIT_EXPECT_EQ(test, op_cpu_buffer_peek(b), 103);
	for (i = 0; i < 3; i++) {
		const struct op_entry *e = &b->entries[(100 + i) & b->mask];

		KUNIT_EXPECT_EQ(test, e->head, i);
		KUNIT_EXPECT_EQ(test, e->value, 10 + i);
	}
}

static void ring_half_full(struct kunit *test)
{
	struct op_cpu_buffer *b = ring_at(test, 8, 0);
	int i;

	for (i = 0; i < 4; i++) {
		KUNIT_ASSERT_TRUE(test, ring_put(b, i));
		KUNIT_EXPECT_FALSE(test, op_cpu_buffer_half_full(b));
	}
	KUNIT_ASSERT_TRUE(test, ring_put(b, i));
	KUNIT_EXPECT_TRUE(test, op_cpu_buffer_half_full(b));
	/* It goes by what the producer has seen of the consumer. */
	op_cpu_buffer_release(b, 5);
	KUNIT_EXPECT_TRUE(test, op_cpu_buffer_half_full(b));
	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_TRUE(test, ring_put(b, i));
	KUNIT_EXPECT_FALSE(test, op_cpu_buffer_half_full(b));
}

/* Chunks of all sizes, over the ring's end and that of the numbers, in order. */
static void ring_keeps_the_order(struct kunit *test)
{
	static const u64 positions[] = { 0, 3, U32_MAX - 5, U64_MAX - 5 };
	u64 put, got, head, i;
	u32 seed = 2463534242;
	size_t p;

	for (p = 0; p < ARRAY_SIZE(positions); p++) {
		struct op_cpu_buffer *b = ring_at(test, 11, positions[p]);

		put = 0;
		got = 0;
		while (got < 2000) {
			u64 n = op_kunit_random(&seed) % 12;

			if (op_cpu_buffer_reserve(b, n)) {
				KUNIT_ASSERT_LE(test, put + n - got, 11);
				for (i = 0; i < n; i++)
					op_cpu_buffer_push(b, i, ~put - i,
							   put + i);
				op_cpu_buffer_commit(b, n);
				put += n;
			} else {
				KUNIT_ASSERT_GT(test, put + n - got, 11);
			}
			head = op_cpu_buffer_peek(b);
			KUNIT_ASSERT_EQ(test, head, positions[p] + put);
			n = op_kunit_random(&seed) % 12;
			for (i = 0; i < n && got < put; i++, got++) {
				const struct op_entry *e;

				e = &b->entries[(positions[p] + got) & b->mask];
				KUNIT_ASSERT_EQ(test, e->value, got);
				KUNIT_ASSERT_EQ(test, e->head, ~got);
			}
			op_cpu_buffer_release(b, positions[p] + got);
		}
	}
}

#define RING_RACE 20000

struct ring_race {
	struct op_cpu_buffer *b;
	u64 refused;
	struct completion done;
};

static int ring_producer(void *data)
{
	struct ring_race *race = data;
	u64 i = 0;

	while (i < RING_RACE) {
		if (ring_put(race->b, i)) {
			i++;
		} else {
			race->refused++;
			cond_resched();
		}
	}
	complete(&race->done);
	return 0;
}

/* A producer and a consumer at once: nothing is lost, doubled or torn. */
static void ring_of_two_threads(struct kunit *test)
{
	struct ring_race race = { .b = ring_at(test, 13, U64_MAX - 99) };
	u64 tail = race.b->tail, got = 0;
	struct task_struct *task;
	u64 wrong = 0;

	init_completion(&race.done);
	task = kthread_run(ring_producer, &race, "op_kunit_ring");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	while (got < RING_RACE) {
		u64 head = op_cpu_buffer_peek(race.b);

		/* The other thread has @race: no way out before its end. */
		for (; tail != head; tail++, got++)
			wrong += race.b->entries[tail & race.b->mask].value !=
				 got;
		op_cpu_buffer_release(race.b, tail);
		cond_resched();
	}
	wait_for_completion(&race.done);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_EQ(test, got, RING_RACE);
	KUNIT_EXPECT_EQ(test, op_cpu_buffer_peek(race.b), tail);
}

static int ring_alloc(unsigned int cpu, u64 size)
{
	int ret;

	mutex_lock(&op_sync_mutex);
	ret = op_cpu_buffer_alloc(cpu, OP_RING_IRQ, size);
	mutex_unlock(&op_sync_mutex);
	return ret;
}

/* The memory of a CPU's own ring: kept, replaced, and never while it is in use. */
static void ring_memory(struct kunit *test)
{
	unsigned int cpu = 0;
	struct op_cpu_buffer *b =
		&per_cpu(op_cpu_buffers, cpu).ring[OP_RING_IRQ];
	struct op_entry *entries;
	u64 head = b->head;

	KUNIT_ASSERT_PTR_EQ(test, b->entries, NULL);
	KUNIT_ASSERT_EQ(test, ring_alloc(cpu, 100), 0);
	KUNIT_EXPECT_EQ(test, b->size, 100);
	KUNIT_EXPECT_EQ(test, b->mask, 127);
	entries = b->entries;
	KUNIT_EXPECT_EQ(test, ring_alloc(cpu, 100), 0);
	KUNIT_EXPECT_PTR_EQ(test, b->entries, entries);

	KUNIT_ASSERT_TRUE(test, ring_put(b, 42));
	KUNIT_EXPECT_EQ(test, ring_alloc(cpu, 300), -EAGAIN);
	KUNIT_EXPECT_PTR_EQ(test, b->entries, entries);
	KUNIT_EXPECT_EQ(test, b->size, 100);
	KUNIT_EXPECT_EQ(test, b->entries[head & b->mask].value, 42);
	/* Of the same size it may stay, whatever is in it. */
	KUNIT_EXPECT_EQ(test, ring_alloc(cpu, 100), 0);

	op_cpu_buffer_release(b, head + 1);
	KUNIT_EXPECT_EQ(test, ring_alloc(cpu, 256), 0);
	KUNIT_EXPECT_EQ(test, b->size, 256);
	KUNIT_EXPECT_EQ(test, b->mask, 255);

	op_cpu_buffer_free(cpu);
	KUNIT_EXPECT_PTR_EQ(test, b->entries, NULL);
	/* A ring without memory has room for nothing. */
	KUNIT_EXPECT_FALSE(test, op_cpu_buffer_reserve(b, 1));
}

static struct kunit_case ring_cases[] = { KUNIT_CASE(ring_heads),
					  KUNIT_CASE(ring_holds_its_size),
					  KUNIT_CASE(ring_reserves_all_or_none),
					  KUNIT_CASE(ring_publishes_at_commit),
					  KUNIT_CASE(ring_half_full),
					  KUNIT_CASE(ring_keeps_the_order),
					  KUNIT_CASE(ring_of_two_threads),
					  KUNIT_CASE(ring_memory),
					  {} };

struct kunit_suite op_kunit_ring = {
	.name = "oprofile_ring",
	.test_cases = ring_cases,
};
