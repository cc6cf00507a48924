/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the kernel's header in unit tests. */
#ifndef OP_UNIT_STRING_H
#define OP_UNIT_STRING_H

#include <string.h>

#endif /* OP_UNIT_STRING_H */
