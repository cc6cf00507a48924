// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports as CSV (RFC 4180, but with plain newlines): a line for each symbol
 * and event.
 */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "text.h"

static void begin(FILE *out)
{
	fputs("picture,time,image,path,kernel,symbol,type,offset,size,event,"
	      "samples,delta,share,rate\n",
	      out);
}

/* A field; quoted if it must be. */
static void field(FILE *out, const char *text)
{
	static char clean[OP_TEXT_MAX];
	const char *c;

	op_text_clean(clean, sizeof(clean), text);
	if (!strpbrk(clean, ",\"\n")) {
		fputs(clean, out);
		return;
	}
	putc('"', out);
	for (c = clean; *c; c++) {
		if (*c == '"')
			putc('"', out);
		putc(*c, out);
	}
	putc('"', out);
}

static void line(FILE *out, const struct op_model *model,
		 const struct op_row *row, const char *event,
		 const struct op_value *value)
{
	const struct op_image *image = row->entry->image;
	const struct op_sym *sym = &row->entry->syms[row->sym];
	static char symbol[OP_TEXT_MAX];

	field(out, image->name);
	putc(',', out);
	field(out, image->path);
	fprintf(out, ",%d,", row->kernel);
	if (sym->name) {
		field(out, sym->name);
		fprintf(out, ",%c,0x%llx,%llu,", sym->type,
			(unsigned long long)sym->start,
			(unsigned long long)sym->size);
	} else {
		op_row_symbol(row, symbol, sizeof(symbol));
		/* Clean already. */
		fprintf(out, "%s,,,,", symbol);
	}
	field(out, event);
	fprintf(out, ",%llu,%llu,%.6f,%.1f\n", (unsigned long long)value->total,
		(unsigned long long)op_delta_of(model, value), row->share,
		row->rate);
}

static void picture(FILE *out, const struct op_model *model,
		    const struct op_query *query, unsigned long n)
{
	const struct op_tree *tree = model->tree;
	struct op_query one = *query;
	struct op_rows rows = { 0 };
	char now[64];
	size_t r;

	op_now_text(now, sizeof(now));
	for (one.event = 0; one.event < tree->nr_events; one.event++) {
		if (query->only && query->event != one.event)
			continue;
		op_rows_symbols(model, &one, &rows);
		for (r = 0; r < rows.nr; r++) {
			const struct op_row *row = &rows.rows[r];

			fprintf(out, "%lu,%s,", n, now);
			line(out, model, row, tree->events[one.event],
			     row->entry->values + row->sym * OP_MAX_EVENTS +
				     one.event);
		}
	}
	free(rows.rows);
}

const struct op_report op_report_csv = { .begin = begin, .picture = picture };
