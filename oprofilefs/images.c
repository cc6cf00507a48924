// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report: images/NAME/{hist,path,identity,dcookie,samples,start}.
 *
 * hist is made so that "cat images/<*>/hist" can be read and parsed as one
 * text: lines that begin with # say what follows, then come the offsets,
 * ascending, with a count for each event:
 *
 *   # image: NAME
 *   # path: PATH
 *   # dcookie: N
 *   # start: 0xADDRESS                of vmlinux, modules and jit ranges only
 *   # events: EVENT[:PERIOD|:RATEHz] …    one a column
 *   # lost: N                         of all images, if any were
 *   0xOFFSET COUNT [COUNT …]
 *
 * A path is escaped as in /proc/PID/maps: a newline is \012, as are the other
 * control characters, and, so that an escape can be told from a path that holds
 * these four characters, a backslash is \134.
 *
 * What an open file shows is one moment, however it is read: that of the first
 * read, or of the latest one that began at the file's beginning.
 *
 * Who opened the file without CAP_SYSLOG sees no address of the kernel: starts
 * are 0, and where offsets are addresses (images unknown and bpf) all those of
 * the kernel are one line at 0xffffffffffffffff, so that sums stay right.
 *
 * Runs in process context.  An open file holds its image and at most one copy
 * of its histogram; nothing else may outlast a call.
 */
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"

/* Whatever moves a terminal's cursor, and what the escapes begin with. */
#define OP_PATH_ESCAPED                                                        \
	"\001\002\003\004\005\006\007\010\011\012\013\014\015"                 \
	"\016\017\020\021\022\023\024\025\026\027\030\031\032"                 \
	"\033\034\035\036\037\177\\"

/**
 * op_path_print - print an image's path, escaped
 * @m: what it is printed to
 * @image: the image
 *
 * Context: process.
 */
void op_path_print(struct seq_file *m, const struct op_image *image)
{
	seq_escape(m, image->path, OP_PATH_ESCAPED);
}

/* ------------------------------------------------------------------ */
/* hist                                                               */

/**
 * struct op_hist_open - an open hist file; under the seq_file's lock
 * @open: what each open file has
 * @hist: the copy, %NULL before the first read
 * @columns: what each column counts
 */
struct op_hist_open {
	struct op_open open;
	struct op_hist *hist;
	char columns[OP_NR_COUNTERS][OP_COLUMN_LEN];
};

/**
 * op_offset_is_address - are the offsets of an image addresses?
 * @kind: the image's, enum op_image_kind
 *
 * Context: any.
 */
bool op_offset_is_address(u32 kind)
{
	return kind == OP_IMAGE_UNKNOWN || kind == OP_IMAGE_BPF;
}

static bool op_has_start(const struct op_image *image)
{
	return image->id.kind == OP_IMAGE_VMLINUX ||
	       image->id.kind == OP_IMAGE_MODULE ||
	       image->id.kind == OP_IMAGE_JIT;
}

/* The kernel's addresses are the last of the rows. */
static void op_hist_fold(struct op_hist *hist)
{
	struct op_hist_row *row = hist->rows;
	struct op_hist_row *end = row + hist->nr_rows;
	struct op_hist_row *fold;
	unsigned int idx;

	while (row < end && row->offset < TASK_SIZE_MAX)
		row++;
	if (row == end)
		return;
	for (fold = row++; row < end; row++)
		for (idx = 0; idx < OP_NR_COUNTERS; idx++)
			fold->count[idx] += row->count[idx];
	fold->offset = U64_MAX;
	hist->nr_rows = fold - hist->rows + 1;
}

/**
 * op_columns_name - say what the columns of histograms count
 * @columns: bit i: counter i has samples; those that are enabled are added
 * @names: of all counters
 *
 * Context: process, may sleep.
 */
