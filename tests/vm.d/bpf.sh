#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 400
#
# BPF programs that have gone when their samples are synced: the kernel knows their
# addresses no more, and the samples are in the image bpf all the same. In other
# tests they are still there.

# shellcheck disable=SC2317,SC2154 # functions that ok calls; what coproc sets
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

hz=1999
plan 15

# What is synced is what was asked for, when the program has gone.
echo 10000 >"$op/sync_ms"

# gathered WHAT COMMAND: its programs' samples are BPF's
gathered()
{
	local what=$1

	shift
	op_gather 50 bpf -- "$@"
	result $? "$what: $(op_samples bpf) samples are of BPF"
	is "$(op_user_unknown) $(op_kernel_unknown)" "0 0" \
		"$what: nothing is unknown, but the code of a hook"
}

run()
{
	"$op_progs/mapexec" --bpf-run 20000
}

op_start $hz
gathered "loaded, run and gone" run
op_stop
op_conserved "the law"

# Which of the CPUs is synced first is not known: in one of these directions it is
# that which ran the program, but has not heard of it.
over()
{
	"$op_progs/mapexec" --bpf-run 20000 0 1 <<<go >/dev/null
	echo 1 >"$op/dump"
	"$op_progs/mapexec" --bpf-run 20000 1 0 <<<go >/dev/null
}

op_start $hz
gathered "loaded on one CPU, run and gone on the other" over
op_stop

# Of what was there before only its end is heard.
before()
{
	op_stop
	coproc program { exec "$op_progs/mapexec" --bpf-run 100000 0 1; }
	read -r _ <&"${program[0]}"
	echo 1 >"$op/enable"
	echo go >&"${program[1]}"
	wait "$program_PID"
}
echo 1 >"$op/reset"
gathered "loaded before, run and gone" before
op_stop
op_conserved "loaded before: the law"

# Each of these is heard of twice; how many are remembered has an end.
memory=$(op_memory)
op_start $hz
"$op_progs/mapexec" --bpf 5000
result $? "5000 programs come and go"
grown=$(($(op_memory) - memory))
[ "$grown" -lt 2048 ]
result $? "memory is as it was ($grown KiB more)"
op_stop
is "$(op_kernel_unknown)" 0 "nothing is unknown, but the code of a hook"
op_conserved "programs that come and go: the law"

# No room for what is said of a program: that is counted, and its samples are not
# lost.
size=$(cat "$op/cpu_buffer_size")
echo 4 >"$op/cpu_buffer_size"
op_start $hz
"$op_progs/mapexec" --bpf 10
result $? "programs come and go, of which a ring has no room to say it"
[ "$(op_stat notifications_lost)" -gt 0 ]
result $? "which is counted ($(op_stat notifications_lost))"
op_stop
op_conserved "no room: the law"
echo "$size" >"$op/cpu_buffer_size"
finish
