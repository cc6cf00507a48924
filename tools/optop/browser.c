// SPDX-License-Identifier: GPL-2.0-only
/*
 * The browser: lines on top, a list that can be moved in, keys below.
 *
 * It knows nothing of what it shows: the views make text of their entries, for
 * the screen and for the file that w writes alike.
 */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"
#include "ui.h"

#define MIN_WIDTH 40
#define MIN_HEIGHT 10
/* The summary, the breadcrumb, the columns' heads; and the keys below. */
#define ABOVE (OP_SUMMARY_LINES + 2)
#define BELOW 1
/* In a file there is room. */
#define FILE_WIDTH 1000

static const char keys[] = "F1Help F2View F3Find F4Filter F5Mode F6Sort "
			   "F7Kernel F8User F9Reset F10Quit";

/**
 * op_browser_top - the browser that is on the screen
 * @ui: the live view
 * Return: the browser.
 */
struct op_browser *op_browser_top(struct op_ui *ui)
{
	return &ui->stack[ui->depth - 1];
}

static size_t page(void)
{
	return LINES > ABOVE + BELOW ? (size_t)(LINES - ABOVE - BELOW) : 1;
}

static void stay_inside(struct op_browser *browser)
{
	size_t n = page();

	if (browser->cursor >= browser->nr)
		browser->cursor = browser->nr ? browser->nr - 1 : 0;
	if (browser->top > browser->cursor)
		browser->top = browser->cursor;
	if (browser->cursor - browser->top >= n)
		browser->top = browser->cursor - n + 1;
	/* No empty lines at the end as long as there are entries. */
	if (browser->top + n > browser->nr)
		browser->top = browser->nr > n ? browser->nr - n : 0;
}

static void free_browser(struct op_browser *browser)
{
	free(browser->rows.rows);
	free(browser->jits);
}

/* The cursor is for this entry from now on, and goes where it goes. */
static void hold(struct op_ui *ui, struct op_browser *browser)
{
	browser->held = browser->view->place && browser->cursor < browser->nr;
	if (!browser->held)
		return;
	op_rows_need(&browser->rows, browser->cursor + 1);
	browser->view->place(ui, browser, browser->cursor, &browser->chosen);
}

/* To the entry that is held, wherever it is in the order by now. */
static void follow(struct op_ui *ui, struct op_browser *browser)
{
	struct op_place place;
	size_t i;

	for (i = 0; i < browser->nr; i++) {
		browser->view->place(ui, browser, i, &place);
		if (!op_place_same(&place, &browser->chosen))
			continue;
		browser->cursor = i < browser->rows.nr ?
					  op_rows_rank(&browser->rows, i) :
					  i;
		break;
	}
	stay_inside(browser);
	/* If it is no more, the one in its place. */
	hold(ui, browser);
}

/**
 * op_browser_fill - work out the entries anew
 * @ui: the live view
 *
 * What the user has chosen stays so in another order: a key that is pressed as
 * the order changes is for what was seen.
 */
void op_browser_fill(struct op_ui *ui)
{
	struct op_browser *browser = op_browser_top(ui);

	if (ui->query.event >= ui->model->tree->nr_events)
		ui->query.event = 0;
	/* The next looks, and this one. */
	ui->model->tree->details = browser->view->details;
	if (browser->view->details)
		op_tree_details(ui->model->tree);
	browser->view->fill(ui, browser);
	if (browser->held)
		follow(ui, browser);
	else
		stay_inside(browser);
}

/**
 * op_browser_push - go in
 * @ui: the live view
 * @browser: what to show; copied
 */
void op_browser_push(struct op_ui *ui, const struct op_browser *browser)
{
	if (ui->depth == OP_DEPTH)
		return;
	/* What was looked for was in the other list. */
	ui->find[0] = '\0';
	ui->stack[ui->depth++] = *browser;
	op_browser_fill(ui);
}

/**
 * op_browser_pop - go out
 * @ui: the live view
 */
void op_browser_pop(struct op_ui *ui)
{
	if (ui->depth == 1)
		return;
	ui->find[0] = '\0';
	free_browser(op_browser_top(ui));
	ui->depth--;
	op_browser_fill(ui);
	/* Who went in at the top is at the top again, and not with that entry. */
	if (!op_browser_top(ui)->cursor)
		op_browser_top(ui)->held = false;
}

