// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: the identity of images, core/dcookies.c, and their names,
 * core/image_name.c. That one file is one image, whatever its paths, and that
 * two files are two, whatever they share.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/shmem_fs.h>
#include <linux/sizes.h>

#include "tests/kunit/kunit.h"

/* ------------------------------------------------------------------ */
/* Files                                                              */

static struct op_image *image_of(struct kunit *test, const char *name)
{
	struct op_image *image;
	struct path path;

	KUNIT_ASSERT_EQ_MSG(test, kern_path(name, LOOKUP_FOLLOW, &path), 0,
			    "%s", name);
	image = op_image_of_path(&path);
	path_put(&path);
	KUNIT_ASSERT_FALSE(test, IS_ERR(image));
	return image;
}

/* A file's dcookie; the tables keep the image. */
static u64 cookie_of(struct kunit *test, const char *name)
{
	struct op_image *image = image_of(test, name);
	u64 cookie = image->cookie;

	op_image_put(image);
	return cookie;
}

static struct file *file_of(struct kunit *test, const char *name)
{
	struct file *file = filp_open(name, O_RDONLY, 0);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(file), "%s", name);
	return file;
}

/* An empty folder.  Programs take long in an emulated machine, so not for all. */
static void dcookie_folder(struct kunit *test)
{
	op_kunit_do(test, "umount $D/* 2>/dev/null; rm -rf $D; mkdir $D");
}

static void dcookie_suite_exit(struct kunit_suite *suite)
{
	op_kunit_shell("umount $D/* 2>/dev/null; rm -rf $D");
}

#define A OP_KUNIT_DIR "/a"
#define B OP_KUNIT_DIR "/b"

static void dcookie_one_file(struct kunit *test)
{
	struct op_image *image;
	struct file *file;
	u64 cookie;

	dcookie_folder(test);
	op_kunit_do(test, "echo 1 >" A "; echo 1 >" B);
	cookie = cookie_of(test, A);
	KUNIT_EXPECT_NE(test, cookie, 0);
	KUNIT_EXPECT_EQ(test, cookie_of(test, A), cookie);
	KUNIT_EXPECT_NE(test, cookie_of(test, B), cookie);
	/* By path or by open file. */
	file = file_of(test, A);
	image = op_image_of_file(file);
	fput(file);
	KUNIT_ASSERT_FALSE(test, IS_ERR(image));
	KUNIT_EXPECT_EQ(test, image->cookie, cookie);
	KUNIT_EXPECT_EQ(test, image->id.kind, OP_IMAGE_FILE);
	KUNIT_EXPECT_STREQ(test, image->path, A);
	KUNIT_EXPECT_STREQ(test, image->name, "}tmp}op_kunit}a");
	KUNIT_EXPECT_EQ(test, image->start, 0);
	op_image_put(image);
}

/* A name that is given to another file is another image, with a suffix. */
static void dcookie_two_inodes_one_name(struct kunit *test)
{
	struct op_image *old, *young, *third;

	dcookie_folder(test);
	op_kunit_do(test, "echo 1 >" A);
	old = image_of(test, A);
	op_kunit_do(test, "echo 1 >" B "; touch -r " A " " B "; mv " B " " A);
	young = image_of(test, A);
	KUNIT_EXPECT_NE(test, old->cookie, young->cookie);
	KUNIT_EXPECT_STREQ(test, old->path, young->path);
	KUNIT_EXPECT_STREQ(test, old->name, "}tmp}op_kunit}a");
	KUNIT_EXPECT_STREQ(test, young->name, "}tmp}op_kunit}a~2");
	op_kunit_do(test, "echo 1 >" B "; mv " B " " A);
	third = image_of(test, A);
	KUNIT_EXPECT_STREQ(test, third->name, "}tmp}op_kunit}a~3");
	op_image_put(old);
	op_image_put(young);
	op_image_put(third);
}

