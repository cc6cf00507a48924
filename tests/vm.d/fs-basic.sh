# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The tree as it is after mounting: every file, its rights, and what it says. Who
# gets in is in rights.sh.

. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# A copy: an ordinary user may not get to where the sources are.
put=/tmp/put.pl
install -m 755 tests/lib/put.pl $put
cd /dev/oprofile || exit 1

counter_files="count enabled event freq kernel user"
cpu_stats="deferred execs exits forks ksyms ksyms_gone lost_cpu_buffer maps"
cpu_stats+=" notifications_lost received skipped_kernel skipped_unmarked"
cpu_stats+=" skipped_user throttled timer_overrun unmaps unresolved"

# The names in a folder, sorted.
names()
{
	(cd "$1" && LC_ALL=C && echo *)
}

listing()
{
	find . "$@" -printf '%m %y %u:%g %P\n' | LC_ALL=C sort -k4
}

plan 54

# --- what is there ---

is "$(names .)" "0 1 2 3 buffer buffer_size buffer_watershed changes cpu_buffer_size $(:
	)cpu_type dcookies dump enable events hist_memory images jit_maps mark $(:
	)reset stats sync_ms version" "the root's files"
for i in 0 1 2 3; do
	is "$(names $i)" "$counter_files" "the files of counter $i"
done
is "$(names images)" "*" "no images yet"
is "$(cd stats && echo cpu[0-9]*)" \
	"$(cd /sys/devices/system/cpu && echo cpu[0-9]*)" "a folder a CPU"
is "$(names stats/cpu0)" "$cpu_stats" "the statistics of a CPU"
bad=
for i in $cpu_stats lost_no_memory lost_hist_memory images bins memory \
	 jit_maps; do
	[ -f stats/"$i" ] || bad+=" $i"
done
is "$bad" "" "the statistics"

# --- what they say ---

ok "version" grep -Eqx '[0-9]+\.[0-9]+\.[0-9]+' version
is "$(cat enable)" 0 "it is not enabled"
ok "cpu_type is one word" grep -Eqx '[a-z0-9_-]+' cpu_type
ok "the timer is among the events" grep -qx 'timer timer available' events
is "$(grep -Evc '^[^ ]+ [^ ]+ (available|E[A-Z0-9]+)$' events)" 0 \
	"an event a line, its source, and whether it is there"
is "$(cat 0/event 0/freq 0/count 0/enabled 0/kernel 0/user | tr '\n' ' ')" \
	"timer 997 0 1 1 1 " "counter 0 is ready"
is "$(cat 1/enabled 2/enabled 3/enabled | tr '\n' ' ')" "0 0 0 " \
	"the others are off"

# --- the switches ---

ok "enable" bash -c 'echo 1 >enable'
is "$(cat enable)" 1 "it is enabled"
ok "enable again" bash -c 'echo 1 >enable'
for _ in {1..20}; do
	gzip -c /bin/bash >/dev/null
	echo 1 >dump
	[ -d images/vmlinux ] && [ -d 'images/}usr}bin}gzip' ] && break
done
ok "enabled, it says EBUSY to a new event" \
	test "$($put 0/event 'cpu-clock\n')" = EBUSY
ok "disable, by O_APPEND" bash -c 'echo 0 >>enable'
is "$(cat enable)" 0 "it is disabled"
ok "disable again" bash -c 'echo 0x0 >enable'
ok "dump" bash -c 'echo 1 >dump'
is "$($put -r sync_ms '  123\n'; cat sync_ms)" "6
123" "a size, written with blanks"

is "$($put -c enabled '1\n'; $put -c 0/frequency '1\n')" \
	"open:ENOENT
open:ENOENT" "a file that is not there is not, also for a shell's >"
ok "nothing can be made, moved or removed" bash -c '
	! { mkdir d || ln -s a b || mv version v || rm version ||
		rmdir images || chmod 644 version || truncate -s 5 enable ||
		touch -d @0 enable; } 2>/dev/null'

# --- what the log says ---

# Writes, and prints what came to the log, without its time.
log_of()
{
	dmesg -C
	"$@" >/dev/null
	dmesg | sed -n 's/^\[[^]]*\] oprofile: //p'
}

is "$(log_of $put sync_ms '0\n')" "sync_ms: too small or too large (-ERANGE)" \
	"a number out of range"
is "$(log_of $put 0/user 'y\n')" "0/user: not a number (-EINVAL)" "no number"
is "$(log_of $put 0/user '2\n')" "0/user: it cannot have this value (-EINVAL)" \
	"a switch that is none"
is "$(log_of $put 0/event 'cpu-clock\n')" "counter 0: has samples of timer: $(:
	)reset them before it counts cpu-clock (-EBUSY)" "samples of another event"
echo 1 >enable
is "$(log_of $put buffer_size '4096\n'; log_of $put 0/event 'cpu-clock\n')" \
	"buffer_size: sampling is enabled (-EBUSY)
