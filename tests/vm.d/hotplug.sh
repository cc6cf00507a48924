#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 3 --timeout 300
#
# CPUs that go and come back while they are sampled: they stop, what they had
# is kept, they start again; and CPU numbers with a gap are no matter.

set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

cpu=/sys/devices/system/cpu
plan 25

received()
{
	cat "$op/stats/cpu$1/received"
}

# A CPU that is burned on is sampled about as often as we ask for.
burn_on()
{
	taskset -c "$1" timeout 2 sh -c 'while :; do :; done'
}

op_start 997
burn_on 1
echo 1 >"$op/dump"
before=$(received 1)
[ "$before" -gt 100 ]
result $? "CPU 1 is sampled ($before)"

ok "CPU 1 goes" sh -c "echo 0 >$cpu/cpu1/online"
gone=$(received 1)
[ "$gone" -ge "$before" ]
result $? "what it had is kept ($gone)"
sleep 1
is "$(received 1)" "$gone" "a CPU that is off is not sampled"
two=$(received 2)
burn_on 2
[ "$(received 2)" -gt $((two + 100)) ]
result $? "CPU 2, behind the gap, goes on"

ok "CPU 1 comes back" sh -c "echo 1 >$cpu/cpu1/online"
burn_on 1
[ "$(received 1)" -gt $((gone + 100)) ]
result $? "and is sampled again ($(received 1))"

ok "CPU 1 goes once more" sh -c "echo 0 >$cpu/cpu1/online"
op_stop
op_conserved "no sample got lost"
gone=$(received 1)
ok "enabled without CPU 1" sh -c "echo 1 >$op/enable"
echo 1 >$cpu/cpu1/online
burn_on 1
op_stop
[ "$(received 1)" -gt $((gone + 100)) ]
result $? "one that comes while sampling is enabled is sampled"
op_conserved "no sample got lost"

# In and out as fast as it goes.
op_start 4000
for i in 1 2 3 4 5 6 7 8; do
	echo $((i % 2)) >$cpu/cpu1/online
	echo $((i % 2)) >$cpu/cpu2/online
done
echo 1 >$cpu/cpu1/online
echo 1 >$cpu/cpu2/online
op_stop
op_conserved "nor when CPUs come and go all the time"

# Those of perf need locks that hotplug holds (page-faults' static key does), and
# do not outlive their CPU.
for event in cpu-clock page-faults; do
	op_stop
	echo 1 >"$op/reset"
	echo $event >"$op/0/event"
	ok "$event is enabled" sh -c "echo 1 >$op/enable"
	burn_on 1
	ok "$event: CPU 1 goes" timeout 60 sh -c "echo 0 >$cpu/cpu1/online"
	gone=$(received 1)
	[ "$gone" -gt 0 ]
	result $? "$event: it was sampled ($gone)"
	ok "$event: CPU 1 comes back" \
		timeout 60 sh -c "echo 1 >$cpu/cpu1/online"
	for _ in 1 2 3 4 5 6 7 8; do
		taskset -c 1 ls / >/dev/null
	done
	burn_on 1
	op_stop
	[ "$(received 1)" -gt "$gone" ]
	result $? "$event: and is sampled again ($(received 1))"
	op_conserved "$event: no sample got lost"
done
finish
