// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel map: which image a kernel address belongs to.
 *
 * Modules are those that modules.c tells of; the kernel's own text and BPF
 * programs are known by what sprint_symbol() answers, and those that have gone by
 * what bpf_text.c remembers.
 *
 * Process context.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/interval_tree.h>
#include <linux/jhash.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/compat.h"
#include "core/internal.h"

/**
 * struct op_kernel_range - one stretch of a module's text
 * @node: in op_kernel_ranges; its last byte is included
 * @list: the same, for going through
 * @mod: whose it is; compared, never looked into
 * @init: freed once the module is live
 * @image: its image, referenced
 */
struct op_kernel_range {
	struct interval_tree_node node;
	struct list_head list;
	const struct module *mod;
	bool init;
	struct op_image *image;
};

/* Guards the two below.  Taken inside op_sync_mutex, outside op_image_mutex. */
static DEFINE_MUTEX(op_kernel_map_mutex);
static struct rb_root_cached op_kernel_ranges = RB_ROOT_CACHED;
static LIST_HEAD(op_kernel_range_list);

/* The kernel's own text: [op_kernel_start, op_kernel_end). */
unsigned long op_kernel_start __read_mostly;
unsigned long op_kernel_end __read_mostly;

/* Does the kernel itself, and no module or BPF program, have this address? */
static bool op_is_kernel_address(unsigned long address)
{
	char symbol[KSYM_SYMBOL_LEN];

	sprint_symbol(symbol, address);
	return !str_has_prefix(symbol, "0x") && !strchr(symbol, '[') &&
	       !op_bpf_symbol(symbol);
}

/*
 * The kernel's first or last byte, seen from an address in it.  @direction: -1
 * down, 1 up.  sprint_symbol() knows an address as the kernel's from _stext on
 * and without a gap, so a search by halves finds the border to the byte.
 */
static unsigned long op_kernel_border(unsigned long inside, int direction)
{
	unsigned long step = SZ_1M;

	while (step < SZ_1G && op_is_kernel_address(inside + direction * step))
		step *= 2;
	/* inside is in, inside + direction * step is out. */
	for (; step; step /= 2) {
		if (op_is_kernel_address(inside + direction * step))
			inside += direction * step;
	}
	return inside;
}

/* A module that is loaded again is the same image; one built anew is not. */
static u32 op_module_build(const struct module *mod)
{
	struct op_text_range text = op_module_text(mod, false);
	u32 hash = jhash_1word(text.end - text.start, 0);

	if (mod->srcversion)
		hash = jhash(mod->srcversion, strlen(mod->srcversion), hash);
	/* Most have none.  But no two builds have all functions in one place. */
	return op_module_hash_symbols(mod, text, hash);
}

static void op_kernel_range_add(const struct module *mod, bool init)
{
	struct op_text_range text = op_module_text(mod, init);
	char name[MODULE_NAME_LEN + sizeof(".ko:init")];
	struct op_kernel_range *range;

	if (text.start == text.end)
		return;
	range = kzalloc(sizeof(*range), GFP_KERNEL);
	if (!range)
		goto err_log;
	snprintf(name, sizeof(name), "%s.ko%s", mod->name, init ? ":init" : "");
	range->image = op_image_of_name(OP_IMAGE_MODULE, name, 0,
					op_module_build(mod));
	if (IS_ERR(range->image))
		goto err_free;
	WRITE_ONCE(range->image->start, text.start);
	range->mod = mod;
	range->init = init;
	range->node.start = text.start;
	range->node.last = text.end - 1;
	interval_tree_insert(&range->node, &op_kernel_ranges);
	list_add(&range->list, &op_kernel_range_list);
	return;

err_free:
	kfree(range);
err_log:
	pr_warn("no memory to follow module %s: its samples go to unknown\n",
		mod->name);
}

static void op_kernel_range_free(struct op_kernel_range *range)
{
	interval_tree_remove(&range->node, &op_kernel_ranges);
	list_del(&range->list);
	op_image_put(range->image);
	kfree(range);
}

static bool op_module_is_known(const struct module *mod)
{
	struct op_kernel_range *range;

	list_for_each_entry(range, &op_kernel_range_list, list) {
		if (range->mod == mod)
			return true;
	}
	return false;
}

/**
 * op_kernel_map_add - a module's text is there
 * @mod: the module; nothing happens if it is known already
 * @init: its init text is there as well
 *
 * Context: process, may sleep.
 */
void op_kernel_map_add(const struct module *mod, bool init)
{
	mutex_lock(&op_kernel_map_mutex);
	if (!op_module_is_known(mod)) {
		op_kernel_range_add(mod, false);
		if (init)
			op_kernel_range_add(mod, true);
	}
	mutex_unlock(&op_kernel_map_mutex);
}

/**
 * op_kernel_map_remove - a module's text goes away
 * @mod: the module
 * @init_only: only its init text
 *
 * Context: process, may sleep; what was sampled there has been synced.
 */
void op_kernel_map_remove(const struct module *mod, bool init_only)
{
	struct op_kernel_range *range, *next;

	mutex_lock(&op_kernel_map_mutex);
	list_for_each_entry_safe(range, next, &op_kernel_range_list, list) {
		if (range->mod == mod && (range->init || !init_only))
			op_kernel_range_free(range);
	}
	mutex_unlock(&op_kernel_map_mutex);
}

/**
 * op_kernel_map_find - the image of a kernel address
 * @pc: the address
 * @offset: set to its offset in the image
 *
 * Context: process, may sleep; op_sync_mutex held, which keeps the image.
 * Return: the image, without a reference.
 */
struct op_image *op_kernel_map_find(u64 pc, u64 *offset)
{
	struct interval_tree_node *node;
	struct op_kernel_range *range;
	struct op_image *image;
	char symbol[KSYM_SYMBOL_LEN];

	if (likely(op_kernel_map_is_vmlinux(pc))) {
		*offset = pc - op_kernel_start;
		return op_image_fixed[OP_IMAGE_VMLINUX];
	}

	mutex_lock(&op_kernel_map_mutex);
	node = interval_tree_iter_first(&op_kernel_ranges, pc, pc);
	if (node) {
		range = container_of(node, struct op_kernel_range, node);
		image = range->image;
		*offset = pc - node->start;
	}
	mutex_unlock(&op_kernel_map_mutex);
	if (node)
		return image;

	*offset = pc;
	sprint_symbol(symbol, pc);
	if (op_bpf_symbol_outside(symbol) || op_bpf_text_was(pc))
		return op_image_fixed[OP_IMAGE_BPF];
	return op_image_fixed[OP_IMAGE_UNKNOWN];
}

/**
 * op_kernel_map_init - learn where the kernel is
 *
 * Context: process, at load.
 */
void op_kernel_map_init(void)
{
	unsigned long inside = (unsigned long)&sprint_symbol;

	op_kernel_start = op_kernel_border(inside, -1);
	op_kernel_end = op_kernel_border(inside, 1) + 1;
	op_image_fixed[OP_IMAGE_VMLINUX]->start = op_kernel_start;
}

/**
 * op_kernel_map_exit - forget the modules
 *
 * Context: process, at unload; nobody adds any more, and what is synced from
 * now on has no module's name.
 */
void op_kernel_map_exit(void)
{
	struct op_kernel_range *range, *next;

	mutex_lock(&op_kernel_map_mutex);
	list_for_each_entry_safe(range, next, &op_kernel_range_list, list)
		op_kernel_range_free(range);
	mutex_unlock(&op_kernel_map_mutex);
}
