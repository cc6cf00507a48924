/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the kernel's header in unit tests. */
#ifndef OP_UNIT_LIST_H
#define OP_UNIT_LIST_H

struct list_head {
	struct list_head *next, *prev;
};

#endif /* OP_UNIT_LIST_H */
