// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: JIT ranges, core/jit_maps.c and core/jit_segments.c. That each address
 * has the latest range that is still there and has it, whatever came and went,
 * and no other address space's.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/sizes.h>

#include "core/jit.h"
#include "tests/kunit/kunit.h"

#define KERNEL_HALF 0x8000000000000000ULL

/* The dcookie of the range that has an address, 0 for none. */
static u64 jit_at(struct mm_struct *mm, u64 address, u64 *offset)
{
	const struct op_image *image;
	unsigned long flags;
	u64 cookie;

	/* As a sample does, for which the image lasts. */
	local_irq_save(flags);
	image = mm ? op_jit_find_user(mm, address, offset) :
		     op_jit_find_kernel(address, offset);
	cookie = image ? image->cookie : 0;
	local_irq_restore(flags);
	return cookie;
}

/* Has a name an address, and at which offset?  -1: it is somebody else's. */
static s64 jit_offset(struct mm_struct *mm, u64 address, const char *name)
{
	char full[OP_JIT_NAME_MAX + 8];
	struct op_image *image;
	u64 cookie, offset;
	s64 ret = -1;

	cookie = jit_at(mm, address, &offset);
	if (!cookie)
		return -2;
	image = op_image_get_cookie(cookie);
	if (!image)
		return -3;
	snprintf(full, sizeof(full), "jit:%s", name);
	if (!strcmp(image->path, full))
		ret = offset;
	op_image_put(image);
	return ret;
}

#define EXPECT_IN(test, mm, address, name, offset)                             \
	KUNIT_EXPECT_EQ(test, jit_offset(mm, address, name), (s64)(offset))
#define EXPECT_NONE(test, mm, address)                                         \
	KUNIT_EXPECT_EQ(test, jit_offset(mm, address, ""), -2)
#define ADD(test, name, start, end, pid)                                       \
	KUNIT_ASSERT_EQ(test, op_jit_add(name, start, end, pid), 0)
#define REMOVE(test, name, pid)                                                \
	KUNIT_ASSERT_EQ(test, op_jit_remove(name, pid), 0)

/* The memory of a process that outlasts the tests. */
static struct mm_struct *jit_mm(struct kunit *test, pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm = NULL;

	put_pid(pid);
	if (task) {
		mm = op_process_mm(task);
		put_task_struct(task);
	}
	KUNIT_ASSERT_NOT_NULL(test, mm);
	return mm;
}

/* Who loads the module: the second process, beside number 1. */
static pid_t jit_loader;

static int jit_suite_init(struct kunit_suite *suite)
{
	jit_loader = task_tgid_nr(current);
	return 0;
}

static void jit_exit(struct kunit *test)
{
	struct op_jit_info info;
	u64 pos = 0;

	while (!op_jit_next(&pos, &info))
		op_jit_remove(info.name, info.pid);
	op_param_set(OP_PARAM_HIST_MEMORY, SZ_128M);
	/* The segments' callbacks put the images. */
	rcu_barrier();
	op_reset();
}

static void jit_edges(struct kunit *test)
{
	const u64 lo = KERNEL_HALF + 0x1000;

	EXPECT_NONE(test, NULL, lo);
	ADD(test, "one", lo, lo + 1, 0);
	EXPECT_NONE(test, NULL, lo - 1);
	EXPECT_IN(test, NULL, lo, "one", 0);
	EXPECT_NONE(test, NULL, lo + 1);
	REMOVE(test, "one", 0);
	EXPECT_NONE(test, NULL, lo);

	/* The first and the last byte that there can be. */
	ADD(test, "all", KERNEL_HALF, U64_MAX, 0);
	EXPECT_IN(test, NULL, KERNEL_HALF, "all", 0);
	EXPECT_IN(test, NULL, U64_MAX - 1, "all", U64_MAX - 1 - KERNEL_HALF);
	EXPECT_NONE(test, NULL, U64_MAX);
	EXPECT_NONE(test, NULL, KERNEL_HALF - 1);
	EXPECT_NONE(test, NULL, 0);
	ADD(test, "end", U64_MAX - 1, U64_MAX, 0);
	EXPECT_IN(test, NULL, U64_MAX - 1, "end", 0);
	EXPECT_IN(test, NULL, U64_MAX - 2, "all", U64_MAX - 2 - KERNEL_HALF);
	ADD(test, "begin", KERNEL_HALF, KERNEL_HALF + 1, 0);
	EXPECT_IN(test, NULL, KERNEL_HALF, "begin", 0);
	EXPECT_IN(test, NULL, KERNEL_HALF + 1, "all", 1);
	REMOVE(test, "end", 0);
	REMOVE(test, "begin", 0);
	EXPECT_IN(test, NULL, KERNEL_HALF, "all", 0);
	EXPECT_IN(test, NULL, U64_MAX - 1, "all", U64_MAX - 1 - KERNEL_HALF);
}

