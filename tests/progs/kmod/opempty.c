// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel module without a single instruction.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("Has no text");
MODULE_AUTHOR("The oprofile developers");
MODULE_LICENSE("GPL");
