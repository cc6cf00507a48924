// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports as one JSON document; optop(1) has the schema.
 *
 * Each picture is written when it is taken, so that a long run needs no more
 * memory than a short one.
 */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report.h"
#include "text.h"

/* Raised when a member changes its meaning or goes. */
#define SCHEMA 1

static void add_text(struct json_object *object, const char *key,
		     const char *text)
{
	static char clean[OP_TEXT_MAX];

	op_text_clean(clean, sizeof(clean), text);
	json_object_object_add(object, key, json_object_new_string(clean));
}

static void add_number(struct json_object *object, const char *key,
		       uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

/* An address: as text, since many readers of JSON round large numbers. */
static void add_address(struct json_object *object, const char *key,
			uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	json_object_object_add(object, key, json_object_new_string(text));
}

/* So many digits, and no more, whatever the number. */
static struct json_object *real(double value, int digits)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	return json_object_new_double_s(value, text);
}

/* One number an event, in the order of "events". */
static void add_values(struct json_object *object, const struct op_model *model,
		       const struct op_value *values)
{
	struct json_object *samples = json_object_new_array();
	struct json_object *delta = json_object_new_array();
	unsigned int e;

	for (e = 0; e < model->tree->nr_events; e++) {
		json_object_array_add(samples,
				      json_object_new_uint64(values[e].total));
		json_object_array_add(delta, json_object_new_uint64(op_delta_of(
						     model, &values[e])));
	}
	json_object_object_add(object, "samples", samples);
	json_object_object_add(object, "delta", delta);
}

/* Words for programs: what people read may be worded better one day. */
static const char *state_word(enum op_symbols_state state)
{
	static const char *const words[] = {
		[OP_SYMBOLS_WAITING] = "waiting",
		[OP_SYMBOLS_LOADED] = "loaded",
		[OP_SYMBOLS_NONE] = "none",
		[OP_SYMBOLS_MISSING] = "missing",
		[OP_SYMBOLS_CHANGED] = "changed",
		[OP_SYMBOLS_BROKEN] = "broken",
	};

	return words[state];
}

static struct json_object *images(const struct op_model *model)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < model->tree->nr_images; i++) {
		const struct op_image *image = model->tree->images[i];
		const struct op_entry *entry = image->private;
		struct json_object *object = json_object_new_object();

		add_text(object, "name", image->name);
		add_text(object, "path", image->path);
		add_text(object, "kind", op_kind_text(image->kind));
		add_number(object, "dcookie", image->dcookie);
		add_address(object, "start", image->start);
		add_text(object, "symbols", state_word(entry->state));
		add_values(object, model, entry->sums);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *symbols(const struct op_model *model,
				   const struct op_query *query)
{
	struct json_object *array = json_object_new_array();
	struct op_query all = *query;
	struct op_rows rows = { 0 };
	char type[2] = "";
	size_t r;

	/* Those that have samples of another event only, too. */
	all.all = true;
	op_rows_symbols(model, &all, &rows);
	for (r = 0; r < rows.nr; r++) {
		const struct op_row *row = &rows.rows[r];
		const struct op_sym *sym = &row->entry->syms[row->sym];
		struct json_object *object = json_object_new_object();

		add_text(object, "image", row->entry->image->name);
		if (sym->name) {
			add_text(object, "symbol", sym->name);
			type[0] = sym->type;
			add_text(object, "type", type);
			add_address(object, "offset", sym->start);
			add_number(object, "size", sym->size);
		} else if (row->entry->image->kind == OP_KIND_JIT) {
			add_text(object, "symbol", row->entry->image->path + 4);
		} else {
			json_object_object_add(object, "symbol", NULL);
		}
		json_object_object_add(object, "kernel",
				       json_object_new_boolean(row->kernel));
		json_object_object_add(object, "share", real(row->share, 6));
		json_object_object_add(object, "rate", real(row->rate, 1));
		add_values(object, model,
			   row->entry->values + row->sym * OP_MAX_EVENTS);
		json_object_array_add(array, object);
	}
	free(rows.rows);
	return array;
}

static struct json_object *jit_maps(const struct op_tree *tree)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < tree->nr_jits; i++) {
		struct json_object *object = json_object_new_object();

		add_text(object, "name", tree->jits[i].name);
		add_address(object, "start", tree->jits[i].start);
		add_address(object, "end", tree->jits[i].end);
		if (tree->jits[i].pid)
			add_number(object, "pid", (uint64_t)tree->jits[i].pid);
		json_object_array_add(array, object);
	}
	return array;
}

static void begin(FILE *out)
{
	fprintf(out, "{\"optop\":\"%s\",\"schema\":%d,\"pictures\":[",
		OPTOP_VERSION, SCHEMA);
}

static void picture(FILE *out, const struct op_model *model,
		    const struct op_query *query, unsigned long n)
{
	const struct op_tree *tree = model->tree;
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct json_object *stats = json_object_new_object();
	char now[64], name[sizeof(tree->stats->name) * 4];
	unsigned int e;
	size_t i;

	op_now_text(now, sizeof(now));
	add_text(object, "time", now);
	json_object_object_add(object, "seconds", real(model->dt, 3));
	add_text(object, "version", tree->version);
	add_text(object, "cpu_type", tree->cpu_type);
	json_object_object_add(object, "enabled",
			       tree->enabled < 0 ?
				       NULL :
				       json_object_new_boolean(tree->enabled));
	for (e = 0; e < tree->nr_events; e++) {
		char event[OP_EVENT_SIZE * 4];

		op_text_clean(event, sizeof(event), tree->events[e]);
		json_object_array_add(list, json_object_new_string(event));
	}
	json_object_object_add(object, "events", list);
	json_object_object_add(object, "event",
			       json_object_new_int((int)query->event));
	add_text(object, "mode", op_mode_text(query->mode));
	for (i = 0; i < tree->nr_stats; i++) {
		op_text_clean(name, sizeof(name), tree->stats[i].name);
		add_number(stats, name, tree->stats[i].value);
	}
	json_object_object_add(object, "stats", stats);
	add_number(object, "lost", op_tree_losses(tree, "lost_"));
	add_number(object, "skipped", op_tree_losses(tree, "skipped_"));
	add_number(object, "faults", tree->faults);
	if (tree->faults)
		add_text(object, "fault", tree->fault);
	json_object_object_add(object, "images", images(model));
	json_object_object_add(object, "symbols", symbols(model, query));
	json_object_object_add(object, "jit_maps", jit_maps(tree));
	fprintf(out, "%s%s", n > 1 ? ",\n" : "\n",
		json_object_to_json_string_ext(object,
					       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

static void end(FILE *out)
{
	fputs("\n]}\n", out);
}

const struct op_report op_report_json = {
	.begin = begin,
	.picture = picture,
	.end = end,
};