/**
 * op_browser_enter - go into the entry that is chosen
 * @ui: the live view
 */
void op_browser_enter(struct op_ui *ui)
{
	struct op_browser *browser = op_browser_top(ui);

	if (!browser->view->enter || browser->cursor >= browser->nr)
		return;
	/* This is where one comes out again. */
	hold(ui, browser);
	browser->view->enter(ui, browser, browser->cursor);
}

/**
 * op_browser_end - give back all that is shown
 * @ui: the live view
 */
void op_browser_end(struct op_ui *ui)
{
	while (ui->depth)
		free_browser(&ui->stack[--ui->depth]);
}

/**
 * op_browser_root - show one of the views that nothing is above of
 * @ui: the live view
 * @view: the view
 */
void op_browser_root(struct op_ui *ui, const struct op_view *view)
{
	struct op_browser root = { .view = view };

	op_browser_end(ui);
	op_browser_push(ui, &root);
}

/**
 * op_browser_move - take a key that moves in the list
 * @ui: the live view
 * @key: the key
 * Return: false if it is none of these.
 */
bool op_browser_move(struct op_ui *ui, int key)
{
	struct op_browser *browser = op_browser_top(ui);
	size_t n = page();

	switch (key) {
	case KEY_DOWN:
		browser->cursor++;
		break;
	case KEY_UP:
		if (browser->cursor)
			browser->cursor--;
		break;
	case KEY_NPAGE:
		browser->cursor += n;
		browser->top += n;
		break;
	case KEY_PPAGE:
		browser->cursor -= n < browser->cursor ? n : browser->cursor;
		browser->top -= n < browser->top ? n : browser->top;
		break;
	case KEY_HOME:
		browser->cursor = 0;
		break;
	case KEY_END:
		browser->cursor = browser->nr;
		break;
	default:
		return false;
	}
	stay_inside(browser);
	/* The first one is whichever comes first. */
	browser->held = false;
	if (browser->cursor)
		hold(ui, browser);
	return true;
}

/**
 * op_browser_find - go to the next entry that holds ui->find
 * @ui: the live view
 * Return: false if there is none.
 */
bool op_browser_find(struct op_ui *ui)
{
	struct op_browser *browser = op_browser_top(ui);
	static char line[OP_TEXT_MAX];
	size_t i;

	op_rows_need(&browser->rows, SIZE_MAX);
	for (i = 1; i <= browser->nr; i++) {
		size_t at = (browser->cursor + i) % browser->nr;

		browser->view->line(ui, browser, at, FILE_WIDTH, line,
				    sizeof(line));
		if (op_text_contains(line, ui->find)) {
			browser->cursor = at;
			stay_inside(browser);
			hold(ui, browser);
			return true;
		}
	}
	return false;
}

/* "images > gzip > longest_match" */
static void breadcrumb(const struct op_ui *ui, char *line, size_t size)
{
	size_t used = 0;
	int i;

	line[0] = '\0';
	for (i = 0; i < ui->depth && used < size; i++) {
		const struct op_browser *browser = &ui->stack[i];

		used += (size_t)snprintf(line + used, size - used, "%s%s",
					 i ? " > " : "",
					 browser->title[0] ?
						 browser->title :
						 browser->view->title);
	}
}

/* What changes which entries there are, and how old they are. */
static void state(const struct op_ui *ui, char *line, size_t size)
{
	const struct op_query *query = &ui->query;
	char filter[sizeof(query->filter) * 4], age[32];

	op_text_clean(filter, sizeof(filter), query->filter);
	snprintf(age, sizeof(age), "%4.0f s old",
		 op_clock() - ui->model->tree->time);
	snprintf(line, size, "%s%s%s%s%s%s%s by %s%s", filter[0] ? "/" : "",
		 filter, filter[0] ? " " : "",
		 query->hide_kernel ? "-kernel " : "",
		 query->hide_user ? "-user " : "", ui->frozen ? "FROZEN " : "",
		 op_mode_text(query->mode), op_sort_text(query->sort), age);
}

