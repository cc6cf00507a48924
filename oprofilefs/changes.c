// SPDX-License-Identifier: GPL-2.0-only
/*
 * changes: what has samples that it had not at an earlier look.
 *
 * For whoever looks again and again, such as a live view: reading all
 * histograms costs what there is, and this costs what is new.  What is written
 * is the generation that an earlier read said, 0 for none; what is read then is
 *
 *   # generation: G                 to be written next time
 *   # since: G                      what was written; or 0: see below
 *   # enabled: 0 or 1              as the file enable
 *   # events: EVENT[:PERIOD|:RATEHz] …    one a column, as in hist
 *   stat NAME NUMBER                each file of stats/ that is a number
 *   stat cpuN/received NUMBER       of each CPU that has samples
 *   image DCOOKIE SAMPLES [hist]    each image that has new samples
 *   0xOFFSET COUNT [COLUMN]         its bins that have, in no order
 *
 * A number is what it is now, and no difference.  The first column, 0, is not
 * named: mostly there is no other.  Where an image's line ends in
 * "hist", its bins are not listed, and its hist has to be read: of all images,
 * if nothing was written, or the counts were reset since, or the generation is
 * not known; and of those whose offsets are addresses of the kernel, for whoever
 * may not see these.
 *
 * Runs in process context.  An open file holds at most one copy of the changes.
 */
#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>

#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"

/**
 * struct op_changes_open - an open changes file; under the seq_file's lock
 * @open: what each open file has
 * @since: what was written
 * @changes: the copy, %NULL before the first read
 * @columns: what each column counts
 * @column: a counter's place among them
 */
struct op_changes_open {
	struct op_open open;
	u64 since;
	struct op_changes *changes;
	char columns[OP_NR_COUNTERS][OP_COLUMN_LEN];
	u8 column[OP_NR_COUNTERS];
};

static int op_changes_take(struct op_changes_open *open)
{
	struct op_changes *changes = op_changes_read(READ_ONCE(open->since));
	unsigned int idx;

	if (IS_ERR(changes))
		return PTR_ERR(changes);
	if (open->changes)
		op_changes_free(open->changes);
	open->changes = changes;
	op_columns_name(&changes->columns, open->columns);
	for (idx = 0; idx < OP_NR_COUNTERS; idx++)
		open->column[idx] =
			hweight_long(changes->columns & (BIT(idx) - 1));
	return 0;
}

/*
 * Position 0 is the head, N is change N - 1; but as many bins as are here go
 * together, since there can be many and each costs little.
 */
#define OP_BINS_TOGETHER 16

static unsigned int op_changes_together(const struct op_changes *changes,
					unsigned long from)
{
	unsigned int n = 1;

	if (changes->list[from].of_image)
		return 1;
	while (n < OP_BINS_TOGETHER && from + n < changes->nr &&
	       !changes->list[from + n].of_image)
		n++;
	return n;
}

static void *op_changes_at(struct seq_file *m, loff_t pos)
{
	struct op_changes_open *open = m->private;

	if (!pos)
		return SEQ_START_TOKEN;
	if (pos > open->changes->nr)
		return NULL;
	return &open->changes->list[pos - 1];
}

static void *op_changes_start(struct seq_file *m, loff_t *pos)
{
	struct op_changes_open *open = m->private;
	int err;

	if (!open->changes || op_seq_anew(m, *pos)) {
		err = op_changes_take(open);
		if (err)
			return ERR_PTR(err);
	}
	return op_changes_at(m, *pos);
}

static void *op_changes_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct op_changes_open *open = m->private;

	*pos += *pos ? op_changes_together(open->changes, *pos - 1) : 1;
	return op_changes_at(m, *pos);
}

static void op_changes_stop(struct seq_file *m, void *v)
{
}

