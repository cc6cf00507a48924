// SPDX-License-Identifier: GPL-2.0-only
/*
 * The live view's loop: keys, the clock, names that come, signals.
 *
 * The first frame is drawn from the first look's numbers at once; names are
 * loaded by the symboliser's thread, and taken in when it says that there are
 * some.
 */
#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "text.h"
#include "ui.h"

/* Names come in bursts; no more often than that they are worth a frame. */
#define NAMES_PAUSE 0.05

/**
 * op_clock - seconds of the monotonic clock
 * Return: seconds.
 */
double op_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/**
 * op_look - look at the tree now
 * @ui: the live view
 */
void op_look(struct op_ui *ui)
{
	ui->error = op_model_refresh(ui->model);
	if (ui->error) {
		ui->done = true;
		return;
	}
	op_browser_fill(ui);
	ui->next = op_clock() + ui->delay;
}

static void take_keys(struct op_ui *ui)
{
	wint_t key;
	int kind;

	while (!ui->done && (kind = get_wch(&key)) != ERR)
		op_key(ui, kind == KEY_CODE_YES, key);
}

/* Milliseconds until something is due, with frames for the age in between. */
static int timeout_of(const struct op_ui *ui, bool names, double names_due)
{
	double now = op_clock(), until = now + 1;

	if (!ui->frozen && ui->next < until)
		until = ui->next;
	if (names && names_due < until)
		until = names_due;
	return until > now ? (int)((until - now) * 1000) + 1 : 0;
}

static int loop(struct op_ui *ui, int signals)
{
	enum { KEYS, SIGNALS, NAMES, NR };
	struct pollfd fds[NR] = {
		[KEYS] = { .fd = STDIN_FILENO, .events = POLLIN },
		[SIGNALS] = { .fd = signals, .events = POLLIN },
		[NAMES] = { .events = POLLIN },
	};
	int names_fd = op_symbols_fd(ui->model->symbols);
	double names_due = 0;
	bool names = false;

	while (!ui->done) {
		int n;

		op_browser_draw(ui);
		fds[NAMES].fd = names ? -1 : names_fd;
		n = poll(fds, NR, timeout_of(ui, names, names_due));
		if (n < 0 && errno != EINTR)
			return OP_EXIT_FAILED;
		if (n < 0) {
			/* A change of size, or back from being stopped. */
			take_keys(ui);
			continue;
		}
		if (fds[SIGNALS].revents) {
			struct signalfd_siginfo info;

			if (read(signals, &info, sizeof(info)) == sizeof(info))
				return 128 + (int)info.ssi_signo;
		}
		/* A terminal that has gone has "keys", too: its end. */
		if (fds[KEYS].revents & (POLLHUP | POLLERR | POLLNVAL))
			return 128 + SIGHUP;
		if (fds[KEYS].revents & POLLIN)
			take_keys(ui);
		if (fds[NAMES].fd >= 0 && fds[NAMES].revents) {
			char some[64];

			if (read(names_fd, some, sizeof(some)) > 0) {
				names = true;
				names_due = op_clock() + NAMES_PAUSE;
			}
		}
		if (names && op_clock() >= names_due) {
			names = false;
			op_model_names(ui->model);
			op_browser_fill(ui);
		}
		if (!ui->done && !ui->frozen && op_clock() >= ui->next)
			op_look(ui);
	}
	return OP_EXIT_OK;
}

/**
 * op_live_run - the live view
 * @model: the model, refreshed once
 * @options: the options
 * @query: what to show first
 *
 * Return: what the program is to end with.
 */
int op_live_run(struct op_model *model, const struct op_options *options,
		const struct op_query *query)
{
	struct op_ui *ui = op_alloc(NULL, 1, sizeof(*ui));
	const char *why;
	char text[1024];
	int status, signals;

	memset(ui, 0, sizeof(*ui));
	ui->model = model;
	ui->query = *query;
	ui->delay = options->delay;
	ui->next = model->tree->time + ui->delay;
	signals = op_screen_signal_fd();
	why = signals < 0 ? strerror(errno) : op_screen_open();
	if (why) {
		fprintf(stderr, "optop: %s\n", why);
		status = OP_EXIT_USAGE;
		goto out;
	}
	op_browser_root(ui, &op_view_symbols);
	status = loop(ui, signals);
	op_screen_close();
	if (ui->error) {
		fprintf(stderr, "optop: the tree has gone: %s\n",
			op_tree_error(model->tree, ui->error, text,
				      sizeof(text)));
		status = OP_EXIT_GONE;
	}
out:
	if (signals >= 0)
		close(signals);
	op_browser_end(ui);
	free(ui);
	return status;
}
