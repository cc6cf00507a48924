// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names as text: escaped, measured and cut.
 *
 * Names come from files that anybody may have made, so nothing of them goes to
 * a terminal or into a report before op_text_clean() has seen it.  A screen
 * takes the locale's characters; reports are always UTF-8, so that they do not
 * depend on who made them.
 */
#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "text.h"

static bool utf8;

/**
 * op_text_init - choose the characters that can be shown
 * @screen: those of the locale; else UTF-8
 *
 * Numbers keep their point in every locale.
 */
void op_text_init(bool screen)
{
	const char *codeset;

	if (screen)
		setlocale(LC_CTYPE, "");
	else if (!setlocale(LC_CTYPE, "C.UTF-8"))
		setlocale(LC_CTYPE, "");
	codeset = nl_langinfo(CODESET);
	utf8 = codeset && !strcmp(codeset, "UTF-8");
}

/**
 * op_text_utf8 - can more than ASCII be shown?
 * Return: whether it can.
 */
bool op_text_utf8(void)
{
	return utf8;
}

/**
 * op_text_dots - what stands for what was cut
 * Return: a text that is one or two columns wide.
 */
const char *op_text_dots(void)
{
	return utf8 ? "\xe2\x80\xa6" : "..";
}

/* Characters that are printable by the letter, and still play with the line. */
static bool is_tricky(wchar_t c)
{
	return c == 0xad || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
	       c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb);
}

/* Bytes of the next character if it may be shown as it is, else 0. */
static size_t plain(const char *in, size_t left)
{
	unsigned char c = *in;
	mbstate_t state = { 0 };
	wchar_t wide;
	size_t n;

	if (c < 0x80)
		return c >= 0x20 && c != 0x7f && c != '\\';
	if (!utf8)
		return 0;
	n = mbrtowc(&wide, in, left, &state);
	if (n == (size_t)-1 || n == (size_t)-2 || !n)
		return 0;
	if (!iswprint(wide) || wcwidth(wide) < 0 || is_tricky(wide))
		return 0;
	return n;
}

/**
 * op_text_clean - escape what must not reach a terminal
 * @out: where to; always ended by a NUL
 * @size: bytes there
 * @in: any bytes
 *
 * Control characters, backslashes and what is no character become a backslash
 * and three octal digits, as in /proc/PID/maps.  What does not fit is left off.
 *
 * Return: bytes in @out.
 */
size_t op_text_clean(char *out, size_t size, const char *in)
{
	size_t left = strlen(in), used = 0;

	if (!size)
		return 0;
	while (left) {
		size_t n = plain(in, left);

		if (n) {
			if (used + n >= size)
				break;
			memcpy(out + used, in, n);
			used += n;
		} else {
			n = 1;
			if (used + 4 >= size)
				break;
			snprintf(out + used, 5, "\\%03o", (unsigned char)*in);
			used += 4;
		}
		in += n;
		left -= n;
	}
	out[used] = '\0';
	return used;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/**
 * op_text_unescape - undo \ooo, in place
 * @text: as a file of oprofilefs shows it
 *
 * \000 is left as it is: no path has a NUL.
 */
void op_text_unescape(char *text)
{
	char *out = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
		    is_octal(text[2]) && is_octal(text[3])) {
			int c = (text[1] - '0') * 64 + (text[2] - '0') * 8 +
				(text[3] - '0');

			if (c) {
				*out++ = (char)c;
				text += 4;
				continue;
			}
		}
		*out++ = *text++;
	}
	*out = '\0';
}

/**
 * op_text_cut - how much of a clean text goes into some columns
 * @text: what op_text_clean() gave
 * @width: columns
 * @got: where the columns that it takes go; may be NULL
 *
 * Return: bytes.
 */
size_t op_text_cut(const char *text, int width, int *got)
{
	size_t left = strlen(text), bytes = 0;
	mbstate_t state = { 0 };
	int columns = 0;

	while (left) {
		unsigned char c = (unsigned char)text[bytes];
		wchar_t wide;
		size_t n;
		int w;

		/* What nearly all is, at little cost. */
		if (c >= 0x20 && c < 0x7f) {
			if (columns + 1 > width)
				break;
			columns++;
			bytes++;
			left--;
			continue;
		}
		n = mbrtowc(&wide, text + bytes, left, &state);
		if (n == (size_t)-1 || n == (size_t)-2 || !n) {
			memset(&state, 0, sizeof(state));
			n = 1;
			w = 1;
		} else {
			w = wcwidth(wide);
			if (w < 0)
				w = 1;
		}
		if (columns + w > width)
			break;
		columns += w;
		bytes += n;
		left -= n;
	}
	if (got)
		*got = columns;
	return bytes;
}

/**
 * op_text_width - columns of a clean text
 * @text: what op_text_clean() gave
 * Return: columns.
 */
int op_text_width(const char *text)
{
	int width;

	op_text_cut(text, 1 << 30, &width);
	return width;
}

/**
 * op_text_pad - a clean text, cut or filled up with blanks to a width
 * @out: where to
 * @size: bytes there
 * @text: the text
 * @width: columns; negative: blanks go in front
 *
 * Return: bytes in @out.
 */
size_t op_text_pad(char *out, size_t size, const char *text, int width)
{
	bool right = width < 0;
	int got, n = abs(width);
	size_t bytes = op_text_cut(text, n, &got);
	size_t blanks = (size_t)(n - got);

	if (!size)
		return 0;
	if (bytes + blanks >= size) {
		out[0] = '\0';
		return 0;
	}
	if (right)
		memset(out, ' ', blanks);
	memcpy(out + (right ? blanks : 0), text, bytes);
	if (!right)
		memset(out + bytes, ' ', blanks);
	out[bytes + blanks] = '\0';
	return bytes + blanks;
}

