// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: histograms, core/histogram.c. That each sample is in its own bin and
 * no other, that memory ends where its bound is, and that what had no room is
 * counted as lost.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include "tests/kunit/kunit.h"

/* What the images are called; of no meaning. */
static struct op_image *hist_image(struct kunit *test, const char *name)
{
	struct op_image *image;

	image = op_image_of_name(OP_IMAGE_JIT, name, 0x6b756e69, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(image));
	return image;
}

/* Samples of an image, as the stream has them. */
static void hist_add(const struct op_image *image, u32 counter, u64 offset,
		     unsigned int n)
{
	const struct op_stream_value records[] = {
		{ { OP_STREAM_COOKIE, 16, 0 }, image->cookie },
		{ { OP_STREAM_SAMPLE, 16, counter }, offset },
	};

	mutex_lock(&op_sync_mutex);
	op_histogram_consume(&records[0], 1);
	while (n--)
		op_histogram_consume(&records[1], 1);
	mutex_unlock(&op_sync_mutex);
}

/* A bin's count; 0 if there is none. */
static u64 hist_at(const struct op_hist *hist, unsigned int counter, u64 offset)
{
	size_t i;

	for (i = 0; i < hist->nr_rows; i++) {
		if (hist->rows[i].offset == offset)
			return hist->rows[i].count[counter];
	}
	return 0;
}

static struct op_hist *hist_read(struct kunit *test, struct op_image *image)
{
	struct op_hist *hist = op_hist_read(image);

	KUNIT_ASSERT_FALSE(test, IS_ERR(hist));
	return hist;
}

static void hist_counts_by_counter(struct kunit *test)
{
	struct op_image *image = hist_image(test, "jit:kunit-a");
	struct op_hist *hist;

	KUNIT_EXPECT_FALSE(test, op_histogram_uses(0));
	KUNIT_EXPECT_PTR_EQ(test, op_image_find(image->name), NULL);
	hist_add(image, 0, 0x10, 3);
	hist_add(image, 3, 0x10, 5);
	hist_add(image, 0, 0, 1);
	hist_add(image, 1, U64_MAX, 2);
	hist_add(image, 0, 0x10, 4);

	hist = hist_read(test, image);
	KUNIT_EXPECT_EQ(test, hist->nr_rows, 3);
	KUNIT_EXPECT_EQ(test, hist->columns, 1 | 2 | 8);
	KUNIT_EXPECT_EQ(test, hist->rows[0].offset, 0);
	KUNIT_EXPECT_EQ(test, hist->rows[1].offset, 0x10);
	KUNIT_EXPECT_EQ(test, hist->rows[2].offset, U64_MAX);
	KUNIT_EXPECT_EQ(test, hist_at(hist, 0, 0), 1);
	KUNIT_EXPECT_EQ(test, hist_at(hist, 0, 0x10), 7);
	KUNIT_EXPECT_EQ(test, hist_at(hist, 1, 0x10), 0);
	KUNIT_EXPECT_EQ(test, hist_at(hist, 3, 0x10), 5);
	KUNIT_EXPECT_EQ(test, hist_at(hist, 1, U64_MAX), 2);
	KUNIT_EXPECT_EQ(test, hist_at(hist, 0, U64_MAX), 0);
	op_hist_free(hist);

	KUNIT_EXPECT_EQ(test, op_image_samples(image), 15);
	KUNIT_EXPECT_EQ(test, image->nr_bins, 4);
	KUNIT_EXPECT_TRUE(test, op_histogram_uses(0));
	KUNIT_EXPECT_TRUE(test, op_histogram_uses(1));
	KUNIT_EXPECT_FALSE(test, op_histogram_uses(2));
	KUNIT_EXPECT_TRUE(test, op_histogram_uses(3));
	op_image_put(image);
}

