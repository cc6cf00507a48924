// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of anonymous memory: from what the programs with a JIT leave in /tmp.
 *
 * The histogram of anonymous memory is one for all processes, and an offset in
 * it is an address.  So an address gets a name if one process gave it one, or
 * several the same; where two disagree it has none.  A process that has no map
 * may have something else at the address, which nothing here can know.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jitmap.h"
#include "names.h"

/* A bigger one is not what a JIT writes. */
#define OP_JIT_FILE_MAX (1ll << 28)

/* The number in perf-PID.map or jit-PID.dump; 0: it is neither. */
static unsigned int op_jit_pid(const char *name, bool *dump)
{
	unsigned long pid;
	char *end;

	*dump = !strncmp(name, "jit-", 4);
	if (!*dump && strncmp(name, "perf-", 5))
		return 0;
	name = strchr(name, '-') + 1;
	if (*name < '1' || *name > '9')
		return 0;
	pid = strtoul(name, &end, 10);
	if (pid > INT32_MAX || strcmp(end, *dump ? ".dump" : ".map"))
		return 0;
	return pid;
}

/* Whoever may write there may leave anything: only a plain file is opened. */
static FILE *op_jit_open(int folder, const char *name)
{
	struct stat status;
	FILE *file = NULL;
	int fd = openat(folder, name,
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) &&
	    status.st_size <= OP_JIT_FILE_MAX)
		file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

/**
 * struct op_jit_file - a process's map
 * @pid: the process
 * @name: the file's name
 */
struct op_jit_file {
	unsigned int pid;
	bool dump;
	char name[32];
};

static int op_jit_file_compare(const void *one, const void *other)
{
	const struct op_jit_file *a = one, *b = other;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (int)a->dump - (int)b->dump;
}

static struct op_jit_file *op_jit_list(DIR *folder, size_t *count)
{
	struct op_jit_file *files = NULL, *grown;

	*count = 0;
	for (struct dirent *entry; (entry = readdir(folder));) {
		struct op_jit_file file;

		file.pid = op_jit_pid(entry->d_name, &file.dump);
		if (!file.pid || strlen(entry->d_name) >= sizeof(file.name))
			continue;
		strcpy(file.name, entry->d_name);
		grown = realloc(files, (*count + 1) * sizeof(*files));
		if (!grown)
			break;
		files = grown;
		files[(*count)++] = file;
	}
	if (*count)
		qsort(files, *count, sizeof(*files), op_jit_file_compare);
	return files;
}

/**
 * op_anon_stamp - whether something is new
 * @folder: where the maps are
 *
 * Return: a number that is another one after a map came, went or grew.
 */
uint64_t op_anon_stamp(const char *folder)
{
	uint64_t stamp = 1;
	DIR *open = opendir(folder);
	bool dump;

	if (!open)
		return 0;
	for (struct dirent *entry; (entry = readdir(open));) {
		struct stat status;

		if (!op_jit_pid(entry->d_name, &dump) ||
		    fstatat(dirfd(open), entry->d_name, &status,
			    AT_SYMLINK_NOFOLLOW))
			continue;
		/* A sum, as a folder has no order. */
		stamp += (status.st_ino * 31 + status.st_size) * 1000003 +
			 status.st_mtim.tv_sec * 1000000007 +
			 status.st_mtim.tv_nsec;
	}
	closedir(open);
	return stamp;
}

/**
 * op_anon_names - all names that the maps agree on
 * @folder: where the maps are
 * @names: where they go, not finished
 *
 * Return: how many.
 */
size_t op_anon_names(const char *folder, struct op_names *names)
{
	struct op_jit_map all = { 0 }, one = { 0 };
	struct op_jit_file *files;
	DIR *open = opendir(folder);
	size_t count, found = 0;
	bool fine = true;

	if (!open)
		return 0;
	files = op_jit_list(open, &count);
	for (size_t i = 0; i < count && fine; i++) {
		FILE *file = op_jit_open(dirfd(open), files[i].name);

		if (file && files[i].dump)
			op_jitdump_read(&one, file);
		else if (file)
			op_perfmap_read(&one, file);
		if (file)
			fclose(file);
		/* Both forms of one process are one map. */
		if (i + 1 < count && files[i + 1].pid == files[i].pid)
			continue;
		fine = op_jit_map_paint(&one) && op_jit_map_merge(&all, &one);
		op_jit_map_free(&one);
	}
	op_jit_map_free(&one);
	for (size_t i = 0; i < all.count && fine; i++) {
		const struct op_jit_piece *piece = &all.pieces[i];
		const char *name = all.texts.text + piece->name;

		if (piece->name == OP_JIT_DISPUTED)
			continue;
		op_names_add(names, name, strlen(name), piece->start,
			     piece->end - piece->start, 't', OP_NAME_LOCAL);
		found++;
	}
	op_jit_map_free(&all);
	free(files);
	closedir(open);
	return found;
}
