// SPDX-License-Identifier: GPL-2.0-only
/*
 * oprofilefs/dcookies.c: what is written to mark and to dcookies.
 *
 * Input: a byte that says which file, and the text.
 */
#include "kernel.h"

struct op_node;

#include "../../oprofilefs/dcookies.c"

#include "fuzz.h"

struct task_struct op_fuzz_task;

/* What was asked for. */
static char asked[PATH_MAX + 8];
static bool removed;
static u64 asked_cookie;
static struct op_image image = { .cookie = 7 };

int op_mark_add(const char *name, u64 *cookie)
{
	MUST(strlen(name) < sizeof(asked));
	strcpy(asked, name);
	removed = false;
	*cookie = 7;
	return 0;
}

int op_mark_remove(const char *name, u64 cookie)
{
	MUST(strlen(name) < sizeof(asked));
	strcpy(asked, name);
	removed = true;
	asked_cookie = cookie;
	return 0;
}

int op_refuse(const struct file *file, int err, const char *reason)
{
	MUST(err < 0 && reason && *reason);
	return err;
}

ssize_t op_take_text(const struct file *file, struct iov_iter *from,
		     char text[OP_TEXT_MAX + 1])
{
	size_t len = iov_iter_count(from);

	if (len > OP_TEXT_MAX)
		return -EINVAL;
	MUST(copy_from_iter_full(text, len, from));
	text[len] = '\0';
	return len;
}

struct op_image *op_image_get_cookie(u64 cookie)
{
	asked_cookie = cookie;
	return cookie == 7 ? &image : NULL;
}

struct op_image *op_image_next_known(u64 *cookie)
{
	return NULL;
}

void op_image_put(struct op_image *put)
{
	MUST(put == &image);
}

void op_path_print(struct seq_file *m, const struct op_image *of)
{
}

static void marks(struct op_cookie_open *open, const char *text, size_t len)
{
	struct iov_iter from = { text, len };
	static const char unmark[] = "unmark ";
	size_t end = len;
	ssize_t ret;

	asked[0] = '\0';
	ret = op_mark_write(&open->open, &from);
	if (ret < 0) {
		MUST(!asked[0]);
		/* Only what is empty, no text, or too long for a path. */
		MUST(ret == -EINVAL || ret == -ENAMETOOLONG);
		MUST(!len || (len == 1 && *text == '\n') ||
		     memchr(text, '\0', len) ||
		     len > strlen(unmark) + PATH_MAX);
		MUST(!open->cookie);
		return;
	}
	MUST(ret == (ssize_t)len);
	if (text[end - 1] == '\n')
		end--;
	MUST(removed == (end >= 7 && !memcmp(text, unmark, 7)));
	if (removed) {
		text += 7;
		end -= 7;
	}
	MUST(strlen(asked) == end && !memcmp(asked, text, end));
	MUST(open->cookie == (removed ? 0 : 7));
}

static void cookies(struct op_cookie_open *open, const char *text, size_t len)
{
	struct iov_iter from = { text, len };
	ssize_t ret;

	asked_cookie = 0;
	ret = op_dcookies_write(&open->open, &from);
	MUST(open->cookie == (ret < 0 ? 0 : 7));
	if (ret >= 0)
		MUST(ret == (ssize_t)len && asked_cookie == 7);
	else
		MUST(ret == -EINVAL || ret == -ERANGE || ret == -ENOENT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct op_cookie_open open = { { 0 } };
	bool mark = fuzz_byte(&in) & 1;
	char *text = fuzz_copy(in.at, in.left);

	if (mark)
		marks(&open, text, in.left);
	else
		cookies(&open, text, in.left);
	free(text);
	return 0;
}
