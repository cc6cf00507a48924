// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of the kernel, of its modules and of its BPF programs.
 *
 * Offsets of the kernel's image count from _stext, wherever this boot has put
 * it, so a table's own _stext is what they are added to.  Modules and BPF
 * programs are elsewhere at each load: for them, the table has to be of the
 * same boot, which it is if the module begins where the image says; else the
 * module's file is asked.
 *
 * The table of kallsyms is read once for all images that are waiting, and not
 * kept: it is bigger than all that becomes of it.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kallsyms.h"
#include "kernel.h"

#define OP_PAGE_SIZE 4096

/* Where x86-64's text is without KASLR; elsewhere it is no constant. */
#define OP_LINKED_STEXT 0xffffffff81000000ull

/**
 * struct op_kernel - where the kernel's names are from
 * @config: where to look
 * @files: what there is, once looked for
 * @table: the kallsyms or System.map, as long as it is needed
 * @no_table: it was looked for, in vain
 */
struct op_kernel {
	const struct op_symbols_config *config;
	struct op_kernel_files *files;
	struct op_kallsyms *table;
	bool no_table;
};

struct op_vmlinux {
	struct op_names *names;
	uint64_t stext;
	bool found;
};

/**
 * op_kernel_new - nothing is read yet
 * @config: where to look; stays the caller's
 *
 * Return: NULL if there is no memory.
 */
struct op_kernel *op_kernel_new(const struct op_symbols_config *config)
{
	struct op_kernel *kernel = calloc(1, sizeof(*kernel));

	if (kernel)
		kernel->config = config;
	return kernel;
}

/**
 * op_kernel_forget - give back what can be read again
 * @kernel: the names' source
 */
void op_kernel_forget(struct op_kernel *kernel)
{
	op_kallsyms_free(kernel->table);
	kernel->table = NULL;
	kernel->no_table = false;
	op_kernel_files_free(kernel->files);
	kernel->files = NULL;
}

/**
 * op_kernel_free - all of it
 * @kernel: may be NULL
 */
void op_kernel_free(struct op_kernel *kernel)
{
	if (!kernel)
		return;
	op_kernel_forget(kernel);
	free(kernel);
}

static bool op_kernel_find_files(struct op_kernel *kernel)
{
	if (!kernel->files)
		kernel->files = op_kernel_files_new(kernel->config);
	return kernel->files;
}

