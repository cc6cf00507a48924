// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which files have the names of the kernel and of its modules.
 *
 * Without -k they are /proc/kallsyms and the running kernel's modules; below
 * another root, that root's /proc/kallsyms and modules if it has them.  With -k
 * FILE it is that file, with the modules below its folder if it is a build's
 * vmlinux; with -k FOLDER what is found there, as in a build or an unpacked
 * package.  Of several kernels there the running one's is taken; if it is not
 * among them none is, for a name of another kernel would be a wrong one.
 */
#define _GNU_SOURCE 1
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "kernel.h"

/**
 * struct op_kernel_files - what was found
 * @image: path of the vmlinux, System.map or kallsyms, "" if there is none
 * @folder: below which the modules are, "" if there is none
 * @release: of the running kernel
 * @modules: all paths below @folder that look like a module's, once looked for
 */
struct op_kernel_files {
	char *image;
	char *folder;
	struct utsname running;
	char **modules;
	size_t count;
	bool searched;
};

/* The only one that matches, or the running kernel's of several. */
static char *op_glob(struct op_kernel_files *files, const char *folder,
		     const char *pattern)
{
	char *whole, *found = NULL;
	glob_t matches;

	if (asprintf(&whole, "%s/%s", folder, pattern) < 0)
		return NULL;
	if (!glob(whole, 0, NULL, &matches)) {
		if (matches.gl_pathc == 1)
			found = strdup(matches.gl_pathv[0]);
		for (size_t i = 0; !found && i < matches.gl_pathc; i++) {
			if (strstr(matches.gl_pathv[i], files->running.release))
				found = strdup(matches.gl_pathv[i]);
		}
		globfree(&matches);
	}
	free(whole);
	return found;
}

static void op_find_in_folder(struct op_kernel_files *files, const char *folder)
{
	static const char *const places[] = {
		"vmlinux",
		"vmlinux-*",
		"usr/lib/debug/boot/vmlinux-*",
		"usr/lib/debug/lib/modules/*/vmlinux",
		"boot/vmlinux-*",
		"kallsyms",
		"proc/kallsyms",
		"System.map",
		"System.map-*",
		"boot/System.map-*",
	};

	for (size_t i = 0;
	     !files->image && i < sizeof(places) / sizeof(*places); i++)
		files->image = op_glob(files, folder, places[i]);
	files->folder = strdup(folder);
}

static void op_find_default(struct op_kernel_files *files, const char *root)
{
	if (!root || !*root || !strcmp(root, "/")) {
		files->image = strdup("/proc/kallsyms");
		if (asprintf(&files->folder, "/lib/modules/%s",
			     files->running.release) < 0)
			files->folder = NULL;
		return;
	}
	files->image = op_glob(files, root, "proc/kallsyms");
	files->folder = op_glob(files, root, "usr/lib/modules/*");
	if (!files->folder)
		files->folder = op_glob(files, root, "lib/modules/*");
}

static void op_find_file(struct op_kernel_files *files, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	files->image = strdup(path);
	if (strcmp(name, "vmlinux"))
		return;
	files->folder = slash ? strndup(path, slash - path + 1) : strdup(".");
}

/**
 * op_kernel_files_new - look for the kernel's files
 * @config: where to look
 *
 * Return: NULL if there is no memory.
 */
struct op_kernel_files *
op_kernel_files_new(const struct op_symbols_config *config)
{
	struct op_kernel_files *files = calloc(1, sizeof(*files));
	struct stat status;

	if (!files)
		return NULL;
	uname(&files->running);
	if (!config->kernel || !*config->kernel)
		op_find_default(files, config->root);
	else if (!stat(config->kernel, &status) && S_ISDIR(status.st_mode))
		op_find_in_folder(files, config->kernel);
	else
		op_find_file(files, config->kernel);
	return files;
}

/**
 * op_kernel_files_free - forget what was found
 * @files: may be NULL
 */
void op_kernel_files_free(struct op_kernel_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->count; i++)
		free(files->modules[i]);
	free(files->modules);
	free(files->image);
	free(files->folder);
	free(files);
}

/**
 * op_kernel_files_image - the file with the kernel's own names
 * @files: what was found
 *
 * Return: its path, NULL if there is none.
 */
const char *op_kernel_files_image(struct op_kernel_files *files)
{
	return files->image;
}

static bool op_is_module_file(const char *name)
{
	const char *dot = strstr(name, ".ko");

	return dot && (!dot[3] || (dot[3] == '.' && !strchr(dot + 4, '.')));
}

static void op_search_modules(struct op_kernel_files *files)
{
	char *paths[] = { files->folder, NULL };
	FTS *walk;

	files->searched = true;
	if (!files->folder)
		return;
	walk = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
			NULL);
	if (!walk)
		return;
	for (FTSENT *at; (at = fts_read(walk));) {
		char **grown;

		if (at->fts_info != FTS_F || !op_is_module_file(at->fts_name))
			continue;
		grown = realloc(files->modules,
				(files->count + 1) * sizeof(*grown));
		if (!grown)
			break;
		files->modules = grown;
		grown[files->count] = strdup(at->fts_path);
		if (grown[files->count])
			files->count++;
	}
	fts_close(walk);
}

/* A file may have - where the module's name has _. */
static bool op_is_module(const char *path, const char *module)
{
	const char *name = strrchr(path, '/') + 1;

	for (; *module; module++, name++) {
		if (*name != *module && !((*name == '-' || *name == '_') &&
					  (*module == '-' || *module == '_')))
			return false;
	}
	return !strncmp(name, ".ko", 3);
}

/**
 * op_kernel_files_module - a module's file
 * @files: what was found; the first call goes through a folder
 * @module: the module's name
 *
 * Return: the path, NULL if there is none or it can't be told which.
 */
const char *op_kernel_files_module(struct op_kernel_files *files,
				   const char *module)
{
	const char *only = NULL, *running = NULL;
	size_t found = 0;

	if (!files->searched)
		op_search_modules(files);
	for (size_t i = 0; i < files->count; i++) {
		if (!op_is_module(files->modules[i], module))
			continue;
		only = files->modules[i];
		found++;
		if (strstr(only, files->running.release))
			running = only;
	}
	return found == 1 ? only : running;
}
