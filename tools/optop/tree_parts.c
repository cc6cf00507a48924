// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a tree has beside images: stats/, jit_maps, the counters' settings.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "text.h"
#include "tree.h"

/**
 * op_alloc - realloc() of an array that does not fail
 * @old: what there is, or NULL
 * @nr: elements
 * @size: bytes of each
 * Return: the memory.
 */
void *op_alloc(void *old, size_t nr, size_t size)
{
	void *memory = reallocarray(old, nr ? nr : 1, size);

	if (!memory) {
		/* abort() so that the screen is put back: see screen.c. */
		fputs("optop: no memory\n", stderr);
		abort();
	}
	return memory;
}

/**
 * op_strdup - strdup() that does not fail
 * @text: what to copy
 * Return: the copy.
 */
char *op_strdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(op_alloc(NULL, size, 1), text, size);
}

/**
 * op_tree_fault - note that something of the tree is not as it should be
 * @tree: the tree
 * @file: which file
 * @what: what is wrong
 */
void op_tree_fault(struct op_tree *tree, const char *file, const char *what)
{
	if (!tree->own_faults++)
		snprintf(tree->own_fault, sizeof(tree->own_fault), "%s: %s",
			 file, what);
}

static int by_name(const void *a, const void *b)
{
	const struct op_stat *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* A CPU's folder: has it had samples? */
static void take_cpu(struct op_tree *tree, int stats, const char *name)
{
	char path[300];
	uint64_t received;

	snprintf(path, sizeof(path), "%s/received", name);
	if (tree->cpus < OP_MAX_CPUS &&
	    !op_read_number(stats, path, &received) && received)
		tree->cpus++;
}

/**
 * op_tree_read_hooks - read stats/hooks
 * @tree: the tree
 * @root: its folder
 */
void op_tree_read_hooks(struct op_tree *tree, int root)
{
	long got = op_read_text(root, "stats/hooks", tree->hooks,
				sizeof(tree->hooks));

	/* A copy need not have it. */
	if (got < 0 && got != -ENOENT)
		op_tree_fault(tree, "stats/hooks", "cannot be read");
}

static void add_stat(struct op_tree *tree, const char *file, const char *name,
		     uint64_t value)
{
	struct op_stat *stat;

	if (tree->nr_stats == OP_MAX_STATS ||
	    strlen(name) >= sizeof(stat->name)) {
		op_tree_fault(tree, file, "one too many");
		return;
	}
	stat = &tree->stats[tree->nr_stats++];
	strcpy(stat->name, name);
	stat->value = value;
}

/**
 * op_tree_take_stat - a statistic, as the file changes has it
 * @tree: the tree
 * @line: its name and number; cpuN/received for a CPU's samples
 * Return: false if it is none.
 */
bool op_tree_take_stat(struct op_tree *tree, const char *line)
{
	size_t n = strcspn(line, " ");
	char name[64];
	uint64_t value;

	if (n >= sizeof(name) || line[n] != ' ')
		return false;
	memcpy(name, line, n);
	name[n] = '\0';
	if (!op_parse_number(line + n + 1, &value, &line) || *line)
		return false;
	if (strchr(name, '/'))
		tree->cpus += value && tree->cpus < OP_MAX_CPUS;
	else
		add_stat(tree, "changes", name, value);
	return true;
}

static void take_stat(struct op_tree *tree, int stats, const char *name)
{
	char file[300];
	uint64_t value;
	int err;

	if (!strcmp(name, "hooks"))
		return;
	snprintf(file, sizeof(file), "stats/%s", name);
	err = op_read_number(stats, name, &value);
	if (err == -EISDIR || err == -ENOENT)
		return;
	if (err) {
		op_tree_fault(tree, file,
			      err == -EINVAL ? "not a number" : strerror(-err));
		return;
	}
	add_stat(tree, file, name, value);
}

/**
 * op_tree_clear_stats - forget what stats/ said
 * @tree: the tree
 */
void op_tree_clear_stats(struct op_tree *tree)
{
	tree->nr_stats = 0;
	tree->cpus = 0;
	if (!tree->stats)
		tree->stats =
			op_alloc(NULL, OP_MAX_STATS, sizeof(*tree->stats));
}

/**
 * op_tree_sort_stats - by name
 * @tree: the tree
 */
void op_tree_sort_stats(struct op_tree *tree)
{
	qsort(tree->stats, tree->nr_stats, sizeof(*tree->stats), by_name);
}

/**
 * op_tree_read_stats - read stats/
 * @tree: the tree
 * @root: its folder
 */
void op_tree_read_stats(struct op_tree *tree, int root)
{
	int fd = op_open_dir(root, "stats");
	struct dirent *entry;
	DIR *dir;

	op_tree_clear_stats(tree);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		op_tree_fault(tree, "stats", strerror(fd < 0 ? -fd : errno));
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (!strncmp(entry->d_name, "cpu", 3) &&
		    isdigit((unsigned char)entry->d_name[3]))
			take_cpu(tree, fd, entry->d_name);
		else
			take_stat(tree, fd, entry->d_name);
	}
	closedir(dir);
	op_tree_sort_stats(tree);
}

