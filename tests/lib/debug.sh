# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What tests of the debug kernel (tests/vm/run --kernel debug) need. Sourced
# after tests/lib/oprofile.sh, before the plan. On another kernel the test is
# skipped.
#
#     debug_fail_setup          what fail-nth and debug_fail_in_module may fail
#     debug_fail_in_module N    of N in 100 allocations that the module's code
#                               asks for, in whatever task; 0: none any more
#     debug_leaks_begin         forget leaks of before
#     debug_leaks_end           a test: since then there was none; another test:
#                               lockdep is still awake
#     debug_unload              unmount and unload; load again with debug_load
#
# Every other kind of report ends up on the console, where tests/vm/run finds
# it.

debugfs=/sys/kernel/debug
: "${op:?}"

if ! [ -d $debugfs/failslab ] || ! [ -e $debugfs/kmemleak ]; then
	echo "1..0 # SKIP needs --kernel debug"
	exit 0
fi

debug_load()
{
	insmod "$OP_KO" && mount -t oprofilefs nodev "$op"
}

debug_unload()
{
	umount "$op" && rmmod oprofile
}

debug_fail_setup()
{
	local of

	for of in failslab fail_page_alloc fail_usercopy; do
		# Each failure is wanted: no report of it.
		echo 0 >$debugfs/$of/verbose
		echo 0 >$debugfs/$of/probability
		echo -1 >$debugfs/$of/times
	done
	# Not only those that may not sleep, and single pages as well.
	echo N >$debugfs/failslab/ignore-gfp-wait
	echo N >$debugfs/fail_page_alloc/ignore-gfp-wait
	echo 0 >$debugfs/fail_page_alloc/min-order
}

debug_fail_in_module()
{
	local start size of

	read -r _ size _ _ _ start < <(grep '^oprofile ' /proc/modules)
	for of in failslab fail_page_alloc; do
		echo 0 >$debugfs/$of/probability
		echo $((start)) >$debugfs/$of/require-start
		printf '%u\n' $((start + size)) >$debugfs/$of/require-end
		echo 32 >$debugfs/$of/stacktrace-depth
		echo "$1" >$debugfs/$of/probability
	done
}

debug_leaks_begin()
{
	echo clear >$debugfs/kmemleak
}

# An object younger than five seconds is not yet a leak; and what a task's stack
# or a register still holds by chance is found by the second scan.
debug_leaks_end()
{
	local text

	sleep 6
	echo scan >$debugfs/kmemleak
	sleep 1
	echo scan >$debugfs/kmemleak
	text=$(cat $debugfs/kmemleak)
	is "$text" "" "no memory leaked"
	is "$(sed -n 's/^ *debug_locks: *//p' /proc/lockdep_stats)" 1 \
		"lockdep had nothing to say"
}