counter 0: sampling is enabled (-EBUSY)" "a setting while sampling is enabled"
echo 0 >enable
echo 0 >0/enabled
is "$(log_of $put enable '1\n')" "no counter is enabled
enable: nothing was started (-EINVAL)" "no counter is enabled"
echo 1 >0/enabled
dmesg -C
mount -o remount,mode=7777 /dev/oprofile 2>/dev/null
is "$(dmesg | sed 's/^[^]]*\] //')" \
	"oprofilefs: mode: has bits beyond 0777" "a mount option"

# --- images ---

gzip='images/}usr}bin}gzip'
is "$(names "$gzip")" "dcookie hist identity path samples start" "an image's files"
is "$(cat "$gzip/path" "$gzip/start")" "/usr/bin/gzip
0x0" "its path and start"
is "$(cat images/vmlinux/path)" vmlinux "the kernel's path is its name"
is "$(cat images/vmlinux/start)" \
	"$(awk '$3 == "_stext" { print "0x" $1 }' /proc/kallsyms)" \
	"the kernel's start"
bad=0
for i in images/*; do
	awk -v name="${i#*/}" -v path="$(cat "$i/path")" \
		-v cookie="$(cat "$i/dcookie")" -v start="$(cat "$i/start")" \
		-v samples="$(cat "$i/samples")" '
		NR == 1 { good += $0 == "# image: " name }
		NR == 2 { good += $0 == "# path: " path }
		NR == 3 { good += $0 == "# dcookie: " cookie }
		/^# start: / { good += $3 == start }
		/^# events: timer:997Hz$/ { good++ }
		/^0x[0-9a-f]+ [0-9]+$/ { sum += $2; good = good; next }
		!/^#/ { bad++ }
		END { exit !(good >= 4 && !bad && sum == samples) }
	' "$i/hist" || { bad=1; diag "$i: $(head "$i/hist")"; }
done
is $bad 0 "heads and sums of all histograms"
is "$(for i in images/*; do awk '!/^0x/ { next }
	length($1) < n || (length($1) == n && $1 <= last) { print "descends" }
	{ n = length($1); last = $1 }' "$i/hist"; done)" "" "offsets ascend"
is "$(for i in images/*; do echo "$(cat "$i/dcookie") $(cat "$i/path")"; done |
	grep -vxFf dcookies)" "" "dcookies lists them all"
is "$(dd if=images/vmlinux/hist bs=7 status=none | md5sum)" \
	"$(md5sum <images/vmlinux/hist)" "read by pieces it is the same"
is "$(dd if=images/vmlinux/hist bs=1 skip=100 status=none | md5sum)" \
	"$(tail -c +101 <images/vmlinux/hist | md5sum)" \
	"read from an offset it is the same"
is "$(cat images/*/samples | awk '{ s += $1 } END { print s }')" \
	"$(($(cat stats/received) - $(cat stats/lost_* stats/skipped_* |
		awk '{ s += $1 } END { print s }')))" \
	"received is what the images have, lost and skipped"
is "$(find . -printf '%i\n' | sort | uniq -d)" "" "inode numbers are unique"
is "$(find . -printf '%i %p\n' | sort | md5sum)" \
	"$(find . -printf '%i %p\n' | sort | md5sum)" "and stay the same"

# --- rights ---

is "$(listing | awk '{ print $1, $2, $3 }' | sort -u)" "200 f root:root
400 f root:root
600 f root:root
700 d root:root" "default rights"
is "$(listing -perm 200 | awk '{ print $4 }' | tr '\n' ' ')" "dump reset " \
	"what can only be written"
is "$($put -o dump) $($put -o reset)" "open:EACCES open:EACCES" \
	"even root cannot read that"
# Who gets in is in rights.sh.
mount -o remount,mode=0666 /dev/oprofile
is "$(listing | awk '{ print $1, $2, $3 }' | sort -u)" "222 f root:root
444 f root:root
666 f root:root
777 d root:root" "rights with mode=0666"
is "$(op_as_nobody ,+perfmon $put sync_ms '321\n'; cat sync_ms)" "4
321" "CAP_PERFMON alone gets in and may write"

# --- what the kernel's addresses are hidden from ---

echo 'add_mapping j 0xffffffffc0001000 0xffffffffc0002000' >jit_maps
is "$(op_as_nobody ,+perfmon cat images/vmlinux/start jit_maps;
	op_as_nobody ,+perfmon grep '# start' images/vmlinux/hist)" "0x0
j 0x0 0x0
# start: 0x0" "without CAP_SYSLOG there are no addresses of the kernel"
is "$(op_as_nobody ,+perfmon,+syslog cat images/vmlinux/start jit_maps)" \
	"$(cat images/vmlinux/start)
j 0xffffffffc0001000 0xffffffffc0002000" "with it there are"
mount -o remount,mode=0600 /dev/oprofile

# --- what is gone is gone ---

cd images/vmlinux || exit 1
exec 3<hist
echo 1 >../../reset
is "$(cat hist 2>&1; ls . 2>&1; cat <&3 | grep -c ^0x; ls ..)" \
	"cat: hist: No such file or directory
0" "after a reset an image is gone, from inside as well"
exec 3<&-
cd ../.. || exit 1

finish
