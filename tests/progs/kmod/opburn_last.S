/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * opburn_last, a loop of opburn.ko whose last instruction, at opburn_end, is the
 * last of the module's text: it is in a section behind all others.
 */
#include <linux/linkage.h>

	.section .text.last, "ax"
SYM_FUNC_START(opburn_last_out)
#ifdef __x86_64__
	RET
#else
	ret
#endif
SYM_FUNC_END(opburn_last_out)

SYM_FUNC_START(opburn_last)
#ifdef __x86_64__
	dec %rdi
	jz opburn_last_out
SYM_INNER_LABEL(opburn_end, SYM_L_GLOBAL)
	jmp opburn_last
#else
	subs x0, x0, #1
	b.eq opburn_last_out
SYM_INNER_LABEL(opburn_end, SYM_L_GLOBAL)
	b opburn_last
#endif
SYM_FUNC_END(opburn_last)
