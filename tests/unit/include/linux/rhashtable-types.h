/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the kernel's header in unit tests. */
#ifndef OP_UNIT_RHASHTABLE_TYPES_H
#define OP_UNIT_RHASHTABLE_TYPES_H

struct rhash_head {
	struct rhash_head *next;
};

#endif /* OP_UNIT_RHASHTABLE_TYPES_H */
