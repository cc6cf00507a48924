/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sources that every architecture has.
 */
#ifndef OP_ARCH_GENERIC_H
#define OP_ARCH_GENERIC_H

int op_timer_init(void);
void op_timer_exit(void);

int op_perf_init(void);
void op_perf_exit(void);

#endif /* OP_ARCH_GENERIC_H */
