#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --icount --timeout 400
#
# Which image a kernel sample belongs to: the kernel, modules loaded before and
# after ours, their init and exit text, and modules that go and come back. (The
# machine's clock counts instructions, so that a host that is busy with other
# things does not make this one look idle.)

# shellcheck disable=SC2016,SC2317 # perl's variables; functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

hz=1999
ko=$op_progs/$OP_KVER/opburn.ko
text=/sys/module/opburn/sections/.text
plan 34

# symbols IMAGE: "SYMBOL COUNT", the most first, of what has addresses
symbols()
{
	perl -e '
		my ($image) = @ARGV;
		my (@all, %count, $start);

		no warnings "portable";
		open(my $k, "<", "/proc/kallsyms") or die;
		while (<$k>) {
			my ($address, $type, $name) = split;
			push(@all, [hex($address), $name]) if $type =~ /t/i;
		}
		@all = sort { $a->[0] <=> $b->[0] } @all;
		open(my $s, "<", "$image/start") or die;
		chomp($start = <$s>);
		open(my $h, "<", "$image/hist") or die;
		while (<$h>) {
			next if /^#/;
			my ($offset, $n) = split;
			my $pc = hex($start) + hex($offset);
			my ($lo, $hi) = (0, scalar(@all));

			while ($hi - $lo > 1) {
				my $mid = int(($lo + $hi) / 2);

				$lo = $mid if $all[$mid][0] <= $pc;
				$hi = $mid if $all[$mid][0] > $pc;
			}
			$count{$all[$lo][1]} += $n;
		}
		print("$_ $count{$_}\n")
			for sort { $count{$b} <=> $count{$a} } keys(%count);
	' "$op/images/$1"
}

symbol()
{
	echo "0x$(awk -v s="$1" '$3 == s { print $1; exit }' /proc/kallsyms)"
}

spin()
{
	echo 5000000 >/sys/module/opburn/parameters/burn
}

# in_loop WHAT: most of opburn.ko's samples are in its loop, by the offsets from
# where its text is now
in_loop()
{
	local base a d n inside

	base=$(cat $text)
	a=$(symbol opburn_spin)
	# The end of the function, with its few instructions that go round.
	d=$(symbol burn_set)
	n=$(op_samples opburn.ko)
	inside=$(op_count_between opburn.ko $((a - base)) $((d - base)))
	[ "$n" -gt 0 ] && [ $((inside * 100)) -gt $((n * 90)) ]
	result $? "$1 ($inside of $n)"
}

# busiest WHAT PATTERN: the function with the most samples is one of these. Not
# counted are those where a CPU waits, or lets in the interrupts that waited.
busiest()
{
	local first

	if [ -e /proc/lockdep_stats ]; then
		skip "$1" "a kernel that checks itself is busy with that"
		return
	fi
	first=$(grep -vE 'safe_halt|_idle |unlock_irq|^__schedule|softirqs|finish_task_switch' /tmp/symbols | head -n 1)
	grep -qE "$2" <<<"$first"
	result $? "$1 ($first)"
}

brief()
{
	timeout 1 "$@"
	[ $? = 124 ]
}

# --- the kernel itself ---

head -c 65536 /dev/zero >/tmp/file
copy()
{
	brief perl -e '
		open(my $in, "<", "/tmp/file") or die;
		for (;;) { sysseek($in, 0, 0); sysread($in, my $text, 65536) }'
}

clear()
{
	brief dd if=/dev/zero of=/dev/null bs=64k status=none
}

# Once for nothing: no waiting for the disk where samples are counted.
copy
clear
op_start $hz
op_gather 1000 vmlinux -- copy
op_stop
is "$(cat "$op/images/vmlinux/start")" "$(symbol _stext)" "vmlinux starts at _stext"
size=$(($(symbol _etext) - $(symbol _stext)))
is "$(op_count_between vmlinux 0 $size)" "$(op_samples vmlinux)" \
	"all of its samples are in its text"
symbols vmlinux >/tmp/symbols
diag "$(head -n 3 /tmp/symbols)"
busiest "reading a file: what is busiest copies it to its reader" \
	'^(copy_user|_*copy_to_iter|rep_movs)'
op_start $hz
op_gather 1000 vmlinux -- clear
op_stop
symbols vmlinux >/tmp/symbols
diag "$(head -n 3 /tmp/symbols)"
busiest "zeroes: what is busiest clears memory" \
	'^(_*clear_user|rep_stos|iov_iter_zero|read_zero|read_iter_zero)'

# --- modules that were there before ours ---

# The root's file system: each file that is looked up is a request.
look_up()
{
	echo 3 >/proc/sys/vm/drop_caches
	find /usr/lib /usr/share -maxdepth 3 -size +1000000k >/dev/null
}

op_start $hz
op_gather 20 9p.ko 9pnet.ko 9pnet_virtio.ko netfs.ko -- look_up
result $? "modules that were loaded before"

# --- a module that comes after ours, and goes ---

