// SPDX-License-Identifier: GPL-2.0-only
/*
 * dcookies: the names of images.
 *
 * A dcookie is a 64-bit number that stands for one image as long as the image
 * is known, and for no other ever.  It must not hold on to the file: profiling
 * never makes umount say EBUSY and never keeps a deleted file's blocks.  So an
 * image is not a dentry or an inode but what survives both: its identity
 * (device, inode number, generation and, where that is not enough, a time) and
 * the path as it was when the file was first in hand.
 *
 * Process context; op_image_mutex guards the tables.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/jhash.h>
#include <linux/magic.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/xarray.h>

#include "core/compat.h"
#include "core/internal.h"

/* What a suffix "~4294967295" may need of a folder's name. */
#define OP_SUFFIX_MAX 11

/*
 * Guards the three tables and all that names an image.  Taken inside
 * op_sync_mutex and the jit and module maps' mutexes; nothing is taken inside
 * but locks of the file systems.
 */
static DEFINE_MUTEX(op_image_mutex);

static struct rhashtable op_images_by_id;
static struct rhashtable op_images_by_name;
static DEFINE_XARRAY(op_images_by_cookie);
static u64 op_last_cookie;
static char *op_path_room;

/* Of op_images_by_cookie: whoever it was made for has no use for it any more. */
#define OP_IMAGE_UNUSED XA_MARK_0

/* Those that are there from load to unload; %NULL for the other kinds. */
struct op_image *op_image_fixed[OP_IMAGE_UNKNOWN + 1] __read_mostly;

static const char *const op_fixed_names[] = {
	[OP_IMAGE_VMLINUX] = "vmlinux", [OP_IMAGE_ANON] = "anon",
	[OP_IMAGE_VDSO] = "vdso",	[OP_IMAGE_BPF] = "bpf",
	[OP_IMAGE_UNKNOWN] = "unknown",
};

static u32 op_id_hash(const void *data, u32 len, u32 seed)
{
	const struct op_image_id *id = data;
	u32 hash;

	/*
	 * Users choose inode numbers and times: all bits of all words count,
	 * and nothing is mixed before the seed is.
	 */
	static_assert(offsetof(struct op_image_id, name) == 8 * sizeof(u32));
	hash = jhash2((const u32 *)id, 8, seed);
	return id->name ? jhash(id->name, strlen(id->name), hash) : hash;
}

static u32 op_image_id_hash(const void *data, u32 len, u32 seed)
{
	return op_id_hash(&((const struct op_image *)data)->id, len, seed);
}

static int op_image_id_cmp(struct rhashtable_compare_arg *arg, const void *obj)
{
	const struct op_image_id *a = arg->key;
	const struct op_image_id *b = &((const struct op_image *)obj)->id;

	if (a->kind != b->kind || a->generation != b->generation ||
	    a->dev != b->dev || a->ino != b->ino || a->stamp != b->stamp)
		return 1;
	if (!a->name || !b->name)
		return a->name != b->name;
	return strcmp(a->name, b->name);
}

static const struct rhashtable_params op_id_params = {
	.head_offset = offsetof(struct op_image, id_node),
	.key_len = sizeof(struct op_image_id),
	.hashfn = op_id_hash,
	.obj_hashfn = op_image_id_hash,
	.obj_cmpfn = op_image_id_cmp,
	.automatic_shrinking = true,
};

static u32 op_name_hash(const void *data, u32 len, u32 seed)
{
	const char *name = data;

	return jhash(name, strlen(name), seed);
}

static u32 op_image_name_hash(const void *data, u32 len, u32 seed)
{
	return op_name_hash(((const struct op_image *)data)->name, len, seed);
}

static int op_image_name_cmp(struct rhashtable_compare_arg *arg,
			     const void *obj)
{
	return strcmp(arg->key, ((const struct op_image *)obj)->name);
}