static void jit_user_edges(struct kunit *test)
{
	struct mm_struct *mm = jit_mm(test, 1);

	ADD(test, "zero", 0, 1, 1);
	EXPECT_IN(test, mm, 0, "zero", 0);
	EXPECT_NONE(test, mm, 1);
	ADD(test, "low", 0, TASK_SIZE_MAX, 1);
	EXPECT_IN(test, mm, 0, "low", 0);
	EXPECT_IN(test, mm, TASK_SIZE_MAX - 1, "low", TASK_SIZE_MAX - 1);
	EXPECT_NONE(test, mm, TASK_SIZE_MAX);
	REMOVE(test, "low", 1);
	EXPECT_IN(test, mm, 0, "zero", 0);
	EXPECT_NONE(test, mm, TASK_SIZE_MAX - 1);
	mmput(mm);
}

/* The latest wins where ranges overlap; what it covered comes back. */
static void jit_overlaps(struct kunit *test)
{
	const u64 at = KERNEL_HALF;

	ADD(test, "a", at + 10, at + 20, 0);
	ADD(test, "b", at + 15, at + 25, 0); /* over a's end */
	ADD(test, "c", at + 5, at + 12, 0);  /* over its beginning */
	EXPECT_IN(test, NULL, at + 9, "c", 4);
	EXPECT_IN(test, NULL, at + 11, "c", 6);
	EXPECT_IN(test, NULL, at + 12, "a", 2);
	EXPECT_IN(test, NULL, at + 14, "a", 4);
	EXPECT_IN(test, NULL, at + 15, "b", 0);
	EXPECT_IN(test, NULL, at + 24, "b", 9);
	EXPECT_NONE(test, NULL, at + 25);
	REMOVE(test, "b", 0);
	EXPECT_IN(test, NULL, at + 19, "a", 9);
	EXPECT_NONE(test, NULL, at + 20);
	REMOVE(test, "a", 0);
	EXPECT_IN(test, NULL, at + 11, "c", 6);
	EXPECT_NONE(test, NULL, at + 12);
}

static void jit_nests(struct kunit *test)
{
	const u64 at = KERNEL_HALF + 0x10000;
	char name[8];
	int i;

	/* Each within the one before. */
	for (i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		ADD(test, name, at + i, at + 100 - i, 0);
	}
	for (i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		EXPECT_IN(test, NULL, at + i, name, 0);
		EXPECT_IN(test, NULL, at + 99 - i, name, 99 - 2 * i);
	}
	/* The outermost again, over all of them: they are there below it. */
	ADD(test, "over", at, at + 100, 0);
	EXPECT_IN(test, NULL, at + 50, "over", 50);
	REMOVE(test, "over", 0);
	/* Every second one goes: the next outer one takes its place. */
	for (i = 1; i < 50; i += 2) {
		snprintf(name, sizeof(name), "n%d", i);
		REMOVE(test, name, 0);
	}
	for (i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "n%d", i & ~1);
		EXPECT_IN(test, NULL, at + i, name, i & 1);
		EXPECT_IN(test, NULL, at + 99 - i, name, 99 - i - (i & ~1));
	}
}

/* A name that is added again has moved, and is the latest. */
static void jit_moves(struct kunit *test)
{
	const u64 at = KERNEL_HALF + 0x2000;

	ADD(test, "a", at, at + 10, 0);
	ADD(test, "b", at + 5, at + 15, 0);
	ADD(test, "a", at + 8, at + 12, 0);
	EXPECT_NONE(test, NULL, at);
	EXPECT_IN(test, NULL, at + 7, "b", 2);
	EXPECT_IN(test, NULL, at + 8, "a", 0);
	EXPECT_IN(test, NULL, at + 12, "b", 7);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_JIT_MAPS), 2);
	REMOVE(test, "a", 0);
	EXPECT_IN(test, NULL, at + 8, "b", 3);
	KUNIT_EXPECT_EQ(test, op_jit_remove("a", 0), -ENOENT);
}

