// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names as they stand in the source: C++ and both of Rust's ways, by libiberty.
 *
 * A mangled name is a small program: it can refer to what it said before, and
 * grow so with every byte that is added.  Names come from files that anybody
 * may have written, hence libiberty writes to a callback here, and what gets
 * longer than the caller's room ends it there and then.
 */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "names.h"

/* Longer ones than this are generated, and nobody reads them. */
#define OP_MANGLED_MAX 2048

struct op_demangled {
	char *text;
	size_t length;
	size_t size;
	jmp_buf too_long;
};

static void op_demangle_part(const char *part, size_t length, void *context)
{
	struct op_demangled *demangled = context;

	/* libiberty allocates nothing that this jump could lose. */
	if (length >= demangled->size - demangled->length)
		longjmp(demangled->too_long, 1);
	/* Where a crate has no name, there is no part either. */
	if (length)
		memcpy(demangled->text + demangled->length, part, length);
	demangled->length += length;
	demangled->text[demangled->length] = '\0';
}

static bool op_demangle_into(const char *mangled, struct op_demangled *to)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(to->too_long))
		return false;
	if (rust_demangle_callback(mangled, options, op_demangle_part, to))
		return true;
	to->length = 0;
	return !strncmp(mangled, "_Z", 2) &&
	       cplus_demangle_v3_callback(mangled, options, op_demangle_part,
					  to);
}

/**
 * op_demangle - what a mangled name stands for
 * @mangled: any name; what is behind an @ (a version, or plt) stays as it is
 * @text: where it goes
 * @size: its room
 *
 * Return: the length; 0 if it is no mangled name, or too long in either form.
 */
size_t op_demangle(const char *mangled, char *text, size_t size)
{
	struct op_demangled to = { .text = text, .size = size };
	const char *rest = strchrnul(mangled, '@');
	size_t length = rest - mangled, rest_length = strlen(rest);
	char name[OP_MANGLED_MAX];

	if (length + rest_length >= OP_MANGLED_MAX)
		return 0;
	memcpy(name, mangled, length);
	name[length] = '\0';
	if (!op_demangle_into(name, &to) || !to.length ||
	    rest_length >= size - to.length)
		return 0;
	memcpy(text + to.length, rest, rest_length + 1);
	return to.length + rest_length;
}
