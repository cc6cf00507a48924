// SPDX-License-Identifier: GPL-2.0-only
/*
 * The views of the histograms: symbols, images, one image, one symbol.
 */
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "ui.h"

/* From here on there is room for the image beside the symbol. */
#define WIDE 60
#define IMAGE_WIDTH 20
#define IMAGE_NARROW 10

static enum op_color color_of(double share)
{
	return share >= 0.05  ? OP_COLOR_HOT :
	       share >= 0.005 ? OP_COLOR_WARM :
				OP_COLOR_NONE;
}

/* Share, samples and rate; a narrow screen goes without the rate. */
static size_t numbers(const struct op_ui *ui, const struct op_row *row,
		      int width, char *line, size_t size)
{
	int digits = ui->query.mode == OP_MODE_DECAY;
	size_t n = op_text_number(line, size, 6, 2, row->share * 100, "% ");

	n += op_text_number(line + n, size - n, 8, digits, row->value, " ");
	/* After one look only there is none. */
	if (width < WIDE)
		return n;
	if (ui->model->dt > 0)
		n += op_text_number(line + n, size - n, 8, 1, row->rate, " ");
	else
		n += (size_t)snprintf(line + n, size - n, "%8s ", "-");
	return n;
}

static void number_heads(int width, char *line, size_t size)
{
	snprintf(line, size, "  SHARE  SAMPLES %s",
		 width >= WIDE ? "SAMPLES/S" : "");
	if (width >= WIDE)
		snprintf(line, size, "  SHARE  SAMPLES   RATE/S ");
}

/* The end of a line, in what is left of the width. */
static void add_fit(char *line, size_t size, const char *text, int width)
{
	size_t used = strlen(line);

	op_text_fit(line + used, size - used, text,
		    width - op_text_width(line));
}

static void symbols_heading(const struct op_browser *browser, int width,
			    char *line, size_t size)
{
	size_t used;

	number_heads(width, line, size);
	used = strlen(line);
	if (browser->of.serial)
		snprintf(line + used, size - used, "SYMBOL");
	else
		snprintf(line + used, size - used, "%-*s SYMBOL",
			 width >= WIDE ? IMAGE_WIDTH : IMAGE_NARROW, "IMAGE");
}

static enum op_color symbols_line(struct op_ui *ui,
				  const struct op_browser *browser, size_t i,
				  int width, char *line, size_t size)
{
	const struct op_row *row = &browser->rows.rows[i];
	static char text[OP_TEXT_MAX], fit[OP_TEXT_MAX];
	size_t used = numbers(ui, row, width, line, size);
	int image = width >= WIDE ? IMAGE_WIDTH : IMAGE_NARROW;

	if (!browser->of.serial) {
		op_row_image(row, false, text, sizeof(text));
		op_text_fit(fit, sizeof(fit), text, image);
		used += op_text_pad(line + used, size - used, fit, image);
		line[used++] = ' ';
	}
	strcpy(line + used, row->kernel ? "[k] " : "[.] ");
	op_row_symbol(row, text, sizeof(text));
	add_fit(line, size, text, width);
	return color_of(row->share);
}

static void symbols_fill(struct op_ui *ui, struct op_browser *browser)
{
	struct op_query query = ui->query;

	query.serial = browser->of.serial;
	query.lazy = true;
	op_rows_symbols(ui->model, &query, &browser->rows);
	browser->nr = browser->rows.nr;
}

static void rows_place(struct op_ui *ui, const struct op_browser *browser,
		       size_t i, struct op_place *place)
{
	(void)ui;
	op_row_place(&browser->rows.rows[i], place);
}

static void symbols_enter(struct op_ui *ui, struct op_browser *browser,
			  size_t i)
{
	const struct op_row *row = &browser->rows.rows[i];
	struct op_browser new = { .view = &op_view_symbol };
	size_t used = 0;

	op_row_place(row, &new.of);
	/* Where one does not come from the image, it is said which one it is. */
	if (!browser->of.serial) {
		used = op_row_image(row, false, new.title,
				    sizeof(new.title) / 2);
		used += (size_t)snprintf(new.title + used,
					 sizeof(new.title) - used, ": ");
	}
	op_row_symbol(row, new.title + used, sizeof(new.title) - used);
	op_browser_push(ui, &new);
}

static void images_heading(const struct op_browser *browser, int width,
			   char *line, size_t size)
{
	size_t used;

	(void)browser;
	number_heads(width, line, size);
	used = strlen(line);
	snprintf(line + used, size - used, "IMAGE");
}

static enum op_color images_line(struct op_ui *ui,
				 const struct op_browser *browser, size_t i,
				 int width, char *line, size_t size)
{
	const struct op_row *row = &browser->rows.rows[i];
	static char text[OP_TEXT_MAX];
	size_t used = numbers(ui, row, width, line, size);

	/* Wrong names would be worse than none: say why there are none. */
	if (row->entry->state == OP_SYMBOLS_CHANGED)
		snprintf(line + used, size - used, "(changed) ");
	else if (row->entry->state == OP_SYMBOLS_MISSING)
		snprintf(line + used, size - used, "(missing) ");
	else if (row->entry->state == OP_SYMBOLS_BROKEN)
		snprintf(line + used, size - used, "(broken) ");
	op_row_image(row, true, text, sizeof(text));
	add_fit(line, size, text, width);
	return color_of(row->share);
}

