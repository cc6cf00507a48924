// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of known cost.  Compiled into a program, a library or a plugin,
 * with a PREFIX for their names, so that a name tells where its code must be.
 */
#include "work.h"

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define STR_(a) #a
#define STR(a) STR_(a)
/*
 * PAD, if given, moves the functions by so many bytes, and the end of the file
 * does not move.
 */
#define PAD_MAX 0x1000
#ifdef PAD
__asm__(".text\n.skip " STR(PAD) "\n");
#endif

#define NAME(n) CAT(PREFIX, n)

DEFINE_WORK(NAME(one))
DEFINE_WORK(NAME(two))
DEFINE_WORK(NAME(four))
DEFINE_WORK(NAME(eight))
DEFINE_WORK(NAME(sixteen))
DEFINE_WORK(NAME(three))

#define WORK(n, w)                                                             \
	{                                                                      \
		.name = STR(NAME(n)), .fn = NAME(n), .weight = (w)             \
	}

__attribute__((visibility("default"))) const struct work works[NR_WORKS] = {
	WORK(one, 1),	WORK(two, 2),	   WORK(four, 4),
	WORK(eight, 8), WORK(sixteen, 16), WORK(three, 3),
};

#ifdef PAD
__asm__(".text\n.skip " STR(PAD_MAX) " - " STR(PAD) "\n");
#endif
