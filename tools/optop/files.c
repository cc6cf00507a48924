// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading small files of a tree that may be anything.
 *
 * A copy of a tree can hold pipes, devices, folders and links where files
 * should be, and files of any size.  So nothing here waits, follows a link in
 * the last part of a path, or reads more than was asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

/**
 * op_open_file - open a regular file for reading
 * @dir: folder that @path begins at
 * @path: the file
 *
 * Return: a file descriptor, or a negative errno.
 */
int op_open_file(int dir, const char *path)
{
	int fd = openat(dir, path,
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
				O_NOCTTY);
	struct stat st;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/**
 * op_open_dir - open a folder
 * @dir: folder that @path begins at
 * @path: the folder
 *
 * Return: a file descriptor, or a negative errno.
 */
int op_open_dir(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);

	return fd < 0 ? -errno : fd;
}

/**
 * op_read_text - read the beginning of a file
 * @dir: folder that @path begins at
 * @path: the file
 * @text: where to; always ended by a NUL, without newlines at its end
 * @size: bytes there
 *
 * Return: bytes, or a negative errno: EFBIG if it has more, EINVAL if it holds
 * a NUL.
 */
long op_read_text(int dir, const char *path, char *text, size_t size)
{
	int fd = op_open_file(dir, path);
	size_t used = 0;
	long err = 0;

	text[0] = '\0';
	if (fd < 0)
		return fd;
	/* Until the end: a single read may bring a part only. */
	for (;;) {
		ssize_t n = read(fd, text + used, size - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = -errno;
		else
			used += (size_t)n;
		if (n <= 0)
			break;
		if (used == size) {
			err = -EFBIG;
			break;
		}
	}
	close(fd);
	if (err) {
		text[0] = '\0';
		return err;
	}
	text[used] = '\0';
	if (strlen(text) != used) {
		text[0] = '\0';
		return -EINVAL;
	}
	while (used && text[used - 1] == '\n')
		text[--used] = '\0';
	return (long)used;
}

/* A digit's value and one more; what is none has 0. */
static const unsigned char hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* A decimal number of 20 digits or more: 64 bits have room for some of them. */
static bool is_too_large(const char *text)
{
	uint64_t n = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
			return true;
	return false;
}

/**
 * op_parse_number - a number as the files have them
 * @text: decimal, or hexadecimal after 0x
 * @value: where to
 * @end: where the place behind it goes
 *
 * Return: false if there is none, or one of more than 64 bits.
 */
bool op_parse_number(const char *text, uint64_t *value, const char **end)
{
	const char *from = text;
	uint64_t n = 0;
	unsigned int digit;

	if (text[0] == '0' && text[1] == 'x') {
		for (from = text += 2; *text == '0'; text++)
			;
		if (text != from)
			from = text - 1;
		while ((digit = hex_digits[(unsigned char)*text])) {
			n = n << 4 | (digit - 1);
			text++;
		}
		/* Sixteen digits have 64 bits; and there may be a zero. */
		if (text - from > 16 + (*from == '0'))
			return false;
	} else {
		while ((digit = (unsigned char)*text - '0') < 10) {
			n = n * 10 + digit;
			text++;
		}
		if (text - from >= 20 && is_too_large(from))
			return false;
	}
	if (text == from)
		return false;
	*value = n;
	*end = text;
	return true;
}

/**
 * op_read_number - read a file that holds one number
 * @dir: folder that @path begins at
 * @path: the file
 * @value: where to; untouched on an error
 *
 * Return: 0, or a negative errno: EINVAL if there is anything else in it.
 */
int op_read_number(int dir, const char *path, uint64_t *value)
{
	char text[64];
	const char *end;
	uint64_t n;
	long got = op_read_text(dir, path, text, sizeof(text));

	if (got < 0)
		return got == -EFBIG ? -EINVAL : (int)got;
	if (!op_parse_number(text, &n, &end) || *end)
		return -EINVAL;
	*value = n;
	return 0;
}

/**
 * op_write_text - write a value to a file that is there
 * @dir: folder that @path begins at
 * @path: the file
 * @text: what
 *
 * Return: 0, or a negative errno.
 */
int op_write_text(int dir, const char *path, const char *text)
{
	int fd = openat(dir, path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	size_t size = strlen(text);
	int err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, size);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != size)
		err = -EIO;
	if (close(fd) && !err)
		err = -errno;
	return err;
}