/* A link, a new name, another mount of the same file system: the same image. */
static void dcookie_one_inode_two_paths(struct kunit *test)
{
	u64 cookie;

	dcookie_folder(test);
	op_kunit_do(test, "echo 1 >" A "; ln " A " " B);
	cookie = cookie_of(test, A);
	KUNIT_EXPECT_EQ(test, cookie_of(test, B), cookie);
	op_kunit_do(test, "mv $D/b $D/c; rm $D/a");
	KUNIT_EXPECT_EQ(test, cookie_of(test, OP_KUNIT_DIR "/c"), cookie);
	op_kunit_do(test, "mkdir $D/m; mount --bind $D $D/m");
	KUNIT_EXPECT_EQ(test, cookie_of(test, OP_KUNIT_DIR "/m/c"), cookie);
}

static void dcookie_same_number_other_device(struct kunit *test)
{
	struct op_image *a, *b;

	dcookie_folder(test);
	op_kunit_do(test, "mkdir $D/m $D/n");
	op_kunit_do(test, "mount -t tmpfs m $D/m && mount -t tmpfs n $D/n");
	op_kunit_do(test,
		    "cd $D && echo >m/x && echo >n/x && touch -r m/x n/x");
	a = image_of(test, OP_KUNIT_DIR "/m/x");
	b = image_of(test, OP_KUNIT_DIR "/n/x");
	KUNIT_EXPECT_EQ(test, a->id.ino, b->id.ino);
	KUNIT_EXPECT_EQ(test, a->id.stamp, b->id.stamp);
	KUNIT_EXPECT_NE(test, a->id.dev, b->id.dev);
	KUNIT_EXPECT_NE(test, a->cookie, b->cookie);
	op_image_put(a);
	op_image_put(b);
}

/* Each part of the identity alone tells two files from one another. */
static void dcookie_each_part_counts(struct kunit *test)
{
	struct inode *inode;
	struct file *file;
	u64 cookie, other;

	dcookie_folder(test);
	op_kunit_do(test, "echo 1 >" A);
	file = file_of(test, A);
	inode = file_inode(file);
	cookie = cookie_of(test, A);

	inode->i_generation++;
	other = cookie_of(test, A);
	KUNIT_EXPECT_NE(test, other, cookie);
	inode->i_generation--;
	KUNIT_EXPECT_EQ(test, cookie_of(test, A), cookie);

	inode->i_ino++;
	KUNIT_EXPECT_NE(test, cookie_of(test, A), cookie);
	inode->i_ino--;
	KUNIT_EXPECT_EQ(test, cookie_of(test, A), cookie);

	op_kunit_do(test, "touch -d '2001-01-01 00:00:01.000000002' " A);
	other = cookie_of(test, A);
	KUNIT_EXPECT_NE(test, other, cookie);
	/* To the nanosecond. */
	op_kunit_do(test, "touch -d '2001-01-01 00:00:01.000000003' " A);
	KUNIT_EXPECT_NE(test, cookie_of(test, A), other);
	op_kunit_do(test, "touch -d '2001-01-01 00:00:01.000000002' " A);
	KUNIT_EXPECT_EQ(test, cookie_of(test, A), other);
	/* But not what says nothing of the contents. */
	op_kunit_do(test, "chmod 755 " A "; cat " A " >/dev/null");
	KUNIT_EXPECT_EQ(test, cookie_of(test, A), other);
	fput(file);
}

/* Its path is without what d_path() says of it, and a real name stays whole. */
static void dcookie_deleted(struct kunit *test)
{
	struct op_image *image;
	struct file *file;

	dcookie_folder(test);
	op_kunit_do(test, "echo 1 >" A "; echo 1 >'" B " (deleted)'");
	file = file_of(test, A);
	op_kunit_do(test, "rm " A);
	image = op_image_of_file(file);
	fput(file);
	KUNIT_ASSERT_FALSE(test, IS_ERR(image));
	KUNIT_EXPECT_STREQ(test, image->path, A);
	op_image_put(image);

	file = file_of(test, B " (deleted)");
	image = op_image_of_file(file);
	KUNIT_ASSERT_FALSE(test, IS_ERR(image));
	KUNIT_EXPECT_STREQ(test, image->path, B " (deleted)");
	KUNIT_EXPECT_STREQ(test, image->name,
			   "}tmp}op_kunit}b%20%28deleted%29");
	op_image_put(image);
	op_reset();
	op_kunit_do(test, "rm '" B " (deleted)'");
	image = op_image_of_file(file);
	fput(file);
	KUNIT_ASSERT_FALSE(test, IS_ERR(image));
	KUNIT_EXPECT_STREQ(test, image->path, B " (deleted)");
	op_image_put(image);
}

