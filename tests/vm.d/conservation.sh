#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 4 --timeout 900
#
# received = all counts of all histograms + lost_* + skipped_*, to the sample,
# whatever goes on; and that received is what the timer made.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

cpus=$(nproc)
tmp=$(mktemp -d) || op_bail "no folder for temporary files"

plan 31

now_us()
{
	echo "${EPOCHREALTIME/./}"
}

# Users, kernel, short programs, and mappings that come and go, for $1 ms.
load()
{
	"$op_progs/forkstorm" 1 "$1" 0 "$op_progs/burn-beta" 1000 >"$tmp/fork" &
	"$op_progs/mapstorm" 1 1 "$1" "$op_progs/burn-alpha" >"$tmp/map" &
	timeout "$(($1 / 1000))" dd if=/dev/zero of=/dev/null bs=64k \
		2>/dev/null &
	timeout "$(($1 / 1000))" "$op_progs/burn-gamma" 0 &
}

# measure MS HZ: under load; sets $us, the time that sampling was on at least, and
# $us_most, at most: enabling and disabling take their time
measure()
{
	local begin begin_most

	begin_most=$(now_us)
	op_start "$2" || return
	begin=$(now_us)
	load "$1"
	wait
	us=$(($(now_us) - begin))
	op_stop
	us_most=$(($(now_us) - begin_most))
}

lost()
{
	local file

	for file in "$op"/stats/lost_*; do
		[ "$(cat "$file")" = 0 ] || echo "${file##*/}=$(cat "$file")"
	done
}

# The timer's ticks, seen or missed by the timer itself, are what the rate says.
ticks_are_all_there()
{
	local want=$(($1 * cpus * us / 1000000)) got
	local most=$(($1 * cpus * us_most / 1000000))

	got=$(($(op_stat received) + $(op_stat timer_overrun)))
	echo "$got ticks in $us to $us_most us, by the rate $want to $most"
	((got * 100 > want * 95 && got * 100 < most * 105))
}

for hz in 1000 10000; do
	measure 4000 $hz
	result $? "$hz Hz on $cpus CPUs at default sizes"
	is "$(lost)" "" "$hz Hz: nothing is lost"
	is "$(grep -l '^# lost' "$op"/images/*/hist)" "" \
		"$hz Hz: and no histogram says that anything was"
	op_conserved "$hz Hz: the law"
	op_ok "$hz Hz: every tick of the timer is accounted for" \
		ticks_are_all_there $hz
	for image in vmlinux "$(op_name "$op_progs/burn-gamma")" \
		"$(op_name "$op_progs/libshares.so")"; do
		# How many depends on the host; that they are there does not.
		[ "$(op_samples "$image")" -gt 100 ]
		result $? "$hz Hz: $image has $(op_samples "$image") samples"
	done
done

# The highest rate there is, by halves.
lo=10000
hi=10000000
while [ $((hi - lo)) -gt 1 ]; do
	mid=$(((lo + hi) / 2))
	if echo $mid 2>/dev/null >"$op/0/freq"; then
		lo=$mid
	else
		hi=$mid
	fi
done
diag "the highest rate is $lo Hz"

measure 3000 $lo
op_conserved "$lo Hz at default sizes"

# The smallest buffer there is, which has to overflow.
size=1
until echo $size 2>/dev/null >"$op/cpu_buffer_size" || [ $size -gt 100000 ]; do
	size=$((size + 1))
done
old_sync=$(cat "$op/sync_ms")
echo 1000 >"$op/sync_ms"
diag "the smallest buffer has $size entries"
measure 3000 $lo
op_conserved "$lo Hz, buffers of $size entries"
is "$(head -n 7 "$op/images/vmlinux/hist" | grep '^# lost')" \
	"# lost: $(($(op_stat lost_cpu_buffer) + $(op_stat lost_hist_memory)))" \
	"the losses stand at the head of each histogram"
[ "$(op_stat lost_cpu_buffer)" -gt 0 ]
result $? "they overflow: $(op_stat lost_cpu_buffer) lost"
is "$(op_strays "$(op_name "$op_progs/burn-gamma")" "$op_progs/burn-gamma")" "" \
	"what got through is where it belongs"
echo 8192 >"$op/cpu_buffer_size"
echo "$old_sync" >"$op/sync_ms"

# Histograms that must not grow: one address after the other, far more of them
# than there is room for.
echo 65536 >"$op/hist_memory"
op_start 4000
# How many addresses are sampled in a round depends on the host's speed.
for _ in {1..20}; do
	timeout 4 "$op_progs/burn-gamma" 0 &
	"$op_progs/jitter" "file=$tmp/spread@0:2048" <<<"run 3000 0" \
		>"$tmp/jitter"
	wait
	echo 1 >"$op/dump"
	[ "$(op_stat lost_hist_memory)" = 0 ] || break
done
op_stop
op_conserved "histograms of 64 KiB"
[ "$(op_stat lost_hist_memory)" -gt 0 ]
result $? "there is no room for all: $(op_stat lost_hist_memory) lost"
is "$(op_strays "$(op_name "$op_progs/burn-gamma")" "$op_progs/burn-gamma")" "" \
	"nothing is put where it doesn't belong"
echo 134217728 >"$op/hist_memory"

# Whoever reads, syncs and resets meanwhile.
op_start 2000
load 4000
for what in "dump 0.01" "reset 0.3" "dump 0.02"; do
	# shellcheck disable=SC2086 # two words
	set -- $what
	while [ ! -e "$tmp/stop" ]; do
		echo 1 >"$op/$1"
		sleep "$2"
	done &
done
while [ ! -e "$tmp/stop" ]; do
	cat "$op"/images/*/hist "$op"/stats/* 2>/dev/null
done >"$tmp/read" &
sleep 4
touch "$tmp/stop"
wait
op_stop
op_conserved "reset, dump and readers while sampling"
[ -s "$tmp/read" ]
result $? "the readers have seen something"

# On and off while the machine is busy.
op_start 2000
load 4000
for _ in {1..25}; do
	op_stop
	echo 1 >"$op/enable"
done
op_stop
op_conserved "enabled and disabled 25 times"
wait

# Only one half of it is wanted.
for mode in kernel user; do
	echo 0 >"$op/0/$mode"
	measure 2000 1000
	op_conserved "without $mode samples"
	echo 1 >"$op/0/$mode"
	[ "$(op_stat skipped_$mode)" -gt 100 ]
	result $? "$(op_stat skipped_$mode) $mode samples are skipped"
done
finish
