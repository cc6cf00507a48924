// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many texts in one block of memory.
 *
 * A table of names has hundreds of thousands of them, and is thrown away as a
 * whole: an allocation for each, and a pointer of eight bytes to it, would cost
 * more than the texts.
 */
#include <stdlib.h>
#include <string.h>

#include "textpool.h"

/**
 * op_textpool_add - put a text behind the others
 * @pool: the pool; all zero is an empty one
 * @text: the text, not one of the pool's own; it need not end with a NUL
 * @length: its bytes
 *
 * Return: where it is in @pool->text, OP_TEXTPOOL_NONE if there is no memory.
 */
uint32_t op_textpool_add(struct op_textpool *pool, const char *text,
			 size_t length)
{
	size_t at = pool->size;

	if (at + length + 1 > pool->room) {
		size_t room = 2 * (pool->room + length + 1);
		char *grown = room < OP_TEXTPOOL_NONE ?
				      realloc(pool->text, room) :
				      NULL;

		if (!grown)
			return OP_TEXTPOOL_NONE;
		pool->text = grown;
		pool->room = room;
	}
	memcpy(pool->text + at, text, length);
	pool->text[at + length] = '\0';
	pool->size += length + 1;
	return at;
}
