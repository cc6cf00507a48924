/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a file is the one that was sampled: see identity.c. */
#ifndef OPTOP_IDENTITY_H
#define OPTOP_IDENTITY_H

#include <stdbool.h>
#include <sys/stat.h>

bool op_identity_matches(const char *identity, const struct stat *status,
			 bool copy);

#endif