static const struct rhashtable_params op_name_params = {
	.head_offset = offsetof(struct op_image, name_node),
	.key_len = OP_NAME_MAX,
	.hashfn = op_name_hash,
	.obj_hashfn = op_image_name_hash,
	.obj_cmpfn = op_image_name_cmp,
	.automatic_shrinking = true,
};

static struct op_image *op_image_of_folder(const char *name)
{
	return rhashtable_lookup_fast(&op_images_by_name, name, op_name_params);
}

/*
 * The name of @path's folder.  When the name is taken, a suffix ~2, ~3, … keeps
 * the two apart.
 */
static char *op_make_name(const char *path)
{
	size_t room = 3 * strlen(path) + 1;
	struct op_image *second;
	unsigned int suffix;
	char *full, *name;
	size_t len, end;

	full = kvmalloc(room, GFP_KERNEL);
	name = kmalloc(OP_NAME_MAX + 1, GFP_KERNEL);
	if (!full || !name) {
		kfree(name);
		name = NULL;
		goto out;
	}

	len = op_encode_name(path, full, room);
	if (len <= OP_NAME_MAX) {
		strscpy(name, full, OP_NAME_MAX + 1);
		if (!op_image_of_folder(name))
			goto out;
	}
	op_cut_name(name, full, len, OP_NAME_MAX - OP_SUFFIX_MAX);
	if (len > OP_NAME_MAX && !op_image_of_folder(name))
		goto out;
	end = strlen(name);
	strcpy(name + end, "~2");
	second = op_image_of_folder(name);
	if (!second)
		goto out;
	/* The second of the name knows where to go on. */
	suffix = max(second->next_suffix, 3u);
	do {
		snprintf(name + end, OP_NAME_MAX + 1 - end, "~%u", suffix++);
	} while (op_image_of_folder(name));
	second->next_suffix = suffix;
out:
	kvfree(full);
	return name;
}

static void op_image_free(struct op_image *image)
{
	op_memory_uncharge(image->bytes);
	kfree(image->name);
	kfree(image->path);
	/* Lookups from interrupts may still have the pointer. */
	kfree_rcu(image, rcu);
}

/* Make an image and put it into the tables, which then hold the reference. */
static struct op_image *op_image_create(const struct op_image_id *id,
					const char *path)
{
	struct op_image *image;
	int ret = -ENOMEM;

	image = kzalloc(sizeof(*image), GFP_KERNEL);
	if (!image)
		return ERR_PTR(-ENOMEM);
	refcount_set(&image->refs, 1);
	image->id = *id;
	image->path = kstrdup(path, GFP_KERNEL);
	image->name = op_make_name(path);
	if (!image->path || !image->name)
		goto err_free;
	if (id->name)
		image->id.name = image->path;
	image->bytes = sizeof(*image) + strlen(path) + 1 + OP_NAME_MAX + 1;
	ret = op_memory_charge(image->bytes);
	if (ret) {
		image->bytes = 0;
		goto err_free;
	}

	ret = rhashtable_insert_fast(&op_images_by_id, &image->id_node,
				     op_id_params);
	if (ret)
		goto err_free;
	ret = rhashtable_insert_fast(&op_images_by_name, &image->name_node,
				     op_name_params);
	if (ret)
		goto err_remove_id;
	image->cookie = op_last_cookie + 1;
	ret = xa_err(xa_store(&op_images_by_cookie, image->cookie, image,
			      GFP_KERNEL));
	if (ret)
		goto err_remove_name;
	op_last_cookie++;
	op_stat_add(OP_STAT_IMAGES, 1);
	return image;

err_remove_name:
	rhashtable_remove_fast(&op_images_by_name, &image->name_node,
			       op_name_params);
err_remove_id:
	rhashtable_remove_fast(&op_images_by_id, &image->id_node, op_id_params);
err_free:
	op_image_free(image);
	/* The tables' own errors all mean that memory was short. */
	return ERR_PTR(ret == -ENOSPC ? -ENOSPC : -ENOMEM);
}