/* Open the kernel's file; whether it is an ELF file. */
static int op_kernel_open_image(struct op_kernel *kernel, bool *elf)
{
	const char *path;
	char magic[SELFMAG];
	int fd;

	if (!op_kernel_find_files(kernel))
		return -1;
	path = op_kernel_files_image(kernel->files);
	fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return -1;
	*elf = read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	       !memcmp(magic, ELFMAG, SELFMAG);
	if (lseek(fd, 0, SEEK_SET)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Whether the names come from the running kernel itself. */
static bool op_kernel_is_running(const struct op_kernel *kernel)
{
	const struct op_symbols_config *config = kernel->config;

	return (!config->kernel || !*config->kernel) &&
	       (!config->root || !*config->root || !strcmp(config->root, "/"));
}

/*
 * With a vmlinux at hand, the running kernel's table still knows where its
 * modules are, and one that is not of this boot shows by their starts.
 */
static struct op_kallsyms *op_kernel_table(struct op_kernel *kernel)
{
	const char *root = kernel->config->root;
	bool elf = false;
	FILE *file;
	int fd;

	if (kernel->table || kernel->no_table)
		return kernel->table;
	kernel->no_table = true;
	fd = op_kernel_open_image(kernel, &elf);
	if (elf && !kernel->config->recorded &&
	    (!root || !*root || !strcmp(root, "/"))) {
		close(fd);
		fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
		elf = false;
	}
	if (fd < 0)
		return NULL;
	file = elf ? NULL : fdopen(fd, "r");
	if (!file) {
		close(fd);
		return NULL;
	}
	kernel->table = op_kallsyms_read(file);
	fclose(file);
	return kernel->table;
}

/* Images of another time, and nobody said which kernel they are of. */
static bool op_kernel_is_foreign(const struct op_kernel *kernel)
{
	return kernel->config->recorded && op_kernel_is_running(kernel);
}

/*
 * Then the running kernel's table counts only if it is clear that they are of
 * this boot.  That its text is where the image says is no proof where all
 * kernels have it: at the address that it is linked for.
 */
static bool op_kernel_is_doubtful(const struct op_kernel *kernel,
				  const struct op_kallsyms *table)
{
	uint64_t stext = op_kallsyms_stext(table);

	return op_kernel_is_foreign(kernel) &&
	       (!stext || stext == OP_LINKED_STEXT);
}

static void op_vmlinux_find(const struct op_elf_symbol *symbol, void *context)
{
	struct op_vmlinux *vmlinux = context;

	if (symbol->length == 6 && !memcmp(symbol->name, "_stext", 6)) {
		vmlinux->stext = symbol->value;
		vmlinux->found = true;
	}
}

static void op_vmlinux_add(const struct op_elf_symbol *symbol, void *context)
{
	struct op_vmlinux *vmlinux = context;

	if (symbol->value >= vmlinux->stext && symbol->rank != OP_NAME_OBJECT)
		op_names_add(vmlinux->names, symbol->name, symbol->length,
			     symbol->value - vmlinux->stext, symbol->size,
			     symbol->type, symbol->rank);
}

static enum op_symbols_state op_vmlinux_elf(int fd, struct op_names *names)
{
	struct op_vmlinux vmlinux = { .names = names };
	enum op_symbols_state state;
	struct op_elf file;

	state = op_elf_open(&file, fd);
	if (state != OP_SYMBOLS_LOADED)
		return state;
	op_elf_symbols(&file, SHT_SYMTAB, op_vmlinux_find, &vmlinux);
	if (vmlinux.found)
		op_elf_symbols(&file, SHT_SYMTAB, op_vmlinux_add, &vmlinux);
	if (!op_names_count(names))
		state = file.broken ? OP_SYMBOLS_BROKEN : OP_SYMBOLS_NONE;
	op_elf_close(&file);
	return state;
}

static enum op_symbols_state op_vmlinux_table(struct op_kernel *kernel,
					      uint64_t start,
					      struct op_names *names)
{
	struct op_kallsyms *table;
	uint64_t stext;

	errno = 0;
	table = op_kernel_table(kernel);
	if (!table)
		return errno == EINVAL ? OP_SYMBOLS_BROKEN : OP_SYMBOLS_MISSING;
	if (op_kallsyms_hidden(table))
		return OP_SYMBOLS_NONE;
	stext = op_kallsyms_stext(table);
	/* Another boot's image, and nobody said that it is of this kernel. */
	if (op_kernel_is_foreign(kernel) &&
	    (start != stext || op_kernel_is_doubtful(kernel, table)))
		return OP_SYMBOLS_MISSING;
	if (op_kernel_is_running(kernel) && stext && start && start != stext)
		return OP_SYMBOLS_CHANGED;
	if (!stext)
		stext = start;
	if (!stext || !op_kallsyms_names(table, "", stext, UINT64_MAX, names))
		return OP_SYMBOLS_NONE;
	return OP_SYMBOLS_LOADED;
}

static enum op_symbols_state op_vmlinux_names(struct op_kernel *kernel,
					      uint64_t start,
					      struct op_names *names)
{
	bool elf;
	int fd = op_kernel_open_image(kernel, &elf);

	if (fd < 0)
		return OP_SYMBOLS_MISSING;
	if (elf)
		return op_vmlinux_elf(fd, names);
	close(fd);
	return op_vmlinux_table(kernel, start, names);
}

/* NAME.ko, or NAME.ko:init: false if it is neither. */
static bool op_module_name(const char *path, char *module, size_t size,
			   bool *init)
{
	const char *dot = strstr(path, ".ko");

	if (!dot || dot == path || dot - path >= (ptrdiff_t)size)
		return false;
	if (dot[3] && strcmp(dot + 3, ":init"))
		return false;
	*init = dot[3];
	memcpy(module, path, dot - path);
	module[dot - path] = '\0';
	return true;
}

/*
 * By kallsyms.  Text begins at a page, and the first function is in its first
 * page; without a start, that page has to be the image's.  For init text there
 * is no such guess, as kallsyms does not say which it is.
 */
static bool op_module_by_table(struct op_kernel *kernel, const char *module,
			       bool init, uint64_t start,
			       struct op_names *names)
{
	struct op_kallsyms *table = op_kernel_table(kernel);
	uint64_t first;

	if (!table || op_kallsyms_hidden(table) ||
	    op_kernel_is_doubtful(kernel, table) ||
	    (!start && (init || op_kernel_is_foreign(kernel))))
		return false;
	first = op_kallsyms_module(table, module, start);
	if (!first)
		return false;
	if (!start)
		start = first & ~(uint64_t)(OP_PAGE_SIZE - 1);
	if (first - start >= OP_PAGE_SIZE)
		return false;
	return op_kallsyms_names(table, module, start, UINT64_MAX, names);
}

static enum op_symbols_state op_module_open(struct op_kernel *kernel,
					    struct op_elf *file,
					    const char *module)
{
	enum op_symbols_state state;
	const char *path;
	int fd;

	if (!op_kernel_find_files(kernel) || op_kernel_is_foreign(kernel))
		return OP_SYMBOLS_MISSING;
	path = op_kernel_files_module(kernel->files, module);
	fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return OP_SYMBOLS_MISSING;
	state = strstr(path, ".ko.zst") ? op_elf_open_zstd(file, fd) :
					  op_elf_open_packed(file, fd);
	if (state == OP_SYMBOLS_BROKEN && strstr(path, ".ko."))
		return OP_SYMBOLS_MISSING; /* packed in a way libdw can't read */
	if (state == OP_SYMBOLS_LOADED && op_kernel_is_running(kernel) &&
	    !op_module_is_loaded(file, module)) {
		op_elf_close(file);
		return OP_SYMBOLS_CHANGED;
	}
	return state;
}

/**
 * op_kernel_names - names of something in the kernel
 * @kernel: where they are from
 * @path: the image's path: vmlinux, NAME.ko, NAME.ko:init or bpf
 * @start: address of its offset 0, 0 if that is not known
 * @names: where they go, not finished
 *
 * Return: LOADED, or why there are no names.
 */
enum op_symbols_state op_kernel_names(struct op_kernel *kernel,
				      const char *path, uint64_t start,
				      struct op_names *names)
{
	enum op_symbols_state state;
	struct op_kallsyms *table;
	char module[128];
	struct op_elf file;
	bool init;

	if (!strcmp(path, "vmlinux"))
		return op_vmlinux_names(kernel, start, names);
	if (!strcmp(path, "bpf")) {
		table = op_kernel_table(kernel);
		if (!table)
			return OP_SYMBOLS_MISSING;
		if (op_kernel_is_doubtful(kernel, table))
			return OP_SYMBOLS_MISSING;
		if (op_kallsyms_hidden(table) ||
		    !op_kallsyms_names(table, "bpf", 0, UINT64_MAX, names))
			return OP_SYMBOLS_NONE;
		return OP_SYMBOLS_LOADED;
	}
	if (!op_module_name(path, module, sizeof(module), &init))
		return OP_SYMBOLS_NONE;
	if (op_module_by_table(kernel, module, init, start, names))
		return OP_SYMBOLS_LOADED;
	state = op_module_open(kernel, &file, module);
	if (state != OP_SYMBOLS_LOADED)
		return state;
	state = op_module_names(&file, init, names);
	op_elf_close(&file);
	return state;
}

/**
 * op_kernel_open - the file with an image's code
 * @kernel: where to look
 * @file: filled in, to be closed
 * @path: the image's path: vmlinux or NAME.ko
 * @offset: in the image
 * @address: filled in: where that is by the file's program headers; in the file
 *	itself, for a module
 *
 * Return: false if there is no such file.
 */
bool op_kernel_open(struct op_kernel *kernel, struct op_elf *file,
		    const char *path, uint64_t offset, uint64_t *address)
{
	struct op_vmlinux vmlinux = { 0 };
	uint64_t within;
	char module[128];
	GElf_Shdr header;
	size_t section;
	bool elf, init;
	int fd;

	if (!strcmp(path, "vmlinux")) {
		fd = op_kernel_open_image(kernel, &elf);
		if (fd < 0 || op_elf_open(file, fd) != OP_SYMBOLS_LOADED)
			return false;
		op_elf_symbols(file, SHT_SYMTAB, op_vmlinux_find, &vmlinux);
		*address = vmlinux.stext + offset;
		if (vmlinux.found)
			return true;
	} else {
		if (!op_module_name(path, module, sizeof(module), &init) ||
		    op_module_open(kernel, file, module) != OP_SYMBOLS_LOADED)
			return false;
		if (op_module_place(file, init, offset, &section, &within) &&
		    gelf_getshdr(elf_getscn(file->elf, section), &header)) {
			*address = header.sh_offset + within;
			return true;
		}
	}
	op_elf_close(file);
	return false;
}
