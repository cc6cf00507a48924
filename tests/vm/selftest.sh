#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Usage: tests/vm/selftest.sh [OPTION OF tests/vm/run...]
#
# Does the VM runner do what its --help says? Prints TAP. Options (--kernel NAME,
# say) go to every run.

set -u
# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

tests=105
echo "1..$tests"

options=("$@")
dir=$(mktemp -d "${TMPDIR:-/tmp}/vm-selftest.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
done=0
failed=0

# ok DESCRIPTION COMMAND...
ok()
{
	local what=$1

	shift
	done=$((done + 1))
	if "$@" >"$dir/why" 2>&1; then
		echo "ok $done - $what"
	else
		echo "not ok $done - $what"
		failed=$((failed + 1))
		{
			echo "$*"
			cat "$dir/why"
			[ ! -f "$dir/err" ] || tail -n 20 "$dir/err"
		} | sed 's/^/# /'
	fi
}

run()
{
	"$vm_dir/run" "${options[@]}" --no-module "$@"
}

# vm ARGS...: runs; leaves $status, $dir/out and $dir/err.
vm()
{
	run "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
}

is()
{
	[ "$1" = "$2" ] || { echo "got '$1', not '$2'"; return 1; }
}

is_not()
{
	[ "$1" != "$2" ] || { echo "got '$1'"; return 1; }
}

out_is()
{
	printf '%s\n' "$@" | diff - "$dir/out"
}

# kernel_of OPTION...: the name that --kernel gives, or the default
kernel_of()
{
	local name=6.1

	while [ $# -gt 0 ]; do
		[ "$1" != --kernel ] || name=$2
		shift
	done
	echo "$name"
}

# A short name for grep on what the last run wrote.
out_has() { grep -qE -- "$1" "$dir/out"; }
err_has() { grep -qE -- "$1" "$dir/err"; }
err_empty() { [ ! -s "$dir/err" ] || { cat "$dir/err"; return 1; }; }

# --- without a machine: the command line -------------------------------------

vm --no-such-option -- true
ok "an unknown option is wrong usage" is $status $ex_usage
vm --smp 2 --icount -- true
ok "--icount with two CPUs is wrong usage" is $status $ex_usage
vm --leaks -- true
ok "--leaks without the debug kernel is wrong usage" is $status $ex_usage
vm --kernel no-such-kernel -- true
ok "an unknown kernel is wrong usage" is $status $ex_usage
vm --timeout soon -- true
ok "a limit that is no number is wrong usage" is $status $ex_usage
vm
ok "no script is wrong usage" is $status $ex_usage
vm --help
ok "--help succeeds" is $status 0
ok "--help tells the exit status" out_has "^  $ex_lost "

mkdir -p "$dir/a b/tests"
cp -r "$vm_dir" "$dir/a b/tests/"
"$dir/a b/tests/vm/run" -- true >"$dir/out" 2>"$dir/err"
ok "a folder with a blank in its name is refused" is $? $ex_prepare
ok "in one line" is "$(grep -c '^vm: .*has a blank' "$dir/err") $(wc -l <"$dir/err")" "1 1"

# --- without a machine: the detector -----------------------------------------

# Each line begins as some kernel's report does.
while IFS= read -r line; do
	echo "[   12.345678] $line" >"$dir/log"
	ok "a report: $line" "$vm_dir/scan" "$dir/log"
done <<'END'
------------[ cut here ]------------
WARNING: CPU: 0 PID: 1 at kernel/foo.c:1 foo+0x1/0x2
WARNING: kernel/foo.c:1 at foo+0x1/0x2, CPU#0: bash/1
WARNING: possible circular locking dependency detected
WARNING: suspicious RCU usage
kernel BUG at mm/slub.c:435!
BUG: kernel NULL pointer dereference, address: 0000000000000000
BUG: unable to handle page fault for address: ffffffffc0000000
BUG: scheduling while atomic: insmod/151/0x00000002
BUG: sleeping function called from invalid context at mm/slab.h:1
BUG: KASAN: use-after-free in foo+0x1/0x2 [oprofile]
BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 30s!
[ BUG: Invalid wait context ]
BUG kmalloc-64 (Tainted: G           OE): Poison overwritten
Oops: 0002 [#1] PREEMPT SMP NOPTI
Internal error: Oops - BUG: 00000000f2000800 [#1] SMP
Unable to handle kernel paging request at virtual address ffff800008000000
general protection fault, probably for non-canonical address 0xdead000000000100: 0000 [#1]
invalid opcode: 0000 [#1] PREEMPT SMP NOPTI
divide error: 0000 [#1] PREEMPT SMP NOPTI
unchecked MSR access error: RDMSR from 0x123 at rIP: 0xffffffff81000000
Kernel panic - not syncing: Fatal exception in interrupt
watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [insmod:151]
watchdog: Watchdog detected hard LOCKUP on cpu 0
NMI watchdog: Watchdog detected hard LOCKUP on cpu 1
INFO: task insmod:151 blocked for more than 120 seconds.
rcu: INFO: rcu_preempt self-detected stall on CPU
rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
rcu: INFO: rcu_sched detected expedited stalls on CPUs/tasks: { 0-.... }
INFO: trying to register non-static key.
UBSAN: array-index-out-of-bounds in foo.c:1:2
kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
refcount_t: underflow; use-after-free.
list_del corruption. prev->next should be ffff888000000000, but was 0000000000000000
sysfs: cannot create duplicate filename '/module/oprofile'
irq 11: nobody cared (try booting with the "irqpoll" option)
Uhhuh. NMI received for unknown reason 20 on CPU 0.
VFS: Busy inodes after unmount of oprofilefs. Self-destruct in 5 seconds.  Have a nice day...
END
cat >"$dir/log" <<'END'
[    1.000000] oprofile: loading out-of-tree module taints kernel.
[    1.000000] oprofile: no samples, which is no BUG: or WARNING: at all
[    1.000000] RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable to RETBleed attacks, data leaks possible!
[    1.000000] perf: interrupt took too long (2512 > 2500), lowering kernel.perf_event_max_sample_rate to 79000
[    1.000000] INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.234 msecs
[    1.000000] traps: sh[151] general protection fault ip:401000 sp:7ffc00000000 error:0 in sh[401000+1000]
[    1.000000] sh[151]: segfault at 0 ip 0000000000401000 sp 00007ffc00000000 error 6 in sh[401000+1000]
[    1.000000] clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable
END
ok "no report: harmless messages" is "$("$vm_dir/scan" "$dir/log")" ""

# --- what goes in and comes out ----------------------------------------------

mkdir -p "$cache"
data=$(mktemp "$cache/selftest.XXXXXX") || exit 1
trap 'rm -rf "$dir" "$data"' EXIT
head -c 2097152 /dev/urandom >"$data"

# shellcheck disable=SC2016 # for the shell in the machine
vm --append 'vm_selftest=1' -- 'grep -o vm_selftest=1 /proc/cmdline; echo to stderr >&2
	echo "WARNING: CPU: 0"; echo "BUG: none"; id -un; pwd; echo "$OP_TOP ${OP_KO-none}"
	[ "$OP_KVER" = "$(uname -r)" ]; echo $?; nproc; exit 3'
ok "the script's exit status is the runner's" is $status 3
ok "stdout is what the script wrote there; --append, environment, two CPUs" out_is \
	vm_selftest=1 "WARNING: CPU: 0" "BUG: none" root "$top" "$top none" 0 2
ok "stderr is what the script wrote there" is "$(cat "$dir/err")" "to stderr"

vm -- "cat '$data'; cat '$data' >&2; exit 255"
ok "exit status 255" is $status 255
ok "2 MiB of any bytes on stdout" cmp "$dir/out" "$data"
ok "2 MiB of any bytes on stderr" cmp "$dir/err" "$data"

# shellcheck disable=SC2016
echo 'echo "from stdin $0"; sleep 1000 & exit 0' | run -- - >"$dir/out" 2>"$dir/err"
ok "a script from stdin that leaves a process behind" is $? 0
ok "its output" out_has "from stdin"
ok "no noise from the boot" err_empty

# shellcheck disable=SC2016
vm --mem 1500 --smp 1 -- '
	set -e
	nproc
	touch /tmp/a /var/tmp/a /run/a /var/log/a /mnt/a /dev/shm/a "$HOME/a"
	! touch /etc/a "$OP_TOP/a" 2>/dev/null
	for m in /dev/pts /sys/fs/cgroup /sys/fs/bpf /sys/kernel/debug; do
		mountpoint -q $m
	done
	[ -e /sys/kernel/tracing/events ]
	su -s /bin/sh nobody -c "id -un; cat /etc/shadow 2>/dev/null || echo refused"
	setpriv --reuid=nobody --clear-groups cat /proc/self/comm
	capsh --user=nobody -- -c "id -u"
	modprobe dummy
	ip -br address show lo | grep -o 127.0.0.1
	cp /bin/true /tmp/exec && /tmp/exec
	awk "/MemTotal/ { print (\$2 > 1300000) }" /proc/meminfo
'
ok "file systems, users, modules, network, --mem and --smp" is $status 0
ok "are as they should be" out_is 1 nobody refused cat 65534 127.0.0.1 1

vm -- 'perf record -q -a -o /tmp/perf.data -- sleep 1 && perf report -q -i /tmp/perf.data --stdio | grep -c "%"'
ok "perf samples" is $status 0
vm -- 'bpftrace -e "profile:hz:99 { @[comm] = count(); } interval:s:2 { exit(); }"'
ok "bpftrace samples" out_has '^@\['

# --- how a machine ends ------------------------------------------------------

vm --timeout 30 -- 'echo begun; sleep 1000'
ok "past the time limit" is $status $ex_timeout
ok "with the output so far" out_is begun
ok "and the reason" err_has "^vm: .*30 s"

vm -- 'echo b >/proc/sysrq-trigger; sleep 1000'
ok "a machine that resets is lost" is $status $ex_lost

mkdir "$dir/tmp"
TMPDIR=$dir/tmp "$vm_dir/run" "${options[@]}" --no-module -- 'echo up; sleep 1000' \
	>"$dir/out" 2>"$dir/err" &
for _ in {1..300}; do
	grep -qs up "$dir"/tmp/*/out && break
	sleep 0.2
done
kill -9 "$(cat "$dir"/tmp/*/pid)"
wait $!
ok "a machine that is killed is lost" is $? $ex_lost
ok "and leaves no file behind" is "$(ls "$dir/tmp")" ""

TMPDIR=$dir/tmp "$vm_dir/run" "${options[@]}" --no-module -- 'echo up; sleep 1000' \
	>"$dir/out" 2>"$dir/err" &
runner=$!
for _ in {1..300}; do
	grep -qs up "$dir"/tmp/*/out && break
	sleep 0.2
done
qemu=$(cat "$dir"/tmp/*/pid)
kill $runner
wait $runner
ok "a runner that is terminated says so" is $? 143
ok "takes its machine with it" is "$(kill -0 "$qemu" 2>/dev/null && echo alive)" ""
ok "and leaves no file behind" is "$(ls "$dir/tmp")" ""

for n in 1 2; do
	run -- "sleep 2; echo $n; exit $n" >"$dir/out$n" 2>"$dir/err$n" &
	pids[n]=$!
done
for n in 1 2; do
	wait "${pids[n]}"
	ok "two side by side: the status of the one" is $? $n
	ok "its output" is "$(cat "$dir/out$n" "$dir/err$n")" $n
done

# --- code that changes under a CPU that runs it --------------------------------

# A static key in the scheduler, which the other CPU runs all the time.
# shellcheck disable=SC2016
flip='perl -e "select(undef, undef, undef, 0.0005) while 1" &
perl -e '\''for my $i (1 .. 1000) {
	open(my $key, ">", "/proc/sys/kernel/sched_schedstats") or die;
	syswrite($key, $i % 2) or die;
}'\''
status=$?; kill $!; echo flipped; exit $status'
vm --smp 2 --timeout 150 -- "$flip"
ok "a kernel that patches itself: the status" is $status 0
ok "the output" out_is flipped

# --- the kernel's reports ----------------------------------------------------

read -r kver _ <"$cache/$(kernel_of "${options[@]}")/version"
splat=$cache/splat-$kver
mkdir -p "$splat"
cp "$vm_dir"/splat/* "$splat/"
ok "the misbehaving module builds" make -s -C "/usr/src/linux-headers-$kver" M="$splat" \
	CONFIG_DEBUG_INFO_BTF_MODULES= modules

# splat WHAT PATTERN [OPTION...]
splat()
{
	local what=$1 pattern=$2

	shift 2
	vm "$@" -- "echo before; insmod $splat/vm_splat.ko what=$what seconds=20; exit 0"
	ok "$what: the exit status" is $status $ex_splat
	ok "the report is on stderr" err_has "$pattern"
	ok "the script's output is there" out_is before
}

splat warn '^\[.*WARNING: .*vm_splat'
splat bug 'kernel BUG at .*vm_splat'
splat oops 'BUG: kernel NULL pointer dereference'
splat panic 'Kernel panic - not syncing: vm_splat'
splat atomic 'BUG: scheduling while atomic'
splat spin 'soft lockup|self-detected stall' --append 'watchdog_thresh=3 rcupdate.rcu_cpu_stall_timeout=5'
splat hang 'task insmod:.* blocked for more than' --append sysctl.kernel.hung_task_timeout_secs=4

vm -- 'dmesg -n 1; dmesg -C; echo "BUG: from a script" >/dev/kmsg'
ok "a report is seen whatever the script does to the log" is $status $ex_splat
vm -- 'sysctl -q kernel.tainted=512; exit 0'
ok "a kernel tainted by a warning, without a report" is $status $ex_splat

vm --timeout 30 -- "insmod $splat/vm_splat.ko what=warn; sleep 1000"
ok "a report counts for more than the time limit" is $status $ex_splat

"$vm_dir/run" "${options[@]}" --ko "$splat/vm_splat.ko" -- true >"$dir/out" 2>"$dir/err"
ok "a module that does not load" is $? $ex_module
ok "and why" err_has '^vm: .*insmod'

# --- counting instructions ---------------------------------------------------

# shellcheck disable=SC2016
loop='i=0; a=${EPOCHREALTIME/./}; while ((i++ < 100000)); do :; done; echo $((${EPOCHREALTIME/./} - a))'
vm --icount -- "$loop"
first=$(cat "$dir/out")
vm --icount -- "$loop"
second=$(cat "$dir/out")
ok "--icount: times repeat ($first and $second us)" awk -v a="$first" -v b="$second" \
	'BEGIN { exit !(a > 0 && (a - b) ^ 2 < (a * 1e-4) ^ 2) }'

[ "$done" = "$tests" ] || echo "Bail out! planned $tests tests, did $done"
[ "$failed" = 0 ] && [ "$done" = "$tests" ]
