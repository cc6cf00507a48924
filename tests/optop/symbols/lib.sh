# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the symboliser's tests share. To be sourced by a script in this folder,
# which says its plan first. Leaves a folder of its own in $T, which goes at the
# end, and the built programs in $BIN.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../../.." && pwd)
# shellcheck source=tests/lib/tap.sh
. "$top/tests/lib/tap.sh"

export LC_ALL=C
unset DEBUGINFOD_URLS
BIN=${OP_SYMBOLS_OUT:-$top/build/tests/optop-symbols}

T=$(mktemp -d "${TMPDIR:-/tmp}/op-symbols.XXXXXX")
trap '[ -n "$KEEP" ] || rm -rf "$T"' EXIT

# build plain|SANITIZE: the programs, unless they are there
build()
{
	make -s -C "$here" OUT="$BIN" SANITIZE="${1#plain}" \
		>"$T/make.log" 2>&1 && return
	sed 's/^/# /' "$T/make.log"
	echo "Bail out! the symboliser can't be built"
	exit 1
}

# needs PROGRAM...: without them the tests mean nothing
needs()
{
	local program

	for program; do
		command -v "$program" >/dev/null && continue
		echo "Bail out! $program is not installed"
		exit 1
	done
}

# lookup ARGUMENT...: names of offsets
lookup()
{
	timeout 60 "$BIN/lookup" "$@"
}

# name ARGUMENT...: the name alone of one offset; "-" if there is none
name()
{
	lookup "$@" | awk '{ sub(/^[^ ]* /, ""); sub(/^[^ ] /, "");
			     sub(/\+0x[0-9a-f]+$/, ""); print }'
}

# state ARGUMENT...: the state of an image
state()
{
	lookup -S "$@"
}

# offset_of FILE SYMBOL: its offset in the file, by readelf alone
offset_of()
{
	readelf -lsW "$1" | awk -v want="$2" '
	BEGIN { n = 0 }
	function hex(text) { return strtonum(text) }
	$1 == "LOAD" {
		offset[n] = hex($2); address[n] = hex($3); size[n++] = hex($5)
	}
	$8 == want || index($8, want "@") == 1 {
		value = hex("0x" $2)
		for (i = 0; i < n; i++)
			if (value >= address[i] && value < address[i] + size[i]) {
				printf "0x%x\n", value - address[i] + offset[i]
				exit
			}
	}'
}

# plus NUMBER NUMBER: their sum, in hexadecimal
plus()
{
	printf '0x%x\n' $(($1 + $2))
}
