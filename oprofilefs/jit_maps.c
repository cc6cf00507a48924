// SPDX-License-Identifier: GPL-2.0-only
/*
 * jit_maps: names for ranges of code that no file has.
 *
 * Reading shows the live list, "NAME 0xSTART 0xEND[ pid=N]" a line; without
 * CAP_SYSLOG at open the kernel's addresses are 0x0.
 *
 * Writing takes commands, one a line:
 *
 *   add_mapping NAME 0xSTART 0xEND [pid=N]
 *   remove_mapping NAME [pid=N]
 *
 * - A command takes effect when its newline arrives.  A write may hold many
 *   commands, and a command may come in several writes: an unfinished line is
 *   kept with the open file.  Each open file has its own, so writers do not
 *   disturb each other; those that share one open file should write whole
 *   lines.
 * - The last line needs no newline: it takes effect at the last close(2),
 *   which returns its error.  One that closes a copy of the descriptor, in a
 *   child, say, changes nothing.  (Should the last two copies be closed in the
 *   same moment it takes effect all the same, but its error goes to the log
 *   only.)
 * - A writer that is killed by a signal leaves nothing: its unfinished line is
 *   thrown away, whoever else has the file open.  So is one of which nobody
 *   can say how its writer ended: the file was last held by the kernel alone,
 *   as a descriptor on its way through a socket is.
 * - When a command is bad, those before it are in effect, it and those after
 *   it are not, and nothing of it is kept, also not what came with an earlier
 *   write.  If commands of this write are in effect, write(2) returns the
 *   bytes up to the last one's end, as a short write; who goes on from there
 *   gets the error.  If none is, it returns the error right away.
 * - Who opened the file without CAP_SYSLOG can't name what is the kernel's:
 *   -EPERM.
 * - Blank lines are ignored.  A line has at most OP_LINE_MAX bytes: -E2BIG.
 *
 * What a line means is in parse.c, whether its range is good is for the core.
 * Runs in process context.  Writes of any size are taken a line's room at a
 * time; nothing that was written may reach the log.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/uio.h>
#include <linux/user_namespace.h>

#include "core/oprofile.h"
#include "oprofilefs/oprofilefs.h"
#include "oprofilefs/parse.h"

/**
 * struct op_jit_open - an open jit_maps
 * @open: what each open file has
 * @info: the mapping that is being shown; under the seq_file's lock
 * @pos: its position; under the seq_file's lock
 * @writing: held for a whole write, so that writes do not mix.  Its holder may
 *	wait for user memory, and somebody's page may take for ever: so it is
 *	waited for killably, and by writers only
 * @lock: protects all below; taken inside @writing, and nothing of the user's
 *	is waited for under it, as close(2) has to take it
 * @writer: the process that wrote @line; %NULL while that is empty
 * @len: bytes of @line
 * @line: the unfinished line
 */
struct op_jit_open {
	struct op_open open;
	struct op_jit_info info;
	u64 pos;

	struct mutex writing; /* of writers; the outermost */
	struct mutex lock;    /* taken before the core's */
	struct pid *writer;
	size_t len;
	char line[OP_LINE_MAX + 1];
};

static struct op_jit_open *op_jit_open(struct op_open *open)
{
	return container_of(open, struct op_jit_open, open);
}

static void op_jit_init(struct op_open *open)
{
	mutex_init(&op_jit_open(open)->writing);
	mutex_init(&op_jit_open(open)->lock);
}

/* ------------------------------------------------------------------ */
/* Writing                                                            */

/* 1: it is in effect; 0: there was nothing to do. */
static int op_jit_run(struct op_jit_open *jit, const char *line, size_t len)
{
	const char *reason = "refused";
	struct op_jit_command command;
	int err;

	err = op_parse_jit(line, len, &command, &reason);
	if (err)
		return op_refuse(jit->open.file, err, reason);
	/*
	 * Who may choose the ranges learns addresses from what is counted in
	 * them.
	 */
	if (command.verb != OP_JIT_NOTHING && !command.pid &&
	    !file_ns_capable(jit->open.file, &init_user_ns, CAP_SYSLOG))
		return op_refuse(jit->open.file, -EPERM,
				 "a range of the kernel needs CAP_SYSLOG");

	switch (command.verb) {
	case OP_JIT_NOTHING:
		return 0;
	case OP_JIT_ADD:
		err = op_jit_add(command.name, command.start, command.end,
				 command.pid);
		break;
	case OP_JIT_REMOVE:
		err = op_jit_remove(command.name, command.pid);
		break;
	}
	if (err)
		return op_refuse(jit->open.file, err,
				 command.verb == OP_JIT_ADD ?
					 "the mapping cannot be added" :
					 "the mapping cannot be removed");
	return 1;
}

/* Keeps @len bytes from @line on as the unfinished line. */
static void op_jit_keep(struct op_jit_open *jit, const char *line, size_t len)
{
	memmove(jit->line, line, len);
	jit->len = len;
	put_pid(jit->writer);
	jit->writer = len ? get_pid(task_tgid(current)) : NULL;
}

static void op_jit_forget(struct op_jit_open *jit)
{
	op_jit_keep(jit, jit->line, 0);
}

/*
 * Runs the finished lines and keeps the rest.  @rest: how many bytes are left
 * after the last command that is in effect; untouched if there is none.
 */
