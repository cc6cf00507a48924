// SPDX-License-Identifier: GPL-2.0-only
/*
 * core/image_name.c: the name of a path's folder.
 *
 * It can be undone; it has no character that a shell or a terminal takes for
 * something else; and where it is cut it is the end of the whole name, of whole
 * codes.
 *
 * Input: two bytes of room, then the path.
 */
#include <ctype.h>

#include "kernel.h"

#include "core/image_name.c"

#include "fuzz.h"

struct task_struct op_fuzz_task;

static int hex(char c)
{
	MUST((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'));
	return c <= '9' ? c - '0' : c - 'A' + 10;
}

/* The path that a name stands for; it must be one that stands for a path. */
static char *decode(const char *name)
{
	char *path = malloc(strlen(name) + 1), *at = path;

	for (; *name; name++) {
		if (*name == '}') {
			*at++ = '/';
		} else if (*name == '%') {
			*at++ = hex(name[1]) << 4 | hex(name[2]);
			name += 2;
		} else {
			MUST(isalnum(*name) || strchr("._+-,:@=", *name));
			*at++ = *name;
		}
	}
	*at = '\0';
	return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	size_t room = fuzz_number(&in, 2) % 1024 + 1, len, n;
	char *path = fuzz_string(in.at, in.left), *again;
	char *full = malloc(3 * strlen(path) + 1), *part = malloc(room);
	char cut[OP_NAME_MAX + 1];

	len = op_encode_name(path, full, 3 * strlen(path) + 1);
	MUST(len == strlen(full) && len <= 3 * strlen(path));
	again = decode(full);
	MUST(!strcmp(again, path));
	free(again);

	/* With less room, no byte beyond it, and none of it wrong. */
	memset(part, '/', room);
	MUST(op_encode_name(path, part, room) == len);
	n = strlen(part);
	MUST(n < room && !strncmp(full, part, n));
	free(decode(part));
	if (len < room)
		MUST(!strcmp(part, full));

	/* dcookies.c leaves some room for a suffix. */
	room = OP_NAME_MAX - room % 12;
	op_cut_name(cut, full, len, room);
	n = strlen(cut);
	MUST(n <= room);
	if (len <= room) {
		MUST(!strcmp(cut, full));
	} else {
		MUST(!strncmp(cut, "}~", 2) && n >= room - 2);
		MUST(!strcmp(full + len - (n - 2), cut + 2));
		/* What is kept is the end of the path. */
		again = decode(cut + 2);
		MUST(strlen(again) < strlen(path));
		MUST(!strcmp(path + strlen(path) - strlen(again), again));
		free(again);
	}
	free(path);
	free(full);
	free(part);
	return 0;
}
