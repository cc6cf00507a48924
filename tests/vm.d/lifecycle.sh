#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 4 --timeout 900
#
# Loaded, unloaded, mounted, unmounted, enabled, disabled: often, in any order,
# with readers in the way. Nothing may be left behind. (fs-mount.sh has what is
# of the file system alone. What the kernel itself
# reports meanwhile, the VM runner turns into a failure.)

# shellcheck disable=SC2317 # functions that are called by name
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

plan 14

# times N FUNCTION: all calls must succeed
times()
{
	local i

	for ((i = 0; i < $1; i++)); do
		"$2" || { echo "$2 failed in round $i"; return 1; }
	done
}

load_unload()
{
	insmod "$OP_KO" && rmmod oprofile
}

load_use_unload()
{
	op_up && echo 4000 >"$op/0/freq" && echo 1 >"$op/enable" &&
		sleep 0.02 && cat "$op"/images/*/hist >/dev/null 2>&1
	op_down
}

# More often than the kernel has hotplug states to give away (40).
enable_disable()
{
	echo 1 >"$op/enable" && echo 0 >"$op/enable"
}

ok "unmounted and unloaded" op_down
# What the first use makes and keeps is nobody's leak.
load_use_unload
before=$(op_memory)
ok "20 times: load, unload" times 20 load_unload
ok "20 times: load, mount, enable, read, unmount while enabled, unload" \
	times 20 load_use_unload
after=$(op_memory)
diag "unreclaimable memory: $before KiB before, $after KiB after"
# A leak of one ring alone (128 KiB a CPU) would be 10 MiB.
[ $((after - before)) -lt 1500 ]
result $? "no memory is left behind ($((after - before)) KiB more)"
is "$(grep -c -E 'op_bin|oprofilefs' /proc/slabinfo)" 0 "no cache is"
is "$(grep -c oprofile /sys/devices/system/cpu/hotplug/states)" 0 \
	"no hotplug state is"

ok "loaded again" insmod "$OP_KO"
ok "mounted again" op_up
ok "100 times: enable, disable" times 100 enable_disable
op_conserved "nothing was lost by that"

# Any order, with readers. Every step may be refused, none may do harm.
seed=${OP_SEED:-20261}
diag "seed $seed"
RANDOM=$seed
cd /
for ((i = 0; i < 300; i++)); do
	case $((RANDOM % 12)) in
	0) [ -d /sys/module/oprofile ] || insmod "$OP_KO" ;;
	1) rmmod oprofile ;;
	2) mount -t oprofilefs nodev "$op" ;;
	3) umount "$op" ;;
	4 | 5) echo 1 >"$op/enable" ;;
	6) echo 0 >"$op/enable" ;;
	7) echo 1 >"$op/reset" ;;
	8) echo 1 >"$op/dump" ;;
	9) cat "$op"/images/*/hist >/dev/null & ;;
	10) echo $((4 + RANDOM)) >"$op/cpu_buffer_size" ;;
	11) { sleep 0.1; } <"$op/stats/received" & ;;
	esac
done >/dev/null 2>&1
wait
ok "after 300 steps in any order it can be taken down" op_down
ok "and up" op_up
op_start 4000
sleep 1
op_stop
[ "$(op_stat received)" -gt 100 ]
result $? "and it samples ($(op_stat received))"
op_conserved "without a loss"
finish
