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
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "core/compat.h"
#include "core/internal.h"

/**
 * struct op_module - a module that is there
 * @list: in op_modules, in the order in which they came
 * @mod: compared, never looked into
 * @number: given once, ascending
 * @name: its name
 * @live: its init sections have gone
 * @sections: what it consists of
 */
struct op_module {
	struct list_head list;
	const struct module *mod;
	u64 number;
	char name[MODULE_NAME_LEN];
	bool live;
	struct op_module_sections sections;
};

/* Guards the two below.  Taken inside op_sync_mutex. */
static DEFINE_MUTEX(op_modules_mutex);
static LIST_HEAD(op_modules);
static u64 op_module_numbers;

static struct op_module *op_module_find(const struct module *mod)
{
	struct op_module *m;

	list_for_each_entry(m, &op_modules, list) {
		if (m->mod == mod)
			return m;
	}
	return NULL;
}

static bool op_section_is_there(const struct op_module *m, unsigned int n)
{
	return m->sections.of[n].size && !(m->live && m->sections.of[n].init);
}

static void op_section_get(const struct op_module *m, unsigned int n,
			   struct op_section *section)
{
	strscpy(section->module, m->name, sizeof(section->module));
	section->section = m->sections.of[n].name;
	section->start = m->sections.of[n].start;
	section->size = m->sections.of[n].size;
}

/**
 * op_section_next - go through the sections of the modules that are there
 * @after: 0 to begin; changed to go on from here
 * @section: filled in
 *
 * Context: process, may sleep.
 * Return: false past the last.
 */
bool op_section_next(u64 *after, struct op_section *section)
{
	struct op_module *m;
	bool found = false;
	unsigned int n;

	mutex_lock(&op_modules_mutex);
	list_for_each_entry(m, &op_modules, list) {
		for (n = 0; n < OP_MODULE_SECTIONS && !found; n++) {
			u64 position = m->number * OP_MODULE_SECTIONS + n + 1;

			if (position <= *after || !op_section_is_there(m, n))
				continue;
			op_section_get(m, n, section);
			*after = position;
			found = true;
		}
		if (found)
			break;
	}
	mutex_unlock(&op_modules_mutex);
	return found;
}

/**
 * op_stream_module_size - the size of a section's record
 * @section: the section
 *
 * Context: any.
 */
size_t op_stream_module_size(const struct op_section *section)
{
	return sizeof(struct op_stream_module) + strlen(section->module) + 1 +
	       strlen(section->section) + 1;
}

/**
 * op_stream_module_fill - a section of a module, for the stream
 * @record: of op_stream_module_size(), its head filled in, the rest 0
 * @section: the section
 * @time: ns of CLOCK_BOOTTIME, 0 for what was there before
 *
 * Context: any.
 */
void op_stream_module_fill(struct op_stream_module *record,
			   const struct op_section *section, u64 time)
{
	record->time = time;
	record->start = section->start;
	record->len = section->size;
	strcpy(record->text, section->module);
	strcpy(record->text + strlen(section->module) + 1, section->section);
}

static void op_section_tell(u16 type, const struct op_section *section)
{
	struct op_stream_module *record;

	record = op_event_append(type, 0, op_stream_module_size(section));
	if (record)
		op_stream_module_fill(record, section, ktime_get_boottime_ns());
}

/* Tell the stream's readers of some or all of a module's sections. */
static void op_module_tell(const struct op_module *m, u16 type, bool init_only)
{
	struct op_section section;
	unsigned int n;

	if (!op_event_readers())
		return;
	for (n = 0; n < OP_MODULE_SECTIONS; n++) {
		if (!op_section_is_there(m, n) ||
		    (init_only && !m->sections.of[n].init))
			continue;
		op_section_get(m, n, &section);
		op_section_tell(type, &section);
	}
	op_event_flush();
}

static void op_module_add(const struct module *mod, bool init, bool tell)
{
	struct op_module *m;

	mutex_lock(&op_sync_mutex);
	mutex_lock(&op_modules_mutex);
	if (op_module_find(mod))
		goto out;
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		goto out;
	m->mod = mod;
	m->number = op_module_numbers++;
	m->live = !init;
	strscpy(m->name, mod->name, sizeof(m->name));
	op_module_sections(mod, &m->sections);
	list_add_tail(&m->list, &op_modules);
	if (tell)
		op_module_tell(m, OP_STREAM_MODULE, false);
out:
	mutex_unlock(&op_modules_mutex);
	mutex_unlock(&op_sync_mutex);
	op_kernel_map_add(mod, init);
}

static void op_module_remove(const struct module *mod, bool init_only)
{
	struct op_module *m;

	/* What was sampled there so far is still that module's. */
	if (op_enabled())
		op_sync_all();
	op_kernel_map_remove(mod, init_only);
	mutex_lock(&op_sync_mutex);
	mutex_lock(&op_modules_mutex);
	m = op_module_find(mod);
	if (m) {
		op_module_tell(m, OP_STREAM_MODULE_GONE, init_only);
		if (init_only) {
			m->live = true;
		} else {
			list_del(&m->list);
			kfree(m);
		}
	}
	mutex_unlock(&op_modules_mutex);
	mutex_unlock(&op_sync_mutex);
}

static int op_module_notify(struct notifier_block *nb, unsigned long state,
			    void *data)
{
	const struct module *mod = data;

	switch (state) {
	case MODULE_STATE_COMING:
		op_stat_add(OP_STAT_MODULE_LOADS, 1);
		/* Samples there so far are somebody else's, a BPF program's. */
		if (op_enabled())
			op_sync_all();
		op_module_add(mod, true, true);
		break;
	case MODULE_STATE_LIVE:
		/* It may have come while we were being loaded. */
		op_module_add(mod, false, true);
		op_module_remove(mod, true);
		break;
	case MODULE_STATE_GOING:
		op_stat_add(OP_STAT_MODULE_UNLOADS, 1);
		op_module_remove(mod, false);
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
			if (mk->mod->state != MODULE_STATE_GOING) {
				op_module_add(mk->mod,
					      mk->mod->state ==
						      MODULE_STATE_COMING,
					      false);
				/* Its going may have been told before that. */
				if (READ_ONCE(mk->mod->state) ==
				    MODULE_STATE_GOING)
					op_module_remove(mk->mod, false);
			}
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
		op_modules_exit();
	return ret;
}

/**
 * op_modules_exit - hear of no module any more
 *
 * Context: process, at unload; waits for a notification that is under way.
 */
void op_modules_exit(void)
{
	struct op_module *m, *next;

	unregister_module_notifier(&op_module_nb);
	mutex_lock(&op_modules_mutex);
	list_for_each_entry_safe(m, next, &op_modules, list) {
		list_del(&m->list);
		kfree(m);
	}
	mutex_unlock(&op_modules_mutex);
}
