#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# optop against recorded trees: its reports, its screens in a terminal (tmux),
# trees that are broken, big ones, and what is written about it. TAP.
#
#     tests/optop/optop.sh [PART...]
#
# Parts are the files in parts/; without one all of them run. UPDATE=1 writes
# what comes out to expected/ instead of comparing it, to be looked at with git
# diff.
#
# The names of symbols come from symbols.txt: see symbols_stub.c.

set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/optop/lib.sh

parts=("$@")
[ $# -gt 0 ] || parts=(reports faults control live screens broken many docs)
planned=0
for part in "${parts[@]}"; do
	# shellcheck disable=SC1090
	. "tests/optop/parts/$part.sh" || exit 1
	tests=${part}_tests
	planned=$((planned + ${!tests}))
done
plan $((planned + 1))

ok "optop builds, with the sanitizers too" build
for part in "${parts[@]}"; do
	"run_$part"
done
finish
