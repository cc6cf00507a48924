/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live view: one browser over entries, and the views that fill it.
 */
#ifndef OPTOP_UI_H
#define OPTOP_UI_H

#include <wchar.h>

#include "model.h"
#include "options.h"

struct op_ui;
struct op_browser;

enum op_color {
	OP_COLOR_NONE,
	OP_COLOR_HOT, /* much, or bad */
	OP_COLOR_WARM,
	OP_COLOR_BAR, /* the columns' heads, the keys below */
	OP_COLOR_OFF, /* sampling is off, something is hidden */
};

/**
 * struct op_view - what a browser shows
 * @title: one word for the breadcrumb
 * @details: it shows what else the tree has
 * @fill: work out the entries and set @nr
 * @heading: the heads of the columns, for a width
 * @line: an entry as text for a width; clean. Returns its colour
 * @place: which one an entry is; NULL: they stay where they are
 * @enter: go into an entry; NULL: there is nothing in them
 */
struct op_view {
	const char *title;
	bool details;
	void (*fill)(struct op_ui *ui, struct op_browser *browser);
	void (*heading)(const struct op_browser *browser, int width, char *line,
			size_t size);
	enum op_color (*line)(struct op_ui *ui,
			      const struct op_browser *browser, size_t i,
			      int width, char *line, size_t size);
	void (*place)(struct op_ui *ui, const struct op_browser *browser,
		      size_t i, struct op_place *place);
	void (*enter)(struct op_ui *ui, struct op_browser *browser, size_t i);
};

/**
 * struct op_browser - a list, and where one is in it
 * @view: what it shows
 * @nr: entries
 * @cursor: the one that is chosen
 * @held: the cursor goes where @chosen goes; if not, it is at the top
 * @chosen: which one the user has gone to
 * @top: the first on the screen
 * @rows: for the views that are made of the model's rows
 * @jits: for that of the JIT ranges: which of the tree's come behind the rows
 * @of: what it shows is of this only, if its serial is not 0
 * @title: clean text for the breadcrumb
 */
struct op_browser {
	const struct op_view *view;
	size_t nr;
	size_t cursor;
	bool held;
	struct op_place chosen;
	size_t top;
	struct op_rows rows;
	size_t *jits;
	struct op_place of;
	char title[1024];
};

enum op_prompt_kind {
	OP_PROMPT_NONE,
	OP_PROMPT_FILTER,
	OP_PROMPT_FIND,
	OP_PROMPT_DELAY,
	OP_PROMPT_WRITE,
	OP_PROMPT_RESET,
};

/**
 * struct op_prompt - the question in the last line
 * @kind: which one; OP_PROMPT_NONE: there is none
 * @text: the answer so far
 * @before: what Esc puts back
 */
struct op_prompt {
	enum op_prompt_kind kind;
	char text[256];
	char before[256];
};

/* Symbols, their image, their addresses, and help above it. */
#define OP_DEPTH 4

struct op_ui {
	struct op_model *model;
	struct op_query query;
	double delay;
	double next; /* look, in seconds of the monotonic clock */
	bool frozen;
	struct op_browser stack[OP_DEPTH];
	int depth;
	struct op_prompt prompt;
	char find[256];
	char message[512];
	bool done;
	int error; /* of the look that found no tree */
};

/* screen.c */
void op_screen_block_signals(void);
int op_screen_signal_fd(void);
const char *op_screen_open(void);
void op_screen_close(void);
void op_screen_refresh(void);
int op_screen_attribute(enum op_color color);

/* browser.c */
void op_browser_draw(struct op_ui *ui);
void op_browser_push(struct op_ui *ui, const struct op_browser *browser);
void op_browser_pop(struct op_ui *ui);
void op_browser_enter(struct op_ui *ui);
void op_browser_end(struct op_ui *ui);
void op_browser_root(struct op_ui *ui, const struct op_view *view);
void op_browser_fill(struct op_ui *ui);
bool op_browser_move(struct op_ui *ui, int key);
bool op_browser_find(struct op_ui *ui);
int op_browser_write(struct op_ui *ui, const char *file);
struct op_browser *op_browser_top(struct op_ui *ui);

/* views.c, views_more.c, help.c */
extern const struct op_view op_view_symbols;
extern const struct op_view op_view_images;
extern const struct op_view op_view_image;
extern const struct op_view op_view_symbol;
extern const struct op_view op_view_modules;
extern const struct op_view op_view_stats;
extern const struct op_view op_view_help;
void op_view_enter_image(struct op_ui *ui, const struct op_image *image);

/* keys.c, prompt.c, live.c */
void op_key(struct op_ui *ui, bool special, wint_t key);
void op_prompt_open(struct op_ui *ui, enum op_prompt_kind kind);
void op_prompt_key(struct op_ui *ui, bool special, wint_t key);
void op_prompt_line(const struct op_ui *ui, char *line, size_t size);
void op_look(struct op_ui *ui);
double op_clock(void);
int op_live_run(struct op_model *model, const struct op_options *options,
		const struct op_query *query);

__attribute__((format(printf, 2, 3))) void op_say(struct op_ui *ui,
						  const char *format, ...);

#endif