/* An image keeps the path of first sight, and no hold on the file system. */
static void dcookie_pins_nothing(struct kunit *test)
{
	struct op_image *image;

	dcookie_folder(test);
	op_kunit_do(test,
		    "cd $D && mkdir m && mount -t tmpfs m m && echo >m/x");
	image = image_of(test, OP_KUNIT_DIR "/m/x");
	op_kunit_do(test, "mv $D/m/x $D/m/y");
	KUNIT_EXPECT_EQ(test, cookie_of(test, OP_KUNIT_DIR "/m/y"),
			image->cookie);
	KUNIT_EXPECT_STREQ(test, image->path, OP_KUNIT_DIR "/m/x");
	op_kunit_do(test, "umount $D/m");
	KUNIT_EXPECT_STREQ(test, image->path, OP_KUNIT_DIR "/m/x");
	op_image_put(image);
}

/* Memory in the guise of a file: whose contents change all the time. */
static void dcookie_private_files(struct kunit *test)
{
	static const struct {
		const char *name;
		bool anon;
	} files[] = {
		{ "dev/zero", true },	     { "anon_hugepage", true },
		{ "memfd:x", false },	     { "SYSV00000000", false },
		{ "memfd:dev/zero", false }, { "dev/zero2", false },
	};
	struct op_inode_key key;
	struct file *file;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		file = shmem_file_setup(files[i].name, PAGE_SIZE, 0);
		KUNIT_ASSERT_FALSE(test, IS_ERR(file));
		KUNIT_EXPECT_TRUE(test, op_file_is_private(file));
		KUNIT_EXPECT_EQ_MSG(test, op_file_is_anon(file), files[i].anon,
				    "%s", files[i].name);
		op_inode_key(&file->f_path, file_inode(file), &key);
		/* It has a generation instead of a time. */
		KUNIT_EXPECT_NE(test, key.generation, 0);
		KUNIT_EXPECT_EQ(test, key.stamp, 0);
		fput(file);
	}
	dcookie_folder(test);
	op_kunit_do(test, "mkdir $D/dev; echo >$D/dev/zero");
	file = file_of(test, OP_KUNIT_DIR "/dev/zero");
	KUNIT_EXPECT_FALSE(test, op_file_is_private(file));
	KUNIT_EXPECT_FALSE(test, op_file_is_anon(file));
	op_inode_key(&file->f_path, file_inode(file), &key);
	KUNIT_EXPECT_NE(test, key.stamp, 0);
	fput(file);
}

static void dcookie_exact_keys(struct kunit *test)
{
	struct super_block *sb = kunit_kzalloc(test, sizeof(*sb), GFP_KERNEL);
	struct inode *inode = kunit_kzalloc(test, sizeof(*inode), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sb);
	KUNIT_ASSERT_NOT_NULL(test, inode);
	inode->i_sb = sb;
	sb->s_magic = EXT4_SUPER_MAGIC;
	KUNIT_EXPECT_TRUE(test, op_inode_key_is_exact(inode));
	sb->s_magic = TMPFS_MAGIC;
	KUNIT_EXPECT_TRUE(test, op_inode_key_is_exact(inode));
	sb->s_magic = BTRFS_SUPER_MAGIC;
	KUNIT_EXPECT_FALSE(test, op_inode_key_is_exact(inode));
	sb->s_magic = OVERLAYFS_SUPER_MAGIC;
	KUNIT_EXPECT_FALSE(test, op_inode_key_is_exact(inode));
}

/* ------------------------------------------------------------------ */
/* Things without a file                                              */

static struct op_image *named(struct kunit *test, const char *name, u64 dev,
			      u32 generation)
{
	struct op_image *image;

	image = op_image_of_name(OP_IMAGE_MODULE, name, dev, generation);
	KUNIT_ASSERT_FALSE(test, IS_ERR(image));
	return image;
}

