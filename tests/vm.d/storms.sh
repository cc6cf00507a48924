#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 4 --timeout 400
#
# Processes, mappings and libraries that come and go all the time on all CPUs,
# under many samples: every name is right, and no sample is lost.
#
# Each program and each library has its busy function at another place, and
# nothing else in it takes time: what has the wrong name shows.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

hz=10000
plan 21

# own FILE FUNCTION WHAT MIN PERCENT: at least MIN samples of the file, PERCENT of
# them in FUNCTION; none is in the other ones like it, none is where no
# instruction begins
own()
{
	local image counts all=0 in=0 others=0 strays name n

	image=$(op_name "$op_progs/$1")
	counts=$(op_func_counts "$image" "$op_progs/$1")
	while read -r name n; do
		[ -n "$name" ] || continue
		all=$((all + n))
		case $name in
		"$2") in=$n ;;
		*_one | *_two | *_three | *_four | *_eight | *_sixteen | \
		burn_alpha | burn_beta | burn_gamma) others=$((others + n)) ;;
		esac
	done <<<"$counts"
	strays=$(op_strays "$image" "$op_progs/$1")
	[ "$all" -ge "$4" ] && [ $((in * 100)) -ge $((all * $5)) ] &&
		[ $others = 0 ] && [ -z "$strays" ]
	result $? "$3 ($in of $all)" || diag "$counts" "$strays"
}

# Programs: three that look alike, each alone with its kind of fork and exec. How
# many there are is given, not how long it takes: a slow machine has few in that.
percent=80
# To begin and to end takes more of a program's life there.
[[ $OP_KVER != *-oprofile-* ]] || percent=70
op_start $hz
for name in alpha beta gamma; do
	"$op_progs/forkstorm" 2 0 150 "$op_progs/burn-$name" 200000 \
		>"/tmp/$name" &
done
wait
op_stop
for name in alpha beta gamma; do
	ok "burn-$name ran often" test "$(sed 's/ran //' "/tmp/$name")" -ge 150
	own "burn-$name" "burn_$name" "a storm of burn-$name" 60 $percent
done
is "$(op_user_unknown)" 0 "nothing of it is unknown"
is "$(op_samples anon)" 0 "nothing of it is anonymous"
op_conserved "a storm of processes: the law"

# Mappings: mmap_lock is hardly ever free when a sample comes, so that it is the
# task itself that has to say where it was.
op_start $hz
"$op_progs/mapstorm" 3 2 6000 "$op_progs/burn-alpha" >/tmp/map
result $? "a storm of mappings" || diag "$(cat /tmp/map)"
op_stop
diag "$(cat /tmp/map)" "$(op_stat deferred) samples were left to their tasks"
own libshares.so lib_one "the library in the midst of it" 100 95
[ "$(op_stat deferred)" -gt 0 ]
result $? "mmap_lock was in use at $(op_stat deferred) samples"
is "$(op_stat unresolved)" 0 "each of them could be named"
is "$(op_user_unknown)" 0 "nothing of it is unknown"
op_conserved "a storm of mappings: the law"

# Libraries: one after the other at the same addresses, in four processes.
op_start $hz
plugins=("$op_progs"/plugin-{a,b,c}.so)
for i in 0 1 2 3; do
	"$op_progs/dlstorm" 6000 500000 "${plugins[@]}" >/tmp/dl$i &
done
wait
op_stop
for i in 0 1 2 3; do
	sed -n 's/^moved //p' /tmp/dl$i
done >/tmp/moved
is "$(sort -u /tmp/moved)" 0 "they had the same addresses"
for name in a b c; do
	own "plugin-$name.so" "plugin_${name}_one" "a storm of plugin-$name" 40 80
done
is "$(op_user_unknown)" 0 "nothing of it is unknown"
op_conserved "a storm of libraries: the law"
finish
