// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the names of an image come from, by what its path says that it is.
 *
 * A path with a slash is a file: it must be there, and the one that was
 * sampled.  All others are names that the module gives: vmlinux, NAME.ko,
 * jit:NAME, anon, bpf, vdso, unknown.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "identity.h"
#include "jitmap.h"
#include "loader.h"

/**
 * struct op_loader - what images share
 * @config: a copy, with its strings
 * @kernel: the kernel's names
 * @tmp: where the maps of JITs are
 */
struct op_loader {
	struct op_symbols_config config;
	struct op_kernel *kernel;
	char *tmp;
};

static bool op_copy_text(const char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return !from || *to;
}

/**
 * op_loader_new - nothing is read yet
 * @config: where names come from; copied
 *
 * Return: NULL if there is no memory.
 */
struct op_loader *op_loader_new(const struct op_symbols_config *config)
{
	struct op_loader *loader = calloc(1, sizeof(*loader));
	const char *root = config->root ? config->root : "";

	if (!loader || !op_elf_init()) {
		free(loader);
		return NULL;
	}
	loader->config = *config;
	if (!op_copy_text(&loader->config.root, config->root))
		loader->config.root = NULL;
	if (!op_copy_text(&loader->config.kernel, config->kernel))
		loader->config.kernel = NULL;
	loader->config.tmp = NULL;
	if (config->tmp)
		loader->tmp = strdup(config->tmp);
	else if (asprintf(&loader->tmp, "%s/tmp", root) < 0)
		loader->tmp = NULL;
	loader->kernel = op_kernel_new(&loader->config);
	if (loader->kernel && loader->tmp &&
	    !loader->config.root == !config->root &&
	    !loader->config.kernel == !config->kernel)
		return loader;
	op_loader_free(loader);
	return NULL;
}

/**
 * op_loader_free - with its configuration
 * @loader: may be NULL
 */
void op_loader_free(struct op_loader *loader)
{
	if (!loader)
		return;
	op_kernel_free(loader->kernel);
	free((char *)loader->config.root);
	free((char *)loader->config.kernel);
	free(loader->tmp);
	free(loader);
}

/**
 * op_loader_config - what it was made with
 * @loader: the loader
 *
 * Return: a copy that lives as long as the loader.
 */
const struct op_symbols_config *op_loader_config(const struct op_loader *loader)
{
	return &loader->config;
}

/**
 * op_loader_idle - nothing is to be loaded for the time being
 * @loader: gives back what it has read for several images
 */
void op_loader_idle(struct op_loader *loader)
{
	op_kernel_forget(loader->kernel);
}

/**
 * op_loader_can_change - whether an image may get more names by and by
 * @path: the image's path
 *
 * Return: that.
 */
bool op_loader_can_change(const char *path)
{
	return !strcmp(path, "anon") || !strcmp(path, "bpf");
}

/**
 * op_loader_stamp - whether it has more names now
 * @loader: the loader
 * @path: path of an image that can change
 *
 * Return: a number that is another one if so; 0 if that can't be told.
 */
uint64_t op_loader_stamp(struct op_loader *loader, const char *path)
{
	return strcmp(path, "anon") ? 0 : op_anon_stamp(loader->tmp);
}

/**
 * op_loader_open - open the file of an image, if it is the one sampled
 * @config: where it is
 * @key: the image
 * @state: filled in: LOADED, MISSING or CHANGED
 *
 * Return: a file descriptor, -1 if the state is not LOADED.
 */
int op_loader_open(const struct op_symbols_config *config,
		   const struct op_image_key *key, enum op_symbols_state *state)
{
	const char *root = config->root;
	bool copy = root && *root && strcmp(root, "/");
	struct stat status;
	int fd = op_open_below(root, key->path, &status);

	if (fd < 0) {
		*state = OP_SYMBOLS_MISSING;
		return -1;
	}
	if (key->identity &&
	    !op_identity_matches(key->identity, &status, copy)) {
		close(fd);
		*state = OP_SYMBOLS_CHANGED;
		return -1;
	}
	*state = OP_SYMBOLS_LOADED;
	return fd;
}

static enum op_symbols_state op_load_file(struct op_loader *loader,
					  const struct op_image_key *key,
					  struct op_names *names)
{
	enum op_symbols_state state, after;
	int fd = op_loader_open(&loader->config, key, &state), again;

	if (fd < 0)
		return state;
	/* One that is written while it is read may be half old and half new. */
	again = key->identity ? dup(fd) : -1;
	state = op_user_names(names, fd, key->path, &loader->config);
	if (again >= 0) {
		struct stat status;
		const char *root = loader->config.root;

		after = !fstat(again, &status) &&
					op_identity_matches(
						key->identity, &status,
						root && *root &&
							strcmp(root, "/")) ?
				state :
				OP_SYMBOLS_CHANGED;
		close(again);
		return after;
	}
	return state;
}

static enum op_symbols_state op_load_jit(const char *path,
					 struct op_names *names)
{
	const char *name = path + strlen("jit:");

	/* Its range is all of the image, however long that is. */
	op_names_add(names, name, strlen(name), 0, UINT32_MAX, 'T',
		     OP_NAME_GLOBAL);
	return OP_SYMBOLS_LOADED;
}

/**
 * op_loader_load - all names of an image
 * @loader: the loader; one thread at a time
 * @key: the image
 * @names: where they go, not finished
 *
 * Return: LOADED, or why there are no names.
 */
enum op_symbols_state op_loader_load(struct op_loader *loader,
				     const struct op_image_key *key,
				     struct op_names *names)
{
	const char *path = key->path;

	if (*path == '/')
		return op_load_file(loader, key, names);
	if (!strncmp(path, "jit:", 4))
		return op_load_jit(path, names);
	if (!strcmp(path, "anon"))
		return op_anon_names(loader->tmp, names) ? OP_SYMBOLS_LOADED :
							   OP_SYMBOLS_NONE;
	if (!strcmp(path, "vdso"))
		return loader->config.recorded ? OP_SYMBOLS_NONE :
						 op_vdso_names(names);
	if (!strcmp(path, "unknown"))
		return OP_SYMBOLS_NONE;
	return op_kernel_names(loader->kernel, path, key->start, names);
}
