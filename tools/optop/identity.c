// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the file on disk is the one that was sampled.
 *
 * A program may have been replaced since; then the new one's names would be
 * wrong for the old one's offsets, without anything to see of it.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "identity.h"

/* The text behind "KEY=", NULL if there is none. */
static const char *op_identity_value(const char *identity, const char *key)
{
	size_t length = strlen(key);

	for (const char *at = identity; *at;) {
		at += strspn(at, " \t\n");
		if (!strncmp(at, key, length) && at[length] == '=')
			return at + length + 1;
		at += strcspn(at, " \t\n");
	}
	return NULL;
}

static bool op_read_number(const char **text, uint64_t *number)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*number = strtoull(*text, &end, 10);
	*text = end;
	return !errno;
}

static bool op_ends(const char *text)
{
	return !*text || strchr(" \t\n", *text);
}

static bool op_same_number(const char *text, uint64_t wanted)
{
	uint64_t number;

	return !text || (op_read_number(&text, &number) && op_ends(text) &&
			 number == wanted);
}

static bool op_same_device(const char *text, dev_t device)
{
	uint64_t major, minor;

	return op_read_number(&text, &major) && *text++ == ':' &&
	       op_read_number(&text, &minor) && op_ends(text) &&
	       major == major(device) && minor == minor(device);
}

/* SEC.NSEC with nine digits behind the point, or SEC alone. */
static bool op_same_time(const char *text, const struct timespec *time)
{
	uint64_t seconds, rest = 0;
	bool before = false;
	size_t digits = 9;

	if (!text)
		return true;
	if (*text == '-') {
		before = true;
		text++;
	}
	if (!op_read_number(&text, &seconds))
		return false;
	if (seconds !=
	    (before ? 0 - (uint64_t)time->tv_sec : (uint64_t)time->tv_sec))
		return false;
	if (op_ends(text))
		return true;
	if (*text++ != '.')
		return false;
	digits = strspn(text, "0123456789");
	return digits == 9 && op_read_number(&text, &rest) && op_ends(text) &&
	       rest == (uint64_t)time->tv_nsec;
}

/**
 * op_identity_matches - hold a file against what is known of the sampled one
 * @identity: the text of the image's file "identity": key=value, in any order;
 *	what is not there is not compared
 * @status: the file on disk
 * @copy: it is below another root, so that it may be a copy of the sampled one:
 *	then it is its size and time that count, and its inode number only if it
 *	is on the same device
 *
 * Return: false if it is another file or a changed one, or if what is compared
 *	can't be read.
 */
bool op_identity_matches(const char *identity, const struct stat *status,
			 bool copy)
{
	const char *device = op_identity_value(identity, "dev");
	bool other = device && !op_same_device(device, status->st_dev);

	if (other && !copy)
		return false;
	if (!other &&
	    !op_same_number(op_identity_value(identity, "ino"), status->st_ino))
		return false;
	return op_same_number(op_identity_value(identity, "size"),
			      status->st_size) &&
	       op_same_time(op_identity_value(identity, "mtime"),
			    &status->st_mtim);
}
