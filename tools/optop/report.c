// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports: taking pictures and printing them, in whichever format.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "text.h"

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	stopped = signal;
}

/**
 * op_now_text - the date and time, as ISO 8601 has it
 * @text: where to
 * @size: bytes there
 */
void op_now_text(char *text, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	text[0] = '\0';
	if (gmtime_r(&now, &tm))
		strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static void pause_until(struct timespec *next, double delay)
{
	long ns = (long)((delay - (double)(long)delay) * 1e9);

	next->tv_sec += (long)delay;
	next->tv_nsec += ns;
	if (next->tv_nsec >= 1000000000) {
		next->tv_sec++;
		next->tv_nsec -= 1000000000;
	}
	while (!stopped && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next,
					   NULL) == EINTR)
		;
}

static void catch_stops(void)
{
	struct sigaction action = { .sa_handler = stop };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static const struct op_report *report_of(enum op_format format)
{
	switch (format) {
	case OP_FORMAT_ONCE:
		return &op_report_once;
	case OP_FORMAT_JSON:
		return &op_report_json;
	case OP_FORMAT_CSV:
		return &op_report_csv;
	default:
		return &op_report_batch;
	}
}

/* All reports wait for names: nobody looks at them while they come. */
static int print(FILE *out, const struct op_report *report,
		 struct op_model *model, const struct op_options *options,
		 struct op_query *query)
{
	struct timespec next;
	unsigned long n;
	char text[1024];
	int err;

	clock_gettime(CLOCK_MONOTONIC, &next);
	if (report->begin)
		report->begin(out);
	for (n = 1;; n++) {
		op_symbols_wait(model->symbols);
		op_model_names(model);
		if (query->event >= model->tree->nr_events)
			query->event = 0;
		report->picture(out, model, query, n);
		if (fflush(out))
			return OP_EXIT_FAILED;
		if (n == options->pictures || stopped)
			break;
		pause_until(&next, options->delay);
		if (stopped)
			break;
		err = op_model_refresh(model);
		if (err) {
			if (report->end)
				report->end(out);
			fprintf(stderr, "optop: the tree has gone: %s\n",
				op_tree_error(model->tree, err, text,
					      sizeof(text)));
			return OP_EXIT_GONE;
		}
	}
	if (report->end)
		report->end(out);
	return stopped ? 128 + stopped : OP_EXIT_OK;
}

/**
 * op_report_run - print what the options ask for
 * @model: the model, refreshed once
 * @options: the options
 * @query: what to show
 *
 * Return: what the program is to end with.
 */
int op_report_run(struct op_model *model, const struct op_options *options,
		  struct op_query *query)
{
	FILE *out = stdout;
	int status;
	bool failed;

	if (options->output) {
		out = fopen(options->output, "we");
		if (!out) {
			fprintf(stderr, "optop: %s: %s\n", options->output,
				strerror(errno));
			return OP_EXIT_FAILED;
		}
	}
	catch_stops();
	status = print(out, report_of(options->format), model, options, query);
	failed = fflush(out) || ferror(out);
	if (out != stdout && fclose(out))
		failed = true;
	if (failed) {
		fprintf(stderr, "optop: %s: %s\n",
			options->output ? options->output : "standard output",
			strerror(errno));
		return OP_EXIT_FAILED;
	}
	return status;
}

/**
 * op_map_write - write which images there are
 * @tree: the tree
 * @file: where to
 *
 * Return: 0, or a negative errno.
 */
int op_map_write(const struct op_tree *tree, const char *file)
{
	FILE *out = fopen(file, "we");
	char path[OP_TEXT_MAX], name[2048];
	size_t i;
	int err = 0;

	if (!out)
		return -errno;
	fputs("# dcookie start image path\n", out);
	for (i = 0; i < tree->nr_images; i++) {
		const struct op_image *image = tree->images[i];

		op_text_clean(name, sizeof(name), image->name);
		op_text_clean(path, sizeof(path), image->path);
		fprintf(out, "%llu 0x%llx %s %s\n",
			(unsigned long long)image->dcookie,
			(unsigned long long)image->start, name, path);
	}
	if (ferror(out))
		err = -EIO;
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

/**
 * op_report_totals - say on standard error what was found, and what not
 * @model: the model
 */
void op_report_totals(const struct op_model *model)
{
	const struct op_tree *tree = model->tree;
	uint64_t all = 0, unclaimed = 0, nameless = 0;
	struct op_symbols_totals totals;
	unsigned int objects = 0, e;
	size_t i, s;

	for (i = 0; i < tree->nr_images; i++) {
		const struct op_entry *entry = tree->images[i]->private;
		uint64_t without = 0;

		/* New at a look that then failed. */
		if (!entry)
			continue;
		all += entry->image->hist.sum;
		if (entry->image->kind == OP_KIND_UNKNOWN) {
			unclaimed += entry->image->hist.sum;
			continue;
		}
		if (entry->state != OP_SYMBOLS_LOADED &&
		    entry->image->kind != OP_KIND_JIT)
			objects++;
		for (s = 0; s < entry->nr_syms; s++)
			for (e = 0; e < tree->nr_events; e++)
				if (!entry->syms[s].name &&
				    entry->image->kind != OP_KIND_JIT)
					without +=
						entry->values
							[s * OP_MAX_EVENTS + e]
								.total;
		nameless += without;
	}
	op_symbols_totals(model->symbols, &totals);
	fprintf(stderr,
		"optop: samples: %llu total, %llu unclaimed (in no image), "
		"%llu without a symbol\n"
		"optop: images: %zu, %u of them unknown objects (no symbols); "
		"files: %u unreadable, %u broken, %u changed since\n"
		"optop: symbols: %llu loaded, %.2f s spent on them\n",
		(unsigned long long)all, (unsigned long long)unclaimed,
		(unsigned long long)nameless, tree->nr_images, objects,
		totals.unreadable, totals.broken, totals.changed,
		(unsigned long long)totals.symbols, totals.seconds);
}