static void dcookie_named(struct kunit *test)
{
	struct op_image *a = named(test, "kunit.ko", 0, 1);
	struct op_image *b = named(test, "kunit.ko", 0, 1);
	struct op_image *c = named(test, "kunit.ko", 0, 2);
	struct op_image *d = named(test, "kunit.ko", 1, 1);
	struct op_image *e = named(test, "kunit2.ko", 0, 1);
	struct op_image *f;

	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_PTR_NE(test, a, c);
	KUNIT_EXPECT_PTR_NE(test, a, d);
	KUNIT_EXPECT_PTR_NE(test, c, d);
	KUNIT_EXPECT_PTR_NE(test, a, e);
	KUNIT_EXPECT_STREQ(test, a->name, "kunit.ko");
	KUNIT_EXPECT_STREQ(test, c->name, "kunit.ko~2");
	KUNIT_EXPECT_STREQ(test, d->name, "kunit.ko~3");
	KUNIT_EXPECT_STREQ(test, e->name, "kunit2.ko");
	/* Kinds tell as well. */
	f = op_image_of_name(OP_IMAGE_JIT, "kunit.ko", 0, 1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f));
	KUNIT_EXPECT_PTR_NE(test, a, f);
	op_image_put(f);

	f = op_image_known(OP_IMAGE_MODULE, "kunit2.ko", 0);
	KUNIT_EXPECT_PTR_EQ(test, f, NULL); /* its generation is not 0 */
	f = op_image_find_known("kunit.ko~3");
	KUNIT_EXPECT_PTR_EQ(test, f, d);
	if (f)
		op_image_put(f);
	KUNIT_EXPECT_PTR_EQ(test, op_image_find("kunit.ko"), NULL);
	KUNIT_EXPECT_PTR_EQ(test, op_image_find_known("kunit.ko~5"), NULL);
	op_image_put(a);
	op_image_put(b);
	op_image_put(c);
	op_image_put(d);
	op_image_put(e);
}

/* Cookies grow, are never 0, and are never given twice. */
static void dcookie_numbers(struct kunit *test)
{
	u64 first, last = 0, cookie = 0, n = 0;
	struct op_image *image, *found;
	char name[16];
	int i;

	image = named(test, "first", 0, 0);
	first = image->cookie;
	op_image_put(image);
	for (i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		image = named(test, name, 0, 0);
		KUNIT_EXPECT_GT(test, image->cookie, first + i);
		last = image->cookie;
		found = op_image_get_cookie(last);
		KUNIT_EXPECT_PTR_EQ(test, found, image);
		op_image_put(found);
		op_image_put(image);
	}
	while ((image = op_image_next_known(&cookie))) {
		KUNIT_EXPECT_EQ(test, image->cookie, cookie);
		n++;
		op_image_put(image);
	}
	KUNIT_EXPECT_EQ(test, cookie, last);
	KUNIT_EXPECT_EQ(test, n, op_stat_read(OP_STAT_IMAGES));
	KUNIT_EXPECT_PTR_EQ(test, op_image_get_cookie(0), NULL);
	KUNIT_EXPECT_PTR_EQ(test, op_image_get_cookie(last + 1), NULL);
	KUNIT_EXPECT_PTR_EQ(test, op_image_get_cookie(U64_MAX), NULL);

	op_reset();
	KUNIT_EXPECT_PTR_EQ(test, op_image_get_cookie(last), NULL);
	image = named(test, "first", 0, 0);
	KUNIT_EXPECT_GT(test, image->cookie, last);
	op_image_put(image);
}

/* ------------------------------------------------------------------ */
/* How long an image is known                                         */

/* Is it there after the unused ones were forgotten? */
static bool forgotten(struct op_image *image, bool readers)
{
	u64 cookie = image->cookie;
	struct op_image *found;

	op_image_unused(image);
	mutex_lock(&op_sync_mutex);
	op_images_forget_unused(!readers);
	mutex_unlock(&op_sync_mutex);
	found = op_image_get_cookie(cookie);
	if (found)
		op_image_put(found);
	return !found;
}

