/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions whose cost is known.
 *
 * All of them have the same instructions at the same place of a page, so that
 * time is in proportion to the iterations asked for, whichever function does
 * them.  The branches in the body make several basic blocks: an emulator takes
 * interrupts only at the beginning of one, and samples shall fall on more than
 * one address of a function.  The instructions that do nothing cost an emulator
 * nothing, but when its clock counts instructions they make time pass.
 */
#ifndef WORK_H
#define WORK_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define WORK_NOPS ".rept 60\n\tnop\n\t.endr\n\t"
#if defined(__x86_64__)
#define WORK_BLOCK WORK_NOPS "jmp 1f\n1:\n"
#elif defined(__aarch64__)
#define WORK_BLOCK WORK_NOPS "b 1f\n1:\n"
#else
#error "which instruction jumps here?"
#endif

#define WORK_FUNCTION                                                          \
	__attribute__((noinline, noclone, used, aligned(1024),                 \
		       visibility("default")))

#define DEFINE_WORK(name)                                                      \
	WORK_FUNCTION void name(uint64_t n)                                    \
	{                                                                      \
		do {                                                           \
			__asm__ volatile(WORK_BLOCK WORK_BLOCK WORK_BLOCK      \
					 : "+r"(n));                           \
		} while (--n);                                                 \
	}

/**
 * struct work - one function and how much it shall cost
 * @name: of the function, as in the symbol table
 * @fn: does so many iterations; not 0
 * @weight: its cost in relation to the others'
 */
struct work {
	const char *name;
	void (*fn)(uint64_t n);
	unsigned int weight;
};

#define NR_WORKS 6

/* In the library, or in the program itself. */
extern const struct work works[NR_WORKS];

/* What a plugin has under the name "works". */
typedef const struct work work_table[NR_WORKS];

#endif /* WORK_H */