/* Equal offsets of two images, by turns, are two bins. */
static void hist_of_two_images(struct kunit *test)
{
	struct op_image *a = hist_image(test, "jit:kunit-a");
	struct op_image *b = hist_image(test, "jit:kunit-b");
	struct op_hist *hist;
	u64 offset;
	int turn;

	KUNIT_ASSERT_PTR_NE(test, a, b);
	for (turn = 0; turn < 5; turn++) {
		for (offset = 0; offset < 300; offset++) {
			hist_add(a, 0, offset, 1);
			hist_add(b, 0, offset, 2);
		}
	}
	KUNIT_EXPECT_EQ(test, op_image_samples(a), 1500);
	KUNIT_EXPECT_EQ(test, op_image_samples(b), 3000);
	hist = hist_read(test, a);
	KUNIT_EXPECT_EQ(test, hist->nr_rows, 300);
	for (offset = 0; offset < 300; offset++)
		KUNIT_EXPECT_EQ(test, hist_at(hist, 0, offset), 5);
	op_hist_free(hist);
	hist = hist_read(test, b);
	KUNIT_EXPECT_EQ(test, hist->nr_rows, 300);
	for (offset = 0; offset < 300; offset++)
		KUNIT_EXPECT_EQ(test, hist_at(hist, 0, offset), 10);
	op_hist_free(hist);
	op_image_put(a);
	op_image_put(b);
}

/* Many times more bins than the table begins with, in no order. */
static void hist_grows(struct kunit *test)
{
	const u32 n = 16384,
		  step = 40503; /* odd: each offset comes once a turn */
	struct op_image *image = hist_image(test, "jit:kunit-a");
	u64 bins = op_stat_read(OP_STAT_BINS);
	struct op_hist *hist;
	u32 i, wrong = 0;

	for (i = 0; i < n; i++)
		hist_add(image, 0, (u64)(i * step % n) << 33, 1);
	for (i = 0; i < n; i += 2)
		hist_add(image, 0, (u64)i << 33, 1);
	KUNIT_EXPECT_EQ(test, image->nr_bins, n);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_BINS) - bins, n);
	KUNIT_EXPECT_EQ(test, op_image_samples(image), n + n / 2);

	hist = hist_read(test, image);
	KUNIT_ASSERT_EQ(test, hist->nr_rows, n);
	for (i = 0; i < n; i++)
		wrong += hist->rows[i].offset != (u64)i << 33 ||
			 hist->rows[i].count[0] != (i % 2 ? 1 : 2);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	op_hist_free(hist);
	op_image_put(image);
}

/* Beyond the bound there is no new bin, and those that are there still count. */
static void hist_ends_at_the_bound(struct kunit *test)
{
	struct op_image *image = hist_image(test, "jit:kunit-a");
	u64 before = op_stat_read(OP_STAT_MEMORY);
	u64 i, n = 4000, sum = 0, lost;
	struct op_hist *hist;

	KUNIT_ASSERT_LT(test, before, SZ_64K / 2);
	KUNIT_ASSERT_EQ(test, op_param_set(OP_PARAM_HIST_MEMORY, SZ_64K), 0);
	for (i = 0; i < n; i++)
		hist_add(image, 0, i, 1);
	lost = op_stat_read(OP_STAT_LOST_HIST_MEMORY);
	KUNIT_EXPECT_GT(test, lost, 0);
	KUNIT_EXPECT_LT(test, lost, n);
	KUNIT_EXPECT_LE(test, op_stat_read(OP_STAT_MEMORY), SZ_64K);
	/* To the last bin that goes in. */
	KUNIT_EXPECT_GT(test, op_stat_read(OP_STAT_MEMORY), SZ_64K - 128);

	hist_add(image, 0, 0, 10);
	hist = hist_read(test, image);
	KUNIT_EXPECT_EQ(test, hist->nr_rows, n - lost);
	for (i = 0; i < hist->nr_rows; i++) {
		KUNIT_EXPECT_EQ(test, hist->rows[i].offset, i);
		sum += hist->rows[i].count[0];
	}
	op_hist_free(hist);
	KUNIT_EXPECT_EQ(test, sum, n - lost + 10);
	KUNIT_EXPECT_EQ(test, op_image_samples(image), sum);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_LOST_HIST_MEMORY), lost);
	KUNIT_EXPECT_EQ(test, op_stat_lost(), lost);

	op_reset();
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_MEMORY), before);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_LOST_HIST_MEMORY), 0);
	op_image_put(image);
}