static void op_changes_show_head(struct seq_file *m)
{
	struct op_changes_open *open = m->private;
	unsigned int stat, cpu;
	u64 received;

	seq_printf(m, "# generation: %llu\n# since: %llu\n# enabled: %d\n",
		   open->changes->generation, open->changes->since,
		   op_enabled());
	op_columns_print(m, open->changes->columns, open->columns);
	for (stat = 0; stat < OP_NR_STATS; stat++) {
		seq_puts(m, "stat ");
		seq_puts(m, op_stat_name(stat));
		seq_put_decimal_ull(m, " ", op_stat_read(stat));
		seq_putc(m, '\n');
	}
	for_each_present_cpu(cpu) {
		received = op_stat_read_cpu(OP_STAT_RECEIVED, cpu);
		if (received)
			seq_printf(m, "stat cpu%u/%s %llu\n", cpu,
				   op_stat_name(OP_STAT_RECEIVED), received);
	}
}

/* Digits are put in front of what is there, the last one first. */

static char *op_put_decimal(char *at, u64 n)
{
	do {
		*--at = '0' + n % 10;
		n /= 10;
	} while (n);
	return at;
}

static char *op_put_hex(char *at, u64 n)
{
	do {
		*--at = hex_asc_lo(n);
		n >>= 4;
	} while (n);
	*--at = 'x';
	*--at = '0';
	return at;
}

/* Nearly all lines: as seq_printf() would, at a small part of its cost. */
static void op_changes_show_bins(struct seq_file *m,
				 const struct op_change *change)
{
	struct op_changes_open *open = m->private;
	const struct op_change *last;
	/* Of 64 bits 18 and 20 digits at most, of 8 bits 3. */
	char text[OP_BINS_TOGETHER * (18 + 1 + 20 + 1 + 3 + 1)];
	char *const end = text + sizeof(text);
	char *at = end;

	last = change +
	       op_changes_together(open->changes, change - open->changes->list);
	while (last-- > change) {
		*--at = '\n';
		if (open->column[last->counter]) {
			at = op_put_decimal(at, open->column[last->counter]);
			*--at = ' ';
		}
		at = op_put_decimal(at, last->count);
		*--at = ' ';
		at = op_put_hex(at, last->value);
	}
	seq_write(m, at, end - at);
}

static int op_changes_show(struct seq_file *m, void *v)
{
	struct op_changes_open *open = m->private;
	const struct op_change *change = v;
	bool hidden;

	if (v == SEQ_START_TOKEN) {
		op_changes_show_head(m);
		return 0;
	}
	hidden = op_offset_is_address(change->kind) && !op_visible(m, U64_MAX);
	if (change->of_image) {
		seq_put_decimal_ull(m, "image ", change->value);
		seq_put_decimal_ull(m, " ", change->count);
		seq_puts(m, hidden || !open->changes->since ? " hist\n" : "\n");
	} else if (!hidden) {
		op_changes_show_bins(m, change);
	}
	return 0;
}

static const struct seq_operations op_changes_seq = {
	.start = op_changes_start,
	.next = op_changes_next,
	.stop = op_changes_stop,
	.show = op_changes_show,
};

static ssize_t op_changes_write(struct op_open *open, struct iov_iter *from)
{
	char text[OP_TEXT_MAX + 1];
	ssize_t len = op_take_text(open->file, from, text);
	u64 since;
	int err;

	if (len < 0)
		return len;
	err = op_parse_u64(text, len, &since);
	if (err)
		return op_refuse(open->file, err, "not a generation");
	WRITE_ONCE(container_of(open, struct op_changes_open, open)->since,
		   since);
	return len;
}

static void op_changes_release(struct op_open *open, struct file *file)
{
	struct op_changes *changes =
		container_of(open, struct op_changes_open, open)->changes;

	if (changes)
		op_changes_free(changes);
}

const struct op_node op_changes_nodes[] = {
	{
		.name = "changes",
		.access = OP_READ_WRITE,
		.seq = &op_changes_seq,
		.open_size = sizeof(struct op_changes_open),
		.write = op_changes_write,
		.rewind = true,
		.release = op_changes_release,
	},
	{},
};
