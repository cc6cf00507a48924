#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 900
#
# No address of the kernel gets to who may not see it: by no file, no folder's
# listing, not by the stream and not by the log.  Who may is who has CAP_SYSLOG,
# unless kernel.kptr_restrict is 2: then nobody may.
#
# All that each kind of user can read is searched for numbers that are such
# addresses; that the search finds them is shown by those who may.

set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/stream.sh
. tests/lib/stream.sh

dmesg -C
plan 29
restrict=/proc/sys/kernel/kptr_restrict
kptr=$(cat $restrict)
echo 0 >/proc/sys/kernel/dmesg_restrict
echo 0 >$restrict

# Where things are: the kernel's text, and each module.
known=()
while read -r address; do
	known+=(--low "${address: -8}")
done < <(awk '$3 == "_stext" { print $1 }' /proc/kallsyms
	awk '{ print $6 }' /proc/modules)
[ ${#known[@]} -ge 6 ]
result $? "it is known where the kernel and its modules are (${#known[@]})"

# One of everything: vmlinux, modules, BPF, ranges of the kernel, unknown code.
mount -o remount,mode=0666 "$op"
op_start 1999
work()
{
	"$op_progs/mapexec" --bpf-run 200 >/dev/null
	for _ in {1..20}; do
		/bin/true
	done
	gzip -c /bin/bash >/dev/null
	dd if=/dev/zero of=/tmp/zero bs=1M count=64 status=none
}
op_gather 300 vmlinux -- work
result $? "there are samples of the kernel"
# Where the kernel is most.
hot=$(op_hist vmlinux | sort -k2nr | awk '{ print $1; exit }')
hot=$(($(cat "$op/images/vmlinux/start") + hot))
printf 'add_mapping hot 0x%x 0x%x\n' $hot $((hot + 64)) >"$op/jit_maps"
op_gather 1 bpf -- work
result $? "and of BPF"
op_gather 1 jit:hot -- work
result $? "and of a range of the kernel ($(op_samples jit:hot))"

# seen WHO CAPS: in which of the things that somebody reads addresses are
# shellcheck disable=SC2016 # the inner shell's variables
seen()
{
	local caps=$2 dir=/tmp/seen.$1 pid

	rm -rf "$dir"
	mkdir -m 777 "$dir"
	cp tests/lib/addresses.pl "$dir/"
	# The stream: its state, and records that come meanwhile.
	op_as_nobody "$caps" cat "$op/buffer" >"$dir/stream" 2>/dev/null &
	pid=$!
	until [ -s "$dir/stream" ]; do
		sleep 0.1
	done
	for _ in {1..50}; do
		work
		modprobe -r loop
		modprobe loop
		echo 1 >"$op/dump"
		[ "$(stat -c %s "$dir/stream")" -lt 40000 ] || break
	done
	# All files as they are now, and the folders.
	op_as_nobody "$caps" bash -c '
		cd "$1" || exit 1
		find . -printf "%i %P %m %s %T@\n" >"$2/listing"
		find . -type f -perm -444 ! -name buffer -exec grep -H "" {} + >"$2/files"
	' bash "$op" "$dir"
	# The reader, and not only the shell that started it.
	pkill -P $pid
	wait $pid 2>/dev/null
	"$dir/addresses.pl" "${known[@]}" --stream "$dir/stream" \
		"$dir/files" "$dir/listing" >"$dir/found" || echo failed >"$dir/found"
	cut -d ' ' -f 1 "$dir/found" | sort | uniq -c |
		awk '{ sub(".*/", "", $2); print $2 }' | tr '\n' ' '
}

enough()
{
	stream_count "$1/stream" sample
}

for level in 0 1 2; do
	echo $level >$restrict
	may="files stream "
	[ $level != 2 ] || may=
	is "$(seen perfmon ,+perfmon)" "" \
		"kptr_restrict $level: without CAP_SYSLOG nothing is to be seen" ||
		diag "$(sort /tmp/seen.perfmon/found | uniq -c | head)"
	[ "$(enough /tmp/seen.perfmon)" -gt 100 ] &&
		[ "$(wc -l </tmp/seen.perfmon/files)" -gt 300 ]
	result $? "kptr_restrict $level: of much ($(enough /tmp/seen.perfmon) samples, $(
		wc -l </tmp/seen.perfmon/files) lines)"
	is "$(seen sys_admin ,+sys_admin)" "" \
		"kptr_restrict $level: nor by CAP_SYS_ADMIN alone" ||
		diag "$(sort /tmp/seen.sys_admin/found | uniq -c | head)"
	is "$(seen syslog ,+perfmon,+syslog)" "$may" \
		"kptr_restrict $level: with CAP_SYSLOG ${may:-nothing}" ||
		diag "$(sort /tmp/seen.syslog/found | uniq -c | head)"
	is "$(op_as_nobody ,+syslog cat "$op/images/vmlinux/start" 2>&1 |
		sed 's/.*: //')" "Operation not permitted" \
		"kptr_restrict $level: CAP_SYSLOG alone opens nothing"
	is "$(sed 's/^0x[1-9a-f].*/an address/' "$op/images/vmlinux/start")" \
		"$([ $level = 2 ] && echo 0x0 || echo an address)" \
		"kptr_restrict $level: root is the same as who has CAP_SYSLOG"
done

# It is who opens that counts, and when.
echo 1 >$restrict
exec 3<"$op/images/vmlinux/start"
echo 2 >$restrict
is "$(cat <&3)" "0x$(echo 1 >$restrict; awk '$3 == "_stext" { print $1 }' /proc/kallsyms)" \
	"what was opened before it was 2 is still to be read"
exec 3<&-
# shellcheck disable=SC2016
is "$(op_as_nobody ,+perfmon bash -c 'exec 3<"$1"; cat <&3' bash \
	"$op/images/vmlinux/start")" 0x0 "nor is it found by another way of opening"

# Who may not see addresses may not feel for them.
is "$(op_as_nobody ,+perfmon tests/lib/put.pl "$op/jit_maps" \
	'add_mapping feel 0xffffffff81000000 0xffffffff81000001\n' 2>&1 |
	sed 's/.*: //')" EPERM "no range of the kernel can be named without CAP_SYSLOG"

op_stop
op_conserved "all this: the law"

# --- the log ---

cd /
umount "$op"
rmmod oprofile
insmod "$OP_KO"
mount -t oprofilefs nodev "$op"
op_as_nobody "" dmesg | grep -i oprofile >/tmp/log
[ -s /tmp/log ]
result $? "the log has something of the module ($(wc -l </tmp/log) lines)"
is "$("$OP_TOP/tests/lib/addresses.pl" "${known[@]}" /tmp/log)" "" \
	"and no address of the kernel"
is "$(op_as_nobody "" cat /sys/module/oprofile/sections/.text 2>&1 | sed 's/.*: //')" \
	"Permission denied" "where the module is, is for root"

echo "$kptr" >$restrict
finish
