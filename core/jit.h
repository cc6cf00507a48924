/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JIT maps: what jit_maps.c, which knows the ranges, and jit_segments.c, which
 * finds an address in them, have in common.
 */
#ifndef OP_JIT_H
#define OP_JIT_H

#include <linux/interval_tree.h>
#include <linux/list.h>
#include <linux/types.h>

/**
 * struct op_jit_space - an address space that has ranges
 * @list: in op_jit_spaces
 * @mm: the process's, grabbed; %NULL: the kernel
 * @pid: the process's number in the initial namespace, for the list
 * @ranges: its &struct op_jit_range by address
 * @id: never given twice; 0 is nobody's
 */
struct op_jit_space {
	struct list_head list;
	struct mm_struct *mm;
	pid_t pid;
	struct rb_root_cached ranges;
	u64 id;
};

/**
 * struct op_jit_range - what one add_mapping said
 * @node: in its space's tree; the last byte is included
 * @active: while jit_segments.c asks who has what: in its tree, by @seq
 * @space: its address space
 * @seq: a later one wins; key in op_jit_ranges
 * @image: its image, referenced
 * @name: as written
 */
struct op_jit_range {
	struct interval_tree_node node;
	struct rb_node active;
	struct op_jit_space *space;
	unsigned long seq;
	struct op_image *image;
	char name[];
};

extern const size_t op_segments_of_range;

int op_segments_add(struct op_jit_range *r);
void op_segments_remove(struct op_jit_range *r);
void op_segments_drop(struct op_jit_space *space);

#endif /* OP_JIT_H */
