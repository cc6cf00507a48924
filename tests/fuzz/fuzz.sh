#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the fuzz targets, one after the other; prints TAP, a test a target.
#
#     tests/fuzz/fuzz.sh [TARGET...]
#     tests/fuzz/fuzz.sh --merge [TARGET...]
#
# Every input of corpus/TARGET is run first: what once was a bug is there. Then
# come as many inputs as the table below says, made of these, always the same
# ones: their number counts and not the time, and the seed is fixed.
#
# With FUZZ_RUNS=N in the environment there are N of each target, and what is
# found on the way is kept in build/fuzz/found/TARGET and gone on from the next
# time; FUZZ_SEED is another seed then. --merge takes of that what the corpus
# does not have yet and what is not long.
#
# An input that fails is kept in build/fuzz/failed; it fails again with
# build/fuzz/TARGET FILE.

# shellcheck disable=SC2317 # functions that ok calls
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

build=$PWD/build/fuzz
corpus=$PWD/tests/fuzz/corpus

# Those that take longer for one do fewer.
declare -A runs=(
	[event_buffer]=30000
	[tree]=4000
	[elf]=40000
	[hist]=60000
	[kallsyms]=40000
	[stream]=20000
	[jitmap]=60000
	[jit_writes]=40000
)
# Longer inputs bring little.
declare -A longest=(
	[event_buffer]=400
	[image_name]=2000
	[jit_writes]=2000
	[parse]=600
	[text]=2500
)

# fuzz TARGET: what libFuzzer says is shown if it fails
fuzz()
{
	local target=$1 found=$build/found/$1

	[ "${FUZZ_RUNS:-}" ] || rm -rf "$found"
	mkdir -p "$found" "$build/failed"
	set -- "-runs=${FUZZ_RUNS:-${runs[$target]:-100000}}" \
		"-seed=${FUZZ_SEED:-1}" "-max_len=${longest[$target]:-8192}" \
		-timeout=300 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$build/failed/$target-"
	[ ! -e "tests/fuzz/$target.dict" ] ||
		set -- "$@" "-dict=tests/fuzz/$target.dict"
	"$build/$target" "$@" "$found" "$corpus/$target" >"$build/$target.log" 2>&1 ||
		{
			grep -v '^#' "$build/$target.log" | tail -n 60
			return 1
		}
	# It says what it did, or it did nothing.
	grep '^stat::number_of_executed_units' "$build/$target.log" |
		grep -Eq '[1-9][0-9]{2,}$'
}

# merge TARGET: what is new and short goes into the corpus
merge()
{
	local target=$1 file more=$build/more

	rm -rf "$more"
	mkdir -p "$more"
	cp "$corpus/$target"/* "$more"
	"$build/$target" -merge=1 "-max_len=${longest[$target]:-2048}" \
		-timeout=300 "$more" "$build/found/$target" \
		>"$build/$target.log" 2>&1 || return
	for file in "$more"/*; do
		[ -e "$corpus/$target/${file##*/}" ] ||
			[ "$(stat -c %s "$file")" -gt 1024 ] ||
			cp "$file" "$corpus/$target/"
	done
}

what=fuzz
if [ "${1:-}" = --merge ]; then
	what=merge
	shift
fi
[ $# -gt 0 ] || mapfile -t targets < <(make -s -C tests/fuzz list)
[ $# = 0 ] || targets=("$@")
plan $((${#targets[@]} + 1))
ok "they can be built" make -s -C tests/fuzz
for target in "${targets[@]}"; do
	ok "$target" "$what" "$target"
done
finish
