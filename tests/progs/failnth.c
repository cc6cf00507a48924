// SPDX-License-Identifier: GPL-2.0-only
/*
 * Usage: failnth <COMMANDS
 *
 * Each line is a command of words with tabs between them:
 *
 *   OP [ARG...] [-- undo OP [ARG...]] [-- failed OP [ARG...]]
 *		 [-- count FILE WORD] [-- times N]
 *
 * Runs OP again and again, with its first allocation (or copy from or to user
 * space) failing, then its second, and so on until it asks for no more.  Nothing
 * fails in what comes after it each time: when OP failed, what stands behind
 * "failed" has to succeed, and after a success, "undo".  "count" looks for lines
 * with WORD in FILE when OP has run.  With "times", OP runs so many times, what
 * fails meanwhile is the caller's to set up, and "faults" is how often OP failed.
 * Needs a kernel with CONFIG_FAULT_INJECTION; debugfs says what may fail.
 *
 * Each command is answered by one line: "ok" or "bad", then "ERRNO COUNT" for
 * each outcome of OP with a failure injected (0: it did without), "faults N",
 * the first word and the number of each line that was counted, and behind a
 * colon what was bad: OP fails with nothing injected, before or after all, or
 * one of the others fails.  All that in one process, since to start one takes an
 * emulated machine longer than most of it.
 *
 *	load FILE        a module            unload NAME
 *	mount DIR        oprofilefs          umount DIR
 *	write FILE TEXT  open, write, close  read FILE  open, read all, close
 *	talk FILE TEXT   open, write, read all, close
 *	list DIR         read the names      open FILE  open and close
 *	stat FILE        look it up          has FILE TEXT  is that all of it?
 *	same FILE        as read; ENOMSG if it is not what it was the first time
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS 8

struct command {
	char *op[WORDS + 1];
	char *undo[WORDS + 1];
	char *failed[WORDS + 1];
	char *count[WORDS + 1];
	char *times[WORDS + 1];
};

/* What was counted, by the lines' first words. */
struct seen {
	char word[32];
	unsigned int n;
};

static char room[65536];
static char first[65536];
static int is_first;
static struct seen seen[16];
static int fail_nth;

/* All of a file, or of a folder; more than there is room for is thrown away. */
static ssize_t read_all(int fd, int folder)
{
	size_t have = 0;
	ssize_t n;

	for (;;) {
		size_t left = sizeof(room) - 1 - have;

		if (folder)
			n = syscall(SYS_getdents64, fd, room, sizeof(room));
		else
			n = read(fd, room + have, left);
		/* The stream has no end. */
		if (n < 0 && errno == EAGAIN)
			n = 0;
		if (n <= 0)
			break;
		if (!folder && (size_t)n < left)
			have += n;
	}
	room[have] = '\0';
	return n;
}

/* 0 or -1 with errno; no library function that allocates. */
static int with_file(const char *path, int flags, const char *text)
{
	int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = 0;
	int error;

	if (fd < 0)
		return -1;
	if (text)
		n = write(fd, text, strlen(text));
	if (n >= 0 && (flags & O_ACCMODE) != O_WRONLY)
		n = read_all(fd, flags & O_DIRECTORY);
	error = errno;
	if (close(fd) && n >= 0)
		return -1;
	errno = error;
	return n < 0 ? -1 : 0;
}

static int open_only(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -1 : close(fd);
}

static int load(const char *path)
{
	/* Opened before anything may fail: the file is not the subject. */
	static int fd = -1;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	return syscall(SYS_finit_module, fd, "", 0);
}

static int has(const char *path, const char *text)
{
	size_t len = strlen(text);

	if (with_file(path, O_RDONLY, NULL))
		return -1;
	if (!strncmp(room, text, len) &&
	    (!room[len] || !strcmp(room + len, "\n")))
		return 0;
	errno = ENOMSG;
	return -1;
}

/* What fails says so: it does not show less. */
static int same(const char *path)
{
	if (with_file(path, O_RDONLY, NULL))
		return -1;
	if (is_first)
		strcpy(first, room);
	if (!strcmp(first, room))
		return 0;
	errno = ENOMSG;
	return -1;
}

static int run(char **op)
{
	struct stat st;

	if (!op[0])
		return 0;
	if (op[1] && !strcmp(op[0], "load"))
		return load(op[1]);
	if (op[1] && !strcmp(op[0], "unload"))
		return syscall(SYS_delete_module, op[1], O_NONBLOCK);
	if (op[1] && !strcmp(op[0], "mount"))
		return mount("nodev", op[1], "oprofilefs", 0, NULL);
	if (op[1] && !strcmp(op[0], "umount"))
		return umount(op[1]);
	if (op[1] && op[2] && !strcmp(op[0], "write"))
		return with_file(op[1], O_WRONLY, op[2]);
	if (op[1] && op[2] && !strcmp(op[0], "talk"))
		return with_file(op[1], O_RDWR, op[2]);
	if (op[1] && op[2] && !strcmp(op[0], "has"))
		return has(op[1], op[2]);
	if (op[1] && !strcmp(op[0], "read"))
		return with_file(op[1], O_RDONLY, NULL);
	if (op[1] && !strcmp(op[0], "same"))
		return same(op[1]);
	if (op[1] && !strcmp(op[0], "list"))
		return with_file(op[1], O_RDONLY | O_DIRECTORY, NULL);
	if (op[1] && !strcmp(op[0], "open"))
		return open_only(op[1]);
	if (op[1] && !strcmp(op[0], "stat"))
		return stat(op[1], &st);
	fprintf(stderr, "failnth: what is '%s'?\n", op[0]);
	exit(2);
}