/* The same addresses and names in two processes, and in the kernel none. */
static void jit_by_process(struct kunit *test)
{
	struct mm_struct *first = jit_mm(test, 1);
	struct mm_struct *second = jit_mm(test, jit_loader);

	KUNIT_ASSERT_PTR_NE(test, first, second);
	ADD(test, "f", 0x1000, 0x2000, 1);
	EXPECT_NONE(test, second, 0x1000);
	ADD(test, "f", 0x1800, 0x2800, jit_loader);
	ADD(test, "g", 0x1000, 0x1801, jit_loader);
	ADD(test, "f", KERNEL_HALF, KERNEL_HALF + 0x3000, 0);
	EXPECT_IN(test, first, 0x1800, "f", 0x800);
	EXPECT_IN(test, second, 0x1800, "g", 0x800);
	EXPECT_IN(test, second, 0x1801, "f", 1);
	EXPECT_NONE(test, first, 0x2000);
	EXPECT_NONE(test, NULL, 0x1800);
	EXPECT_NONE(test, first, KERNEL_HALF);
	KUNIT_EXPECT_EQ(test, op_jit_remove("g", 1), -ENOENT);
	REMOVE(test, "f", 1);
	EXPECT_NONE(test, first, 0x1800);
	EXPECT_IN(test, second, 0x1801, "f", 1);
	REMOVE(test, "g", jit_loader);
	EXPECT_IN(test, second, 0x1800, "f", 0);
	EXPECT_IN(test, NULL, KERNEL_HALF + 0x1800, "f", 0x1800);
	mmput(first);
	mmput(second);
}

static void jit_refuses(struct kunit *test)
{
	const struct {
		const char *name;
		u64 start;
		u64 end;
		pid_t pid;
		int error;
	} bad[] = {
		{ "a", KERNEL_HALF + 1, KERNEL_HALF + 1, 0, -EINVAL },
		{ "a", KERNEL_HALF + 2, KERNEL_HALF + 1, 0, -EINVAL },
		{ "a", KERNEL_HALF - 1, KERNEL_HALF + 1, 0, -EINVAL },
		{ "a", 0, 1, 0, -EINVAL },
		{ "a", 0, U64_MAX, 1, -EINVAL },
		{ "a", 0, TASK_SIZE_MAX + 1, 1, -EINVAL },
		{ "a", KERNEL_HALF, KERNEL_HALF + 1, 1, -EINVAL },
		{ "", KERNEL_HALF, KERNEL_HALF + 1, 0, -EINVAL },
		/* Process 2 is the kernel's own; of the last number is none. */
		{ "a", 0x1000, 0x2000, 2, -ESRCH },
		{ "a", 0x1000, 0x2000, 4194303, -ESRCH },
	};
	u64 memory = op_stat_read(OP_STAT_MEMORY);
	char name[OP_JIT_NAME_MAX + 2];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    op_jit_add(bad[i].name, bad[i].start,
					       bad[i].end, bad[i].pid),
				    bad[i].error, "line %zu", i);
	memset(name, 'x', sizeof(name));
	name[OP_JIT_NAME_MAX + 1] = '\0';
	KUNIT_EXPECT_EQ(test, op_jit_add(name, KERNEL_HALF, KERNEL_HALF + 1, 0),
			-ENAMETOOLONG);
	KUNIT_EXPECT_EQ(test, op_jit_remove("a", 2), -ESRCH);
	KUNIT_EXPECT_EQ(test, op_jit_remove("a", 4194303), -ESRCH);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_MEMORY), memory);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_JIT_MAPS), 0);

	name[OP_JIT_NAME_MAX] = '\0';
	ADD(test, name, KERNEL_HALF, KERNEL_HALF + 1, 0);
	EXPECT_IN(test, NULL, KERNEL_HALF, name, 0);
}

/* The list is in the order of time, and each range in it once. */
static void jit_list(struct kunit *test)
{
	static const char *const names[] = { "c", "a", "b" };
	struct op_jit_info info;
	u64 pos = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		ADD(test, names[i], KERNEL_HALF + 16 - i, KERNEL_HALF + 32, 0);
	ADD(test, "a", 1, 2, 1);
	REMOVE(test, "c", 0);
	KUNIT_ASSERT_EQ(test, op_jit_next(&pos, &info), 0);
	KUNIT_EXPECT_STREQ(test, info.name, "a");
	KUNIT_EXPECT_EQ(test, info.start, KERNEL_HALF + 15);
	KUNIT_EXPECT_EQ(test, info.end, KERNEL_HALF + 32);
	KUNIT_EXPECT_EQ(test, info.pid, 0);
	KUNIT_ASSERT_EQ(test, op_jit_next(&pos, &info), 0);
	KUNIT_EXPECT_STREQ(test, info.name, "b");
	KUNIT_ASSERT_EQ(test, op_jit_next(&pos, &info), 0);
	KUNIT_EXPECT_STREQ(test, info.name, "a");
	KUNIT_EXPECT_EQ(test, info.start, 1);
	KUNIT_EXPECT_EQ(test, info.end, 2);
	KUNIT_EXPECT_EQ(test, info.pid, 1);
	KUNIT_EXPECT_EQ(test, op_jit_next(&pos, &info), -ENOENT);
}

