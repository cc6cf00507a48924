// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files that take one value: oprofilefs/file.c with the tables of control.c
 * and counters.c, and core/settings.c behind them.
 *
 * A write is taken whole or refused.  What a file shows after one that was taken,
 * written to it, changes nothing; after one that was refused, all files show
 * what they did before.
 *
 * Input: writes, each a byte for the file, one for its length, and the text.
 */
#include "kernel.h"

/* What a file system's operations are, by name. */
struct file_operations {
	struct module *owner;
	ssize_t (*read_iter)(struct kiocb *iocb, struct iov_iter *to);
	ssize_t (*write_iter)(struct kiocb *iocb, struct iov_iter *from);
	ssize_t (*splice_read)(void);
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	int (*flush)(struct file *file, void *id);
	int (*open)(struct inode *inode, struct file *file);
	int (*release)(struct inode *inode, struct file *file);
};

typedef void *fl_owner_t;

#define THIS_MODULE ((struct module *)NULL)
#define seq_read_iter NULL
#define op_splice_read NULL
#define IS_ROOT(dentry) ((dentry)->d_parent == (dentry))
#define perfmon_capable() true
#define seq_lseek(file, offset, whence) (offset)
#define generic_file_llseek(file, offset, whence) (offset)
#define seq_release_private(inode, file) 0

static void *__seq_open_private(struct file *file,
				const struct seq_operations *ops, int size)
{
	return NULL;
}

/* The differences between kernels are none of this. */
#define OP_COMPAT_H
#include "../../oprofilefs/file.c"
/* Two tables of one name. */
#define op_field_get op_counter_field_get
#include "../../oprofilefs/counters.c"
#include "../../oprofilefs/control.c"
#include "../../core/settings.c"

#include "fuzz.h"

struct task_struct op_fuzz_task;

/* The core's counters, without sources: any word is an event. */
static struct op_counter_config counters[OP_NR_COUNTERS];

void op_counter_get(unsigned int idx, struct op_counter_config *config)
{
	*config = counters[idx];
}

int op_counter_set(unsigned int idx, enum op_counter_field field, u64 value)
{
	if (op_enabled())
		return -EBUSY;
	switch (field) {
	case OP_COUNTER_COUNT:
		counters[idx].count = value;
		break;
	case OP_COUNTER_FREQ:
		if (value > U32_MAX)
			return -ERANGE;
		counters[idx].freq = value;
		break;
	case OP_COUNTER_ENABLED:
		MUST(value <= 1);
		counters[idx].enabled = value;
		break;
	case OP_COUNTER_KERNEL:
		MUST(value <= 1);
		counters[idx].kernel = value;
		break;
	case OP_COUNTER_USER:
		MUST(value <= 1);
		counters[idx].user = value;
		break;
	}
	return 0;
}

int op_counter_set_event(unsigned int idx, const char *event)
{
	MUST(*event && strlen(event) < OP_EVENT_NAME_LEN);
	strcpy(counters[idx].event, event);
	return 0;
}

const char *op_counter_cpu_type(void)
{
	return "timer";
}

int op_event_describe(unsigned int n, struct op_event_desc *desc)
{
	return -ENOENT;
}

int op_enable(void)
{
	op_set_enabled(true);
	return 0;
}

int op_disable(void)
{
	op_set_enabled(false);
	return 0;
}

int op_dump(void)
{
	return 0;
}

int op_reset(void)
{
	return 0;
}

/* All files that take a value. */
#define MAX_FILES 64
static struct op_ref files[MAX_FILES];
static size_t nr_files;

static void find_files(const struct op_node *node, u64 key)
{
	for (; node->name; node++)
		if (node->set || node->store)
			files[nr_files++] = (struct op_ref){ node, key, NULL };
}

static char *show(const struct op_ref *ref, struct file *file)
{
	struct op_open open = { ref, file };
	struct seq_file m = {
		.text = malloc(256),
		.room = 256,
		.private = &open,
		.file = file,
	};

	m.text[0] = '\0';
	if (ref->node->get || ref->node->show)
		MUST(!op_single_show(&m, NULL));
	return m.text;
}

static ssize_t put(const struct op_ref *ref, const char *text, size_t len,
		   loff_t at)
{
	struct dentry root = { .d_parent = &root };
	struct dentry dentry = { .d_parent = &root };
	struct file file = { .f_path = { .dentry = &dentry }, .f_mode = 2 };
	struct op_open open = { ref, &file };
	struct seq_file m = { .private = &open };
	struct iov_iter from = { text, len };
	struct kiocb iocb = { &file, at };

	file.private_data = &m;
	return op_write_iter(&iocb, &from);
}

static void one_write(struct fuzz_input *in)
{
	const struct op_ref *ref = &files[fuzz_byte(in) % nr_files];
	size_t len = min((size_t)fuzz_byte(in), in->left), i;
	char *text = fuzz_copy(in->at, len), *shown, *again;
	u64 params[OP_NR_PARAMS];
	struct op_counter_config before[OP_NR_COUNTERS];
	bool enabled = op_enabled();
	struct file file = { 0 };
	ssize_t ret;

	in->at += len;
	in->left -= len;
	memcpy(params, op_params, sizeof(params));
	memcpy(before, counters, sizeof(counters));
	MUST(put(ref, text, len, 1) == -EINVAL);
	ret = put(ref, text, len, 0);
	MUST(!op_control_mutex.held);
	if (ret < 0) {
		MUST(ret == -EINVAL || ret == -ERANGE || ret == -EBUSY);
		MUST(!memcmp(params, op_params, sizeof(params)));
		MUST(!memcmp(before, counters, sizeof(counters)));
		MUST(enabled == op_enabled());
	} else {
		MUST(ret == (ssize_t)len && len <= OP_TEXT_MAX);
		shown = show(ref, &file);
		if (*shown && !op_enabled()) {
			memcpy(params, op_params, sizeof(params));
			memcpy(before, counters, sizeof(counters));
			MUST(put(ref, shown, strlen(shown), 0) ==
			     (ssize_t)strlen(shown));
			MUST(!memcmp(params, op_params, sizeof(params)));
			MUST(!memcmp(before, counters, sizeof(counters)));
		}
		again = show(ref, &file);
		MUST(!strcmp(shown, again));
		free(shown);
		free(again);
	}
	for (i = 0; i < OP_NR_PARAMS; i++)
		MUST(op_params[i] >= op_param_ranges[i].min &&
		     op_params[i] <= op_param_ranges[i].max);
	MUST(op_params[OP_PARAM_BUFFER_WATERSHED] <=
	     op_params[OP_PARAM_BUFFER_SIZE]);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static u64 params[OP_NR_PARAMS];
	struct fuzz_input in = { data, size };

	if (!nr_files) {
		find_files(op_control_nodes, 0);
		find_files(op_counter_nodes, 0);
		find_files(op_counter_nodes, OP_NR_COUNTERS - 1);
		memcpy(params, op_params, sizeof(params));
	}
	memcpy(op_params, params, sizeof(params));
	memset(counters, 0, sizeof(counters));
	/* Its text is not empty before anybody has written one. */
	strcpy(counters[0].event, "timer");
	strcpy(counters[OP_NR_COUNTERS - 1].event, "timer");
	op_disable();
	while (in.left)
		one_write(&in);
	return 0;
}