/*
 * What was put where in the latest frame, in the order of the calls: most of a
 * frame is what the one before was, and need not be put again.  All of the
 * screen is put in each frame, so that nothing has to be erased.
 */
static struct part {
	int y, x, width, attribute;
	char *text;
} * parts;
static size_t nr_parts, part_now;
static int frame_width, frame_height;

static void frame_begin(void)
{
	part_now = 0;
	if (COLS == frame_width && LINES == frame_height)
		return;
	erase();
	while (nr_parts)
		free(parts[--nr_parts].text);
	frame_width = COLS;
	frame_height = LINES;
}

static bool is_ascii(const char *text)
{
	while (*text >= 0x20 && *text < 0x7f)
		text++;
	return !*text;
}

/*
 * Put what differs between two texts of the same length in the same place: of a
 * line whose numbers are new the name stays.  False: they are too different.
 */
static bool put_difference(const struct part *part, const char *text)
{
	size_t size = strlen(text), from = 0, to = size;

	if (strlen(part->text) != size || size > (size_t)part->width ||
	    !is_ascii(text) || !is_ascii(part->text))
		return false;
	while (text[from] == part->text[from])
		from++;
	while (text[to - 1] == part->text[to - 1])
		to--;
	attrset(part->attribute);
	mvaddnstr(part->y, part->x + (int)from, text + from, (int)(to - from));
	attrset(A_NORMAL);
	return true;
}

static void put(int y, int x, int width, int attribute, const char *text)
{
	struct part *part;
	bool same, done;
	char line[4096];
	size_t size;

	if (part_now == nr_parts) {
		parts = op_alloc(parts, nr_parts + 1, sizeof(*parts));
		memset(&parts[nr_parts++], 0, sizeof(*parts));
	}
	part = &parts[part_now++];
	same = part->text && part->y == y && part->x == x &&
	       part->width == width && part->attribute == attribute;
	if (same && !strcmp(part->text, text))
		return;
	done = same && put_difference(part, text);
	size = strlen(text) + 1;
	part->text = op_alloc(part->text, size, 1);
	memcpy(part->text, text, size);
	part->y = y;
	part->x = x;
	part->width = width;
	part->attribute = attribute;
	if (done)
		return;
	if (width > (int)sizeof(line) / 4)
		width = (int)sizeof(line) / 4;
	op_text_pad(line, sizeof(line), text, width);
	attrset(attribute);
	mvaddstr(y, x, line);
	attrset(A_NORMAL);
}

static void draw_head(struct op_ui *ui)
{
	static char lines[OP_SUMMARY_LINES][1024];
	const struct op_tree *tree = ui->model->tree;
	char left[2048], right[2048], fit[2048];
	int room;

	op_summary(ui->model, &ui->query, lines);
	put(0, 0, COLS,
	    tree->enabled == 0 && tree->live ?
		    op_screen_attribute(OP_COLOR_OFF) :
		    (int)A_BOLD,
	    lines[0]);
	put(1, 0, COLS, A_NORMAL, lines[1]);
	put(2, 0, COLS,
	    op_summary_is_bad(ui->model) ? op_screen_attribute(OP_COLOR_HOT) :
					   (int)A_NORMAL,
	    lines[2]);

	breadcrumb(ui, left, sizeof(left));
	state(ui, right, sizeof(right));
	/* Half of the line is the breadcrumb's, if it needs it. */
	room = COLS - op_text_width(right) - 1;
	if (room < COLS / 2 && room < op_text_width(left))
		room = op_text_width(left) < COLS / 2 ? op_text_width(left) :
							COLS / 2;
	op_text_fit(fit, sizeof(fit), left, room);
	put(3, 0, room + 1, A_BOLD, fit);
	/* Its end is what changes; a long filter goes. */
	room = COLS - room - 1;
	if (op_text_width(right) > room) {
		char *end = right;

		while (op_text_width(end) > room)
			end += strchr(end, ' ') ? strcspn(end, " ") + 1 :
						  strlen(end);
		memmove(right, end, strlen(end) + 1);
	}
	put(3, COLS - room, room,
	    ui->frozen || ui->query.filter[0] || ui->query.hide_kernel ||
			    ui->query.hide_user ?
		    op_screen_attribute(OP_COLOR_OFF) :
		    (int)A_NORMAL,
	    right);
}

