// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions in the last line: a filter, a delay, a file's name, yes or no.
 *
 * The screen goes on behind them: nothing waits for the answer.
 */
#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "text.h"
#include "ui.h"

static const char *const labels[] = {
	[OP_PROMPT_FILTER] = "filter: ",
	[OP_PROMPT_FIND] = "find: ",
	[OP_PROMPT_DELAY] = "delay in seconds: ",
	[OP_PROMPT_WRITE] = "write to the new file: ",
	[OP_PROMPT_RESET] = "reset all counts of the kernel? y or n",
};

/**
 * op_prompt_open - ask
 * @ui: the live view
 * @kind: what
 */
void op_prompt_open(struct op_ui *ui, enum op_prompt_kind kind)
{
	struct op_prompt *prompt = &ui->prompt;

	memset(prompt, 0, sizeof(*prompt));
	prompt->kind = kind;
	if (kind == OP_PROMPT_FILTER) {
		memcpy(prompt->text, ui->query.filter, sizeof(prompt->text));
		memcpy(prompt->before, ui->query.filter,
		       sizeof(prompt->before));
	}
}

/**
 * op_prompt_line - the question and the answer so far
 * @ui: the live view
 * @line: where to; clean
 * @size: bytes there
 */
void op_prompt_line(const struct op_ui *ui, char *line, size_t size)
{
	const struct op_prompt *prompt = &ui->prompt;
	size_t used = (size_t)snprintf(line, size, "%s", labels[prompt->kind]);

	used += op_text_clean(line + used, size - used, prompt->text);
	if (prompt->kind != OP_PROMPT_RESET)
		snprintf(line + used, size - used, "_");
}

static void do_reset(struct op_ui *ui)
{
	int err = op_tree_write(ui->model->tree, "reset", "1");

	if (err == -ENOTSUP)
		op_say(ui, "this is a copy: nothing to reset");
	else if (err)
		op_say(ui, "reset: %s", strerror(-err));
	else
		op_look(ui);
}

static void accept_answer(struct op_ui *ui)
{
	struct op_prompt *prompt = &ui->prompt;
	int err;

	switch (prompt->kind) {
	case OP_PROMPT_FIND:
		memcpy(ui->find, prompt->text, sizeof(ui->find));
		if (ui->find[0] && !op_browser_find(ui))
			op_say(ui, "not found: %s", ui->find);
		break;
	case OP_PROMPT_DELAY:
		if (op_parse_delay(prompt->text, &ui->delay))
			ui->next = op_clock() + ui->delay;
		else
			op_say(ui, "not a delay of 0.1 to 86400 s: %s",
			       prompt->text);
		break;
	case OP_PROMPT_WRITE:
		if (!prompt->text[0])
			break;
		err = op_browser_write(ui, prompt->text);
		if (err)
			op_say(ui, "%s: %s", prompt->text, strerror(-err));
		else
			op_say(ui, "written to %s", prompt->text);
		break;
	default:
		break;
	}
}

static void cancel(struct op_ui *ui)
{
	if (ui->prompt.kind == OP_PROMPT_FILTER) {
		memcpy(ui->query.filter, ui->prompt.before,
		       sizeof(ui->query.filter));
		op_browser_fill(ui);
	}
	ui->prompt.kind = OP_PROMPT_NONE;
}

/* One character off the end, with all of its bytes. */
static void erase_one(char *text)
{
	size_t n = strlen(text);

	while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
		n--;
	if (n)
		text[n - 1] = '\0';
}

static void add_one(char *text, size_t size, wint_t key)
{
	size_t used = strlen(text), n;
	mbstate_t state = { 0 };
	char bytes[16];

	if (!iswprint(key))
		return;
	n = wcrtomb(bytes, (wchar_t)key, &state);
	if (n == (size_t)-1 || used + n >= size)
		return;
	memcpy(text + used, bytes, n);
	text[used + n] = '\0';
}

/**
 * op_prompt_key - take a key while there is a question
 * @ui: the live view
 * @special: it is one of KEY_*, and no character
 * @key: the key
 */
void op_prompt_key(struct op_ui *ui, bool special, wint_t key)
{
	struct op_prompt *prompt = &ui->prompt;

	if (!special && key == 27) {
		cancel(ui);
		return;
	}
	if (prompt->kind == OP_PROMPT_RESET) {
		/* Anything but a clear yes is a no. */
		prompt->kind = OP_PROMPT_NONE;
		if (!special && (key == 'y' || key == 'Y'))
			do_reset(ui);
		return;
	}
	if (special ? key == KEY_ENTER : key == '\r' || key == '\n') {
		accept_answer(ui);
		prompt->kind = OP_PROMPT_NONE;
		return;
	}
	if (special ? key == KEY_BACKSPACE : key == 127 || key == 8)
		erase_one(prompt->text);
	else if (!special && key == 21)
		prompt->text[0] = '\0';
	else if (!special)
		add_one(prompt->text, sizeof(prompt->text), key);
	if (prompt->kind == OP_PROMPT_FILTER) {
		memcpy(ui->query.filter, prompt->text,
		       sizeof(ui->query.filter));
		op_browser_fill(ui);
	}
}
