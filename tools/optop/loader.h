/* SPDX-License-Identifier: GPL-2.0-only */
/* How the names of an image are found, by its kind: see loader.c. */
#ifndef OPTOP_LOADER_H
#define OPTOP_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"
#include "names.h"
#include "symbols.h"

struct op_loader;

struct op_loader *op_loader_new(const struct op_symbols_config *config);
void op_loader_free(struct op_loader *loader);
const struct op_symbols_config *
op_loader_config(const struct op_loader *loader);
void op_loader_idle(struct op_loader *loader);
bool op_loader_can_change(const char *path);
uint64_t op_loader_stamp(struct op_loader *loader, const char *path);
enum op_symbols_state op_loader_load(struct op_loader *loader,
				     const struct op_image_key *key,
				     struct op_names *names);
int op_loader_open(const struct op_symbols_config *config,
		   const struct op_image_key *key,
		   enum op_symbols_state *state);

/* lines.c, instruction.c */
struct op_lines;

struct op_lines *op_lines_new(const struct op_symbols_config *config);
void op_lines_free(struct op_lines *lines);
bool op_lines_source(struct op_lines *lines, const struct op_image_key *key,
		     uint64_t offset, char *text, size_t size);
bool op_lines_code(struct op_lines *lines, const struct op_image_key *key,
		   uint64_t offset, char *text, size_t size);
bool op_instruction_text(const struct op_elf *file, const void *code,
			 size_t length, uint64_t address, char *text,
			 size_t size);

#endif