void op_columns_name(unsigned long *columns,
		     char names[OP_NR_COUNTERS][OP_COLUMN_LEN])
{
	struct op_counter_config config;
	unsigned int idx;

	for (idx = 0; idx < OP_NR_COUNTERS; idx++) {
		op_counter_get(idx, &config);
		if (config.enabled)
			__set_bit(idx, columns);
		if (config.count)
			snprintf(names[idx], OP_COLUMN_LEN, "%s:%llu",
				 config.event, config.count);
		else
			snprintf(names[idx], OP_COLUMN_LEN, "%s:%uHz",
				 config.event, config.freq);
	}
}

/**
 * op_columns_print - the line that names the columns
 * @m: what it is printed to
 * @columns: bit i: counter i has one
 * @names: of all counters
 *
 * Context: process.
 */
void op_columns_print(struct seq_file *m, unsigned long columns,
		      char names[OP_NR_COUNTERS][OP_COLUMN_LEN])
{
	unsigned int idx;

	seq_puts(m, "# events:");
	for_each_set_bit(idx, &columns, OP_NR_COUNTERS)
		seq_printf(m, " %s", names[idx]);
	seq_putc(m, '\n');
}

static int op_hist_take(struct seq_file *m)
{
	struct op_hist_open *open = m->private;
	struct op_image *image = open->open.ref->image;
	struct op_hist *hist;

	hist = op_hist_read(image);
	if (IS_ERR(hist))
		return PTR_ERR(hist);
	if (op_offset_is_address(image->id.kind) && !op_visible(m, U64_MAX))
		op_hist_fold(hist);
	if (open->hist)
		op_hist_free(open->hist);
	open->hist = hist;
	op_columns_name(&hist->columns, open->columns);
	return 0;
}

/* Position 0 is the head, N is row N - 1. */

static void *op_hist_at(struct seq_file *m, loff_t pos)
{
	struct op_hist_open *open = m->private;

	if (!pos)
		return SEQ_START_TOKEN;
	if (pos > open->hist->nr_rows)
		return NULL;
	return &open->hist->rows[pos - 1];
}

static void *op_hist_start(struct seq_file *m, loff_t *pos)
{
	struct op_hist_open *open = m->private;
	int err;

	if (!open->hist || op_seq_anew(m, *pos)) {
		err = op_hist_take(m);
		if (err)
			return ERR_PTR(err);
	}
	return op_hist_at(m, *pos);
}

static void *op_hist_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return op_hist_at(m, *pos);
}

static void op_hist_stop(struct seq_file *m, void *v)
{
}

static void op_hist_show_head(struct seq_file *m)
{
	struct op_hist_open *open = m->private;
	const struct op_image *image = open->open.ref->image;
	u64 lost = op_stat_lost();

	seq_printf(m, "# image: %s\n# path: ", image->name);
	op_path_print(m, image);
	seq_printf(m, "\n# dcookie: %llu\n", image->cookie);
	if (op_has_start(image))
		seq_printf(m, "# start: 0x%llx\n",
			   op_visible(m, READ_ONCE(image->start)));
	op_columns_print(m, open->hist->columns, open->columns);
	/* Here, as nobody looks for what is not there in another folder. */
	if (lost)
		seq_printf(m, "# lost: %llu\n", lost);
}

static int op_hist_show(struct seq_file *m, void *v)
{
	struct op_hist_open *open = m->private;
	const struct op_hist_row *row = v;
	unsigned int idx;

	if (v == SEQ_START_TOKEN) {
		op_hist_show_head(m);
		return 0;
	}
	seq_printf(m, "0x%llx", row->offset);
	for_each_set_bit(idx, &open->hist->columns, OP_NR_COUNTERS)
		seq_put_decimal_ull(m, " ", row->count[idx]);
	seq_putc(m, '\n');
	return 0;
}

static void op_hist_release(struct op_open *open, struct file *file)
{
	struct op_hist *hist =
		container_of(open, struct op_hist_open, open)->hist;

	if (hist)
		op_hist_free(hist);
}

static const struct seq_operations op_hist_seq = {
	.start = op_hist_start,
	.next = op_hist_next,
	.stop = op_hist_stop,
	.show = op_hist_show,
};

