// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that runs nothing but its own code: no libc, no vdso, and only one
 * function that takes time, whose name and place differ from build to build
 * (NAME, PAD).  So a sample of it that is found elsewhere, or one of another
 * program that is found here, can be proved wrong.
 *
 * usage: burn ITERATIONS		(0: for ever)
 */
#include <stdint.h>

#include "work.h"

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)

/* The function stands behind so many bytes that are never executed. */
#if defined(__x86_64__)
__asm__(".text\n.skip " PAD ", 0xcc\n");
#else
__asm__(".text\n.skip " PAD ", 0\n");
#endif

DEFINE_WORK(CAT(burn, NAME))

#if defined(__x86_64__)
__asm__(".text\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call burn_start\n"
	".size _start, . - _start\n");

static void __attribute__((noreturn)) quit(long status)
{
	for (;;)
		__asm__ volatile("syscall"
				 :
				 : "a"(231L), "D"(status)
				 : "rcx", "r11", "memory");
}
#else
__asm__(".text\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	mov x29, #0\n"
	"	mov x30, #0\n"
	"	mov x0, sp\n"
	"	bl burn_start\n"
	".size _start, . - _start\n");

static void __attribute__((noreturn)) quit(long status)
{
	register long x8 __asm__("x8") = 94;
	register long x0 __asm__("x0") = status;

	for (;;)
		__asm__ volatile("svc 0" : : "r"(x8), "r"(x0) : "memory");
}
#endif

/* @stack: argc and argv, as the kernel left them */
__attribute__((noreturn, used)) void burn_start(const uint64_t *stack)
{
	const char *s;
	uint64_t n = 0;

	if (stack[0] != 2)
		quit(2);
	for (s = (const char *)stack[2]; *s; s++) {
		if (*s < '0' || *s > '9')
			quit(2);
		n = n * 10 + (uint64_t)(*s - '0');
	}
	/* 0 wraps round: 2^64 iterations. */
	CAT(burn, NAME)(n);
	quit(0);
}
