// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything at once.
 *
 * usage: chaos DIR FILE.ko OTHER.ko SECONDS SEED [ACTOR...]
 *
 * DIR is where oprofilefs is mounted, FILE.ko is the module itself, OTHER.ko one
 * that may come and go.  Each ACTOR (without one: each there is) is a process
 * that does its kind of thing again and again, at random, for SECONDS: it loads
 * and unloads, mounts and unmounts, enables and disables, changes sizes, adds and
 * removes JIT ranges and marks, reads slowly and is killed, takes CPUs away, runs
 * out of memory, freezes.  It knows nothing of the others, so anything may be
 * refused, but only with an error that is documented for it.
 *
 * Prints "ACTOR ERROR COUNT" for each outcome (0: it worked).  Exit status 1 if
 * there was an error that an actor may not get, or one of them died.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define ERRORS 134

static const char *dir, *module, *other;
static uint64_t random_state;

/* What a step can end with, over all of an actor's. */
struct outcome {
	_Atomic uint64_t count[ERRORS];
};

/* Ends them all; lets those go who hold a file of the tree. */
static _Atomic int *stop, *hush;

static unsigned int below(unsigned int n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 20) % n;
}

static void pause_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };

	nanosleep(&ts, NULL);
}

static int put_in(const char *where, const char *file, const char *text)
{
	char path[256];
	int fd, error = 0;

	snprintf(path, sizeof(path), "%s/%s", where, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		error = errno;
	if (close(fd) && !error)
		error = errno;
	return error;
}

__attribute__((format(printf, 2, 3))) static int put(const char *file,
						     const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return put_in(dir, file, text);
}

static int open_in(const char *file, int flags)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return open(path, flags | O_CLOEXEC);
}

/* Who is frozen, for suspend, while it waits for other modules is told EINTR. */
static int unload(const char *name, int flags)
{
	int error;

	do {
		error = syscall(SYS_delete_module, name, flags) ? errno : 0;
	} while (error == EINTR);
	return error;
}

/* --- the actors: one step each, which returns 0 or an errno --- */

