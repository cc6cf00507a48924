/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the kernel's header in unit tests. */
#ifndef OP_UNIT_PTRACE_H
#define OP_UNIT_PTRACE_H

struct pt_regs;

#endif /* OP_UNIT_PTRACE_H */
