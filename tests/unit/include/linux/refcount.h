/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the kernel's header in unit tests. */
#ifndef OP_UNIT_REFCOUNT_H
#define OP_UNIT_REFCOUNT_H

typedef struct {
	int refs;
} refcount_t;

#endif /* OP_UNIT_REFCOUNT_H */
