#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 300 --append preempt=full
#
# A sample whose task has to wait for its mappings' lock, longer than sampling
# lasts: it is a sample like any other once the task goes on, nothing is kept of
# its file, and nobody else has to wait for it.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

plan 18
fs=$op_tmp/fs
mkdir "$fs"
insmod "$op_progs/$OP_KVER/opburn.ko" || op_bail "no opburn.ko"

# waits FUNCTION: wait until the process is in this function of the kernel
waits()
{
	local i

	for ((i = 0; i < 200; i++)); do
		grep -q "$1" "/proc/$pid/stack" && return
		sleep 0.1
	done
	cat "/proc/$pid/stack"
	return 1
}

# hold: a program runs from a file system of its own, is sampled, and then
# nobody gets its mappings' lock
hold()
{
	mount -t tmpfs nodev "$fs" && cp "$op_progs/burn-alpha" "$fs" || return
	"$fs/burn-alpha" 1000000000000 &
	pid=$!
	op_start 1000
	sleep 2
	# (By /bin/echo, as a shell would be a shell that waits.)
	/bin/echo "$pid" 2>/dev/null >/sys/module/opburn/parameters/hold &
	holder=$!
}

go_on()
{
	kill -TERM "$holder"
	wait "$holder" 2>/dev/null
	sleep 1
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	sleep 1
}

before=$(cat /sys/module/oprofile/refcnt)
hold
ok "a task waits for its mappings to finish its sample" waits op_deferred_run
op_stop
result $? "sampling can end meanwhile"
op_conserved "and what came before is all there"
is "$(op_errno_of 1 "$op/enable")" "Device or resource busy" \
	"but not begin again: the sample would be in another run's counts"
received=$(op_stat received)
[ "$(cat /sys/module/oprofile/refcnt)" -gt "$before" ]
result $? "the module is in use"
umount "$op"
rmmod oprofile 2>/dev/null
is $? 1 "and cannot be unloaded, but nobody has to wait to hear that"
mount -t oprofilefs nodev "$op"
go_on
[ "$(op_stat received)" -gt "$received" ]
result $? "when it goes on it hands in its sample"
op_conserved "which is counted, and in a histogram, though sampling is off"
ok "its file system can be unmounted" umount "$fs"

# Rings of another size take nothing with them.
hold
waits op_deferred_run
op_stop
go_on
echo 4096 >"$op/cpu_buffer_size"
echo 1 >"$op/enable"
sleep 0.5
echo 0 >"$op/enable"
op_conserved "the same, then buffers of another size"
ok "its file system can be unmounted" umount "$fs"
is "$(cat /sys/module/oprofile/refcnt)" "$before" \
	"the module is in use by as many as before"

# More tasks of a CPU than can wait: the others' samples are not finished, and said
# to be so.
taskset -c 0 "$op_progs/mapexec" --spin 40 &
pid=$!
until grep -q '^Threads:.41$' "/proc/$pid/status"; do
	sleep 0.1
done
op_start 1000
/bin/echo "$pid" 2>/dev/null >/sys/module/opburn/parameters/hold &
holder=$!
unresolved()
{
	[ "$(op_stat unresolved)" -gt 0 ]
}
ok "40 tasks of one CPU would have to wait: some samples stay unresolved" \
	op_soon unresolved
op_stop
go_on
is "$(op_user_unknown)" "$(op_stat unresolved)" "these are in the image unknown"
n=$(setpriv --bounding-set -syslog --inh-caps -syslog cat "$op/images/unknown/hist" |
	awk '!/^#/ { n += $2 } END { print n + 0 }')
is "$n" "$(op_samples unknown)" \
	"also for who may not see which of the kernel's addresses are there"
[ "$(op_stat deferred)" -ge 10 ]
result $? "the others were finished ($(op_stat deferred))"
op_conserved "more than can wait: the law"
umount "$op"
rmmod opburn
ok "and can be unloaded" rmmod oprofile
finish
