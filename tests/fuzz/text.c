// SPDX-License-Identifier: GPL-2.0-only
/*
 * tools/optop: names as text, as they come (demangled) and as they are shown
 * (escaped, cut); and identity.c, whose texts are of the same kind.
 *
 * What is clean has no control character and comes back by being unescaped;
 * what is cut takes no more columns than there are.
 *
 * Input: a byte of columns, then the text.
 */
#include <ctype.h>
#include <inttypes.h>
#include <sys/sysmacros.h>

#include "fuzz.h"

#include "identity.h"
#include "names.h"
#include "text.h"

static void check_clean(const char *text)
{
	for (; *text; text++)
		MUST((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void show(const char *name, int width)
{
	size_t room = 4 * strlen(name) + 1;
	char *clean = malloc(room), *fit = malloc(room + 8), *back;

	MUST(op_text_clean(clean, room, name) == strlen(clean));
	check_clean(clean);
	back = strdup(clean);
	op_text_unescape(back);
	MUST(!strcmp(back, name));
	free(back);

	op_text_fit(fit, room + 8, clean, width);
	check_clean(fit);
	MUST(op_text_width(fit) <= width);
	if (op_text_width(clean) <= width && strlen(clean) < OP_TEXT_MAX)
		MUST(!strcmp(fit, clean));
	free(clean);
	free(fit);

	/* With little room, it is what goes in. */
	fit = malloc(width + 1);
	MUST(op_text_clean(fit, width + 1, name) == strlen(fit));
	check_clean(fit);
	free(fit);
}

static void demangle(const char *name, int width)
{
	char *text = malloc(4096);
	size_t size = op_demangle(name, text, 4096);

	if (size) {
		MUST(strlen(text) < 4096);
		show(text, width);
	}
	free(text);
}

static void identity(const char *text)
{
	struct stat status = {
		.st_dev = makedev(8, 1),
		.st_ino = 1234,
		.st_size = 4096,
		.st_mtim = { 1700000000, 123456789 },
	};
	char all[128];

	/* With its own in front, another's changes nothing: the first counts. */
	if (!*text)
		MUST(op_identity_matches(text, &status, false));
	if (op_identity_matches(text, &status, false))
		MUST(op_identity_matches(text, &status, true));
	snprintf(all, sizeof(all), "dev=8:1 ino=1234 size=4096 mtime=%d.%d %s",
		 1700000000, 123456789, text);
	MUST(op_identity_matches(all, &status, false));
	snprintf(all, sizeof(all), "ino=1235 %s", text);
	MUST(!op_identity_matches(all, &status, false));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	int width = fuzz_byte(&in) % 100 + 1;
	char *text;

	op_text_init(false);
	text = fuzz_string(in.at, in.left);
	show(text, width);
	demangle(text, width);
	identity(text);
	free(text);
	return 0;
}
