/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the kernel's header in unit tests. */
#ifndef OP_UNIT_ERRNO_H
#define OP_UNIT_ERRNO_H

#include <asm/errno.h>

#endif /* OP_UNIT_ERRNO_H */