/* The number's own way from and to user space may be what fails. */
static void set_nth(unsigned int n)
{
	char text[16];
	int tries;

	snprintf(text, sizeof(text), "%u", n);
	for (tries = 0; tries < 2; tries++) {
		if (pwrite(fail_nth, text, strlen(text), 0) > 0)
			return;
	}
	perror("failnth: fail-nth");
	exit(2);
}

/* What is left of the number: 0 means that the failure was injected. */
static unsigned int get_nth(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) >= 0)
		return strtoul(text, NULL, 10);
	if (errno == EFAULT)
		return 1;
	perror("failnth: fail-nth");
	exit(2);
}

static void count(char **what)
{
	size_t len;
	struct seen *s;
	char *line;

	if (!what[0] || !what[1] || with_file(what[0], O_RDONLY, NULL))
		return;
	for (line = strtok(room, "\n"); line; line = strtok(NULL, "\n")) {
		if (!strstr(line, what[1]))
			continue;
		len = strcspn(line, " ");
		for (s = seen; s < seen + 16; s++) {
			if (!s->n)
				snprintf(s->word, sizeof(s->word), "%.*s",
					 (int)len, line);
			if (strlen(s->word) == len &&
			    !strncmp(s->word, line, len))
				break;
		}
		if (s < seen + 16)
			s->n++;
	}
}

/* Does @op, with nothing failing?  If not, why. */
static int good(char **op, unsigned int n, char *why, size_t size)
{
	if (!run(op))
		return 1;
	if (!*why)
		snprintf(why, size, "failure %u: %s %s: %s", n, op[0],
			 op[1] ? op[1] : "", strerror(errno));
	return 0;
}

static void run_command(struct command *c)
{
	unsigned long outcomes[256] = { 0 };
	unsigned int n, times = 0, faults = 0, left;
	char why[256] = "";
	struct seen *s;
	int i, ret, error;

	memset(seen, 0, sizeof(seen));
	if (c->times[0])
		times = strtoul(c->times[0], NULL, 10);
	/* Once without failures: what stays is there then. */
	is_first = 1;
	if (!times && good(c->op, 0, why, sizeof(why)))
		good(c->undo, 0, why, sizeof(why));
	is_first = 0;

	for (n = 1; !*why; n++) {
		set_nth(times ? 0 : n);
		ret = run(c->op);
		error = ret ? errno : 0;
		left = times ? 0 : get_nth();
		set_nth(0);
		if (left && error)
			snprintf(why, sizeof(why), "%s although nothing failed",
				 strerror(error));
		if (!left)
			outcomes[error & 255]++;
		faults += times ? !!error : !left;
		count(c->count);
		good(error ? c->failed : c->undo, n, why, sizeof(why));
		if (times ? n == times : left)
			break;
		if (n > 10000)
			snprintf(why, sizeof(why), "it never ends");
	}

	printf("%s", *why ? "bad" : "ok");
	for (i = 0; i < 256; i++) {
		if (outcomes[i])
			printf(" %s %lu", i ? strerrorname_np(i) : "0",
			       outcomes[i]);
	}
	printf(" faults %u", faults);
	for (s = seen; s < seen + 16 && s->n; s++)
		printf(" %s %u", s->word, s->n);
	printf("%s%s\n", *why ? ": " : "", why);
}

int main(void)
{
	static char line[4096];
	struct command c;
	char *word, *save, **to;
	int n;

	setvbuf(stdout, NULL, _IOLBF, 0);
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0) {
		perror("failnth: fail-nth");
		return 2;
	}
	/* Page faults ask for memory, too, but are not the subject. */
	mlockall(MCL_CURRENT | MCL_FUTURE);

	while (fgets(line, sizeof(line), stdin)) {
		memset(&c, 0, sizeof(c));
		line[strcspn(line, "\n")] = '\0';
		to = c.op;
		n = 0;
		/* Two tabs are a word without a letter between them. */
		for (save = line; (word = strsep(&save, "\t"));) {
			if (!strcmp(word, "--") && save) {
				word = strsep(&save, "\t");
				to = !strcmp(word, "undo")   ? c.undo :
				     !strcmp(word, "failed") ? c.failed :
				     !strcmp(word, "count")  ? c.count :
							       c.times;
				n = 0;
			} else if (n < WORDS) {
				to[n++] = word;
			}
		}
		run_command(&c);
	}
	return 0;
}