/* A range that has no room changes nothing, and what goes gives its room back. */
static void jit_memory(struct kunit *test)
{
	u64 before, at = KERNEL_HALF + 0x100000;
	unsigned int n = 0, i;
	char name[16];
	int ret;

	before = op_stat_read(OP_STAT_MEMORY);
	KUNIT_ASSERT_LT(test, before, SZ_64K / 2);
	KUNIT_ASSERT_EQ(test, op_param_set(OP_PARAM_HIST_MEMORY, SZ_64K), 0);
	do {
		snprintf(name, sizeof(name), "m%u", n);
		ret = op_jit_add(name, at + 2 * n, at + 2 * n + 2, 0);
		n += !ret;
	} while (!ret && n < 10000);
	KUNIT_EXPECT_EQ(test, ret, -ENOSPC);
	KUNIT_EXPECT_GT(test, n, 20);
	KUNIT_EXPECT_LE(test, op_stat_read(OP_STAT_MEMORY), SZ_64K);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_JIT_MAPS), n);
	EXPECT_NONE(test, NULL, at + 2 * n);
	EXPECT_IN(test, NULL, at, "m0", 0);
	/* Where one goes another one may come, its image's room included. */
	REMOVE(test, "m0", 0);
	ADD(test, name, at + 2 * n, at + 2 * n + 2, 0);
	REMOVE(test, name, 0);
	for (i = 1; i < n; i++) {
		snprintf(name, sizeof(name), "m%u", i);
		REMOVE(test, name, 0);
	}
	/* The segments' callbacks put the images. */
	rcu_barrier();
	op_reset();
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_MEMORY), before);
}

#define MODEL_RANGES 24
#define MODEL_BYTES 64

/* Whatever comes and goes, each byte is that one's that a simple model says. */
static void jit_as_the_model(struct kunit *test)
{
	const u64 at = KERNEL_HALF + 0x7000;
	struct {
		unsigned int start, end, since;
	} range[MODEL_RANGES] = {};
	u32 seed = 88172645;
	unsigned int step, i, byte;
	char name[8];

	for (step = 1; step <= 500; step++) {
		i = op_kunit_random(&seed) % MODEL_RANGES;
		snprintf(name, sizeof(name), "r%u", i);
		if (range[i].since && op_kunit_random(&seed) % 2) {
			REMOVE(test, name, 0);
			range[i].since = 0;
		} else {
			range[i].start = op_kunit_random(&seed) % MODEL_BYTES;
			range[i].end = range[i].start + 1 +
				       op_kunit_random(&seed) %
					       (MODEL_BYTES - range[i].start);
			range[i].since = step;
			ADD(test, name, at + range[i].start, at + range[i].end,
			    0);
		}
		for (byte = 0; byte <= MODEL_BYTES; byte++) {
			int best = -1;

			for (i = 0; i < MODEL_RANGES; i++) {
				if (range[i].since && range[i].start <= byte &&
				    byte < range[i].end &&
				    (best < 0 ||
				     range[i].since > range[best].since))
					best = i;
			}
			if (best < 0) {
				KUNIT_ASSERT_EQ(test,
						jit_offset(NULL, at + byte, ""),
						-2);
				continue;
			}
			snprintf(name, sizeof(name), "r%d", best);
			KUNIT_ASSERT_EQ(test, jit_offset(NULL, at + byte, name),
					(s64)(byte - range[best].start));
		}
	}
}

static struct kunit_case jit_cases[] = { KUNIT_CASE(jit_edges),
					 KUNIT_CASE(jit_user_edges),
					 KUNIT_CASE(jit_overlaps),
					 KUNIT_CASE(jit_nests),
					 KUNIT_CASE(jit_moves),
					 KUNIT_CASE(jit_by_process),
					 KUNIT_CASE(jit_refuses),
					 KUNIT_CASE(jit_list),
					 KUNIT_CASE(jit_memory),
					 KUNIT_CASE(jit_as_the_model),
					 {} };

struct kunit_suite op_kunit_jit = {
	.name = "oprofile_jit",
	.suite_init = jit_suite_init,
	.exit = jit_exit,
	.test_cases = jit_cases,
};
