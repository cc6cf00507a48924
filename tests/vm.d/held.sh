#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 200
#
# A PMU, by a module that plays one: what it changes that there is one, and what
# happens when somebody else holds its counter.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

plan 16

# hold OPTION...: perf has the counter, pinned, as the NMI watchdog has its own
hold()
{
	rm -f "$op_tmp/held"
	perf stat "$@" -I 100 -o "$op_tmp/held" -e cycles:D sleep 1000 &
	perf=$!
	until grep -q '[0-9] *cycles:D' "$op_tmp/held" 2>/dev/null; do
		sleep 0.1
	done
}

insmod "$op_progs/$OP_KVER/oppmu.ko" || op_bail "no oppmu.ko"
is "$(cat "$op/0/event")" timer "a PMU that comes later changes nothing"
ok "but can be used" grep -qx 'cycles perf available' "$op/events"
umount "$op"
rmmod oprofile
insmod "$OP_KO"
mount -t oprofilefs nodev "$op"
is "$(cat "$op/0/event") $(cat "$op/0/freq") $(cat "$op/cpu_type")" "cycles 997 perf" \
	"where there is one, the default is its cycles"
ok "they can be enabled" bash -c "echo 1 >$op/enable"
is "$(cat "$op/enable")" 1 "and are"
echo 0 >"$op/enable"

hold -a
is "$(op_errno_of 1 "$op/enable")" "Device or resource busy" \
	"somebody else holds the counter: EBUSY"
is "$(cat "$op/enable")" 0 "nothing is half started"
ok "the log says why" sh -c \
	"dmesg | grep -q 'event cycles has no free counter on CPU [01]: somebody else'"
ok "the stop is clean" bash -c "echo 0 >$op/enable"
kill -TERM $perf
wait $perf 2>/dev/null
ok "when it is free again, so is the way" bash -c "echo 1 >$op/enable"
echo 0 >"$op/enable"

# On one CPU of two is as good as on both.
hold -C 1
is "$(op_errno_of 1 "$op/enable") $(cat "$op/enable")" "Device or resource busy 0" \
	"held on one CPU of two: none is sampled"
echo timer >"$op/0/event"
echo 997 >"$op/0/freq"
ok "the timer is there all the same" bash -c "echo 1 >$op/enable"
timeout 1 sh -c 'while :; do :; done'
op_stop
op_conserved "and samples"
kill -TERM $perf
wait $perf 2>/dev/null

# More counters than there are.
echo 1 >"$op/reset"
echo cycles >"$op/0/event"
echo instructions >"$op/1/event"
echo 1 >"$op/1/enabled"
is "$(op_errno_of 1 "$op/enable")" "Device or resource busy" \
	"two counters, where there is one: EBUSY"
echo 0 >"$op/1/enabled"
ok "one of them: no error" bash -c "echo 1 >$op/enable"
echo 0 >"$op/enable"
echo timer >"$op/0/event"
umount "$op"
ok "unload" rmmod oprofile
rmmod oppmu
finish
