// SPDX-License-Identifier: GPL-2.0-only
/*
 * The terminal: taking it, and giving it back whatever happens.
 *
 * Signals that end the program are read from a file descriptor, so that they
 * never come in the middle of something.  A crash can't wait: its handler puts
 * the terminal back with nothing but write(2) and tcsetattr(3), and lets the
 * signal take its course.
 */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "text.h"
#include "ui.h"

/* Makes macros of plain words: after all that have these in them. */
#include <term.h>

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static SCREEN *screen;
static FILE *out;
static int frame = -1; /* what of a frame was not yet given to the terminal */
static struct termios saved;
static char leave[256];
static size_t leave_size;
static volatile sig_atomic_t taken;
static bool colors;

static void crash(int signal)
{
	static const char text[] =
		"\noptop: this is a bug: please report it with what was done\n";

	if (taken) {
		taken = 0;
		if (write(STDOUT_FILENO, leave, leave_size) < 0 ||
		    write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
			/* Nothing is left to be done about it. */
		}
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	}
	/* Its default was set by SA_RESETHAND. */
	raise(signal);
}

static void ending(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
}

/**
 * op_screen_block_signals - from now on op_screen_signal_fd() has them
 *
 * To be called before threads are made, which inherit it.
 */
void op_screen_block_signals(void)
{
	sigset_t set;

	ending(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/**
 * op_screen_signal_fd - where signals that end the program can be read
 * Return: a file descriptor, or -1 with errno set.
 */
int op_screen_signal_fd(void)
{
	sigset_t set;

	ending(&set);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void catch_crashes(void)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = crash,
				    .sa_flags = SA_ONSTACK | SA_RESETHAND };
	size_t i;

	/* An overflow of the stack is a crash, too. */
	sigaltstack(&alternate, NULL);
	sigemptyset(&action.sa_mask);
	for (i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigaction(crashes[i], &action, NULL);
}

/* What terminfo has a delay in is good without it on what is in use today. */
static void add_leave(const char *name)
{
	const char *text = tigetstr(name);

	if (!text || text == (const char *)-1)
		return;
	while (*text && leave_size < sizeof(leave)) {
		if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
			text = strchr(text, '>') + 1;
		else
			leave[leave_size++] = *text++;
	}
}

/* The terminal by another number, which op_screen_refresh() can turn away. */
static FILE *open_again(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file && fd >= 0)
		close(fd);
	return file;
}

static void open_colors(void)
{
	const char *none = getenv("NO_COLOR");

	colors = false;
	if ((none && *none) || !has_colors() || start_color() == ERR)
		return;
	if (use_default_colors() == ERR)
		return;
	init_pair(OP_COLOR_HOT, COLOR_RED, -1);
	init_pair(OP_COLOR_WARM, COLOR_GREEN, -1);
	init_pair(OP_COLOR_BAR, COLOR_BLACK, COLOR_CYAN);
	init_pair(OP_COLOR_OFF, COLOR_YELLOW, -1);
	colors = true;
}

/*
 * Where a frame is gathered, see op_screen_refresh().  Files whose size is limited
 * are none for that.
 */
static void open_frame(void)
{
	struct rlimit limit;

	frame = -1;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur == RLIM_INFINITY)
		frame = memfd_create("optop frame", MFD_CLOEXEC);
}

/**
 * op_screen_open - take the terminal
 *
 * Return: NULL, or a line that says why it cannot be used; then nothing of it
 * was changed.
 */
const char *op_screen_open(void)
{
	const char *cup;
	bool able;
	int err;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return "the live view needs a terminal: use -b or --once";
	if (tcgetattr(STDIN_FILENO, &saved))
		return "the terminal does not answer: use -b or --once";
	if (setupterm(NULL, STDOUT_FILENO, &err) == ERR)
		return "this terminal's type (TERM) is not known: use -b or "
		       "--once";
	cup = tigetstr("cup");
	able = cup && cup != (const char *)-1;
	/* newterm() makes its own. */
	del_curterm(cur_term);
	if (!able)
		return "this terminal cannot place text (TERM): use -b or "
		       "--once";
	op_text_init(true);
	out = open_again();
	screen = out ? newterm(NULL, out, stdin) : NULL;
	if (!screen) {
		if (out)
			fclose(out);
		return "this terminal cannot be used: use -b or --once";
	}
	add_leave("sgr0");
	add_leave("cnorm");
	add_leave("rmkx");
	add_leave("rmcup");
	taken = 1;
	catch_crashes();
	/* Keys are waited for, and none is missed: see live.c. */
	typeahead(-1);
	open_frame();
	open_colors();
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	return NULL;
}

/**
 * op_screen_close - give the terminal back
 */
void op_screen_close(void)
{
	if (!taken)
		return;
	endwin();
	taken = 0;
	delscreen(screen);
	fclose(out);
	if (frame >= 0)
		close(frame);
}

static void write_frame(void)
{
	struct pollfd ready = { .fd = STDOUT_FILENO, .events = POLLOUT };
	char text[16384];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(frame, text, sizeof(text), at)) > 0) {
		ssize_t done = 0, more;

		while (done < n) {
			more = write(STDOUT_FILENO, text + done,
				     (size_t)(n - done));
			if (more > 0)
				done += more;
			else if (more < 0 && errno == EAGAIN)
				poll(&ready, 1, -1);
			else if (!more || errno != EINTR)
				return;
		}
		at += n;
	}
}

static bool is_resized(void)
{
	struct winsize size;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
	       (size.ws_row != LINES || size.ws_col != COLS);
}

/**
 * op_screen_refresh - show what was drawn
 *
 * ncurses writes to the terminal at each of the some fifty moves of the cursor
 * that a frame has.  Here it writes to a file for as long as it writes, and the
 * terminal gets the frame in one piece.
 */
void op_screen_refresh(void)
{
	int fd = fileno(out);
	sigset_t later, before;

	/*
	 * Whoever stops us gets the terminal, and not the file, as it was; and a
	 * file cannot say how large the window is now.
	 */
	sigemptyset(&later);
	sigaddset(&later, SIGTSTP);
	sigaddset(&later, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &later, &before);
	/* Back from being stopped, ncurses sets the terminal up. */
	if (frame < 0 || isendwin() || is_resized() || ftruncate(frame, 0) ||
	    lseek(frame, 0, SEEK_SET) || dup3(frame, fd, O_CLOEXEC) < 0) {
		refresh();
	} else {
		refresh();
		dup3(STDOUT_FILENO, fd, O_CLOEXEC);
		write_frame();
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/**
 * op_screen_attribute - how a colour looks here
 * @color: the colour
 * Return: a curses attribute.
 */
int op_screen_attribute(enum op_color color)
{
	if (colors && color != OP_COLOR_NONE)
		return (int)COLOR_PAIR(color) |
		       (color == OP_COLOR_HOT ? (int)A_BOLD : 0);
	switch (color) {
	case OP_COLOR_HOT:
	case OP_COLOR_OFF:
		return A_BOLD;
	case OP_COLOR_BAR:
		return A_REVERSE;
	default:
		return A_NORMAL;
	}
}
