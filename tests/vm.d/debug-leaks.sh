#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --leaks --smp 2 --timeout 300
#
# On the debug kernel: everything that the module keeps memory for, and after it
# is unloaded none of it is missing. That the kernel finds nothing else to report
# meanwhile is what tests/vm/run sees to.
#
# Few programs are started: that takes an emulated machine long.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/debug.sh
. tests/lib/debug.sh

cpu1=/sys/devices/system/cpu/cpu1
plan 20

# Programs that were there once: images, notes, ranges of processes.
programs()
{
	cp "$op_progs/burn-alpha" "$op_tmp/once" &&
		"$op_tmp/once" 300000 &&
		rm "$op_tmp/once" &&
		"$op_progs/forkstorm" 1 0 20 "$op_progs/burn-beta" 1000 &&
		"$op_progs/mapstorm" 1 1 300 "$op_progs/burn-alpha"
} >/dev/null

# Of the kernel and of processes, in and beside one another, moved, removed, and
# those that are still there at the end; that of a process that has gone.
jit_ranges()
{
	local i

	for i in 1 2 3 4; do
		put "add_mapping j$i 0x7000000${i}0000 0x7000000${i}8000 pid=$$" \
			jit_maps || return
		put "add_mapping k$i 0xffffffffc00${i}0000 0xffffffffc0080000" \
			jit_maps || return
	done
	put "add_mapping k2 0xffffffffc0000000 0xffffffffc0100000" jit_maps || return
	for i in 1 3; do
		put "remove_mapping j$i pid=$$" jit_maps || return
		put "remove_mapping k$i" jit_maps || return
	done
	# A process of its own, which a subshell is.
	(put "add_mapping gone 0x10000 0x20000 pid=$BASHPID" jit_maps)
}

# Readers of the stream: one that reads, one that has asked for mappings and takes
# none of them, one that goes with records that it has not read.
readers()
{
	exec {fast}<>"$op/buffer" {slow}<>"$op/buffer" &&
		echo maps >&"$slow" &&
		dd bs=65536 count=1 <&"$fast" status=none >"$op_tmp/stream" &&
		[ -s "$op_tmp/stream" ]
}

everything()
{
	put 1 enable && programs && jit_ranges
}

debug_leaks_begin
put 1000 0/freq
readers
result $? "readers of the stream"
ok "everything at once" everything
exec {changes}<>"$op/changes"
mapfile -t -u "$changes"
[ ${#MAPFILE[@]} -gt 3 ]
result $? "a look at what has changed"
ok "marks" eval 'put vmlinux mark && put /bin/bash mark'
work 2000
ok "and their end" eval 'put "unmark vmlinux" mark && put "unmark /bin/bash" mark'
ok "a CPU goes" eval "echo 0 >$cpu1/online"
ok "and comes" eval "echo 1 >$cpu1/online"
ok "a module comes" insmod "$op_progs/$OP_KVER/opburn.ko"
work 2000
ok "and goes" rmmod opburn
ok "a reset with readers there" put 1 reset
work 2000
put 0 enable
ok "the law" debug_law
exec {slow}>&-

# Other sizes, other sources.
ok "other sizes" eval \
	'put 64 cpu_buffer_size && put 65536 buffer_size && put 1048576 hist_memory'
put page-faults 1/event && put 1 1/count && put 1 1/enabled
put cpu-clock 2/event && put 1000 2/freq && put 1 2/enabled
ok "other sources" put 1 enable
programs
echo 0 >$cpu1/online
echo 1 >$cpu1/online
work 2000
put 0 enable
ok "the law" debug_law
exec {fast}>&- {changes}>&-
put 1 enable
work 1000
umount "$op"
ok "unloaded while it samples" rmmod oprofile
ok "loaded again" op_up
ok "and enabled" put 1 enable
ok "and unloaded" op_down
debug_leaks_end
finish