static void dcookie_forgets(struct kunit *test)
{
	u64 images = op_stat_read(OP_STAT_IMAGES);
	u64 memory = op_stat_read(OP_STAT_MEMORY);
	struct op_image *image, *held;
	bool more;

	KUNIT_EXPECT_TRUE(test, forgotten(named(test, "x", 0, 0), false));

	image = named(test, "x", 0, 0);
	image->named_at = 1;
	KUNIT_EXPECT_FALSE(test, forgotten(image, true));
	/* Once judged it is not unused any more. */
	KUNIT_EXPECT_TRUE(test, forgotten(named(test, "x", 0, 0), false));

	image = named(test, "x", 0, 0);
	image->marked = true;
	KUNIT_EXPECT_FALSE(test, forgotten(op_image_get(image), false));
	image->marked = false;
	KUNIT_EXPECT_TRUE(test, forgotten(image, false));

	held = named(test, "x", 0, 0);
	KUNIT_EXPECT_FALSE(test, forgotten(op_image_get(held), false));
	mutex_lock(&op_sync_mutex);
	more = op_images_forget_unused(true);
	mutex_unlock(&op_sync_mutex);
	KUNIT_EXPECT_TRUE(test, more);
	/* Asked for again it is in use. */
	image = named(test, "x", 0, 0);
	KUNIT_EXPECT_PTR_EQ(test, image, held);
	op_image_put(image);
	op_image_put(held);
	mutex_lock(&op_sync_mutex);
	more = op_images_forget_unused(true);
	mutex_unlock(&op_sync_mutex);
	KUNIT_EXPECT_FALSE(test, more);
	image = op_image_find_known("x");
	KUNIT_ASSERT_NOT_NULL(test, image);
	KUNIT_EXPECT_TRUE(test, forgotten(image, false));

	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_IMAGES), images);
	KUNIT_EXPECT_EQ(test, op_stat_read(OP_STAT_MEMORY), memory);
}

/* Files without a sample get half of the memory, images at all no more than all. */
static void dcookie_bounds(struct kunit *test)
{
	struct op_image *image;
	struct file *file;
	char name[16];
	u64 known;
	int n = 0;

	dcookie_folder(test);
	op_kunit_do(test, "echo 1 >" A "; echo 1 >" B);
	KUNIT_ASSERT_EQ(test, op_param_set(OP_PARAM_HIST_MEMORY, SZ_64K), 0);
	known = cookie_of(test, A);
	while (op_stat_read(OP_STAT_MEMORY) <= SZ_64K / 2 && n < 1000) {
		snprintf(name, sizeof(name), "n%d", n++);
		op_image_put(named(test, name, 0, 0));
	}
	file = file_of(test, B);
	image = op_image_of_file_unsampled(file);
	KUNIT_EXPECT_PTR_EQ(test, image, (struct op_image *)ERR_PTR(-ENOSPC));
	fput(file);
	/* One that is known needs no room, and who has samples may have it. */
	file = file_of(test, A);
	image = op_image_of_file_unsampled(file);
	fput(file);
	KUNIT_ASSERT_FALSE(test, IS_ERR(image));
	KUNIT_EXPECT_EQ(test, image->cookie, known);
	op_image_put(image);
	KUNIT_EXPECT_NE(test, cookie_of(test, B), known);

	do {
		snprintf(name, sizeof(name), "n%d", n++);
		image = op_image_of_name(OP_IMAGE_MODULE, name, 0, 0);
		if (!IS_ERR(image))
			op_image_put(image);
	} while (!IS_ERR(image) && n < 1000);
	KUNIT_EXPECT_PTR_EQ(test, image, (struct op_image *)ERR_PTR(-ENOSPC));
	KUNIT_EXPECT_LE(test, op_stat_read(OP_STAT_MEMORY), SZ_64K);
	KUNIT_EXPECT_PTR_EQ(test, op_image_find_known(name), NULL);
	KUNIT_EXPECT_EQ(test, cookie_of(test, A), known);
}

/* ------------------------------------------------------------------ */
/* Names                                                              */