/**
 * op_text_number - like "%*.*f", at a tenth of what that costs
 * @out: where to
 * @size: bytes there
 * @width: at least so many characters
 * @digits: behind the point
 * @number: the number; not negative
 * @behind: text behind it
 *
 * A live view has three of them a line.  What stands in the middle between two
 * may be rounded the other way.
 *
 * Return: bytes in @out.
 */
size_t op_text_number(char *out, size_t size, int width, int digits,
		      double number, const char *behind)
{
	char text[32];
	char *at = text + sizeof(text);
	double scale = 1;
	long long n;
	int i;

	for (i = 0; i < digits; i++)
		scale *= 10;
	/* What has more digits than there is room for here is not seen often. */
	if (number * scale >= 1e15 || width > 16 || size < 48)
		return (size_t)snprintf(out, size, "%*.*f%s", width, digits,
					number, behind);
	n = llrint(number * scale);
	for (i = 0; i <= digits || n; i++) {
		if (i == digits && digits)
			*--at = '.';
		*--at = (char)('0' + n % 10);
		n /= 10;
	}
	while (text + sizeof(text) - at < width)
		*--at = ' ';
	n = text + sizeof(text) - at;
	memcpy(out, at, (size_t)n);
	strcpy(out + n, behind);
	return (size_t)n + strlen(behind);
}

/*
 * The end of a bracket that opens at @open: brackets in it are counted, but not
 * those that are a part of an operator's name or an arrow.
 */
static size_t bracket_end(const char *s, size_t open)
{
	char o = s[open], c = o == '(' ? ')' : '>';
	size_t i;
	int depth = 0;

	for (i = open; s[i]; i++) {
		if (s[i] == o) {
			depth++;
		} else if (s[i] == c) {
			if (c == '>' && i && s[i - 1] == '-')
				continue;
			if (!--depth)
				return i;
		}
	}
	return 0;
}

/* Is a bracket at @at a part of "operator()", "operator<" or the like? */
static bool of_operator(const char *s, size_t at)
{
	size_t i = at;

	while (i && strchr("()<>=-", s[i - 1]))
		i--;
	return i >= 8 && !strncmp(s + i - 8, "operator", 8);
}

/* Empty all outermost brackets of one kind, so that a name says what it is. */
static bool fold(char *s, char open, size_t size)
{
	const char *dots = op_text_dots();
	size_t n = strlen(dots), i;
	bool did = false;

	for (i = 0; s[i]; i++) {
		size_t end;

		if (s[i] != open || of_operator(s, i))
			continue;
		if (open == '<' && (!i || isspace((unsigned char)s[i - 1])))
			continue;
		if (!strncmp(s + i, "(anonymous namespace)", 21)) {
			i += 20;
			continue;
		}
		end = bracket_end(s, i);
		if (!end)
			break;
		if (end - i - 1 > n && strlen(s) < size) {
			memcpy(s + i + 1, dots, n);
			memmove(s + i + 1 + n, s + end, strlen(s + end) + 1);
			end = i + 1 + n;
			did = true;
		}
		i = end;
	}
	return did;
}

/* Keep the end of a clean text: what a name ends with tells most. */
static void keep_end(char *out, size_t size, const char *s, int width)
{
	const char *dots = op_text_dots();
	int over = op_text_width(s) + op_text_width(dots) - width, got;
	size_t skip = op_text_cut(s, over, &got);
	const char *whole;

	/* A wide character may stand across the place. */
	if (got < over && s[skip])
		skip += op_text_cut(s + skip, 2, NULL);
	/* A part that is whole reads better than one that is cut. */
	whole = strstr(s, "::") ? strstr(s + skip, "::") :
				  strchr(s + skip, '/');
	if (whole && op_text_width(whole) >= width / 2)
		skip = (size_t)(whole - s);
	snprintf(out, size, "%s%s", dots, s + skip);
}

/**
 * op_text_fit - a name in a width, cut where it hurts least
 * @out: where to
 * @size: bytes there
 * @name: a clean name
 * @width: columns
 *
 * Of what is too long, arguments go first, then template arguments.  Of a name
 * with parts, as C++'s and Rust's have and paths too, the front goes next; of
 * others the end.
 */
void op_text_fit(char *out, size_t size, const char *name, int width)
{
	static char work[OP_TEXT_MAX];
	const char *dots = op_text_dots();
	size_t bytes;

	if (!size)
		return;
	out[0] = '\0';
	if (width < 1)
		return;
	snprintf(work, sizeof(work), "%s", name);
	if (op_text_width(work) > width && strchr(work, '('))
		fold(work, '(', sizeof(work));
	if (op_text_width(work) > width && strchr(work, '<'))
		fold(work, '<', sizeof(work));
	if (op_text_width(work) <= width) {
		snprintf(out, size, "%s", work);
		return;
	}
	if (width <= 4) {
		bytes = op_text_cut(work, width, NULL);
		snprintf(out, size, "%.*s", (int)bytes, work);
	} else if (strstr(work, "::") || strchr(work, '/')) {
		keep_end(out, size, work, width);
	} else {
		bytes = op_text_cut(work, width - op_text_width(dots), NULL);
		snprintf(out, size, "%.*s%s", (int)bytes, work, dots);
	}
}

/**
 * op_text_base - the last part of a path
 * @path: a path or the name of an image that has none
 * Return: a place in @path.
 */
const char *op_text_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/**
 * op_text_contains - is a text in another, whatever the case of the letters?
 * @text: where to look
 * @part: what for; "" is everywhere
 * Return: whether it is.
 */
bool op_text_contains(const char *text, const char *part)
{
	return !*part || strcasestr(text, part);
}
