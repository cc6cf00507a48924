#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --icount --timeout 1200
#
# 100,000 ranges in jit_maps: what the last ones cost beside the first, what they
# take, where it ends, and that nothing is left.  The clock counts instructions,
# so times are comparable.

set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

plan 16
put=$PWD/tests/lib/put.pl
many=100000
part=20000
bound=$(cat "$op/hist_memory")

# lines FROM TO: ranges in no order of addresses
lines()
{
	awk -v "from=$1" -v "to=$2" 'BEGIN {
		for (i = from; i < to; i++) {
			at = (i * 7919) % 100000
			printf "add_mapping f%d 0xffffffff%08x 0xffffffff%08x\n",
				i, 3221225472 + at * 64, 3221225472 + at * 64 + 48
		}
	}'
}

# took FILE: ms of the CPU's time to write it; waiting for others is not of it
took()
{
	local TIMEFORMAT='%U %S'

	{ time cat "$1" >"$op/jit_maps" || echo failed; } 2>&1 |
		awk '{ print int(($1 + $2) * 1000) }'
}

# What sampling leaves behind is there before.
echo 1 >"$op/enable"
op_stop
echo 1 >"$op/reset"
few=$(op_stat images)
memory=$(op_stat memory)
for ((i = 0; i < many; i += part)); do
	lines $i $((i + part)) >"$op_tmp/part.$((i / part))"
done
times=()
for ((i = 0; i < many / part; i++)); do
	times+=("$(took "$op_tmp/part.$i")")
done
is "$(op_stat jit_maps)" $many "there are 100,000 ranges"
diag "ms for each $part: ${times[*]}"
# Tables grow by doubling, now and then. n log n would be 6 times the first, n * n
# 25 times.
all=$((times[0] + times[1] + times[2] + times[3] + times[4]))
[ $all -lt $((12 * times[0])) ]
result $? "five times as many cost little more than five times as much ($all ms, ${times[0]} ms)"
is "$(wc -l <"$op/jit_maps")" $many "all are listed"
is "$(sort "$op/jit_maps" | md5sum)" "$(cat "$op_tmp"/part.* | sed 's/add_mapping //' |
	sort | md5sum)" "as they were written"
each=$((($(op_stat memory) - memory) / many))
[ $each -gt 300 ] && [ $each -lt 2000 ]
result $? "each is counted in the memory ($each bytes)"
[ "$(op_stat memory)" -le "$bound" ]
result $? "which is within its bound"
is "$(dd if="$op/jit_maps" bs=997 status=none | md5sum)" "$(md5sum <"$op/jit_maps")" \
	"read by pieces it is the same"

# Moved, all of them, and looked for.
sed 's/0xffffffffc/0xffffffffd/g' "$op_tmp/part.0" >"$op_tmp/moved"
again=$(took "$op_tmp/moved")
[ "$again" -lt $((8 * times[0])) ]
result $? "moving costs as much as adding ($again ms)"
is "$(op_stat jit_maps)" $many "and makes no more of them"
op_start 1999
timeout 0.5 "$op_progs/burn-alpha" 0
gzip -c /bin/bash >/dev/null
op_stop
op_conserved "sampling with 100,000 ranges: the law"

# --- where it ends ---

op_stat memory >"$op/hist_memory"
is "$("$put" "$op/jit_maps" 'add_mapping one 0xffffffffe0000000 0xffffffffe0000010\n')" \
	ENOSPC "beyond the bound it is ENOSPC"
is "$(op_stat jit_maps)" $many "and all are still there"
echo $(($(op_stat memory) + 100 * each)) >"$op/hist_memory"
sed 's/ f/ g/' "$op_tmp/part.1" >"$op_tmp/more"
cat "$op_tmp/more" 2>/dev/null >"$op/jit_maps"
n=$(($(op_stat jit_maps) - many))
[ $n -gt 20 ] && [ $n -lt 1000 ]
result $? "with room for about 100 there are so many more ($n)"
[ "$(op_stat memory)" -le "$(cat "$op/hist_memory")" ]
result $? "within the bound"
echo "$bound" >"$op/hist_memory"

# --- and nothing is left ---

awk '{ print "remove_mapping", $1 }' "$op/jit_maps" >"$op_tmp/remove"
removed=$(took "$op_tmp/remove")
[ "$removed" -lt $((8 * all)) ] && [ "$(op_stat jit_maps)" = 0 ]
result $? "all are removed ($removed ms)"
echo 1 >"$op/reset"
# What a CPU's ring named last has its image, whatever that is.
# shellcheck disable=SC2317 # op_soon calls it
gone()
{
	[ "$(op_stat images)" -le $((few + 2)) ] &&
		[ "$(op_stat memory)" -lt $((memory + 2000)) ] &&
		! grep -q ' jit:' "$op/dcookies"
}
op_soon gone
result $? "their images and memory go with them ($(op_stat images) of $few, $(
	op_stat memory) of $memory)" || diag "$(cat "$op/dcookies")"
finish
