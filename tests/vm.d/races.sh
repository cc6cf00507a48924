#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 4 --timeout 5000
#
# Everything at once, for OP_SECONDS (40), in rounds: the module comes and goes,
# mounts, switches, sizes, JIT ranges and marks change, readers are slow, killed,
# frozen and out of memory, CPUs go and come, programs begin and end. After each
# round the machine stands still, and it has to be as if nothing had been. (What
# the kernel reports meanwhile the VM runner turns into a failure.)

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

seconds=${OP_SECONDS:-40}
# Where there is time, more of it is for what the test is about.
round=$((seconds < 300 ? 20 : 60))
rounds=$(((seconds + round - 1) / round))
seed=${OP_SEED:-$(date +%s)}
ko=$op_progs/$(uname -r)/opburn.ko
cgroup=/sys/fs/cgroup
actors=(lifecycle switch sizes dump reset jit jit2 killed-writer mark fast-reader
	slow-reader killed-reader walk hotplug out-of-memory freeze suspend
	module perf)

plan $((rounds * 8 + 4 + ${#actors[@]}))
diag "seed $seed"

mountpoint -q $cgroup || mount -t cgroup2 none $cgroup
echo +memory >$cgroup/cgroup.subtree_control
mkdir -p $cgroup/little $cgroup/cold
echo 6M >$cgroup/little/memory.max
[ ! -e $cgroup/little/memory.swap.max ] || echo 0 >$cgroup/little/memory.swap.max
is "$(cat $cgroup/little/memory.max)" 6291456 "a group with little memory"
echo 0 >/sys/module/suspend/parameters/pm_test_delay
is "$(grep -o freezer /sys/power/pm_test)" freezer "tasks can be frozen as for suspend"

# What was lazily unmounted goes with its last file.
down()
{
	op_soon op_down 2>/dev/null
}

# Programs that run meanwhile; half of them are frozen now and then.
load()
{
	local ms=$((round * 1000))

	"$op_progs/forkstorm" 1 "$ms" 0 "$op_progs/burn-beta" 1000 &
	"$op_progs/mapstorm" 1 1 "$ms" "$op_progs/burn-alpha" &
	(
		echo "$BASHPID" >"$cgroup/cold/cgroup.procs"
		"$op_progs/dlstorm" "$ms" 1000 "$op_progs"/plugin-{a,b,c}.so &
		exec timeout "$round" "$op_progs/jitter" file=/tmp/spread@0:64 rwx:8 \
			<<<"run $ms 0"
	) &
}

everything()
{
	load >/dev/null 2>&1
	"$op_progs/chaos" "$op" "$OP_KO" "$ko" "$round" $((seed + $1)) >"$op_tmp/out"
	local status=$?

	echo 0 >"$cgroup/cold/cgroup.freeze"
	wait
	echo 1 | tee /sys/devices/system/cpu/cpu[1-3]/online >/dev/null
	cat "$op_tmp/out" >>"$op_tmp/all"
	grep -v '^[a-z0-9-]* 0 ' "$op_tmp/out"
	return "$status"
}

# For a moment, so that there is something to be accounted for.
sample()
{
	op_gather $(($(op_samples "$gamma") + 50)) "$gamma" -- \
		"$op_progs/burn-gamma" 3000000
}

# Whatever it was left like.
still()
{
	op_up && echo 0 >"$op/enable" && echo 1 >"$op/dump"
}

# Back to what it is after loading, without loading it again.
as_new()
{
	local cookie

	while read -r cookie _; do
		echo "unmark $cookie" >"$op/mark" || return
	done < <(cat "$op/mark")
	echo 134217728 >"$op/hist_memory" && echo 8192 >"$op/cpu_buffer_size" &&
		echo 100 >"$op/sync_ms" && echo 0 >"$op/1/enabled"
}

gamma=$(op_name "$op_progs/burn-gamma")
ok "taken down" down
op_up
op_start 1000
"$op_progs/burn-gamma" 1000000
ok "and once more" down
before=

for ((i = 1; i <= rounds; i++)); do
	op_up
	ok "round $i: nothing fails as it may not" everything $i
	ok "round $i: it can be stopped" still
	echo 1 >"$op/enable"
	"$op_progs/burn-gamma" 3000000
	op_stop
	op_conserved "round $i: the law"
	ok "round $i: put to rights" as_new
	op_start 1000
	ok "round $i: it samples" sample
	op_stop
	op_conserved "round $i: the law, once more"
	ok "round $i: taken down" down
	after=$(op_memory)
	# The first one has made what the kernel itself makes and keeps, and the
	# second one nearly all of the rest.
	: "${before:=$after}"
	diag "unreclaimable memory: $after KiB"
	[ $((after - before)) -lt 1500 ] &&
		! grep -q -E 'op_bin|oprofilefs' /proc/slabinfo &&
		! grep -q oprofile /sys/devices/system/cpu/hotplug/states
	result $? "round $i: nothing is left ($((after - before)) KiB more)"
	[ $i != 2 ] || before=$((after > before ? after : before))
done

diag "$(sort "$op_tmp/all" | awk '{ n[$1 " " $2] += $3 }
	END { for (what in n) print what, n[what] }' | sort)"
for actor in "${actors[@]}"; do
	n=$(awk -v "actor=$actor" '$1 == actor && $2 == 0 { n += $3 }
		END { print n + 0 }' "$op_tmp/all")
	[ "$n" -gt 0 ]
	result $? "$actor did what it is for ($n times)"
done
finish
