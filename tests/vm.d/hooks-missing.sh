#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 300
#
# On a kernel that lacks a place where the module listens, which it is made to
# look for by a wrong name: it says so, what is heard there is missing, and
# nothing else.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/stream.sh
. tests/lib/stream.sh

whole=$OP_KO
OP_KO=$op_tmp/oprofile.ko
# What is heard, where, and the number in stats/ that says so.
hooks=(fork:sched_process_fork:forks exec:perf_event_exec:execs
	exit:sched_process_exit:exits map:perf_event_mmap:maps
	unmap:uprobe_munmap:unmaps ksym:perf_event_ksymbol:ksyms)
plan $((9 + 5 * ${#hooks[@]}))

# load_without WHAT...: a module that has wrong names for these, of the same length
load_without()
{
	local hook what where

	op_down && cp "$whole" "$OP_KO" || return
	for hook in "${hooks[@]}"; do
		IFS=: read -r what where _ <<<"$hook"
		[[ " $* " != *" $what "* ]] ||
			LC_ALL=C sed -i "s/\x00$where\x00/\x00no${where:2}\x00/g" \
				"$OP_KO" || return
	done
	op_up
}

# states WHAT...: these are missing, all others are there
states()
{
	local what state wanted n=0

	while read -r what _ state; do
		wanted=on
		[[ " $* " != *" $what "* ]] || wanted="missing error -2"
		[ "$state" = "$wanted" ] || return
		n=$((n + 1))
	done <"$op/stats/hooks"
	[ "$n" = ${#hooks[@]} ]
}

# Each kind but for BPF programs, of which there need be none.
things_happen()
{
	"$op_progs/forkstorm" 1 0 10 "$op_progs/burn-beta" 1000000 &&
		"$op_progs/mapstorm" 1 1 300 "$op_progs/burn-alpha"
} >/dev/null

# counted WHAT...: not one of these, and some of each of the others
counted()
{
	local hook what stat n

	for hook in "${hooks[@]}"; do
		IFS=: read -r what _ stat <<<"$hook"
		read -r n <"$op/stats/$stat"
		if [[ " $* " = *" $what "* ]]; then
			[ "$n" = 0 ] || { echo "$stat: $n"; return 1; }
		elif [ "$what" != ksym ]; then
			[ "$n" -gt 0 ] || { echo "no $stat"; return 1; }
		fi
	done
}

# --- none can be placed ---

all=("${hooks[@]%%:*}")
ok "a kernel with none of the places" load_without "${all[@]}"
stream_start "$op_tmp/stream"
ok "it is enabled" op_start 997
ok "each hook is said to be missing" states "${all[@]}"
ok "things come and go" things_happen
op_stop
stream_stop
ok "nothing is heard of them" counted "${all[@]}"
op_conserved "and no sample is missing for that"
[ "$(op_samples "$(op_name "$(realpath "$op_progs/burn-beta")")")" -gt 0 ]
result $? "nor has one lost its name"
kinds=$("$op_progs/opstream" count <"$op_tmp/stream")
result $? "the stream makes sense"
missing='(^|'$'\n'')(fork|exec|exit|map|unmap|ksym) [1-9]'
[[ $kinds = *"sample "[1-9]* && ! $kinds =~ $missing ]]
result $? "and has samples, but none of these" || diag "$kinds"

# --- one of them ---

for what in "${all[@]}"; do
	ok "a kernel without that of $what" load_without "$what"
	op_start 997
	ok "$what: it alone is said to be missing" states "$what"
	things_happen
	op_stop
	ok "$what: it alone is not heard of" counted "$what"
	op_conserved "$what: no sample is missing"
	ok "$what: unloaded" op_down
done
finish
