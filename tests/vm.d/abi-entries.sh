#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Each file and folder of a mounted tree has an entry in Documentation/ABI, and
# each entry has a file; what an entry says of the access is true; and each has
# the fields that an entry has.

# shellcheck disable=SC2317 # functions are called by ok

set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh

abi=Documentation/ABI/oprofilefs
op=${OP_DIR:-/dev/oprofile}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

plan 5

# Something of each kind must be there: an image of a file, one of the kernel.
echo 1 >"$op/enable"
for _ in 1 2 3 4 5; do
	sha1sum /bin/bash >/dev/null
done
echo 0 >"$op/enable"

# The names of the ABI for a path of the tree.
generic()
{
	sed -E -e "s|^$op/images/[^/]+/|/dev/oprofile/images/NAME/|" \
		-e "s|^$op/stats/cpu[0-9]+/|/dev/oprofile/stats/cpuN/|" \
		-e "s|^$op/[0-9]+/|/dev/oprofile/N/|" \
		-e "s|^$op/|/dev/oprofile/|" | sort -u
}

# Folders end in a slash, in the tree as in the entries.
{
	find "$op" -type d -printf '%p/\n'
	find "$op" -type f -print
} | generic >"$tmp/tree"
sed -n 's/^What:[[:space:]]*//p' "$abi" | sort >"$tmp/entries"

# only_in NAME_A NAME_B: none is in A that is not in B
only_in()
{
	comm -23 "$tmp/$1" "$tmp/$2" | (! grep .)
}

ok "each file has an entry" only_in tree entries
ok "each entry has a file" only_in entries tree
ok "no entry stands twice" bash -c "! uniq -d '$tmp/entries' | grep ."

# ACCESS is as the modes of the default mount say.
find "$op" -type f -printf '%p %m\n' | generic |
	sed -e 's/ 600$/ read, write/; s/ 400$/ read/; s/ 200$/ write/' \
		>"$tmp/modes"
awk '
	/^What:/ { if (!more) n = 0; what[++n] = $2; more = 1; next }
	{ more = 0 }
	/^Access:/ {
		sub(/^Access:[ \t]*/, "")
		for (i = 1; i <= n; i++)
			print what[i], $0
	}' "$abi" | sort >"$tmp/access"
ok "an entry's access is the file's" diff "$tmp/modes" "$tmp/access"

complete()
{
	awk '
	function done(   field) {
		if (what == "")
			return
		for (field in need)
			if (!(field in has)) {
				print what " has no " field
				bad = 1
			}
		delete has
		what = ""
	}
	BEGIN { need["Since:"]; need["Description:"] }
	/^What:/ { if (!more) done(); what = $2; more = 1; next }
	{ more = 0 }
	/^[A-Z][a-z]+:/ { has[$1] }
	END { done(); exit bad }' "$abi"
}
ok "each entry says since when, and what" complete

finish
