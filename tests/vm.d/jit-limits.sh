#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 400
#
# jit_maps: who may name what, what it may cost, and what is left of a name that
# has gone.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
put=$PWD/tests/lib/put.pl
cd "$op" || exit 1

a=0xffffffffc0000000
b=0xffffffffc0001000
bound=$(cat hist_memory)
plan 25

list()
{
	cat jit_maps
}

# --- who may ---

op_idle
pid=$op_idle_pid
mount -o remount,mode=0666 "$op"
dmesg -C
is "$(op_as_nobody ,+perfmon "$put" jit_maps "add_mapping x $a $b\n"; list)" \
	EPERM "without CAP_SYSLOG there is no range of the kernel"
is "$(dmesg | grep -c 'jit_maps: .*CAP_SYSLOG (-EPERM)')" 1 "the log says why"
is "$(op_as_nobody ,+perfmon "$put" jit_maps "add_mapping x 0x1000 0x2000 pid=$pid\n"
	list)" "$((33 + ${#pid}))
x 0x1000 0x2000 pid=$pid" "one of a process there is"
is "$(op_as_nobody ,+perfmon "$put" jit_maps \
	"remove_mapping x pid=$pid\nadd_mapping x $a $b\n"; list)" \
	"$((22 + ${#pid}))" "what comes before it in a write is in effect"
is "$(op_as_nobody ,+perfmon,+syslog "$put" jit_maps "add_mapping x $a $b\n"
	list)" "52
x $a $b" "with CAP_SYSLOG there is"
is "$(op_as_nobody ,+perfmon "$put" jit_maps "remove_mapping x\n"; list)" "EPERM
x $a $b" "without it it can't be removed"
exec 3>jit_maps
op_as_nobody ,+perfmon bash -c "echo 'remove_mapping x' >&3"
exec 3>&-
is "$(list)" "" "it is the opener's capability that counts"
mount -o remount,mode=0600 "$op"

# --- time and memory ---

# Each within the one before, and then all under a cover: N to end with.
nested()
{
	perl -e 'my ($n, $pid) = @ARGV;
		printf("add_mapping f%d 0x%x 0x%x pid=%d\n", $_, 0x100000 + $_,
			0x100000 + 4 * $n - $_, $pid) for (0..$n - 1);
		printf("add_mapping cover 0x%x 0x%x pid=%d\n", 0xfffff,
			0x100000 + 8 * $n, $pid);' "$1" "$pid"
}

nested 20000 >/tmp/nested
ok "20001 ranges, each in another" bash -c "cat /tmp/nested >jit_maps"
is "$(cat stats/jit_maps)" 20001 "they are there"
memory=$(cat stats/memory)
echo "$memory" >hist_memory
start=${EPOCHREALTIME/./}
ok "the one that covers them all is removed, with no memory left" \
	"$put" jit_maps "remove_mapping cover pid=$pid\n"
took=$((${EPOCHREALTIME/./} - start))
[ $took -lt 3000000 ]
result $? "which takes no longer than it should ($took us)"
[ "$(cat stats/memory)" -le "$memory" ]
result $? "nor memory ($(cat stats/memory) of $memory)"
echo "$bound" >hist_memory

# All of them pierced, and then joined again: no pieces are left.
memory=$(cat stats/memory)
for ((i = 0; i < 2000; i++)); do
	printf 'add_mapping hole 0x%x 0x%x pid=%d\n' $((0x100000 + 37 * i)) \
		$((0x100000 + 37 * i + 5)) $pid
done >/tmp/holes
echo "remove_mapping hole pid=$pid" >>/tmp/holes
ok "a hole that wanders about" bash -c "cat /tmp/holes >jit_maps"
back()
{
	[ "$(cat stats/memory)" -le "$memory" ]
}
ok "leaves nothing" op_soon back
kill $pid
wait $pid 2>/dev/null
none()
{
	[ "$(cat stats/jit_maps)" = 0 ]
}
ok "a process takes all of it with it" op_soon none

# --- names that have gone ---

base()
{
	[ "$(cat stats/memory)" -lt 65536 ]
}
echo 1 >enable
echo 0 >enable
echo 1 >reset
ok "the names of ranges that nobody hit go with them" op_soon base
nr_images=$(cat stats/images)
memory=$(cat stats/memory)
echo 65536 >hist_memory
for ((i = 0; i < 3000; i++)); do
	printf 'add_mapping f%d %s %s\nremove_mapping f%d\n' $i $a $b $i
done >/tmp/names
ok "3000 names one after the other in 64 KiB" \
	bash -c "cat /tmp/names >jit_maps"
settled()
{
	[ "$(cat stats/images) $(cat stats/memory)" = "$nr_images $memory" ]
}
ok "nothing of them is left" op_soon settled
echo "$bound" >hist_memory
is "$(grep -c jit: dcookies)" 0 "nor in dcookies"

# One that is used again, before and after it is forgotten.
cookie()
{
	awk '$2 == "jit:again" { print $1 }' dcookies
}
echo "add_mapping again $a $b" >jit_maps
first=$(cookie)
printf 'remove_mapping again\nadd_mapping again %s %s\n' $a $b >jit_maps
sleep 2.5
is "$(cookie)" "$first" "a name that is added again at once is the same image"
echo "remove_mapping again" >jit_maps
ok "it is forgotten" op_soon bash -c '! grep -q jit:again dcookies'

op_jitter_start p anon:1
pid=${jitter_pid[p]}
op_start 1999
echo "add_mapping again ${jitter_start[p.0]} ${jitter_end[p.0]} pid=$pid" \
	>jit_maps
op_gather 50 jit:again -- op_jitter p run 200 0
echo "remove_mapping again pid=$pid" >jit_maps
op_stop
sleep 2.5
[ "$(op_samples jit:again)" -ge 50 ] && [ "$(cookie)" -gt "$first" ]
result $? "one that is added later has another dcookie, and stays if it has samples" ||
	diag "$(op_samples jit:again) samples, dcookie $(cookie) after $first"
op_conserved "all this: the law"
op_jitter_stop p

# --- a writer that is stuck ---

is "$(timeout -s KILL 10 "$op_progs/stuckwrite" jit_maps)" closed \
	"close(2) does not wait for a writer whose memory does not come"
is "$("$put" jit_maps "add_mapping x $a $b\n" "remove_mapping x\n")" "52 17" \
	"nor does anybody else"

finish
