/* SPDX-License-Identifier: GPL-2.0-only */
/* Many texts in one block of memory: see textpool.c. */
#ifndef OPTOP_TEXTPOOL_H
#define OPTOP_TEXTPOOL_H

#include <stddef.h>
#include <stdint.h>

/* There was no memory for it. */
#define OP_TEXTPOOL_NONE UINT32_MAX

/**
 * struct op_textpool - texts, one behind the other, each with its NUL
 * @text: they; may move when one is added
 * @size: how many bytes of it are in use
 * @room: and how many there are
 */
struct op_textpool {
	char *text;
	size_t size;
	size_t room;
};

uint32_t op_textpool_add(struct op_textpool *pool, const char *text,
			 size_t length);

#endif
