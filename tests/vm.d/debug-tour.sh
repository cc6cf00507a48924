#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 300
#
# Once around all that there is, in the short time that there is for the debug
# kernel where not all tests are run on it: each file read, each switch moved,
# each kind of thing sampled. Whether what it says is right is for the other
# tests; this one lets the kernel say what it thinks of the code.
#
# Few programs are started: that takes an emulated machine long.

# shellcheck disable=SC2317 # functions that ok calls
set -u
shopt -s nullglob
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/debug.sh
. tests/lib/debug.sh
plan 25

# read_all DIR: read each file below, without a program; counts them in $files
files=0
read_all()
{
	local path

	for path in "$1"/*; do
		if [ -d "$path" ]; then
			read_all "$path"
		elif [ "${path##*/}" != buffer ]; then
			files=$((files + 1))
			mapfile -t <"$path"
		fi
	done 2>>"$op_tmp/unreadable"
}

exec {stream}<>"$op/buffer"
cat <&"$stream" >"$op_tmp/stream" &
reader=$!
ok "a reader asks for mappings" eval "echo maps >&$stream"

# --- sampling with several counters, while things come and go ---

echo 1009 >"$op/0/freq"
echo cpu-clock >"$op/1/event"
echo 500000 >"$op/1/count"
echo page-faults >"$op/2/event"
echo 10 >"$op/2/count"
echo context-switches >"$op/3/event"
echo 1 >"$op/3/count"
for i in 1 2 3; do echo 1 >"$op/$i/enabled"; done
echo 0 >"$op/3/user"
ok "four counters at once" put 1 enable
work 30000
"$op_progs/mapstorm" 2 1 400 "$op_progs/burn-alpha" >/dev/null
result $? "mappings come and go"
"$op_progs/dlstorm" 300 20000 "$op_progs"/plugin-{a,b}.so >/dev/null
result $? "libraries come and go"
insmod "$op_progs/$OP_KVER/opburn.ko" && rmmod opburn
result $? "a module comes and goes"
op_jitter_start a anon:2
result $? "anonymous code"
printf 'add_mapping a %s %s pid=%s\nadd_mapping k 0xffffffff81000000 0xffffffff81100000' \
	"${jitter_start[a.0]}" "${jitter_end[a.0]}" "${jitter_pid[a]}" \
	>"$op/jit_maps"
is $? 0 "JIT ranges of a process and of the kernel"
work 10000

ok "a CPU goes" eval 'echo 0 >/sys/devices/system/cpu/cpu1/online'
work 5000
echo 1 >/sys/devices/system/cpu/cpu1/online
work 5000
echo 1 >"$op/dump"
ok "a mark" put vmlinux mark
ok "another one" put /bin/bash mark
work 10000
echo 0 >"$op/enable"
ok "the law" debug_law

# --- what is refused ---

refused=0
try()
{
	echo "$1" >"$op/$2" || refused=$((refused + 1))
} 2>/dev/null
for number in x -1 18446744073709551616 ''; do
	for file in enable reset dump 0/freq 0/count 0/enabled 0/kernel \
		cpu_buffer_size hist_memory sync_ms; do
		try "$number" $file
	done
done
try nothing 0/event
try 'add_mapping' jit_maps
try 'remove_mapping never' jit_maps
try 'add_mapping x 0x1 0x2 pid=4000000' jit_maps
try /no/such/file mark
try 7777777 dcookies
try something buffer
is $refused 47 "what makes no sense is refused"

# --- all files; small buffers; the end ---

read_all "$op"
[ $files -gt 100 ]
result $? "$files files read" || diag "$(<"$op_tmp/unreadable")"
ok "a mark is taken" put 'unmark vmlinux' mark
ok "the other one" put 'unmark /bin/bash' mark
printf 'remove_mapping a pid=%s\nremove_mapping k\n' "${jitter_pid[a]}" \
	>"$op/jit_maps"
op_jitter_stop a
echo 1 >"$op/reset"
echo 4 >"$op/cpu_buffer_size"
echo 20000 >"$op/0/freq"
echo 1 >"$op/enable"
work 10000
echo 0 >"$op/enable"
ok "the law, with buffers that are too small" debug_law
read -r lost <"$op/stats/lost_cpu_buffer"
[ "$lost" -gt 0 ]
result $? "$lost samples had no room"
# All kinds of records; until nothing more comes.
size=-1
until now=$(stat -L -c %s "$op_tmp/stream") && [ "$now" = "$size" ]; do
	size=$now
	sleep 1
done
exec {stream}>&-
kill $reader
wait $reader 2>/dev/null
kinds=$("$op_progs/opstream" count <"$op_tmp/stream")
result $? "the stream makes sense" || diag "$kinds"
for kind in sample map fork exec exit module; do
	[[ $kinds =~ (^|$'\n')$kind\  ]]
	result $? "there is $kind in it"
done
umount "$op" && rmmod oprofile
result $? "and all can go"
finish
