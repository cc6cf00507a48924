// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF text: where BPF programs and trampolines are or were.
 *
 * It exists because a program may have gone when a sample of it is synced, and
 * the kernel then knows its address no more.  The hook at perf_event_ksymbol()
 * tells of all that come and go while sampling is on; what was BPF's stays so
 * here until other code is said to be in its place.  A module's text is looked
 * for first, so it needs no notice.
 *
 * Process context, under op_sync_mutex.
 */
#include <linux/ctype.h>
#include <linux/interval_tree.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/internal.h"

/*
 * Stretches that are remembered, a third of a MiB; then the one longest not heard
 * of goes.
 */
#define OP_BPF_TEXTS_MAX 4096

struct op_bpf_text {
	struct interval_tree_node node;
	struct list_head list;
};

/* Disjoint; the list has that heard of last at its end. */
static struct rb_root_cached op_bpf_texts = RB_ROOT_CACHED;
static LIST_HEAD(op_bpf_text_list);
static unsigned int op_bpf_text_count;

/**
 * op_bpf_symbol - is this what kernel/bpf calls text that it made?
 * @symbol: a name as kallsyms has it
 *
 * bpf_prog_ and the program's tag of 16 hex digits, or bpf_trampoline_ and a
 * number; the kernel's own functions of such names go on with a word.
 *
 * Context: any.
 */
bool op_bpf_symbol(const char *symbol)
{
	size_t len = str_has_prefix(symbol, "bpf_prog_");
	int i;

	if (len) {
		for (i = 0; i < 16; i++) {
			if (!isxdigit(symbol[len + i]))
				return false;
		}
		return true;
	}
	len = str_has_prefix(symbol, "bpf_trampoline_");
	return len && isdigit(symbol[len]);
}

/**
 * op_bpf_symbol_outside - the same, of an address outside the kernel's text
 * @symbol: a name as kallsyms has it
 *
 * There the dispatchers are also BPF's, whose names the kernel's own functions
 * begin with as well.
 *
 * Context: any.
 */
bool op_bpf_symbol_outside(const char *symbol)
{
	return op_bpf_symbol(symbol) ||
	       str_has_prefix(symbol, "bpf_dispatcher_");
}

static struct op_bpf_text *op_bpf_text_first(u64 start, u64 last)
{
	struct interval_tree_node *node =
		interval_tree_iter_first(&op_bpf_texts, start, last);

	return node ? container_of(node, struct op_bpf_text, node) : NULL;
}

static void op_bpf_text_remove(struct op_bpf_text *text)
{
	interval_tree_remove(&text->node, &op_bpf_texts);
	list_del(&text->list);
	op_bpf_text_count--;
	kfree(text);
}

static void op_bpf_text_add(u64 start, u64 last)
{
	struct op_bpf_text *old, *text = op_bpf_text_first(start, last);

	if (text && text->node.start <= start && text->node.last >= last) {
		list_move_tail(&text->list, &op_bpf_text_list);
		return;
	}
	/* Without memory its samples are unknown once it has gone. */
	text = kmalloc(sizeof(*text), GFP_KERNEL);
	if (!text)
		return;
	while ((old = op_bpf_text_first(start, last))) {
		start = min_t(u64, start, old->node.start);
		last = max_t(u64, last, old->node.last);
		op_bpf_text_remove(old);
	}
	text->node.start = start;
	text->node.last = last;
	interval_tree_insert(&text->node, &op_bpf_texts);
	list_add_tail(&text->list, &op_bpf_text_list);
	if (++op_bpf_text_count > OP_BPF_TEXTS_MAX)
		op_bpf_text_remove(list_first_entry(&op_bpf_text_list,
						    struct op_bpf_text, list));
}

/**
 * op_bpf_text_heard - the kernel made code, or is about to give it back
 * @start: its address
 * @len: its length in bytes
 * @name: what the kernel calls it
 *
 * Context: process, may sleep; op_sync_mutex held.
 */
void op_bpf_text_heard(u64 start, u64 len, const char *name)
{
	struct op_bpf_text *text;
	u64 last = start + len - 1;

	if (!len || last < start)
		return;
	if (op_bpf_symbol_outside(name)) {
		op_bpf_text_add(start, last);
		return;
	}
	/* A page for kprobes or ftrace: it is BPF's no more. */
	while ((text = op_bpf_text_first(start, last)))
		op_bpf_text_remove(text);
}

/**
 * op_bpf_text_was - was there BPF text, as far as one has heard?
 * @pc: a kernel address that nothing has now
 *
 * Context: process; op_sync_mutex held.
 */
bool op_bpf_text_was(u64 pc)
{
	return op_bpf_text_first(pc, pc);
}

/**
 * op_bpf_text_forget - forget all of it
 *
 * What goes and comes from now on may not be heard of.
 *
 * Context: process; op_sync_mutex held.
 */
void op_bpf_text_forget(void)
{
	struct op_bpf_text *text, *next;

	list_for_each_entry_safe(text, next, &op_bpf_text_list, list)
		op_bpf_text_remove(text);
}
