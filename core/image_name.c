// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of images: from a file to its path, from a path to its folder's name.
 *
 * Two texts, two purposes: the path is what the user of the file would type,
 * the name is what stands in images/ and needs no quoting in a shell.
 */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/path.h>
#include <linux/string.h>

#include "core/internal.h"

/*
 * Characters that may stand in a folder's name as they are: what no shell
 * treats specially in the middle of a word.  '/' becomes '}', all else %XX, and
 * as '}', '%' and '~' of a path are not among them, a name has one meaning.
 */
static bool op_name_char(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._+-,:@=", c));
}

/**
 * op_encode_name - a path as the name of a folder
 * @path: the path, raw bytes
 * @name: where to write what goes in of it, whole codes and always a NUL
 * @room: bytes there
 *
 * Context: any.
 * Return: the length of the whole name, without the NUL; three times that of
 * the path at most.
 */
size_t op_encode_name(const char *path, char *name, size_t room)
{
	size_t len = 0, written = 0;
	char code[4];

	for (; *path; path++) {
		unsigned char c = *path;

		if (op_name_char(c))
			snprintf(code, sizeof(code), "%c", c);
		else if (c == '/')
			snprintf(code, sizeof(code), "}");
		else
			snprintf(code, sizeof(code), "%%%02X", c);
		len += strlen(code);
		if (len >= room)
			continue;
		memcpy(name + written, code, strlen(code));
		written = len;
	}
	name[written] = '\0';
	return len;
}

/**
 * op_cut_name - as much of an encoded name as goes into a folder's
 * @name: where to write it, OP_NAME_MAX + 1 bytes
 * @full: the whole name, by op_encode_name()
 * @len: its length
 * @room: how long it may be, at most OP_NAME_MAX
 *
 * One that is too long keeps its end, which says more than the beginning: "}~"
 * and the last bytes, but not from the middle of a %XX.
 *
 * Context: any.
 */
void op_cut_name(char *name, const char *full, size_t len, size_t room)
{
	const char *base = full;

	if (len > room) {
		base += len - (room - 2);
		if (base[-1] == '%')
			base += 2;
		else if (base[-2] == '%')
			base++;
	}
	snprintf(name, OP_NAME_MAX + 1, "%s%s", base == full ? "" : "}~", base);
}

/* Does d_path() put " (deleted)" behind this path's text? */
static bool op_path_is_deleted(const struct path *path)
{
	struct dentry *dentry = path->dentry;

	/* Internal files have their text made, always with the suffix. */
	if (dentry->d_op && dentry->d_op->d_dname)
		return true;
	return d_unlinked(dentry);
}

/**
 * op_path_text - a path as its user sees it
 * @path: the path
 * @room: OP_PATH_ROOM bytes, in which the text will be
 *
 * The text is without the " (deleted)" of one that is.  A path that is deleted
 * before it is asked for has the suffix for sure, and one that is not deleted
 * afterwards has none; a file whose real name ends so keeps its name.
 *
 * Context: process, a kernel thread, so that the root is the host's.
 * Return: the text, somewhere in @room.
 */
char *op_path_text(const struct path *path, char *room)
{
	static const char suffix[] = " (deleted)";
	bool before, after;
	size_t len;
	char *text;

	do {
		before = op_path_is_deleted(path);
		text = d_path(path, room, OP_PATH_ROOM);
		after = op_path_is_deleted(path);
	} while (before != after);

	if (IS_ERR(text)) {
		/* Deeper than any room: the last name must do. */
		snprintf(room, OP_PATH_ROOM, "/.../%pd", path->dentry);
		return room;
	}
	len = strlen(text);
	if (before && len >= strlen(suffix) &&
	    !strcmp(text + len - strlen(suffix), suffix))
		text[len - strlen(suffix)] = '\0';
	return text;
}
