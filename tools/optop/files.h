/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading small files of a tree that may be anything.
 */
#ifndef OPTOP_FILES_H
#define OPTOP_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

int op_open_file(int dir, const char *path);
int op_open_dir(int dir, const char *path);
long op_read_text(int dir, const char *path, char *text, size_t size);
int op_read_number(int dir, const char *path, uint64_t *value);
bool op_parse_number(const char *text, uint64_t *value, const char **end);
int op_write_text(int dir, const char *path, const char *text);

#endif
