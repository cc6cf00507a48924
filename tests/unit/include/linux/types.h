/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the kernel's header in unit tests. */
#ifndef OP_UNIT_TYPES_H
#define OP_UNIT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As the kernel has them: printed by %llu. */
typedef unsigned long long u64;
typedef long long s64;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint16_t u16;
typedef uint8_t u8;

struct rcu_head {
	void *next;
};

#endif /* OP_UNIT_TYPES_H */
