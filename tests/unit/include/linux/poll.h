/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the kernel's header in unit tests. */
#ifndef OP_UNIT_POLL_H
#define OP_UNIT_POLL_H

struct file;

typedef unsigned int __poll_t;
typedef struct poll_table_struct poll_table;

#endif /* OP_UNIT_POLL_H */