/* ------------------------------------------------------------------ */
/* The small files                                                    */

static int op_path_show(struct seq_file *m, const struct op_ref *ref)
{
	op_path_print(m, ref->image);
	seq_putc(m, '\n');
	return 0;
}

/* Which file it was: what stat(2) said of it then, as far as it was looked at. */
static int op_identity_show(struct seq_file *m, const struct op_ref *ref)
{
	const struct op_image_id *id = &ref->image->id;
	u32 ns;
	u64 s;

	if (id->kind != OP_IMAGE_FILE)
		return 0;
	seq_printf(m, "dev=%u:%u ino=%llu generation=%u", MAJOR(id->dev),
		   MINOR(id->dev), id->ino, id->generation);
	if (id->stamp) {
		s = div_u64_rem(id->stamp, NSEC_PER_SEC, &ns);
		seq_printf(m, " mtime=%llu.%09u", s, ns);
	}
	seq_putc(m, '\n');
	return 0;
}

static int op_dcookie_get(const struct op_ref *ref, u64 *value)
{
	*value = ref->image->cookie;
	return 0;
}

static int op_samples_get(const struct op_ref *ref, u64 *value)
{
	*value = op_image_samples(ref->image);
	return 0;
}

static int op_start_show(struct seq_file *m, const struct op_ref *ref)
{
	seq_printf(m, "0x%llx\n", op_visible(m, READ_ONCE(ref->image->start)));
	return 0;
}

/* ------------------------------------------------------------------ */
/* The folders                                                        */

/* Once forgotten, an image's name may stand for another one. */
static bool op_image_alive(const struct op_ref *ref)
{
	struct op_image *image = op_image_find(ref->image->name);

	if (image)
		op_image_put(image);
	return image == ref->image;
}

static const struct op_node op_image_files[] = {
	{
		.name = "hist",
		.access = OP_READ,
		.alive = op_image_alive,
		.seq = &op_hist_seq,
		.open_size = sizeof(struct op_hist_open),
		.release = op_hist_release,
	},
	{
		.name = "path",
		.access = OP_READ,
		.alive = op_image_alive,
		.show = op_path_show,
	},
	{
		.name = "identity",
		.access = OP_READ,
		.alive = op_image_alive,
		.show = op_identity_show,
	},
	{
		.name = "dcookie",
		.access = OP_READ,
		.alive = op_image_alive,
		.get = op_dcookie_get,
	},
	{
		.name = "samples",
		.access = OP_READ,
		.alive = op_image_alive,
		.get = op_samples_get,
	},
	{
		.name = "start",
		.access = OP_READ,
		.alive = op_image_alive,
		.show = op_start_show,
	},
	{},
};

static const struct op_node *const op_image_tables[] = {
	op_image_files,
	NULL,
};

static const struct op_node op_image_node = {
	.access = OP_DIR,
	.family = OP_FAMILY_IMAGE,
	.tables = op_image_tables,
	.alive = op_image_alive,
};

static int op_images_find(const char *name, struct op_ref *child)
{
	child->image = op_image_find(name);
	if (!child->image)
		return -ENOENT;
	child->node = &op_image_node;
	child->key = child->image->cookie;
	return 0;
}

/* A position is a dcookie. */
static int op_images_next(u64 *pos, char *name, struct op_ref *child)
{
	struct op_image *image = op_image_next(pos);

	if (!image)
		return -ENOENT;
	strscpy(name, image->name, NAME_MAX + 1);
	child->node = &op_image_node;
	child->key = image->cookie;
	op_image_put(image);
	return 0;
}

static const struct op_dir_ops op_images_dir_ops = {
	.find = op_images_find,
	.next = op_images_next,
};

const struct op_node op_image_nodes[] = {
	{
		.name = "images",
		.access = OP_DIR,
		.family = OP_FAMILY_IMAGES,
		.dir_ops = &op_images_dir_ops,
	},
	{},
};
