#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 300
#
# Where samples come from: what a machine without a PMU offers, perf's software
# events, several counters at once, and events that cannot be had.

set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

plan 40
cd "$op" || op_bail "no $op"

is "$(cat cpu_type)" timer "no PMU: the timer"
ok "and the log says so" sh -c \
	"dmesg | grep -q 'oprofile: no hardware counters here'"
is "$(cat 0/event) $(cat 0/freq) $(cat 0/enabled)" "timer 997 1" \
	"it is the default, out of step with the tick"
ok "events says that the timer is there" grep -qx 'timer timer available' events
ok "and that cycles are not" grep -qx 'cycles perf ENODEV' events

# To look is to change nothing, not even the code that a static key switches.
tracing=/sys/kernel/tracing
echo 'p:keys static_key_slow_inc_cpuslocked' >$tracing/kprobe_events
echo 1 >$tracing/events/kprobes/keys/enable

keys()
{
	awk '$1 == "keys" { print $2 }' $tracing/kprobe_profile
}

cat events >/dev/null
is "$(keys)" 0 "reading events switches no static key"
echo page-faults >0/event
echo 1 >enable
ok "unlike sampling page faults" test "$(keys)" -gt 0
echo 0 >enable
echo 1 >reset
echo 0 >$tracing/events/kprobes/keys/enable
echo >$tracing/kprobe_events

# Every event that is said to be available can be sampled; none of the others.
while read -r name source state; do
	op_stop
	echo 1 >reset
	echo "$name" >0/event || diag "event $name refused"
	if [ "$state" = available ]; then
		ok "$name can be enabled" bash -c 'echo 1 >enable'
		is "$(cat cpu_type)" "$source" "$name: cpu_type"
		# Page faults, switches and migrations do not come by themselves.
		for _ in 1 2 3 4 5 6; do
			taskset -c 0 true
			taskset -c 1 true
		done
		op_stop
	else
		is "$(op_errno_of 1 enable)" "No such device" \
			"$name: ENODEV"
		[ "$(cat enable)" = 0 ] || diag "$name: enabled all the same"
	fi
done < <(grep -E '^(timer|cpu-clock|task-clock|page-faults|context-switches|cycles|cache-misses) ' events)

is "$(op_errno_of no-such-event 0/event)" "Invalid argument" \
	"a name that nobody knows"
is "$(op_errno_of r 0/event)" "Invalid argument" "r without a number"
is "$(op_errno_of r1ffffffffffffffff 0/event)" "Invalid argument" \
	"a raw event of more than 64 bits"
op_stop
echo 1 >reset
echo r1c2 >0/event
is "$(op_errno_of 1 enable)" "No such device" "a raw event, without a PMU"
is "$(cat enable)" 0 "nothing was half started"
ok "the log says why" sh -c "dmesg | grep -q 'this machine has no event r1c2'"

# A period of 1: every page fault is a sample, and lands where it happened.
echo page-faults >0/event
echo 1 >0/count
is "$(cat 0/freq)" 0 "a period takes the place of the rate"
echo 1 >enable
taskset -c 1 dd if=/dev/zero of=/dev/null bs=8M count=1 status=none
op_stop
faults=$(op_stat received)
[ "$faults" -gt 500 ]
result $? "each of $faults page faults is a sample"
op_conserved "page faults"

# Several at once: a column each, in the counters' order.
echo 1 >reset
echo timer >0/event
echo 997 >0/freq
echo cpu-clock >1/event
echo 499 >1/freq
echo 1 >1/enabled
echo 1 >enable
timeout 3 sh -c 'while :; do :; done'
op_stop
is "$(grep -h '^# events' images/vmlinux/hist)" \
	"# events: timer:997Hz cpu-clock:499Hz" "two counters, two columns"
cat images/*/hist | awk '!/^#/ { a += $2; b += $3 } END {
	print "# timer " a ", cpu-clock " b
	exit !(b > 0 && a / b > 1.6 && a / b < 2.4) }'
result $? "the one has twice the other's samples"
op_conserved "two counters"
is "$(op_errno_of cycles 1/event)" "Device or resource busy" \
	"an event with samples is not changed"

# A counter that comes too often for the kernel's taste is held back, and that
# can be seen. (One a tick, of the 16 that are asked for.) Each CPU is kept busy:
# a tick is what lets go on, and an idle CPU may have none for long.
ticks=250
most=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
# The limit can be set only where the kernel is allowed to lower it.
percent=$(cat /proc/sys/kernel/perf_cpu_time_max_percent)
for limit in "$most" $ticks; do
	if [ "$limit" != "$most" ]; then
		echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
		echo "$limit" >/proc/sys/kernel/perf_event_max_sample_rate
	fi
	echo 0 >enable
	echo 1 >reset
	echo 0 >1/enabled
	echo cpu-clock >0/event
	echo $((1000000000 / (ticks * 16))) >0/count
	for cpu in 0 1; do
		taskset -c $cpu sh -c 'while :; do :; done' &
	done
	echo 1 >enable
	sleep 2
	op_stop
	jobs -p | xargs kill
	wait
	diag "$(op_stat received) samples, held back $(op_stat throttled) times"
	if [ "$limit" = "$most" ]; then
		is "$(op_stat throttled)" 0 "as many samples as were asked for"
	else
		[ "$(op_stat throttled)" -gt 20 ]
		result $? "fewer: throttled says so"
		is "$(awk '{ n += $1 } END { print n }' stats/cpu*/throttled)" \
			"$(op_stat throttled)" "for each CPU"
	fi
done
echo "$most" >/proc/sys/kernel/perf_event_max_sample_rate
echo "$percent" >/proc/sys/kernel/perf_cpu_time_max_percent
op_conserved "held back"
echo 1 >reset
echo timer >0/event
echo 997 >0/freq

# Only the one half.
for half in kernel user; do
	echo 1 >reset
	echo 0 >1/enabled
	echo 0 >"0/$half"
	echo 1 >enable
	timeout 1 sh -c 'while :; do :; done'
	op_stop
	[ "$(op_stat "skipped_$half")" -gt 0 ]
	result $? "without $half: skipped_$half counts"
	op_conserved "without $half"
	echo 1 >"0/$half"
done
finish