/* It works if the module was really gone. */
static int step_lifecycle(void)
{
	int fd, tries, flags = below(2) ? MNT_DETACH : 0, error = 0;

	pause_ms(100 + below(1500));
	*hush = 1;
	/* At once, or when most of the others have left. */
	for (tries = below(20); tries >= 0; tries--) {
		umount2(dir, flags);
		error = unload("oprofile", O_NONBLOCK);
		if (!error)
			break;
		pause_ms(50);
	}
	*hush = 0;
	fd = open(module, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", module);
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		error = errno;
	close(fd);
	pause_ms(below(20));
	if (mount("nodev", dir, "oprofilefs", 0, NULL) && errno != EBUSY)
		error = errno;
	return error;
}

static int step_switch(void)
{
	static const char *const texts[] = { "1", "1", "1", "0" };

	pause_ms(below(300));
	return put("enable", "%s", texts[below(ARRAY_SIZE(texts))]);
}

static int step_sizes(void)
{
	pause_ms(below(30));
	switch (below(9)) {
	case 0:
		return put("cpu_buffer_size", "%u", 64u << below(8));
	case 1:
		return put("buffer_size", "%u", 4096u << below(5));
	case 2:
		return put("buffer_watershed", "%u", 256u << below(7));
	case 3:
		return put("sync_ms", "%u", 10 + below(300));
	case 4:
		return put("hist_memory", "%u", 1u << (16 + below(12)));
	case 5:
		return put("0/freq", "%u", 97 + below(4000));
	case 6:
		return put("1/event", "%s",
			   below(2) ? "cpu-clock" : "page-faults");
	case 7:
		return put("1/count", "%u", 50000 + below(1000000));
	default:
		return put("1/enabled", "%u", below(2));
	}
}

static int step_dump(void)
{
	pause_ms(below(50));
	return put("dump", "1");
}

static int step_reset(void)
{
	pause_ms(below(800));
	return put("reset", "1");
}

/* Ranges of nobody, of this process, of the kernel; some are left behind. */
static int step_jit(void)
{
	unsigned int n = below(200);
	uint64_t start = 0x10000 + 0x1000ull * below(100);

	if (below(50) == 0)
		pause_ms(1);
	switch (below(4)) {
	case 0:
		return put("jit_maps",
			   "add_mapping k%u 0xffffffffc%07x 0xffffffffc%07x", n,
			   0x0800000 + n * 0x1000, 0x0801000 + n * 0x1000);
	case 1:
		return put("jit_maps", "add_mapping u%u 0x%llx 0x%llx pid=%d",
			   n, (unsigned long long)start,
			   (unsigned long long)start + 0x1000 * (1 + below(20)),
			   getpid());
	case 2:
		return put("jit_maps", "remove_mapping k%u", n);
	default:
		return put("jit_maps", "remove_mapping u%u pid=%d", n,
			   getpid());
	}
}

/* Run a part in a process that is killed, wherever it is. */
static int killed_after(unsigned int ms, void (*part)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (!pid) {
		part();
		_exit(0);
	}
	pause_ms(ms);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

static void half_a_line(void)
{
	unsigned int n = 0;
	int fd;

	for (; !*hush; n++) {
		fd = open_in("jit_maps", O_WRONLY);
		if (fd < 0)
			return;
		dprintf(fd, "add_mapping half%u 0x10000 0x11000 pid=%d\nadd_",
			n, getpid());
		if (below(2))
			dprintf(fd, "mapping x 0x2");
		close(fd);
	}
}

static int step_killed_writer(void)
{
	return killed_after(below(30), half_a_line);
}

static int step_mark(void)
{
	static const char *const what[] = {
		"/bin/bash",
		"/usr/bin/gawk",
		"vmlinux",
		"oprofile.ko",
		"opburn.ko",
		"jit:k1",
		"/lib64/ld-linux-x86-64.so.2",
		"/nonexistent",
	};
	const char *one = what[below(ARRAY_SIZE(what))];

	pause_ms(below(100));
	/* Mostly nothing is marked, or there would be little to see. */
	return put("mark", "%s%s", below(4) ? "unmark " : "", one);
}

static int read_some(const char *file, size_t size, unsigned int times,
		     unsigned int ms)
{
	static char room[1 << 16];
	int fd = open_in(file, O_RDONLY | O_NONBLOCK), error = 0;
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	ssize_t n = 1;

	if (fd < 0)
		return errno;
	while (times-- && n > 0 && !*stop && !*hush) {
		n = read(fd, room, size);
		if (n < 0 && errno == EAGAIN) {
			poll(&pollfd, 1, 200);
			n = 1;
		} else if (n < 0) {
			error = errno;
		}
		pause_ms(ms);
	}
	close(fd);
	return error;
}

static int step_fast_reader(void)
{
	return read_some("buffer", 1 << 16, 300, 0);
}

static int step_slow_reader(void)
{
	return read_some("buffer", 4096, 40, 100);
}

static void read_for_ever(void)
{
	while (!*hush)
		read_some("buffer", 8192, 1000, 0);
}

static int step_killed_reader(void)
{
	return killed_after(below(200), read_for_ever);
}

/* All files, with room for a line or for all of it. */
static int walk(const char *path, unsigned int depth)
{
	struct dirent *entry;
	char name[512];
	int fd = open_in(path, O_RDONLY | O_DIRECTORY), error = 0;
	DIR *stream;

	if (fd < 0)
		return errno;
	stream = fdopendir(fd);
	while (!error && !*stop && (entry = readdir(stream))) {
		if (entry->d_name[0] == '.' ||
		    snprintf(name, sizeof(name), "%s/%s", path,
			     entry->d_name) >= (int)sizeof(name))
			continue;
		if (entry->d_type == DT_DIR && depth)
			error = walk(name, depth - 1);
		else if (strcmp(entry->d_name, "buffer") && below(3) == 0)
			error = read_some(name, below(2) ? 1 << 16 : 200, 1000,
					  0);
		/* What goes while one looks is no fault; nor what is for writing. */
		if (error == ENOENT || error == EACCES)
			error = 0;
	}
	closedir(stream);
	return error;
}

static int step_walk(void)
{
	return walk(".", 3);
}

static int step_hotplug(void)
{
	char file[64];
	unsigned int cpu = 1 + below(3);

	pause_ms(below(1000));
	snprintf(file, sizeof(file), "cpu%u/online", cpu);
	return put_in("/sys/devices/system/cpu", file, below(3) ? "1" : "0");
}

/* Its group has little memory, so it comes to its end in the middle. */
static void eat(void)
{
	char text[32];
	size_t size = 64 << 20, at;
	char *memory;

	snprintf(text, sizeof(text), "%d", getpid());
	if (put_in("/sys/fs/cgroup/little", "cgroup.procs", text))
		_exit(1);
	put("jit_maps", "add_mapping eater 0x10000 0x20000 pid=%d", getpid());
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (at = 0; memory != MAP_FAILED && at < size; at += 4096) {
		memory[at] = 1;
		if (at % (1 << 20) == 0) {
			put("jit_maps", "add_mapping e%zx 0x%zx 0x%zx pid=%d",
			    at, (size_t)memory + at, (size_t)memory + at + 4096,
			    getpid());
			read_some("buffer", 1 << 16, 1, 0);
			read_some("images/vmlinux/hist", 1 << 16, 9, 0);
		}
	}
}

static int step_out_of_memory(void)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (!pid) {
		eat();
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* That it is killed is what it is for. */
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : EIO;
}

static int step_freeze(void)
{
	static bool frozen;

	pause_ms(below(400));
	frozen = !frozen;
	return put_in("/sys/fs/cgroup/cold", "cgroup.freeze",
		      frozen ? "1" : "0");
}

/* As far as all tasks are frozen; the rest needs devices that can sleep. */
static int step_suspend(void)
{
	int error;

	pause_ms(2000 + below(4000));
	error = put_in("/sys/power", "pm_test", "freezer");
	return error ? error : put_in("/sys/power", "state", "freeze");
}

static int step_module(void)
{
	int fd = open(other, O_RDONLY | O_CLOEXEC), loaded, unloaded;

	if (fd < 0)
		err(1, "%s", other);
	loaded = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	close(fd);
	pause_ms(below(50));
	unloaded = unload("opburn", 0);
	return loaded ? loaded : unloaded;
}

/* Somebody else's events. */
static int step_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.mmap = 1,
		.comm = 1,
		.task = 1,
		.ksymbol = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, below(4), -1,
			 PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	pause_ms(below(100));
	close(fd);
	return 0;
}

/*
 * What the tree may answer whatever one asks: it is not there at the moment, or
 * is on its way out.
 */
#define GONE ENOENT, ENODEV

static const struct actor {
	const char *name;
	int (*step)(void);
	int may[8]; /* errors that others, or chance, can bring about */
} actors[] = {
	{ "lifecycle", step_lifecycle, { EBUSY, EAGAIN } },
	{ "switch", step_switch, { GONE, EBUSY } },
	{ "sizes", step_sizes, { GONE, EBUSY, EINVAL } },
	{ "dump", step_dump, { GONE } },
	{ "reset", step_reset, { GONE } },
	{ "jit", step_jit, { GONE, EEXIST, ENOSPC } },
	{ "jit2", step_jit, { GONE, EEXIST, ENOSPC } },
	{ "killed-writer", step_killed_writer, {} },
	{ "mark", step_mark, { GONE, ENOSPC } },
	{ "fast-reader", step_fast_reader, { GONE } },
	{ "slow-reader", step_slow_reader, { GONE } },
	{ "killed-reader", step_killed_reader, {} },
	{ "walk", step_walk, { GONE } },
	{ "hotplug", step_hotplug, { EBUSY } },
	{ "out-of-memory", step_out_of_memory, {} },
	{ "freeze", step_freeze, {} },
	{ "suspend", step_suspend, { EBUSY } },
	{ "module", step_module, { EBUSY } },
	{ "perf", step_perf, { ENODEV } },
};

static bool allowed(const struct actor *actor, int error)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(actor->may); i++)
		if (actor->may[i] == error)
			return true;
	return !error;
}

