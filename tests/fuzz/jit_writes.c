// SPDX-License-Identifier: GPL-2.0-only
/*
 * oprofilefs/jit_maps.c: commands that come in writes cut anywhere, some of
 * which cannot be read.
 *
 * However a text is cut, the same commands take effect, up to the first that is
 * bad; and a write says how far that was.
 *
 * Input: how many cuts, the pieces' sizes (255: one that cannot be read), then
 * the text.  The sizes come round again when there is more text.
 */
#include "kernel.h"

#include "../../oprofilefs/jit_maps.c"

#include "fuzz.h"

#define MAX_COMMANDS 64

struct task_struct op_fuzz_task;

/* What took effect. */
static struct op_jit_command done[MAX_COMMANDS];
static size_t nr_done;

static int take(enum op_jit_verb verb, const char *name, u64 start, u64 end,
		pid_t pid)
{
	/* The core refuses, too. */
	if (strstr(name, "full"))
		return -ENOSPC;
	if (nr_done == MAX_COMMANDS)
		return -ENOMEM;
	done[nr_done] = (struct op_jit_command){ verb, pid, start, end, "" };
	strcpy(done[nr_done++].name, name);
	return 0;
}

int op_jit_add(const char *name, u64 start, u64 end, pid_t pid)
{
	return take(OP_JIT_ADD, name, start, end, pid);
}

int op_jit_remove(const char *name, pid_t pid)
{
	return take(OP_JIT_REMOVE, name, 0, 0, pid);
}

int op_jit_next(u64 *pos, struct op_jit_info *info)
{
	return -ENOENT;
}

int op_refuse(const struct file *file, int err, const char *reason)
{
	MUST(err < 0 && reason && *reason);
	return err;
}

u64 op_visible(struct seq_file *m, u64 address)
{
	return 0;
}

/*
 * The same by another way: line by line, of all the text that was taken.
 * @nr: of the commands in @done, those that it found so far.
 */
struct model {
	char *text;
	size_t len;
	size_t nr;
	bool syslog;
};

static int model_line(struct model *model, const char *line, size_t len)
{
	struct op_jit_command command;
	const char *reason;
	int err = op_parse_jit(line, len, &command, &reason);

	if (err || command.verb == OP_JIT_NOTHING)
		return err;
	if (!command.pid && !model->syslog)
		return -EPERM;
	if (strstr(command.name, "full"))
		return -ENOSPC;
	if (model->nr == MAX_COMMANDS)
		return -ENOMEM;
	MUST(model->nr < nr_done);
	MUST(done[model->nr].verb == command.verb);
	MUST(done[model->nr].pid == command.pid);
	MUST(done[model->nr].start == command.start);
	MUST(done[model->nr].end == command.end);
	MUST(!strcmp(done[model->nr].name, command.name));
	model->nr++;
	return 0;
}

/* What a write must return. */
static ssize_t model_write(struct model *model, const char *text, size_t len)
{
	size_t before = model->len, good = 0, begin = 0, i, nr;
	int err = 0;

	memcpy(model->text + before, text, len);
	model->len += len;
	for (i = 0; i < model->len && !err; i++) {
		if (model->text[i] != '\n') {
			if (i - begin == OP_LINE_MAX)
				err = -E2BIG;
			continue;
		}
		nr = model->nr;
		err = model_line(model, model->text + begin, i - begin);
		begin = i + 1;
		if (model->nr != nr)
			good = begin - before;
	}
	if (err) {
		model->len = 0;
		return good ? (ssize_t)good : err;
	}
	model->len -= begin;
	memmove(model->text, model->text + begin, model->len);
	return len;
}

static void play(struct fuzz_input *in, struct op_jit_open *jit,
		 struct model *model)
{
	const uint8_t *cuts;
	size_t nr_cuts = fuzz_byte(in) % 32, next = 0;

	nr_cuts = min(nr_cuts, in->left);
	cuts = in->at;
	in->at += nr_cuts;
	in->left -= nr_cuts;
	while (in->left) {
		size_t len = nr_cuts ? cuts[next++ % nr_cuts] : in->left;
		bool faulty = len == 255;
		char *piece;
		struct iov_iter from;
		ssize_t ret;

		len = min(len, in->left);
		if (!len)
			len = 1;
		piece = fuzz_copy(in->at, len);
		from = (struct iov_iter){ piece, len, faulty };
		in->at += len;
		in->left -= len;
		ret = op_jit_write(&jit->open, &from);
		if (faulty) {
			MUST(ret == -EFAULT && !jit->len);
			model->len = 0;
		} else {
			MUST(ret == model_write(model, piece, len));
		}
		free(piece);
		MUST(nr_done == model->nr);
		MUST(jit->len == model->len && jit->len <= OP_LINE_MAX);
		MUST(!memcmp(jit->line, model->text, jit->len));
		MUST(op_fuzz_task.pid.refs == !!jit->len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct op_jit_open *jit = calloc(1, sizeof(*jit));
	unsigned int how = fuzz_byte(&in);
	struct file file = {
		.f_mode = FMODE_WRITE,
		.count = 1,
		.syslog = how & 1,
	};
	struct model model = {
		.text = malloc(size + OP_LINE_MAX + 2),
		.syslog = how & 1,
	};
	int err, want;

	op_fuzz_task = (struct task_struct){ 0 };
	nr_done = 0;
	jit->open.file = &file;
	op_jit_init(&jit->open);
	play(&in, jit, &model);
	if (how & 2) {
		/* Killed: the unfinished line is left undone. */
		op_fuzz_task.flags = PF_EXITING;
		op_fuzz_task.exit_code = 9;
	}
	err = op_jit_flush(&jit->open, &file);
	want = how & 2 ? 0 : model_line(&model, model.text, model.len);
	MUST(err == want);
	MUST(nr_done == model.nr && !jit->len);
	op_jit_release(&jit->open, &file);
	MUST(nr_done == model.nr && !op_fuzz_task.pid.refs);
	free(jit);
	free(model.text);
	return 0;
}