static void hist_reset(struct kunit *test)
{
	struct op_image *image = hist_image(test, "jit:kunit-a");
	u64 memory = op_stat_read(OP_STAT_MEMORY);
	struct op_hist *hist;

	hist_add(image, 2, 0x100, 3);
	KUNIT_EXPECT_GT(test, op_stat_read(OP_STAT_MEMORY), memory);
	op_reset();
	KUNIT_EXPECT_EQ(test, op_image_samples(image), 0);
	KUNIT_EXPECT_EQ(test, image->nr_bins, 0);
	KUNIT_EXPECT_FALSE(test, op_histogram_uses(2));
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_MEMORY), memory);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_BINS), 0);
	hist = hist_read(test, image);
	KUNIT_EXPECT_EQ(test, hist->nr_rows, 0);
	KUNIT_EXPECT_EQ(test, hist->columns, 0);
	op_hist_free(hist);

	/* Not what the recent bin was. */
	hist_add(image, 2, 0x100, 1);
	KUNIT_EXPECT_EQ(test, op_image_samples(image), 1);
	op_image_put(image);
}

/* What is no sample is stepped over, by its size. */
static void hist_steps_over_others(struct kunit *test)
{
	struct op_image *image = hist_image(test, "jit:kunit-a");
	struct op_stream_value *records;
	struct op_hist *hist;
	size_t n = 0;
	u16 type;

	records = kunit_kcalloc(test, 256, sizeof(*records), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, records);
	records[n++] = (struct op_stream_value){ { OP_STREAM_COOKIE, 16, 0 },
						 image->cookie };
	/* What is behind the first slot would count if it were looked at. */
	for (type = 0; type <= OP_STREAM_COUNTER + 1; type++) {
		if (type == OP_STREAM_COOKIE || type == OP_STREAM_SAMPLE)
			continue;
		records[n++] = (struct op_stream_value){ { type, 48, 0 }, 0 };
		records[n++] =
			(struct op_stream_value){ { OP_STREAM_SAMPLE, 16, 0 },
						  0xbad };
		records[n++] =
			(struct op_stream_value){ { OP_STREAM_COOKIE, 16, 0 },
						  0 };
		records[n++] =
			(struct op_stream_value){ { OP_STREAM_SAMPLE, 16, 0 },
						  type };
	}
	KUNIT_ASSERT_LE(test, n, 256);
	mutex_lock(&op_sync_mutex);
	op_histogram_consume(records, n);
	mutex_unlock(&op_sync_mutex);

	hist = hist_read(test, image);
	KUNIT_EXPECT_EQ(test, hist->nr_rows, OP_STREAM_COUNTER);
	KUNIT_EXPECT_EQ(test, hist_at(hist, 0, 0xbad), 0);
	for (type = 0; type <= OP_STREAM_COUNTER + 1; type++) {
		if (type == OP_STREAM_COOKIE || type == OP_STREAM_SAMPLE)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, hist_at(hist, 0, type), 1, "type %u",
				    type);
	}
	op_hist_free(hist);
	op_image_put(image);
}

static struct kunit_case hist_cases[] = { KUNIT_CASE(hist_counts_by_counter),
					  KUNIT_CASE(hist_of_two_images),
					  KUNIT_CASE(hist_grows),
					  KUNIT_CASE(hist_ends_at_the_bound),
					  KUNIT_CASE(hist_reset),
					  KUNIT_CASE(hist_steps_over_others),
					  {} };

struct kunit_suite op_kunit_histogram = {
	.name = "oprofile_histogram",
	.init = op_kunit_begin,
	.exit = op_kunit_end,
	.test_cases = hist_cases,
};
