#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --leaks --smp 2 --timeout 300 --append preempt=full
#
# On the debug kernel, whose kernel code may be preempted anywhere: everything
# at once, and at the end no sample is missing, nor memory. OP_SECONDS is how long
# at least; without it each does what it does a few times.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/debug.sh
. tests/lib/debug.sh

seconds=${OP_SECONDS:-0}
cpu1=/sys/devices/system/cpu/cpu1
over=$op_tmp/over
plan 15

# actor NAME N: do NAME N times, and for $seconds; says how often in a file. What
# fails with the number of times it was done leaves a note.
actor()
{
	local n=0

	while [ $n -lt "$2" ] || [ $SECONDS -lt "$seconds" ]; do
		"$1" || echo "$1" >>"$op_tmp/failed"
		n=$((n + 1))
	done
}

# load COMMAND...: until the actors are done
load()
{
	while [ ! -e "$over" ]; do
		"$@"
	done >/dev/null
}

# A sample may still be with its task, which then says EBUSY.
switch()
{
	put 0 enable && work 200 && op_soon put 1 enable && work 500
} 2>/dev/null

reset()
{
	put 1 dump && work 200 && put 1 reset && work 200
}

look()
{
	local file

	for file in "$op"/images/*/hist "$op"/stats/* "$op"/stats/cpu?/*; do
		# What was there a moment ago may have gone.
		[ ! -f "$file" ] || mapfile -t <"$file"
	done 2>/dev/null
	true
}

# Only this one's own ranges; each is moved as well.
jit()
{
	local i

	for i in 1 2 3 2; do
		put "add_mapping a$i 0xffffffffc000${i}000 0xffffffffc1000000" \
			jit_maps || return
	done
	work 100
	for i in 1 2 3; do
		put "remove_mapping a$i" jit_maps || return
	done
}

hotplug()
{
	echo 0 >"$cpu1"/online && work 300 && echo 1 >"$cpu1"/online && work 300
}

stream()
{
	local fd

	exec {fd}<>"$op/buffer" && echo maps >&"$fd" &&
		dd bs=4096 count=9 <&"$fd" status=none >/dev/null &&
		exec {fd}>&-
}

[[ $(dmesg) = *'Dynamic Preempt: full'* ]]
result $? "any kernel code may be preempted"
debug_leaks_begin
# More often there would be no time for anything else.
put 500 0/freq
put page-faults 1/event && put 1 1/count && put 1 1/enabled
ok "enabled" put 1 enable
load "$op_progs/forkstorm" 1 0 20 "$op_progs/burn-beta" 1000 &
load "$op_progs/mapstorm" 1 1 500 "$op_progs/burn-alpha" &
pids=()
actors=(switch reset look jit hotplug stream)
times=(4 6 2 10 2 4)
for i in "${!actors[@]}"; do
	actor "${actors[i]}" "${times[i]}" &
	pids+=($!)
done
for i in "${!pids[@]}"; do
	wait "${pids[i]}"
	! grep -qsx "${actors[i]}" "$op_tmp/failed"
	result $? "${actors[i]}, ${times[i]} times"
done
: >"$over"
wait
put 0 enable
ok "after all that the law holds" debug_law
put 1 reset
op_soon put 1 enable
"$op_progs/forkstorm" 1 0 10 "$op_progs/burn-beta" 100000 >/dev/null
put 0 enable
ok "as it does after a reset" debug_law
is "$(<"$op/jit_maps")" "" "no JIT range is left"
[[ $(dmesg) != *'oprofile: '*'no memory'* ]]
result $? "there was memory for all"
ok "unload" op_soon op_down
debug_leaks_end
finish