/**
 * op_image_put - give a reference back
 * @image: the image; gone if this was the last reference
 *
 * Context: any but NMI; sleeps never.
 */
void op_image_put(struct op_image *image)
{
	if (refcount_dec_and_test(&image->refs))
		op_image_free(image);
}

/**
 * op_file_is_anon - is a file only what the kernel keeps anonymous memory in?
 * @file: a mapping's file
 *
 * MAP_SHARED | MAP_ANONYMOUS memory is a file "dev/zero" inside the kernel,
 * MAP_HUGETLB memory one named "anon_hugepage" (mm/shmem.c and
 * fs/hugetlbfs/inode.c name them so).  A memfd's name begins with "memfd:" and
 * SysV memory's with "SYSV", so nobody can imitate them.
 *
 * Context: any, also NMI, while @file is mapped.
 */
bool op_file_is_anon(const struct file *file)
{
	const unsigned char *name;

	if (likely(!op_file_is_private(file)))
		return false;
	/* Files of internal mounts are never renamed. */
	name = file->f_path.dentry->d_name.name;
	return !strcmp(name, "dev/zero") || !strcmp(name, "anon_hugepage");
}

/**
 * op_inode_key - what tells a file's inode from all others, at first sight
 * @path: the file, as its user sees it
 * @real: the inode that has the contents: another one on overlayfs, where a file
 *	that is written over while it runs gets new contents at the same path,
 *	and what runs keeps the old ones
 * @key: filled in
 *
 * Context: any, also NMI, while the file is mapped.
 */
void op_inode_key(const struct path *path, const struct inode *real,
		  struct op_inode_key *key)
{
	const struct inode *inode = d_inode(path->dentry);

	*key = (struct op_inode_key){
		.generation = inode->i_generation,
		.dev = inode->i_sb->s_dev,
		.ino = inode->i_ino,
	};
	/*
	 * A file that is written anew in place has other code at the same
	 * offsets, and where there are no generations the next file may get the
	 * same inode number: the modification time tells these.  Not for memory
	 * that has the guise of a file: JIT compilers write it all the time.
	 */
	if (!(path->mnt->mnt_flags & MNT_INTERNAL) || !inode->i_generation)
		key->stamp = op_inode_mtime_ns(real);
}

/**
 * op_inode_key_is_exact - are files of equal keys the same image?
 * @inode: a file's
 *
 * Not where one superblock shows several devices, as btrfs does for its
 * subvolumes and overlayfs for its layers: only stat tells these apart.
 *
 * Context: any.
 */
bool op_inode_key_is_exact(const struct inode *inode)
{
	return inode->i_sb->s_magic != BTRFS_SUPER_MAGIC &&
	       inode->i_sb->s_magic != OVERLAYFS_SUPER_MAGIC;
}

static void op_path_id(const struct path *path, const struct inode *real,
		       struct op_image_id *id)
{
	struct op_inode_key key;
	struct inode *inode = d_inode(path->dentry);
	struct kstat stat;

	op_inode_key(path, real, &key);
	*id = (struct op_image_id){
		.kind = OP_IMAGE_FILE,
		.generation = key.generation,
		.dev = key.dev,
		.ino = key.ino,
		.stamp = key.stamp,
	};
	/* Both are local: this waits for no server. */
	if (!op_inode_key_is_exact(inode) &&
	    !vfs_getattr_nosec(path, &stat, STATX_INO, AT_STATX_DONT_SYNC)) {
		id->dev = stat.dev;
		id->ino = stat.ino;
	}
}

static struct op_image *op_image_of_id(const struct path *path,
				       const struct op_image_id *id,
				       bool frugal)
{
	struct op_image *image;

	mutex_lock(&op_image_mutex);
	image = rhashtable_lookup_fast(&op_images_by_id, id, op_id_params);
	if (!image && frugal &&
	    op_stat_read(OP_STAT_MEMORY) >
		    op_param_get(OP_PARAM_HIST_MEMORY) / 2)
		image = ERR_PTR(-ENOSPC);
	else if (!image)
		image = op_image_create(id, op_path_text(path, op_path_room));
	if (!IS_ERR(image))
		op_image_get(image);
	mutex_unlock(&op_image_mutex);
	return image;
}