insmod "$ko" || op_bail "no $ko"
op_gather 100 opburn.ko -- spin
in_loop "a module that was loaded after: its samples are in its loop"
is "$(cat "$op/images/opburn.ko/start")" "$(cat $text)" "it starts at its text"
first()
{
	echo 100000000 >/sys/module/opburn/parameters/first
}
before=$(op_count_between opburn.ko 0 1)
op_gather $(($(op_samples opburn.ko) + 50)) opburn.ko -- first
[ "$(op_count_between opburn.ko 0 1)" -gt "$before" ]
result $? "its first byte is its own"
last()
{
	echo 50000000 >/sys/module/opburn/parameters/last
}
end=$(($(symbol opburn_end) - $(cat $text)))
highest=0
for section in /sys/module/opburn/sections/{.text,.exit.text,.text.last}; do
	[ $(($(cat "$section") - $(cat $text))) -le $highest ] ||
		highest=$(($(cat "$section") - $(cat $text)))
done
[ $end -ge $highest ] && [ $end -lt $((highest + 0x20)) ]
result $? "the text's last instruction is in its last section"
before=$(op_count_between opburn.ko $end $((end + 2)))
op_gather $(($(op_samples opburn.ko) + 50)) opburn.ko -- last
[ "$(op_count_between opburn.ko $end $((end + 2)))" -gt "$before" ]
result $? "and the module's own"
is "$(op_count_between opburn.ko $((end + 2)) 0x7fffffffffffffff)" 0 \
	"behind it there is nothing"

# One that has no text has no samples, and takes no other's.
insmod "${ko%/*}/opempty.ko" && op_gather 100 opburn.ko -- spin && rmmod opempty
result $? "a module without text comes and goes"
is "$(ls -d "$op"/images/opempty* 2>/dev/null)" "" "and is no image"

exit=$(($(symbol opburn_exit) - $(cat $text)))
echo 50000000 >/sys/module/opburn/parameters/exit_burn
rmmod opburn
echo 1 >"$op/dump"
[ "$(op_count_between opburn.ko $exit $((exit + 0x200)))" -gt 20 ]
result $? "exit text is the module's"
[ "$(op_samples opburn.ko)" -gt 100 ]
result $? "what was sampled of it stays when it is gone"

# It comes back, at another place if that can be had.
before=$(op_samples opburn.ko)
modprobe dummy
insmod "$ko" init_burn=50000000
echo 1 >"$op/dump"
[ "$(op_samples opburn.ko:init)" -gt 20 ]
result $? "init text is an image of its own"
is "$(op_samples opburn.ko)" "$before" "and no sample of it is in the other one"
echo 1 >"$op/reset"
op_gather 100 opburn.ko -- spin
in_loop "loaded again: its samples are where its loop is now"
is "$(cat "$op/images/opburn.ko/start")" "$(cat $text)" "and it starts at its text of now"

# Come and go, all the time.
for _ in {1..6}; do
	rmmod opburn
	insmod "$ko" init_burn=1000000
	spin
done
in_loop "after 6 more times"
is "$(names=("$op"/images/opburn*); echo "${names[*]##*/}")" \
	"opburn.ko opburn.ko:init" "it is always the same images"
is "$(op_user_unknown) $(op_kernel_unknown)" "0 0" \
	"nothing is unknown, but the code of a hook"
op_stop
op_conserved "modules that come and go: the law"

# --- BPF ---

op_start $hz
before=$(op_samples bpf)
"$op_progs/mapexec" --bpf-run 300000 &
pid=$!
program=
while kill -0 $pid 2>/dev/null && [ -z "$program" ]; do
	program=$(awk '$3 ~ /^bpf_prog_.*_op_long$/ { print "0x" $1; exit }' /proc/kallsyms)
done
wait $pid
result $? "a BPF program runs"
op_stop
n=$(op_samples bpf)
# 3000 instructions of at most 10 bytes.
inside=$(op_count_between bpf "${program:-0}" $((${program:-0} + 30000)))
[ "$n" -gt 20 ] && [ $((inside * 100)) -gt $((n * 80)) ]
result $? "its samples are in the image bpf, at its addresses ($inside of $n)"

# --- another build of the same name ---

op_start $hz
op_gather 100 opburn.ko -- spin
op_stop
rmmod opburn
insmod "${ko%/*}/other/opburn.ko"
before=$(op_samples opburn.ko)
echo 1 >"$op/enable"
op_gather 100 opburn.ko~2 -- spin
op_stop
result $? "a module that was built anew is another image"
is "$(op_samples opburn.ko)" "$before" "and the one that was there stays as it is"
is "$(cat "$op/images/opburn.ko~2/start")" "$(cat $text)" "it starts at its text"
op_conserved "two of a name: the law"
rmmod opburn
insmod "$ko"

# --- ours comes after ---

umount "$op"
rmmod oprofile && insmod "$OP_KO" && mount -t oprofilefs nodev "$op"
result $? "our module comes anew"
op_start $hz
op_gather 100 opburn.ko -- spin
op_stop
in_loop "a module of one's own that was loaded before"
is "$(cat "$op/images/opburn.ko/start")" "$(cat $text)" "it starts at its text"
is "$(op_user_unknown) $(op_kernel_unknown)" "0 0" \
	"nothing is unknown, but the code of a hook"
op_conserved "all this: the law"
rmmod opburn dummy
finish
