/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the kernel and what is loaded into it: see kernel.c, module.c. */
#ifndef OPTOP_KERNEL_H
#define OPTOP_KERNEL_H

#include "elffile.h"
#include "names.h"
#include "symbols.h"

struct op_kernel;

struct op_kernel *op_kernel_new(const struct op_symbols_config *config);
void op_kernel_free(struct op_kernel *kernel);
void op_kernel_forget(struct op_kernel *kernel);
enum op_symbols_state op_kernel_names(struct op_kernel *kernel,
				      const char *path, uint64_t start,
				      struct op_names *names);
bool op_kernel_open(struct op_kernel *kernel, struct op_elf *file,
		    const char *path, uint64_t offset, uint64_t *address);

/* kernelfiles.c */
struct op_kernel_files;

struct op_kernel_files *
op_kernel_files_new(const struct op_symbols_config *config);
void op_kernel_files_free(struct op_kernel_files *files);
const char *op_kernel_files_image(struct op_kernel_files *files);
const char *op_kernel_files_module(struct op_kernel_files *files,
				   const char *module);

/* module.c */
enum op_symbols_state op_module_names(struct op_elf *file, bool init,
				      struct op_names *names);
bool op_module_place(struct op_elf *file, bool init, uint64_t offset,
		     size_t *section, uint64_t *within);
bool op_module_is_loaded(struct op_elf *file, const char *module);

#endif