/**
 * op_image_of_path - the image of a file
 * @path: the file
 *
 * Context: process, a kernel thread; may sleep.
 * Return: the image, referenced, or ERR_PTR of -ENOSPC (hist_memory) or
 * -ENOMEM.
 */
struct op_image *op_image_of_path(const struct path *path)
{
	struct op_image_id id;

	op_path_id(path, d_real_inode(path->dentry), &id);
	return op_image_of_id(path, &id, false);
}

static struct op_image *op_image_of_mapped(struct file *file, bool frugal)
{
	const struct path *path = op_file_user_path(file);
	struct op_image_id id;

	op_path_id(path, file_inode(file), &id);
	return op_image_of_id(path, &id, frugal);
}

/**
 * op_image_of_file - the image of a mapped file
 * @file: the file
 *
 * Context: process, a kernel thread; may sleep.
 * Return: as op_image_of_path().
 */
struct op_image *op_image_of_file(struct file *file)
{
	return op_image_of_mapped(file, false);
}

/**
 * op_image_of_file_unsampled - the image of a file that has no sample yet
 * @file: the file
 *
 * Anybody can map files at will.  So those that are only heard of take no more
 * than half of hist_memory: the rest is for samples.
 *
 * Context: process, a kernel thread; may sleep.
 * Return: as op_image_of_path().
 */
struct op_image *op_image_of_file_unsampled(struct file *file)
{
	return op_image_of_mapped(file, true);
}

/**
 * op_image_of_name - the image of what has a name but no file
 * @kind: &enum op_image_kind
 * @name: its name, which must be one of a folder but for odd characters
 * @dev: with @generation, tells it from others of the name; 0 if none can be
 * @generation: likewise
 *
 * Context: process, may sleep.
 * Return: the image, referenced, or ERR_PTR of -ENOSPC (hist_memory) or
 * -ENOMEM.
 */
struct op_image *op_image_of_name(enum op_image_kind kind, const char *name,
				  u64 dev, u32 generation)
{
	struct op_image_id id = {
		.kind = kind,
		.generation = generation,
		.dev = dev,
		.name = name,
	};
	struct op_image *image;

	mutex_lock(&op_image_mutex);
	image = rhashtable_lookup_fast(&op_images_by_id, &id, op_id_params);
	if (image)
		xa_clear_mark(&op_images_by_cookie, image->cookie,
			      OP_IMAGE_UNUSED);
	else
		image = op_image_create(&id, name);
	if (!IS_ERR(image))
		op_image_get(image);
	mutex_unlock(&op_image_mutex);
	return image;
}

/**
 * op_image_known - an image of what has a name but no file, if it is known
 * @kind: &enum op_image_kind
 * @name: as for op_image_of_name()
 * @dev: likewise
 *
 * Context: process, may sleep.
 * Return: the image, referenced, or %NULL.
 */
struct op_image *op_image_known(enum op_image_kind kind, const char *name,
				u64 dev)
{
	struct op_image_id id = { .kind = kind, .dev = dev, .name = name };
	struct op_image *image;

	mutex_lock(&op_image_mutex);
	image = rhashtable_lookup_fast(&op_images_by_id, &id, op_id_params);
	if (image)
		op_image_get(image);
	mutex_unlock(&op_image_mutex);
	return image;
}

/**
 * op_image_by_cookie - the image of a dcookie
 * @cookie: the dcookie
 *
 * Context: process, op_sync_mutex held, which keeps images from being
 * forgotten: no reference is taken.
 * Return: the image or %NULL.
 */
struct op_image *op_image_by_cookie(u64 cookie)
{
	return xa_load(&op_images_by_cookie, cookie);
}

