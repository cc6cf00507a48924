/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names as text: escaped, measured and cut.
 */
#ifndef OPTOP_TEXT_H
#define OPTOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The longest name shown in whole, escaped; longer ones are cut. */
#define OP_TEXT_MAX 16384

void op_text_init(bool screen);
bool op_text_utf8(void);
const char *op_text_dots(void);

size_t op_text_clean(char *out, size_t size, const char *in);
void op_text_unescape(char *text);
int op_text_width(const char *text);
size_t op_text_cut(const char *text, int width, int *got);
size_t op_text_pad(char *out, size_t size, const char *text, int width);
size_t op_text_number(char *out, size_t size, int width, int digits,
		      double number, const char *behind);
void op_text_fit(char *out, size_t size, const char *name, int width);
const char *op_text_base(const char *path);
bool op_text_contains(const char *text, const char *part);

#endif
