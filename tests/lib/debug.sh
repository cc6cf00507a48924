# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What tests of the debug kernel (tests/vm/run --kernel debug) need. Sourced
# after tests/lib/oprofile.sh, before the plan. On another kernel the test is
# skipped.
#
#     debug_fail_setup          what fail-nth and debug_fail_in_module may fail
#     debug_fail_in_module N [FUNCTION]
#                               of N in 100 allocations that the module's code,
#                               or this function of it, asks for, in whatever
#                               task; 0: none any more. Where it is not there
#                               yet: that any module's code asks for in tasks
#                               with 1 in /proc/PID/make-it-fail
#     debug_law                 as op_law, without a program, which takes an
#                               emulated machine long to start
#     put VALUE FILE…           write it to files of $op
#     work N                    a loop of this very shell
#     debug_leaks_begin         forget leaks of before
#     debug_leaks_end           two tests, with the module unloaded: since then
#                               there was none; and lockdep, where the kernel has
#                               it, is still awake
#
# Every other kind of report ends up on the console, where tests/vm/run finds
# it.

debugfs=/sys/kernel/debug
: "${op:?}"

if ! [ -d $debugfs/failslab ] || ! [ -e $debugfs/kmemleak ]; then
	echo "1..0 # SKIP needs --kernel debug"
	exit 0
fi

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

# Prints the addresses where a function of the module begins and ends.
debug_function()
{
	local address name start=

	while read -r address _ name _; do
		[ -z "$start" ] || [ "$address" = "$start" ] || break
		[ "$name" != "$1" ] || start=$address
	done < <(grep -F '[oprofile]' /proc/kallsyms | sort)
	[ -z "$start" ] || echo "0x$start 0x$address"
}

debug_fail_in_module()
{
	local start end size of filter=N

	for of in failslab fail_page_alloc; do
		echo 0 >$debugfs/$of/probability
	done
	[ "$1" != 0 ] || return 0
	if [ $# = 2 ]; then
		read -r start end < <(debug_function "$2")
	elif read -r _ size _ _ _ start _ < <(grep '^oprofile ' /proc/modules); then
		printf -v end '0x%x' $((start + size))
	else
		# Where x86-64 has them. The root may be in one of them as well:
		# with no memory there, no program starts any more.
		filter=Y
		start=0xffffffffa0000000
		end=0xffffffffff000000
	fi
	for of in failslab fail_page_alloc; do
		# Kernel addresses are negative numbers for bash.
		printf '%u' "$start" >$debugfs/$of/require-start
		printf '%u' "$end" >$debugfs/$of/require-end
		echo 32 >$debugfs/$of/stacktrace-depth
		echo $filter >$debugfs/$of/task-filter
		echo "$1" >$debugfs/$of/probability
	done
}

# Whole files: read goes back to where the line ended, for which a histogram is
# made anew.
debug_law()
{
	local received n=0 file lines line count

	read -r received <"$op/stats/received"
	for file in "$op"/images/*/hist "$op"/stats/lost_* "$op"/stats/skipped_*; do
		[ -e "$file" ] || continue
		mapfile -t lines <"$file"
		for line in "${lines[@]}"; do
			[[ $line != '#'* ]] || continue
			for count in ${line#0x* }; do
				n=$((n + count))
			done
		done
	done
	echo "received $received, accounted for $n"
	[ "$received" -gt 0 ] && [ "$received" = "$n" ]
}

put()
{
	local value=$1 file

	shift
	for file; do
		echo "$value" >"$op/$file" || return
	done
}

work()
{
	local i

	for ((i = 0; i < $1; i++)); do :; done
}

debug_leaks_begin()
{
	echo clear >$debugfs/kmemleak
}

# What kmemleak found, but for what the kernel itself loses when it has no memory:
# a cache's name, where the cache cannot be shown in /sys.  Read as a whole, see
# debug_law.
debug_leaks()
{
	local lines line object=

	mapfile -t lines <$debugfs/kmemleak
	for line in "${lines[@]}"; do
		if [[ $line = 'unreferenced object '* ]]; then
			[[ $object = *' sysfs_slab_add+'* ]] || printf '%s' "$object"
			object=
		fi
		object+=$line$'\n'
	done
	[[ $object = *' sysfs_slab_add+'* ]] || printf '%s' "$object"
}

# An object younger than five seconds is not yet a leak, nor one whose contents
# have changed since the scan before.
debug_leaks_end()
{
	local console=/sys/module/printk/parameters/ignore_loglevel
	local text="kmemleak does not work"

	sleep 6
	# The line that says how many there are is no verdict, see above.
	echo N >$console
	# What was short of memory itself has switched itself off.
	if echo scan >$debugfs/kmemleak && echo scan >$debugfs/kmemleak; then
		text=$(debug_leaks)
	fi
	echo Y >$console
	is "$text" "" "no memory leaked"
	if [ -e /proc/lockdep_stats ]; then
		is "$(sed -n 's/^ *debug_locks: *//p' /proc/lockdep_stats)" 1 \
			"lockdep had nothing to say"
	else
		skip "lockdep had nothing to say" "not in this kernel"
	fi
}