/* The next image by dcookie, or the next that has samples; referenced. */
static struct op_image *op_image_after(u64 *cookie, bool sampled)
{
	struct op_image *image;
	unsigned long index = *cookie;

	mutex_lock(&op_image_mutex);
	do {
		image = xa_find_after(&op_images_by_cookie, &index, ULONG_MAX,
				      XA_PRESENT);
	} while (image && sampled && !READ_ONCE(image->nr_bins));
	if (image) {
		*cookie = image->cookie;
		op_image_get(image);
	}
	mutex_unlock(&op_image_mutex);
	return image;
}

/**
 * op_image_next - go through the images that have samples
 * @cookie: the latest one's dcookie, 0 to begin; set to that of the one found
 *
 * Images that come and go meanwhile make no other one be missed or come twice.
 *
 * Context: process, may sleep.
 * Return: the image, referenced, or %NULL past the last.
 */
struct op_image *op_image_next(u64 *cookie)
{
	return op_image_after(cookie, true);
}

/**
 * op_image_next_known - go through all images, also those without samples
 * @cookie: as for op_image_next()
 *
 * Context: process, may sleep.
 * Return: the image, referenced, or %NULL past the last.
 */
struct op_image *op_image_next_known(u64 *cookie)
{
	return op_image_after(cookie, false);
}

/**
 * op_image_get_cookie - the image of a dcookie, whoever asks
 * @cookie: the dcookie
 *
 * Context: process, may sleep.
 * Return: the image, referenced, or %NULL if none is known.
 */
struct op_image *op_image_get_cookie(u64 cookie)
{
	struct op_image *image;

	mutex_lock(&op_image_mutex);
	image = xa_load(&op_images_by_cookie, cookie);
	if (image)
		op_image_get(image);
	mutex_unlock(&op_image_mutex);
	return image;
}

/* The image of a name, if it has samples or that is not asked; referenced. */
static struct op_image *op_image_named(const char *name, bool sampled)
{
	struct op_image *image;

	mutex_lock(&op_image_mutex);
	image = rhashtable_lookup_fast(&op_images_by_name, name,
				       op_name_params);
	if (image && sampled && !READ_ONCE(image->nr_bins))
		image = NULL;
	if (image)
		op_image_get(image);
	mutex_unlock(&op_image_mutex);
	return image;
}

/**
 * op_image_find - the image of a folder's name
 * @name: the name
 *
 * Context: process, may sleep.
 * Return: the image, referenced, or %NULL if there is none with samples.
 */
struct op_image *op_image_find(const char *name)
{
	return op_image_named(name, true);
}

/**
 * op_image_find_known - the image of a name, also if it has no samples
 * @name: the name
 *
 * Context: process, may sleep.
 * Return: the image, referenced, or %NULL if there is none.
 */
struct op_image *op_image_find_known(const char *name)
{
	return op_image_named(name, false);
}

static void op_image_unlink(struct op_image *image)
{
	rhashtable_remove_fast(&op_images_by_id, &image->id_node, op_id_params);
	rhashtable_remove_fast(&op_images_by_name, &image->name_node,
			       op_name_params);
	xa_erase(&op_images_by_cookie, image->cookie);
	op_stat_add(OP_STAT_IMAGES, -1);
}

/**
 * op_image_unused - give back the reference of whom an image was made for
 * @image: the image
 *
 * If it comes to nothing it can be forgotten before a reset, by
 * op_images_forget_unused().
 *
 * Context: process.
 */
void op_image_unused(struct op_image *image)
{
	xa_set_mark(&op_images_by_cookie, image->cookie, OP_IMAGE_UNUSED);
	op_image_put(image);
}

