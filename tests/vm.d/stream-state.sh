#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 300
#
# What a reader of the stream is told of what was there before it came, and where
# that has its bounds.

set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

ko=$op_progs/$OP_KVER/opburn.ko
s=$op_tmp/stream
plan 13

text()
{
	"$op_progs/opstream" text <"$s"
}

# ask [S]: all mappings, to $s, of what comes in S seconds
ask()
{
	exec 3<>"$op/buffer"
	echo maps >&3
	timeout "${1:-3}" cat <&3 >"$s"
	exec 3>&-
}

# --- a process whose main thread has ended ---

"$op_progs/mapexec" --headless 60 >"$op_tmp/headless" &
pid=$!
until [ "$(awk '/^State:/ { print $2 }' /proc/$pid/task/$pid/status)" = Z ]; do
	sleep 0.1
done
ask
[ "$(text | grep -c "^map state task $pid/$pid ")" -ge 2 ]
result $? "a process whose main thread has ended: its mappings"
kill -KILL $pid
wait $pid 2>/dev/null

# --- one whose mappings are locked ---

insmod "$ko" || op_bail "no $ko"
"$op_progs/burn-alpha" 0 &
pid=$!
/bin/echo $pid 2>/dev/null >/sys/module/opburn/parameters/hold &
holder=$!
sleep 0.5
ask
is "$(text | grep -c '^lost maps 1')" 1 "one whose mappings cannot be had is said to be lost"
is "$(text | grep -c "^map state task $pid/$pid ")" 0 "and nothing of it is made up"
[ "$(text | grep -c "^map state task $$/$$ ")" -gt 0 ]
result $? "the others are there"
kill -TERM $holder
wait $holder 2>/dev/null
ask
[ "$(text | grep -c "^map state task $pid/$pid ")" -gt 0 ]
result $? "it, too, when the lock is free"
kill -KILL $pid
wait $pid 2>/dev/null

# --- more processes than there is room for at once ---

perl -e '
	$| = 1;
	for (1 .. 300) { defined(my $pid = fork()) or die; $pid or sleep(1000), exit }
	print("there\n");
	sleep(1000)' >"$op_tmp/many" &
many=$!
until [ -s "$op_tmp/many" ]; do
	sleep 0.1
done
ask 20
children=$(pgrep -P $many | sort)
is "$(wc -w <<<"$children")" 300 "300 processes"
is "$(text | awk '$1 == "map" && $2 == "state" { sub("/.*", "", $4); print $4 }' |
	sort -u | grep -cxFf <(echo "$children"))" 300 "the mappings of each are told"
is "$(text | grep -c '^lost')" 0 "and none is lost"
pkill -KILL -P $many
kill -KILL $many
wait $many 2>/dev/null

# --- files that are only mapped leave room for those that are sampled ---

for ((i = 0; i < 300; i++)); do
	head -c 8192 "$op_progs/libshares.so" >"$op_tmp/file$i"
done
echo 200000 >"$op/hist_memory"
cat "$op/buffer" >"$s" &
reader=$!
op_start 97
for ((i = 0; i < 300; i++)); do
	"$op_progs/mapexec" "$op_tmp/file$i" 1 >/dev/null
done
echo 1 >"$op/dump"
[ "$(op_stat images)" -lt 250 ]
result $? "300 files that are only mapped are not 300 images ($(op_stat images))"
cp "$op_progs/burn-gamma" "$op_tmp/burn"
op_gather 20 "$(op_name "$op_tmp/burn")" -- "$op_tmp/burn" 3000000
result $? "there is room for one that is sampled"
op_stop
sleep 1
kill $reader
wait $reader 2>/dev/null
[ "$(text | awk '$1 == "map" && $2 == "task" { for (i = 3; i < NF; i++) if ($i == "cookie" && $(i + 1) == 0) n++ } END { print n + 0 }')" -gt 0 ]
result $? "the others' mappings are in the stream, without an image"
is "$(op_stat lost_hist_memory)" 0 "no sample was lost"
op_conserved "the law"
finish
