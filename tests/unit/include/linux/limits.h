/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the kernel's header in unit tests. */
#ifndef OP_UNIT_LIMITS_H
#define OP_UNIT_LIMITS_H

#include_next <linux/limits.h>
#include <limits.h>

#define U64_MAX ((u64)~0ULL)

#endif /* OP_UNIT_LIMITS_H */