static int op_jit_run_lines(struct op_jit_open *jit, size_t *rest)
{
	const char *line = jit->line;
	const char *end = line + jit->len;
	const char *newline;
	int ret;

	while ((newline = memchr(line, '\n', end - line))) {
		ret = op_jit_run(jit, line, newline - line);
		if (ret < 0)
			return ret;
		line = newline + 1;
		if (ret)
			*rest = end - line;
	}
	op_jit_keep(jit, line, end - line);
	if (jit->len > OP_LINE_MAX)
		return op_refuse(jit->open.file, -E2BIG,
				 "the line is too long");
	return 0;
}

/*
 * Takes a piece of a write.  @good: how many of its bytes there are up to the
 * end of the last command that is in effect; untouched if there is none.  After
 * an error nothing is kept.
 */
static int op_jit_take(struct op_jit_open *jit, const char *text, size_t len,
		       size_t *good)
{
	size_t taken = 0;
	int err = 0;

	mutex_lock(&jit->lock);
	while (taken < len && !err) {
		size_t n = min(sizeof(jit->line) - jit->len, len - taken);
		size_t rest = SIZE_MAX;

		/* Who closes the file now may have thrown the line away. */
		if (fatal_signal_pending(current)) {
			err = -EINTR;
			break;
		}
		memcpy(jit->line + jit->len, text + taken, n);
		taken += n;
		jit->len += n;
		err = op_jit_run_lines(jit, &rest);
		if (rest != SIZE_MAX)
			*good = taken - rest;
	}
	if (err)
		op_jit_forget(jit);
	mutex_unlock(&jit->lock);
	return err;
}

static ssize_t op_jit_write(struct op_open *open, struct iov_iter *from)
{
	struct op_jit_open *jit = op_jit_open(open);
	char text[OP_LINE_MAX + 1];
	size_t done = 0; /* of this write's bytes */
	size_t good = 0; /* of them, up to the last command in effect */
	int err = 0;

	if (mutex_lock_killable(&jit->writing))
		return -EINTR;
	while (!err && iov_iter_count(from)) {
		size_t len = min(sizeof(text), iov_iter_count(from));
		size_t upto = 0;

		len = copy_from_iter(text, len, from);
		if (len) {
			err = op_jit_take(jit, text, len, &upto);
			if (upto)
				good = done + upto;
			done += len;
		} else {
			err = -EFAULT;
			mutex_lock(&jit->lock);
			op_jit_forget(jit);
			mutex_unlock(&jit->lock);
		}
		cond_resched();
	}
	mutex_unlock(&jit->writing);
	if (err)
		return good ? (ssize_t)good : err;
	return done;
}

/* Is the task that closes the file being ended by a signal? */
static bool op_being_killed(void)
{
	return (current->flags & PF_EXITING) && (current->exit_code & 0x7f);
}

/* Runs the unfinished line. */
static int op_jit_finish(struct op_jit_open *jit)
{
	int ret = op_jit_run(jit, jit->line, jit->len);

	op_jit_forget(jit);
	return min(ret, 0);
}

static int op_jit_flush(struct op_open *open, struct file *file)
{
	struct op_jit_open *jit = op_jit_open(open);
	bool last = file_count(file) == 1;
	int err = 0;

	if (!(file->f_mode & FMODE_WRITE))
		return 0;
	mutex_lock(&jit->lock);
	if (jit->len) {
		if (op_being_killed()) {
			if (last || jit->writer == task_tgid(current))
				op_jit_forget(jit);
		} else if (last) {
			err = op_jit_finish(jit);
		}
	}
	mutex_unlock(&jit->lock);
	return err;
}

/* Nobody else has the file: what flush() took for somebody has gone. */
static void op_jit_release(struct op_open *open, struct file *file)
{
	struct op_jit_open *jit = op_jit_open(open);

	mutex_lock(&jit->lock);
	if (jit->len && !op_being_killed() && !(current->flags & PF_KTHREAD))
		op_jit_finish(jit);
	op_jit_forget(jit);
	mutex_unlock(&jit->lock);
}

/* ------------------------------------------------------------------ */
/* Reading: a position is what op_jit_next() counts                   */

static void *op_jit_list_start(struct seq_file *m, loff_t *pos)
{
	struct op_jit_open *jit = op_jit_open(m->private);

	jit->pos = *pos;
	return op_jit_next(&jit->pos, &jit->info) ? NULL : &jit->info;
}

static void *op_jit_list_next(struct seq_file *m, void *v, loff_t *pos)
{
	*pos = op_jit_open(m->private)->pos;
	return op_jit_list_start(m, pos);
}

static void op_jit_list_stop(struct seq_file *m, void *v)
{
}

static int op_jit_list_show(struct seq_file *m, void *v)
{
	const struct op_jit_info *info = v;

	if (info->pid)
		seq_printf(m, "%s 0x%llx 0x%llx pid=%d\n", info->name,
			   info->start, info->end, info->pid);
	else
		seq_printf(m, "%s 0x%llx 0x%llx\n", info->name,
			   op_visible(m, info->start),
			   op_visible(m, info->end));
	return 0;
}

static const struct seq_operations op_jit_list_seq = {
	.start = op_jit_list_start,
	.next = op_jit_list_next,
	.stop = op_jit_list_stop,
	.show = op_jit_list_show,
};

const struct op_node op_jit_nodes[] = {
	{
		.name = "jit_maps",
		.access = OP_READ_WRITE,
		.seq = &op_jit_list_seq,
		.open_size = sizeof(struct op_jit_open),
		.init = op_jit_init,
		.write = op_jit_write,
		.flush = op_jit_flush,
		.release = op_jit_release,
	},
	{},
};