static void images_fill(struct op_ui *ui, struct op_browser *browser)
{
	op_rows_images(ui->model, &ui->query, &browser->rows);
	browser->nr = browser->rows.nr;
}

/**
 * op_view_enter_image - show one image's symbols
 * @ui: the live view
 * @image: the image
 */
void op_view_enter_image(struct op_ui *ui, const struct op_image *image)
{
	struct op_browser new = { .view = &op_view_image,
				  .of.serial = image->serial };
	const char *name = image->kind == OP_KIND_FILE ?
				   op_text_base(image->path) :
				   image->name;

	op_text_clean(new.title, sizeof(new.title), name);
	op_browser_push(ui, &new);
}

static void images_enter(struct op_ui *ui, struct op_browser *browser, size_t i)
{
	op_view_enter_image(ui, browser->rows.rows[i].entry->image);
}

static int instruction_width(int width)
{
	return width >= 100 ? 36 : 20;
}

static void addresses_heading(const struct op_browser *browser, int width,
			      char *line, size_t size)
{
	size_t used;

	(void)browser;
	number_heads(width, line, size);
	used = strlen(line);
	snprintf(line + used, size - used,
		 width >= WIDE ? "%-12s %-*s LINE" : "%-12s LINE", "OFFSET",
		 instruction_width(width), "INSTRUCTION");
}

/*
 * What stands at an address does not change, and asking may read files: it is
 * asked once, as far as these places go.
 */
static const char *about(struct op_ui *ui, const struct op_image *image,
			 uint64_t offset, bool line)
{
	static struct {
		uint64_t serial, offset;
		bool line;
		char text[512];
	} cache[1024], *place;
	struct op_image_key key;
	char text[1024];
	bool found;

	place = &cache[(offset * 2 + line + image->serial * 64) % 1024];
	if (place->serial == image->serial && place->offset == offset &&
	    place->line == line)
		return place->text;
	op_image_key(image, &key);
	text[0] = '\0';
	found = line ? op_symbols_line(ui->model->symbols, &key, offset, text,
				       sizeof(text)) :
		       op_symbols_instruction(ui->model->symbols, &key, offset,
					      text, sizeof(text));
	if (!found)
		text[0] = '\0';
	op_text_clean(place->text, sizeof(place->text), text);
	/* The names of an image that is still being read may yet come. */
	if (((const struct op_entry *)image->private)->state !=
	    OP_SYMBOLS_WAITING) {
		place->serial = image->serial;
		place->offset = offset;
		place->line = line;
	} else {
		place->serial = 0;
	}
	return place->text;
}

static enum op_color addresses_line(struct op_ui *ui,
				    const struct op_browser *browser, size_t i,
				    int width, char *line, size_t size)
{
	const struct op_row *row = &browser->rows.rows[i];
	const struct op_image *image = row->entry->image;
	uint64_t offset = image->hist.offsets[row->bin];
	size_t used = numbers(ui, row, width, line, size);
	int room = instruction_width(width);

	used += (size_t)snprintf(line + used, size - used, "0x%-10llx ",
				 (unsigned long long)offset);
	if (width >= WIDE) {
		char fit[512];

		op_text_fit(fit, sizeof(fit), about(ui, image, offset, false),
			    room);
		used += op_text_pad(line + used, size - used, fit, room);
		snprintf(line + used, size - used, " ");
	}
	/* Of its path the end is what tells. */
	add_fit(line, size, about(ui, image, offset, true), width);
	return color_of(row->share);
}

static void addresses_place(struct op_ui *ui, const struct op_browser *browser,
			    size_t i, struct op_place *place)
{
	const struct op_row *row = &browser->rows.rows[i];

	rows_place(ui, browser, i, place);
	place->number = row->entry->image->hist.offsets[row->bin];
}

static void addresses_fill(struct op_ui *ui, struct op_browser *browser)
{
	op_rows_addresses(ui->model, &ui->query, &browser->of, &browser->rows);
	browser->nr = browser->rows.nr;
}

const struct op_view op_view_symbols = {
	.title = "symbols",
	.fill = symbols_fill,
	.heading = symbols_heading,
	.line = symbols_line,
	.place = rows_place,
	.enter = symbols_enter,
};

const struct op_view op_view_image = {
	.title = "image",
	.fill = symbols_fill,
	.heading = symbols_heading,
	.line = symbols_line,
	.place = rows_place,
	.enter = symbols_enter,
};

const struct op_view op_view_images = {
	.title = "images",
	.fill = images_fill,
	.heading = images_heading,
	.line = images_line,
	.place = rows_place,
	.enter = images_enter,
};

const struct op_view op_view_symbol = {
	.title = "symbol",
	.fill = addresses_fill,
	.heading = addresses_heading,
	.line = addresses_line,
	.place = addresses_place,
};