/**
 * op_images_forget_unused - drop the unused images that came to nothing
 * @named: also those whose names the stream has said: nobody reads it
 *
 * These are those that only the tables know, without samples, also in the
 * stream.  One that has samples stays until the reset.
 *
 * A count of one stays one, as in op_images_forget(): segments of JIT ranges
 * and notes in the CPU buffers have references, and the former keep theirs
 * until no look-up can find them.  What names an image without a reference is
 * the event buffer with what follows it, by dcookie and, in histogram.c, by
 * address: hence the flush.
 *
 * Context: process, may sleep; op_sync_mutex held, no record waits in the event
 * buffer.
 * Return: true if some could not be judged, as somebody has a reference: try
 * again.
 */
bool op_images_forget_unused(bool named)
{
	struct op_image *image;
	unsigned long cookie;
	bool more = false;

	mutex_lock(&op_image_mutex);
	xa_for_each_marked(&op_images_by_cookie, cookie, image,
			   OP_IMAGE_UNUSED) {
		if (image->nr_bins || image->marked ||
		    (image->named_at && !named)) {
			xa_clear_mark(&op_images_by_cookie, cookie,
				      OP_IMAGE_UNUSED);
		} else if (refcount_read(&image->refs) == 1) {
			op_image_unlink(image);
			op_image_put(image);
		} else {
			more = true;
		}
		cond_resched();
	}
	mutex_unlock(&op_image_mutex);
	return more;
}

/**
 * op_images_forget - drop every image that only the tables know
 * @named: also those whose names the stream has said: nobody reads it
 *
 * Context: process, may sleep; op_sync_mutex held, all histograms empty.
 */
void op_images_forget(bool named)
{
	struct op_image *image;
	unsigned long cookie;

	mutex_lock(&op_image_mutex);
	xa_for_each(&op_images_by_cookie, cookie, image) {
		/* Readers have the name, or what has it, still before them. */
		if (image->named_at && !named)
			continue;
		/*
		 * Nobody can find it but through the tables, whose mutex is
		 * held: a count of one stays one.
		 */
		if (refcount_read(&image->refs) == 1) {
			op_image_unlink(image);
			op_image_put(image);
		}
		cond_resched();
	}
	mutex_unlock(&op_image_mutex);
}

/**
 * op_dcookies_init - prepare the tables and the images that are always there
 *
 * Context: process, at load.
 * Return: 0 or a negative errno.
 */
int op_dcookies_init(void)
{
	struct op_image *image;
	size_t kind;
	int ret;

	op_path_room = kvmalloc(OP_PATH_ROOM, GFP_KERNEL);
	if (!op_path_room)
		return -ENOMEM;
	ret = rhashtable_init(&op_images_by_id, &op_id_params);
	if (ret)
		goto err_free;
	ret = rhashtable_init(&op_images_by_name, &op_name_params);
	if (ret)
		goto err_destroy_ids;
	for (kind = 0; kind < ARRAY_SIZE(op_fixed_names); kind++) {
		if (!op_fixed_names[kind])
			continue;
		image = op_image_of_name(kind, op_fixed_names[kind], 0, 0);
		if (IS_ERR(image)) {
			ret = PTR_ERR(image);
			goto err_exit;
		}
		op_image_fixed[kind] = image;
	}
	return 0;

err_exit:
	op_dcookies_exit();
	return ret;
err_destroy_ids:
	rhashtable_destroy(&op_images_by_id);
err_free:
	kvfree(op_path_room);
	return ret;
}

/**
 * op_dcookies_exit - forget all images
 *
 * Context: process, at unload, after all who had references.
 */
void op_dcookies_exit(void)
{
	size_t kind;

	for (kind = 0; kind < ARRAY_SIZE(op_image_fixed); kind++) {
		if (op_image_fixed[kind])
			op_image_put(op_image_fixed[kind]);
		op_image_fixed[kind] = NULL;
	}
	op_images_forget(true);
	WARN_ON(!xa_empty(&op_images_by_cookie));
	rhashtable_destroy(&op_images_by_name);
	rhashtable_destroy(&op_images_by_id);
	xa_destroy(&op_images_by_cookie);
	kvfree(op_path_room);
}
