#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 500
#
# Samples in NMIs, as a processor's counters bring them, here those of a PMU that a
# module plays. They come anywhere: into the timer's own handler, into the hooks,
# while the sync step reads, while mappings change. The PMU says how many there
# were, and that is how many are received.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

pmu=/sys/module/oppmu/parameters
plan 34

insmod "$op_progs/$OP_KVER/opburn.ko" || op_bail "no opburn.ko"
insmod "$op_progs/$OP_KVER/oppmu.ko" hz=1999 || op_bail "no oppmu.ko"
echo cycles >"$op/0/event"
echo 1000000 >"$op/0/count"
echo timer >"$op/1/event"
echo 1999 >"$op/1/freq"

# start and stop: as op_start and op_stop, and how many NMIs came is in $given
start()
{
	echo 1 >"$op/reset"
	given=$(cat $pmu/given)
	echo 1 >"$op/enable"
}

stop()
{
	op_stop
	given=$(($(cat $pmu/given) - given))
}

# all WHAT: each of them was received, and nothing else; and the law
all()
{
	is "$(op_stat received)" "$given" "$1: all NMIs are samples"
	[ "$given" -gt 100 ]
	result $? "$1: of $given"
	op_conserved "$1: the law"
}

# --- programs that know what they do ---

start
running=()
for name in alpha beta; do
	"$op_progs/burn-$name" 1000000000000 &
	running+=($!)
done
op_gather 1500 "$(op_name "$op_progs/burn-alpha")" -- sleep 1
result $? "programs are sampled in NMIs"
kill "${running[@]}"
wait "${running[@]}" 2>/dev/null
stop
for name in alpha beta; do
	file=$op_progs/burn-$name
	is "$(op_strays "$(op_name "$file")" "$file")" "" \
		"burn-$name has its own code only"
	op_func_counts "$(op_name "$file")" "$file" | awk -v "f=burn_$name" '
		{ n += $2 } $1 == f { own = $2 }
		END { print own + 0 " of " n + 0; exit !(own > n * 0.95) }' \
		>"$op_tmp/own"
	result $? "burn-$name is in its function ($(cat "$op_tmp/own"))"
done
all "programs"

# --- mappings that change ---

start
"$op_progs/mapstorm" 3 2 4000 "$op_progs/burn-alpha" >"$op_tmp/map"
result $? "a storm of mappings"
for _ in 1 2 3; do
	"$op_progs/forkstorm" 2 300 0 "$op_progs/burn-beta" 20000 >/dev/null
done
"$op_progs/mapexec" --bpf 100
rmmod opburn
insmod "$op_progs/$OP_KVER/opburn.ko"
sleep 0.1
stop
all "mappings that change"

# Nobody gets at the mappings of a program: it finishes its sample itself.
"$op_progs/burn-alpha" 1000000000000 &
burn=$!
start
sleep 1
/bin/echo $burn 2>/dev/null >/sys/module/opburn/parameters/hold &
holder=$!
ok "a task waits to finish a sample that an NMI took" \
	op_soon grep -q op_deferred_run /proc/$burn/stack
kill -TERM $holder
wait $holder 2>/dev/null
sleep 0.5
kill $burn
wait $burn 2>/dev/null
stop
[ "$(op_stat deferred)" -gt 0 ]
result $? "and does ($(op_stat deferred))"
all "one that waits"

# --- beside the timer, whose handler they interrupt ---

echo 1 >"$op/1/enabled"
start
"$op_progs/forkstorm" 2 1000 0 "$op_progs/burn-beta" 20000 >/dev/null
"$op_progs/burn-alpha" 5000000
stop
cat "$op"/images/*/hist | awk '
	!/^#/ { n += $2; m += $3 } END { print n, m }' >"$op_tmp/columns"
read -r nmis ticks <"$op_tmp/columns"
is "$nmis" "$given" "beside the timer: each NMI is in its column"
[ "$ticks" -gt 100 ]
result $? "and the timer's are in theirs ($ticks)"
op_conserved "beside the timer: the law"
echo 0 >"$op/1/enabled"

# --- a ring that is too small, and marks ---

old=$(cat "$op/cpu_buffer_size")
sync=$(cat "$op/sync_ms")
echo 10000 >"$op/sync_ms"
echo 4 >"$op/cpu_buffer_size"
start
for ((i = 0; i < 50; i++)); do
	"$op_progs/burn-alpha" 5000000
	[ "$(op_stat lost_cpu_buffer)" = 0 ] || [ $i -lt 4 ] || break
done
stop
[ "$(op_stat lost_cpu_buffer)" -gt 0 ]
result $? "a small ring loses some ($(op_stat lost_cpu_buffer))"
all "a small ring"
echo "$old" >"$op/cpu_buffer_size"
echo "$sync" >"$op/sync_ms"

echo "$op_progs/burn-alpha" >"$op/mark"
start
op_gather 50 "$(op_name "$op_progs/burn-alpha")" -- "$op_progs/burn-alpha" 10000000
result $? "marked: its samples are taken"
"$op_progs/burn-beta" 10000000
stop
is "$(op_samples "$(op_name "$op_progs/burn-beta")")" 0 "not marked: none are"
all "marks"
echo "unmark $op_progs/burn-alpha" >"$op/mark"

# --- off and on, and away ---

start
for _ in {1..30}; do
	echo 0 >"$op/enable"
	echo 1 >"$op/enable"
done
"$op_progs/burn-alpha" 3000000
stop
all "30 times off and on"
echo 1 >"$op/enable"
ok "unmounted and unloaded while they come" op_down
ok "and there again" op_up
finish
