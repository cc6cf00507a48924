#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --leaks --smp 1 --timeout 300 --append rcupdate.rcu_expedited=1
#
# On the debug kernel: each allocation, and each copy from and to user space,
# fails in turn, through loading, mounting, enabling, opening and reading files,
# adding JIT ranges. The answer is an errno or success, what was asked for can be
# asked for again, and no memory is missing at the end.
#
# When it is loaded, what fails is left to chance, and only of the module's own: the
# kernel warns of some that it needs itself. One file of each kind is read; with
# OP_ALL=1 all are, and it is loaded more often.
#
# Sampling is switched on and off a hundred times, and the hooks wait for RCU:
# hence the kernel's argument.

# shellcheck disable=SC2317,SC2154 # functions that ok calls; what coproc sets
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/debug.sh
. tests/lib/debug.sh

loads=150
hooks='fork exec exit map unmap ksym'
if [ -n "${OP_ALL-}" ]; then
	loads=500
	mapfile -t files < <(find "$op" -type f -perm -400 -printf '%P\n')
else
	files=(cpu_type cpu_buffer_size 0/event 0/freq events dcookies mark changes
		buffer jit_maps stats/received stats/hooks stats/cpu0/received
		images/vmlinux/{hist,path,identity,samples,start})
fi
plan $((64 + ${#files[@]}))

# ask WORD...: a command for tests/progs/failnth; its outcomes are what an errno can
# say. The answer is in $answer.
ask()
{
	local IFS=$'\t'

	printf '%s\n' "$*" >&"${failnth[1]}"
	answer=
	read -r answer <&"${failnth[0]}"
	# Without a failure nothing was tried.
	[[ $answer =~ ^ok(' '(0|ENOMEM|EFAULT)' '[0-9]+)*' faults '[1-9] ]]
}

# faults NAME WORD...: a test of that
faults()
{
	local name=$1

	shift
	ask "$@"
	result $? "$name"
	echo "# $answer, $SECONDS s"
}

# Each of the hooks that need memory was missing once. What the kernel asks for
# beside is not the same each time, so that one may be passed over.
hooks_fail()
{
	local seen='' i

	for i in 1 2 3 4 5 6; do
		ask write "$op/enable" 1 -- undo write "$op/enable" 0 \
			-- failed has "$op/enable" 0 \
			-- count "$op/stats/hooks" missing || return
		echo "# $answer"
		seen+=" $answer "
		[[ $seen != *" fork "* || $seen != *" exit "* ||
			$seen != *" ksym "* ]] || return 0
	done
	return 1
}

# hooks_are STATE: all of them, and as many as there are
hooks_are()
{
	local what state text n=0

	while read -r what _ state; do
		[[ " $hooks " = *" $what "* ]] && [ "$state" = "$1" ] &&
			n=$((n + 1))
		text+="$what $state, "
	done <"$op/stats/hooks"
	echo "$text"
	[ "$n" = 6 ]
}

debug_fail_setup
debug_leaks_begin

# --- hooks: each needs memory, the kprobes only those that are the first ---

debug_fail_in_module 100 op_hooks_start
ok "enabled where no hook can be placed" put 1 enable
debug_fail_in_module 0
ok "and all are said to be missing" hooks_are "missing error -12"
work 3000
ok "disabled" put 0 enable
ok "the law" debug_law
ok "enabled with memory again" put 1 enable
ok "and all are there" hooks_are on
put 0 enable
ok "and go" hooks_are off

# --- what can be written ---

coproc failnth { exec "$op_progs/failnth" 2>&1; }

hooks_fail
result $? "enabling: with a hook missing, or not at all" || echo "# $answer"
ok "in the end none is missing" hooks_are off
faults "disabling" write "$op/enable" 0 -- undo write "$op/enable" 1
put 0 enable
put page-faults 1/event && put 1 1/count && put 1 1/enabled
put task-clock 2/event && put 1000 2/freq && put 1 2/enabled
faults "enabling several counters" write "$op/enable" 1 \
	-- undo write "$op/enable" 0 -- failed has "$op/enable" 0
[[ $answer = *" ENOMEM "* ]]
result $? "and some of perf's events could not be had"
put 0 1/enabled
put 0 2/enabled
faults "setting an event" write "$op/3/event" page-faults \
	-- undo write "$op/3/event" timer -- failed has "$op/3/event" timer
faults "setting a rate" write "$op/0/freq" 1000 \
	-- undo write "$op/0/freq" 997 -- failed has "$op/0/freq" 997
faults "setting a size" write "$op/cpu_buffer_size" 4096 \
	-- undo write "$op/cpu_buffer_size" 8192 \
	-- failed has "$op/cpu_buffer_size" 8192
put 1 enable
work 1000
faults "dump" write "$op/dump" 1
faults "reset" write "$op/reset" 1
work 3000
put 0 enable
ok "after all that the law holds" debug_law
faults "a mark" write "$op/mark" vmlinux -- undo write "$op/mark" "unmark vmlinux" \
	-- failed has "$op/mark" ""
faults "a file's mark" write "$op/mark" /bin/bash \
	-- undo write "$op/mark" "unmark /bin/bash" -- failed has "$op/mark" ""
put vmlinux mark
faults "taking it" write "$op/mark" "unmark vmlinux" \
	-- undo write "$op/mark" vmlinux
put "unmark vmlinux" mark

# --- JIT ranges ---

range="0xffffffffc0800000 0xffffffffc0801000"
faults "adding a range" write "$op/jit_maps" "add_mapping a $range" \
	-- undo write "$op/jit_maps" "remove_mapping a" \
	-- failed has "$op/jit_maps" ""
# Others around it make work for the segments.
for i in 1 2 3 4 5 6; do
	put "add_mapping in$i 0xffffffffc0800${i}00 0xffffffffc0800${i}80" jit_maps
done
list=$(<"$op/jit_maps")
faults "adding one over others" write "$op/jit_maps" "add_mapping a $range" \
	-- undo write "$op/jit_maps" "remove_mapping a"
is "$(<"$op/jit_maps")" "$list" "the others are as they were"
put "add_mapping a $range" jit_maps
faults "moving it" \
	write "$op/jit_maps" "add_mapping a 0xffffffffc0800200 0xffffffffc0900000" \
	-- undo write "$op/jit_maps" "add_mapping a $range"
faults "removing one from over others" write "$op/jit_maps" "remove_mapping a" \
	-- undo write "$op/jit_maps" "add_mapping a $range"
is "$(<"$op/jit_maps")" "$list"$'\n'"a $range" "the list is as it was"
put "remove_mapping a" jit_maps
for i in 1 2 3 4 5 6; do
	put "remove_mapping in$i" jit_maps
done
faults "adding one to a process" \
	write "$op/jit_maps" "add_mapping u 0x10000 0x20000 pid=$$" \
	-- undo write "$op/jit_maps" "remove_mapping u pid=$$" \
	-- failed has "$op/jit_maps" ""
put "add_mapping u1 0x11000 0x12000 pid=$$" jit_maps
put "add_mapping u2 0x13000 0x14000 pid=$$" jit_maps
faults "adding one over others of a process" \
	write "$op/jit_maps" "add_mapping u 0x10000 0x20000 pid=$$" \
	-- undo write "$op/jit_maps" "remove_mapping u pid=$$"
put "remove_mapping u1 pid=$$" jit_maps
put "remove_mapping u2 pid=$$" jit_maps
is "$(<"$op/jit_maps")" "" "the list is empty in the end"

# What is on either side of it becomes a piece of its own.
put "add_mapping a $range" jit_maps
faults "adding one in the midst of another" \
	write "$op/jit_maps" "add_mapping m 0xffffffffc0800400 0xffffffffc0800800" \
	-- undo write "$op/jit_maps" "remove_mapping m"
put "remove_mapping a" jit_maps

# --- memory that is asked for in two ways, of which each is enough ---

# none_for FUNCTION WHAT COMMAND…: with no memory for anything in a function (or, with
# $only, for what takes whole pages), it fails for that reason; with memory, it does
# not
only=
none_for()
{
	local function=$1 what=$2 said status

	shift 2
	debug_fail_in_module 100 "$function"
	if [ -n "$only" ]; then
		# Pages of vmalloc() as well, which could be in high memory.
		echo N >$debugfs/fail_page_alloc/ignore-gfp-highmem
		echo 0 >$debugfs/failslab/probability
	fi
	said=$("$@" 2>&1)
	status=$?
	debug_fail_in_module 0
	echo Y >$debugfs/fail_page_alloc/ignore-gfp-highmem
	[ $status != 0 ] && [[ $said = *"Cannot allocate memory"* ]]
	result $? "no memory for $what: it says so" || diag "$said"
	ok "then it can be had" "$@"
}

open_stream()
{
	: 3<"$op/buffer"
}

size=$(<"$op/buffer_size")
put $((size * 2)) buffer_size
none_for op_event_buffer_resize "an event buffer" put 1 enable
put 0 enable
put "$size" buffer_size
none_for op_reader_open "a reader of the stream" open_stream
only=fail_page_alloc
none_for op_reader_open "a reader's room" open_stream
only=
none_for op_changes_read "what has changed" cat "$op/changes"
none_for op_jit_add "the first range of a process" \
	put "add_mapping a 0x1000 0x2000 pid=$failnth_PID" jit_maps
put "remove_mapping a pid=$failnth_PID" jit_maps

# A module's name is not worth that it is not loaded.
debug_fail_in_module 100 op_kernel_map_add
insmod "$op_progs/$OP_KVER/opburn.ko"
result $? "a module comes, and there is no memory to follow it"
debug_fail_in_module 0
ok "the log says so" bash -c \
	'dmesg | grep -q "no memory to follow module opburn: its samples go to unknown"'
put 1 reset
put 1 enable
echo 3000000 >/sys/module/opburn/parameters/burn
put 0 enable
ok "and the law holds" debug_law
rmmod opburn

# --- reading; nothing of the tree stays when it was asked for ---

put vmlinux mark
put "add_mapping a $range" jit_maps
faults "listing the tree" list "$op"
faults "listing the images" list "$op/images"
faults "listing statistics" list "$op/stats/cpu0"
faults "looking a file up" stat "$op/images/vmlinux/hist"
for file in "${files[@]}"; do
	case $file in
	# Whether an event can be had may be asked for without memory; the others
	# are others at each look.
	events | changes | buffer) look="read" ;;
	*) look=same ;;
	esac
	faults "reading $file" $look "$op/$file"
done
faults "asking for a path" talk "$op/dcookies" 1
faults "asking for all mappings" talk "$op/buffer" maps
faults "asking for what has changed" talk "$op/changes" 0
put "remove_mapping a" jit_maps
put "unmark vmlinux" mark

# --- what the sync step asks for, in its own task ---

put 1 reset
put 1 enable
debug_fail_in_module 50
lost=0
for ((i = 0; i < 20 && lost < 10; i++)); do
	# Each time an image of its own.
	cp "$op_progs/burn-alpha" "$op_tmp/burn"
	"$op_progs/burn-alpha" 300000
	"$op_tmp/burn" 300000
	rm "$op_tmp/burn"
	# Opening them fails as well.
	{
		put 1 dump
		read -r lost <"$op/stats/lost_no_memory"
	} 2>/dev/null
done
debug_fail_in_module 0
# The last that could be read may be of long ago.
put 1 dump
read -r lost <"$op/stats/lost_no_memory"
[ "$lost" -gt 0 ]
result $? "without memory samples are lost ($lost)"
put 0 enable
ok "and counted" debug_law
put 1 reset
put 1 enable
"$op_progs/burn-alpha" 300000
put 0 enable
ok "with memory again the law holds" debug_law
is "$(<"$op/stats/lost_no_memory")" 0 "and none is lost"

# --- mounting and loading ---

umount "$op"
faults "mounting" mount "$op" -- undo umount "$op"
rmmod oprofile
cp "$OP_KO" "$op_tmp/oprofile.ko"
echo 1 >"/proc/$failnth_PID/make-it-fail"
# There are some seventy allocations: which of them is the first to fail is as good
# as any of them.
debug_fail_in_module 2
faults "loading" load "$op_tmp/oprofile.ko" -- undo unload oprofile \
	-- times $loads
debug_fail_in_module 0
ok "loaded again" op_up
none_for op_event_buffer_resize "the first reader's event buffer" open_stream
ok "and enabled" put 1 enable
ok "unloaded" op_down
debug_leaks_end
finish