static bool take_jit(char *line, struct op_jit *jit)
{
	char *save, *name, *start, *stop, *pid, *more;
	const char *end;
	uint64_t number = 0;

	name = strtok_r(line, " \t", &save);
	start = strtok_r(NULL, " \t", &save);
	stop = strtok_r(NULL, " \t", &save);
	pid = strtok_r(NULL, " \t", &save);
	more = pid ? strtok_r(NULL, " \t", &save) : NULL;
	if (!name || !start || !stop || more ||
	    strlen(name) >= sizeof(jit->name))
		return false;
	if (!op_parse_number(start, &jit->start, &end) || *end ||
	    !op_parse_number(stop, &jit->end, &end) || *end)
		return false;
	if (pid && (strncmp(pid, "pid=", 4) ||
		    !op_parse_number(pid + 4, &number, &end) || *end ||
		    number > 0x7fffffff))
		return false;
	snprintf(jit->name, sizeof(jit->name), "%s", name);
	jit->pid = (long)number;
	return true;
}

/**
 * op_tree_read_jits - read jit_maps
 * @tree: the tree
 * @root: its folder
 */
void op_tree_read_jits(struct op_tree *tree, int root)
{
	int fd = op_open_file(root, "jit_maps");
	char *line = NULL;
	size_t size = 0, room = tree->nr_jits;
	FILE *file;

	tree->nr_jits = 0;
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file) {
		if (fd >= 0)
			close(fd);
		if (fd != -ENOENT)
			op_tree_fault(tree, "jit_maps",
				      strerror(fd < 0 ? -fd : errno));
		return;
	}
	/* A line is short; a buffer of a fixed size bounds what one takes. */
	size = 1024;
	line = op_alloc(NULL, size, 1);
	while (fgets(line, (int)size, file)) {
		struct op_jit jit;
		size_t n = strlen(line);

		if (n && line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (tree->nr_jits == OP_MAX_JITS || !take_jit(line, &jit)) {
			op_tree_fault(tree, "jit_maps", "not a range");
			/* Junk can be long, and says no more the longer. */
			if (tree->own_faults > 1000)
				break;
			continue;
		}
		if (tree->nr_jits >= room) {
			room = room ? room * 2 : 16;
			tree->jits =
				op_alloc(tree->jits, room, sizeof(*tree->jits));
		}
		tree->jits[tree->nr_jits++] = jit;
	}
	free(line);
	fclose(file);
}

/**
 * op_tree_read_counters - read what the columns of histograms depend on
 * @tree: the tree
 * @root: its folder
 *
 * Return: whether that is something else than at the last look.
 */
bool op_tree_read_counters(struct op_tree *tree, int root)
{
	static const char *const files[] = { "enabled", "event", "count",
					     "freq" };
	char all[sizeof(tree->counters)] = "", path[64], text[96];
	size_t used = 0, i;
	unsigned int n;
	bool other;

	for (n = 0; n < OP_MAX_EVENTS; n++) {
		for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
			long got;

			snprintf(path, sizeof(path), "%u/%s", n, files[i]);
			got = op_read_text(root, path, text, sizeof(text));
			if (got == -ENOENT && !i)
				goto done;
			if (got < 0 && got != -ENOENT)
				op_tree_fault(tree, path, strerror((int)-got));
			used += (size_t)snprintf(all + used, sizeof(all) - used,
						 "%s ", text);
			if (used >= sizeof(all))
				goto done;
			/* A counter that is off has nothing else to say. */
			if (!i && !strcmp(text, "0"))
				break;
		}
	}
done:
	other = strcmp(all, tree->counters) != 0;
	memcpy(tree->counters, all, sizeof(all));
	return other;
}
