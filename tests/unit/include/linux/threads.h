/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the kernel's header in unit tests. */
#ifndef OP_UNIT_THREADS_H
#define OP_UNIT_THREADS_H

#define PID_MAX_LIMIT (4 * 1024 * 1024)

#endif /* OP_UNIT_THREADS_H */
