#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --leaks --smp 2 --timeout 300
#
# On the debug kernel: CPUs that do not come or go after all, because a step of
# theirs fails, the module's own or one before or behind it, or since there is no
# memory; and sampling that cannot begin on one CPU does not begin on any.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/debug.sh
. tests/lib/debug.sh

cpu1=/sys/devices/system/cpu/cpu1
plan 27

# Through a file that is open already, for which memory is needed as well.
switch_on()
{
	echo 1 >&"$enable"
}

not()
{
	! "$@" 2>/dev/null
}

# online 0|1
online()
{
	echo "$1" >$cpu1/online
}

# step NAME: the number of a step, by which it can be made to fail
step()
{
	local number name

	while IFS=': ' read -r number name; do
		[ "$name" != "$1" ] || echo "$number"
	done </sys/devices/system/cpu/hotplug/states
}

# fails STEP: the next time that CPU 1 comes to it
fails()
{
	step "$1" >$cpu1/hotplug/fail
}

# However long it takes: more samples of CPU 1 are counted.
sampled()
{
	local before now i j

	read -r before <"$op/stats/cpu1/received"
	for ((i = 0; i < 500; i++)); do
		for ((j = 0; j < 300; j++)); do :; done
		read -r now <"$op/stats/cpu1/received"
		[ "$now" -lt $((before + 20)) ] || return 0
	done
	echo "$before, then $now"
	return 1
}

debug_fail_setup
debug_leaks_begin
exec {enable}>"$op/enable"
put 1000 0/freq
put 1 enable

fails oprofile:online
ok "a CPU that cannot go" not online 0
ok "goes on being sampled" sampled
fails workqueue:online
ok "one that had gone for the module when the rest failed" not online 0
ok "is sampled again" sampled
online 0
fails oprofile:online
ok "one that cannot come" not online 1
ok "comes the next time" online 1
ok "and is sampled" sampled
online 0
fails sched:active
ok "one whose last step fails" not online 1
ok "comes the next time" online 1
ok "and is sampled" sampled
put 0 enable
ok "no sample got lost" debug_law

# A CPU's rings are made anew when another size is wanted.
online 0
put 4096 cpu_buffer_size
put 1 enable
debug_fail_in_module 100
ok "one for whose rings there is no memory does not come" not online 1
debug_fail_in_module 0
ok "but with memory" online 1
ok "and is sampled" sampled
put 0 enable

online 0
put 2048 cpu_buffer_size
put 1 enable
put 0 enable
online 1
put 1 reset
debug_fail_in_module 100
ok "with CPU 0 running, CPU 1 has no memory for its rings" not switch_on
debug_fail_in_module 0
is "$(<"$op/enable")" 0 "so nothing is enabled"
is "$(<"$op/stats/cpu0/received")" "$(<"$op/stats/received")" \
	"and CPU 1 was not sampled"
ok "with memory both are" put 1 enable
ok "and CPU 1 is sampled" sampled
put 0 enable

# Counters of perf are made for each CPU that comes, outside of its steps.
put page-faults 1/event && put 1 1/count && put 1 1/enabled
debug_fail_in_module 100
ok "nor is anything when perf has no memory" not switch_on
debug_fail_in_module 0
is "$(<"$op/enable")" 0 "it is not enabled"
put 1 enable
online 0
debug_fail_in_module 100
ok "a CPU comes for which perf has none" online 1
debug_fail_in_module 0
ok "it is sampled by the timer" sampled
put 0 enable
ok "no sample got lost" debug_law
exec {enable}>&-
ok "unload" op_down
debug_leaks_end
finish
