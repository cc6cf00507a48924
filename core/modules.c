// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules: which kernel modules come and go.
 *
 * They are known from the notifier and, those that were there before us, from
 * the kset of /sys/module.  Before a module's text goes away the CPU buffers
 * are synced, so that an address in them is always of the module that had it.
 *
 * Process context.
 */
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>

#include "core/internal.h"

static void op_module_gone(const struct module *mod, bool init_only)
{
	/* What was sampled there so far is still that module's. */
	if (op_enabled())
		op_sync_all();
	op_kernel_map_remove(mod, init_only);
}

static int op_module_notify(struct notifier_block *nb, unsigned long state,
			    void *data)
{
	const struct module *mod = data;

	switch (state) {
	case MODULE_STATE_COMING:
		op_kernel_map_add(mod, true);
		break;
	case MODULE_STATE_LIVE:
		/* It may have come while we were being loaded. */
		op_kernel_map_add(mod, false);
		op_module_gone(mod, true);
		break;
	case MODULE_STATE_GOING:
		op_module_gone(mod, false);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block op_module_nb = {
	.notifier_call = op_module_notify,
};

/*
 * Those that are there.  The kset's lock can't be held where memory is taken,
 * so references are collected first; a reference keeps the module's memory, of
 * which the object is a part.
 */
static int op_modules_scan(void)
{
	struct kset *kset = THIS_MODULE->mkobj.kobj.kset;
	struct module_kobject *mk;
	struct kobject *kobj, **found;
	size_t room = 0, n, i;

	do {
		room += 256;
		found = kvmalloc_array(room, sizeof(*found), GFP_KERNEL);
		if (!found)
			return -ENOMEM;
		n = 0;
		spin_lock(&kset->list_lock);
		list_for_each_entry(kobj, &kset->list, entry) {
			mk = container_of(kobj, struct module_kobject, kobj);
			/* Built-in ones are here as well, without a module. */
			if (!mk->mod || !kobject_get_unless_zero(kobj))
				continue;
			found[n++] = kobj;
			if (n == room)
				break;
		}
		spin_unlock(&kset->list_lock);

		for (i = 0; i < n; i++) {
			mk = container_of(found[i], struct module_kobject,
					  kobj);
			if (mk->mod->state != MODULE_STATE_GOING)
				op_kernel_map_add(mk->mod,
						  mk->mod->state ==
							  MODULE_STATE_COMING);
			kobject_put(found[i]);
		}
		kvfree(found);
	} while (n == room);
	return 0;
}

/**
 * op_modules_init - learn which modules are there, and hear of others
 *
 * Context: process, at load.
 * Return: 0 or a negative errno.
 */
int op_modules_init(void)
{
	int ret;

	/* First the notifier, so that none slips through in between. */
	ret = register_module_notifier(&op_module_nb);
	if (ret)
		return ret;
	ret = op_modules_scan();
	if (ret)
		unregister_module_notifier(&op_module_nb);
	return ret;
}

/**
 * op_modules_exit - hear of no module any more
 *
 * Context: process, at unload; waits for a notification that is under way.
 */
void op_modules_exit(void)
{
	unregister_module_notifier(&op_module_nb);
}
