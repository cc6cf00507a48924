// SPDX-License-Identifier: GPL-2.0-only
/*
 * optop over a whole tree: its files are read twice, the second time perhaps
 * with others in their places, and the model is printed as each of the reports.
 *
 * No report has a control character of the tree's; the JSON one is one that
 * json-c reads; the model's sums are those of the histograms, also where the
 * file changes said what is new of them. A tree that has it is a mounted one.
 *
 * Input: files, each "=== PATH" in a line and then its content; behind "+++" in
 * a line, files of the second look.
 */
#include <json-c/json.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "fuzz.h"

#include "model.h"
#include "report.h"
#include "symbols.h"
#include "text.h"
#include "tree.h"

/* The places that files may be put to: those that are read. */
static const char *const places[] = {
	"changes",
	"enable",
	"version",
	"cpu_type",
	"jit_maps",
	"0/enabled",
	"0/event",
	"0/count",
	"0/freq",
	"stats/received",
	"stats/lost_x",
	"stats/hooks",
	"stats/cpu0/received",
	"stats/forks",
	"images/a/hist",
	"images/a/path",
	"images/a/dcookie",
	"images/a/start",
	"images/a/samples",
	"images/a/identity",
	"images/}b~2/hist",
	"images/}b~2/path",
	"images/}b~2/dcookie",
	"images/}b~2/start",
	"images/}b~2/samples",
	"images/jit:c/hist",
	"images/jit:c/path",
	"images/jit:c/start",
	"images/x.ko/hist",
	"images/x.ko/path",
};

#define NR_PLACES (sizeof(places) / sizeof(*places))

static const char *const folders[] = {
	"0",	    "stats",	   "stats/cpu0",   "images",
	"images/a", "images/}b~2", "images/jit:c", "images/x.ko",
};

static bool used[NR_PLACES];

int fstatfs(int fd, struct statfs *fs)
{
	fs->f_type = faccessat(fd, "changes", F_OK, 0) ? 0 : 0x6f70726f;
	return 0;
}

/*
 * What is written to it, a number, is what a file that is none of the kernel's
 * begins with then; empty lines say nothing.
 */
static void put_changes(const char *text, size_t size)
{
	static const char pad[] = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";
	char *all = malloc(sizeof(pad) + size);

	memcpy(all, pad, sizeof(pad) - 1);
	memcpy(all + sizeof(pad) - 1, text, size);
	fuzz_put(places[0], all, sizeof(pad) - 1 + size);
	free(all);
}

static void put_file(const char *name, size_t len, const char *text,
		     size_t size)
{
	size_t i;

	for (i = 0; i < NR_PLACES; i++) {
		if (strlen(places[i]) == len && !memcmp(places[i], name, len)) {
			if (i)
				fuzz_put(places[i], text, size);
			else
				put_changes(text, size);
			used[i] = true;
		}
	}
}

/* Until the end or "+++": where the rest begins. */
static const char *put_files(const char *at, const char *end)
{
	const char *name = NULL, *text = at;
	size_t len = 0;

	while (at < end) {
		const char *line = at;
		const char *newline = memchr(at, '\n', end - at);
		size_t n = (newline ? newline : end) - line;

		at = newline ? newline + 1 : end;
		if (n < 3 || (memcmp(line, "===", 3) && memcmp(line, "+++", 3)))
			continue;
		if (name)
			put_file(name, len, text, line - text);
		name = NULL;
		if (*line == '+')
			return at;
		if (n > 4) {
			name = line + 4;
			len = n - 4;
		}
		text = at;
	}
	if (name)
		put_file(name, len, text, end - text);
	return end;
}

static void check_sums(const struct op_model *model)
{
	uint64_t totals[OP_MAX_EVENTS] = { 0 }, named[OP_MAX_EVENTS] = { 0 };
	const struct op_tree *tree = model->tree;
	size_t i, k;

	for (i = 0; i < tree->nr_images; i++) {
		const struct op_entry *entry = tree->images[i]->private;
		struct op_hist *hist = &tree->images[i]->hist;
		uint64_t sum = 0;

		for (k = 0; k < hist->nr * hist->columns; k++) {
			totals[hist->event[k % hist->columns]] +=
				hist->counts[k];
			sum += hist->counts[k];
			MUST(entry->bins[k].total == hist->counts[k]);
		}
		MUST(sum == hist->sum);
		for (k = 0; k < hist->nr; k++)
			MUST(op_hist_find(hist, hist->offsets[k]) == k);
		for (k = 0; k < entry->nr_syms * OP_MAX_EVENTS; k++)
			named[k % OP_MAX_EVENTS] += entry->values[k].total;
	}
	for (i = 0; i < tree->nr_events; i++)
		MUST(model->totals[i].total == totals[i] &&
		     named[i] == totals[i]);
}

static void check_json(const char *text, size_t size)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object =
		json_tokener_parse_ex(tokener, text, (int)size);

	MUST(json_tokener_get_error(tokener) == json_tokener_success);
	MUST(json_object_is_type(object, json_type_object));
	json_object_put(object);
	json_tokener_free(tokener);
}

static void report(const struct op_report *format, const struct op_model *model,
		   const struct op_query *query)
{
	size_t size, i;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (format->begin)
		format->begin(out);
	format->picture(out, model, query, 1);
	if (format->end)
		format->end(out);
	fclose(out);
	for (i = 0; i < size; i++)
		MUST((unsigned char)text[i] >= ' ' || text[i] == '\n');
	for (i = 0; i < size; i++)
		MUST(text[i] != 0x7f);
	if (format == &op_report_json)
		check_json(text, size);
	free(text);
}

static void reports(const struct op_model *model)
{
	static const struct op_report *const formats[] = { &op_report_batch,
							   &op_report_once,
							   &op_report_json,
							   &op_report_csv };
	struct op_query query = { 0 };
	size_t i;

	for (query.mode = 0; query.mode < OP_MODES; query.mode++)
		for (i = 0; i < sizeof(formats) / sizeof(*formats); i++)
			report(formats[i], model, &query);
	query.mode = OP_MODE_ACCUMULATE;
	for (query.sort = 0; query.sort < OP_SORTS; query.sort++)
		report(&op_report_batch, model, &query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_symbols_config config = { 0 };
	struct op_symbols *symbols;
	struct op_model *model;
	struct op_tree *tree;
	char *text = fuzz_string(data, size);
	const char *rest;
	size_t i;

	op_text_init(false);
	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		mkdirat(fuzz_folder(), folders[i], 0700);
	tree = op_tree_new(fuzz_folder_path());
	symbols = op_symbols_new(&config);
	model = op_model_new(tree, symbols);
	rest = put_files(text, text + size);
	MUST(!op_model_refresh(model));
	check_sums(model);
	reports(model);
	if (rest < text + size) {
		put_files(rest, text + size);
		MUST(!op_model_refresh(model));
		check_sums(model);
		reports(model);
	}
	op_tree_free(tree);
	op_model_free(model);
	op_symbols_free(symbols);
	for (i = 0; i < NR_PLACES; i++) {
		if (used[i])
			unlinkat(fuzz_folder(), places[i], 0);
		used[i] = false;
	}
	free(text);
	return 0;
}