static void dcookie_encoding(struct kunit *test)
{
	static const struct {
		const char *path;
		const char *name;
	} texts[] = {
		{ "", "" },
		{ "/", "}" },
		{ "/usr/bin/gzip", "}usr}bin}gzip" },
		{ "az AZ09._+-,:@=", "az%20AZ09._+-,:@=" },
		{ "}{~%", "%7D%7B%7E%25" },
		{ "a\nb\tc\\d", "a%0Ab%09c%5Cd" },
		{ "\x01\x7f\x80\xff", "%01%7F%80%FF" },
		{ "$`'\"*?[]!#&;()<>|^",
		  "%24%60%27%22%2A%3F%5B%5D%21%23%26%3B%28%29%3C%3E%7C%5E" },
	};
	char name[128];
	size_t i, room;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		KUNIT_EXPECT_EQ(
			test, op_encode_name(texts[i].path, name, sizeof(name)),
			strlen(texts[i].name));
		KUNIT_EXPECT_STREQ(test, name, texts[i].name);
	}
	/* With too little room: a final NUL in it, and nothing behind. */
	for (room = 1; room <= 10; room++) {
		memset(name, 'x', sizeof(name));
		KUNIT_EXPECT_EQ(test, op_encode_name("a b c", name, room), 9);
		KUNIT_EXPECT_LT(test, strlen(name), room);
		KUNIT_EXPECT_EQ(test, name[room], 'x');
	}
}

/* What is too long keeps its end, and no half of a code. */
static void dcookie_long_names(struct kunit *test)
{
	struct op_image *image, *second;
	char path[400];
	int blanks, i;

	for (blanks = 0; blanks < 6; blanks++) {
		/* Blanks of three characters each, shifted by up to two. */
		memset(path, ' ', sizeof(path));
		for (i = 0; i < blanks; i++)
			path[395 - 2 * i] = 'e';
		path[0] = '/';
		path[sizeof(path) - 1] = '\0';
		image = named(test, path, 0, 0);
		second = named(test, path, 0, 1);
		KUNIT_EXPECT_STREQ(test, image->path, path);
		KUNIT_EXPECT_LE(test, strlen(image->name), 255);
		KUNIT_EXPECT_GT(test, strlen(image->name), 238);
		KUNIT_EXPECT_EQ(test, strncmp(image->name, "}~", 2), 0);
		for (i = 2; image->name[i] && image->name[i] != '~'; i++) {
			if (image->name[i] == 'e')
				continue;
			KUNIT_ASSERT_EQ_MSG(test,
					    strncmp(image->name + i, "%20", 3),
					    0, "%s", image->name);
			i += 2;
		}
		KUNIT_EXPECT_EQ(test, image->name[i], '\0');
		KUNIT_EXPECT_LE(test, strlen(second->name), 255);
		KUNIT_EXPECT_EQ(test,
				strncmp(second->name, image->name,
					strlen(image->name)),
				0);
		KUNIT_EXPECT_STREQ(test, second->name + strlen(image->name),
				   "~2");
		op_image_put(image);
		op_image_put(second);
	}
	/* 255 is not too long. */
	memset(path, 'y', sizeof(path));
	path[255] = '\0';
	image = named(test, path, 0, 0);
	KUNIT_EXPECT_STREQ(test, image->name, path);
	op_image_put(image);
}

static struct kunit_case dcookie_cases[] = {
	KUNIT_CASE(dcookie_one_file),
	KUNIT_CASE(dcookie_two_inodes_one_name),
	KUNIT_CASE(dcookie_one_inode_two_paths),
	KUNIT_CASE(dcookie_same_number_other_device),
	KUNIT_CASE(dcookie_each_part_counts),
	KUNIT_CASE(dcookie_deleted),
	KUNIT_CASE(dcookie_pins_nothing),
	KUNIT_CASE(dcookie_private_files),
	KUNIT_CASE(dcookie_exact_keys),
	KUNIT_CASE(dcookie_named),
	KUNIT_CASE(dcookie_numbers),
	KUNIT_CASE(dcookie_forgets),
	KUNIT_CASE(dcookie_bounds),
	KUNIT_CASE(dcookie_encoding),
	KUNIT_CASE(dcookie_long_names),
	{}
};

struct kunit_suite op_kunit_dcookie = {
	.name = "oprofile_dcookie",
	.init = op_kunit_begin,
	.exit = op_kunit_end,
	.suite_exit = dcookie_suite_exit,
	.test_cases = dcookie_cases,
};