static void draw_list(struct op_ui *ui)
{
	struct op_browser *browser = op_browser_top(ui);
	static char line[OP_TEXT_MAX];
	size_t i;

	op_rows_need(&browser->rows, browser->top + page());
	browser->view->heading(browser, COLS, line, sizeof(line));
	put(ABOVE - 1, 0, COLS, op_screen_attribute(OP_COLOR_BAR), line);
	for (i = 0; i < page() && browser->top + i < browser->nr; i++) {
		size_t at = browser->top + i;
		enum op_color color = browser->view->line(ui, browser, at, COLS,
							  line, sizeof(line));

		put(ABOVE + (int)i, 0, COLS,
		    at == browser->cursor ? (int)A_REVERSE :
					    op_screen_attribute(color),
		    line);
	}
	if (!browser->nr)
		put(ABOVE + (int)i++, 0, COLS, A_NORMAL,
		    ui->query.filter[0] || ui->query.hide_kernel ||
				    ui->query.hide_user ?
			    "nothing that is not filtered out" :
			    "nothing yet");
	for (; i < page(); i++)
		put(ABOVE + (int)i, 0, COLS, A_NORMAL, "");
}

static void draw_foot(struct op_ui *ui)
{
	char line[2048];

	if (ui->prompt.kind != OP_PROMPT_NONE) {
		op_prompt_line(ui, line, sizeof(line));
		put(LINES - 1, 0, COLS, A_BOLD, line);
	} else if (ui->message[0]) {
		op_text_clean(line, sizeof(line), ui->message);
		put(LINES - 1, 0, COLS, op_screen_attribute(OP_COLOR_OFF),
		    line);
	} else {
		put(LINES - 1, 0, COLS, op_screen_attribute(OP_COLOR_BAR),
		    keys);
	}
}

/**
 * op_browser_draw - bring the screen up to date
 * @ui: the live view
 */
void op_browser_draw(struct op_ui *ui)
{
	char text[128];

	frame_begin();
	if (COLS < MIN_WIDTH || LINES < MIN_HEIGHT) {
		/* Of another size is the next one, too, that is not this. */
		snprintf(text, sizeof(text), "too small: %dx%d, needs %dx%d",
			 COLS, LINES, MIN_WIDTH, MIN_HEIGHT);
		mvaddnstr(0, 0, text, COLS);
	} else {
		stay_inside(op_browser_top(ui));
		draw_head(ui);
		draw_list(ui);
		draw_foot(ui);
	}
	op_screen_refresh();
}

/**
 * op_browser_write - write all entries, and what stands above, to a new file
 * @ui: the live view
 * @file: its name
 *
 * An existing file stays as it is, and so does what a link points to.
 *
 * Return: 0, or a negative errno.
 */
int op_browser_write(struct op_ui *ui, const char *file)
{
	static char line[OP_TEXT_MAX], lines[OP_SUMMARY_LINES][1024];
	struct op_browser *browser = op_browser_top(ui);
	size_t i, n;
	FILE *out;
	int fd, err;

	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return -errno;
	out = fdopen(fd, "w");
	if (!out) {
		err = -errno;
		close(fd);
		return err;
	}
	op_rows_need(&browser->rows, SIZE_MAX);
	op_summary(ui->model, &ui->query, lines);
	for (i = 0; i < OP_SUMMARY_LINES; i++)
		fprintf(out, "%s\n", lines[i]);
	breadcrumb(ui, line, sizeof(line));
	fprintf(out, "%s, %s\n", line, op_mode_text(ui->query.mode));
	browser->view->heading(browser, 80, line, sizeof(line));
	fprintf(out, "%s\n", line);
	for (i = 0; i < browser->nr; i++) {
		browser->view->line(ui, browser, i, FILE_WIDTH, line,
				    sizeof(line));
		for (n = strlen(line); n && line[n - 1] == ' '; n--)
			line[n - 1] = '\0';
		fprintf(out, "%s\n", line);
	}
	err = ferror(out) ? -EIO : 0;
	if (fclose(out) && !err)
		err = -errno;
	return err;
}
