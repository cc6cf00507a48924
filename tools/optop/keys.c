// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the keys do.  views_more.c has the same list for people.
 */
#include <curses.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ui.h"

static const struct op_view *const roots[] = {
	&op_view_symbols,
	&op_view_images,
	&op_view_modules,
	&op_view_stats,
};

#define NR_ROOTS (sizeof(roots) / sizeof(*roots))

/**
 * op_say - show a line until the next key
 * @ui: the live view
 * @format: as printf(3) has it
 */
void op_say(struct op_ui *ui, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(ui->message, sizeof(ui->message), format, args);
	va_end(args);
}

static void next_root(struct op_ui *ui)
{
	size_t i;

	for (i = 0; i < NR_ROOTS; i++)
		if (ui->stack[0].view == roots[i])
			break;
	op_browser_root(ui, roots[(i + 1) % NR_ROOTS]);
}

static void go_out(struct op_ui *ui, bool escape)
{
	if (ui->depth > 1) {
		op_browser_pop(ui);
	} else if (escape && ui->query.filter[0]) {
		ui->query.filter[0] = '\0';
		op_browser_fill(ui);
	}
}

static void toggle_help(struct op_ui *ui)
{
	struct op_browser help = { .view = &op_view_help };

	if (op_browser_top(ui)->view == &op_view_help)
		op_browser_pop(ui);
	else
		op_browser_push(ui, &help);
}

static void toggle_sampling(struct op_ui *ui)
{
	struct op_tree *tree = ui->model->tree;
	int err = op_tree_write(tree, "enable", tree->enabled > 0 ? "0" : "1");

	if (err == -ENOTSUP)
		op_say(ui, "this is a copy: nothing to start or stop");
	else if (err)
		op_say(ui, "enable: %s (the kernel's log says more)",
		       strerror(-err));
	else
		op_look(ui);
}

static void next_event(struct op_ui *ui)
{
	unsigned int nr = ui->model->tree->nr_events;

	if (nr < 2)
		op_say(ui, "there is one event only");
	else
		ui->query.event = (ui->query.event + 1) % nr;
}

static void find(struct op_ui *ui)
{
	if (!ui->find[0])
		op_prompt_open(ui, OP_PROMPT_FIND);
	else if (!op_browser_find(ui))
		op_say(ui, "not found: %s", ui->find);
}

/* One list of keys: F-keys and others as the letters that do the same. */
static wint_t letter_of(bool special, wint_t key)
{
	if (!special)
		return key;
	switch (key) {
	case KEY_F(1):
		return 'h';
	case KEY_F(4):
		return '/';
	case KEY_F(5):
		return 'a';
	case KEY_F(6):
		return 's';
	case KEY_F(7):
		return 'K';
	case KEY_F(8):
		return 'U';
	case KEY_F(9):
		return 'z';
	case KEY_F(10):
		return 'q';
	case KEY_ENTER:
	case KEY_RIGHT:
		return '\r';
	case KEY_LEFT:
	case KEY_BACKSPACE:
		return 127;
	default:
		return 0;
	}
}

/* Of less, as arrows and the like. */
static int move_of(bool special, wint_t key)
{
	if (special)
		return (int)key;
	return key == 'j' ? KEY_DOWN :
	       key == 'k' ? KEY_UP :
	       key == 'g' ? KEY_HOME :
	       key == 'G' ? KEY_END :
			    0;
}

static void letter(struct op_ui *ui, wint_t key)
{
	switch (key) {
	case 'q':
		ui->done = true;
		return;
	case 'h':
	case '?':
		toggle_help(ui);
		return;
	case '1':
	case '2':
	case '3':
	case '4':
		op_browser_root(ui, roots[key - '1']);
		return;
	case '\r':
	case '\n':
		op_browser_enter(ui);
		return;
	case 27:
		go_out(ui, true);
		return;
	case 8:
	case 127:
		go_out(ui, false);
		return;
	case '/':
		op_prompt_open(ui, OP_PROMPT_FILTER);
		return;
	case 'd':
		op_prompt_open(ui, OP_PROMPT_DELAY);
		return;
	case 'w':
		op_prompt_open(ui, OP_PROMPT_WRITE);
		return;
	case 'z':
		op_prompt_open(ui, OP_PROMPT_RESET);
		return;
	case 'S':
		toggle_sampling(ui);
		return;
	case ' ':
		ui->frozen = !ui->frozen;
		return;
	case 's':
		ui->query.sort = (ui->query.sort + 1) % OP_SORTS;
		break;
	case 'a':
		ui->query.mode = (ui->query.mode + 1) % OP_MODES;
		break;
	case 'K':
		ui->query.hide_kernel = !ui->query.hide_kernel;
		break;
	case 'U':
		ui->query.hide_user = !ui->query.hide_user;
		break;
	case 'e':
	case '\t':
		next_event(ui);
		break;
	default:
		return;
	}
	op_browser_fill(ui);
}

/**
 * op_key - take a key
 * @ui: the live view
 * @special: it is one of KEY_*, and no character
 * @key: the key
 */
void op_key(struct op_ui *ui, bool special, wint_t key)
{
	if (special && key == KEY_RESIZE)
		return;
	ui->message[0] = '\0';
	if (ui->prompt.kind != OP_PROMPT_NONE)
		op_prompt_key(ui, special, key);
	else if (op_browser_move(ui, move_of(special, key)))
		return;
	else if (special && key == KEY_F(2))
		next_root(ui);
	else if (special && key == KEY_F(3))
		find(ui);
	else
		letter(ui, letter_of(special, key));
}