static void act(const struct actor *actor, struct outcome *outcome)
{
	int error;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!*stop) {
		/* The lifecycle alone says so, and no longer than its own step. */
		while (*hush && !*stop)
			pause_ms(10);
		error = actor->step();
		outcome->count[error < ERRORS ? error : ERRORS - 1]++;
	}
	_exit(0);
}

static bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct outcome *outcomes;
	pid_t pids[ARRAY_SIZE(actors)] = {};
	int status, failed = 0, error;
	unsigned int seconds;
	size_t i;

	if (argc < 6)
		errx(2,
		     "usage: chaos DIR FILE.ko OTHER.ko SECONDS SEED [ACTOR...]");
	dir = argv[1];
	module = argv[2];
	other = argv[3];
	seconds = strtoul(argv[4], NULL, 0);
	outcomes =
		mmap(NULL,
		     sizeof(*outcomes) * ARRAY_SIZE(actors) + 2 * sizeof(*stop),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (outcomes == MAP_FAILED)
		err(1, "mmap");
	stop = (void *)&outcomes[ARRAY_SIZE(actors)];
	hush = stop + 1;
	for (i = 0; i < ARRAY_SIZE(actors); i++) {
		if (!wanted(actors[i].name, argv + 6))
			continue;
		pids[i] = fork();
		if (pids[i] < 0)
			err(1, "fork");
		random_state = strtoull(argv[5], NULL, 0) * 1000 + i + 1;
		if (!pids[i])
			act(&actors[i], &outcomes[i]);
	}
	pause_ms(seconds * 1000);
	*stop = 1;
	for (i = 0; i < ARRAY_SIZE(actors); i++) {
		if (!pids[i])
			continue;
		while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
			;
		if (status) {
			printf("%s died: status %#x\n", actors[i].name, status);
			failed = 1;
		}
		for (error = 0; error < ERRORS; error++) {
			if (!outcomes[i].count[error])
				continue;
			printf("%s %s %llu%s\n", actors[i].name,
			       error ? strerrorname_np(error) : "0",
			       (unsigned long long)outcomes[i].count[error],
			       allowed(&actors[i], error) ? "" : " UNEXPECTED");
			failed |= !allowed(&actors[i], error);
		}
	}
	return failed;
}
