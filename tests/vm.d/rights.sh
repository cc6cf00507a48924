#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 600
#
# Who may open what: every file and folder of the tree, by each kind of user, for
# reading and for writing; and what is refused changes nothing.
#
# The files are those that there are, the expectation is the table below: a file
# that is not in it is a failure.

# shellcheck disable=SC2016,SC2317 # inner shells' variables; functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# A copy: an ordinary user may not get to where the sources are.
put=/tmp/put.pl
install -m 755 tests/lib/put.pl $put

# Of a path below the root: d a folder, r can be read, w can be written.
kind_of()
{
	local path=$1

	case $path in
	images/*/*) path="images/IMAGE/${path##*/}" ;;
	images/*) path="images/IMAGE" ;;
	stats/cpu[0-9]*) path="stats/CPU${path#stats/cpu*[0-9]}" ;;
	[0-9]*) path="N${path#[0-9]}" ;;
	esac
	case $path in
	. | N | images | images/IMAGE | stats | stats/CPU) echo d ;;
	version | cpu_type | events) echo r ;;
	dump | reset) echo w ;;
	enable | cpu_buffer_size | buffer_size | buffer_watershed | sync_ms | \
		hist_memory | N/enabled | N/event | N/count | N/freq | \
		N/kernel | N/user | dcookies | mark | buffer | jit_maps | \
		changes)
		echo rw
		;;
	images/IMAGE/hist | images/IMAGE/path | images/IMAGE/dcookie | \
		images/IMAGE/samples | images/IMAGE/start | \
		images/IMAGE/identity)
		echo r
		;;
	stats/received | stats/lost_* | stats/skipped_* | stats/forks | \
		stats/execs | stats/exits | stats/maps | stats/unmaps | \
		stats/ksyms | stats/ksyms_gone | stats/module_loads | \
		stats/module_unloads | stats/notifications_lost | \
		stats/hooks | stats/deferred | stats/unresolved | \
		stats/timer_overrun | stats/throttled | stats/images | \
		stats/bins | stats/jit_maps | stats/memory)
		echo r
		;;
	stats/CPU/received | stats/CPU/lost_cpu_buffer | \
		stats/CPU/skipped_* | stats/CPU/deferred | \
		stats/CPU/unresolved | stats/CPU/timer_overrun | \
		stats/CPU/throttled | stats/CPU/forks | stats/CPU/execs | \
		stats/CPU/exits | stats/CPU/maps | stats/CPU/unmaps | \
		stats/CPU/ksyms | stats/CPU/ksyms_gone | \
		stats/CPU/notifications_lost)
		echo r
		;;
	*) echo unknown ;;
	esac
}

# tree DIR: the paths below it, the root as "."
tree()
{
	(cd "$1" && find . -printf '%P\n' | sed 's/^$/./' | LC_ALL=C sort)
}

# A line a path and a way: "PATH read RESULT", "PATH write RESULT".
#     opens DIR COMMAND...
# COMMAND runs put.pl as somebody.
opens()
{
	local dir=$1 path

	shift
	while read -r path; do
		printf -- '-o\t%s\n%s\n' "$dir/$path" "$dir/$path"
	done <"$op_tmp/paths" >/tmp/batch
	"$@" </tmp/batch >"$op_tmp/results"
	paste -d ' ' <(sed 'h; s/$/ read/; p; g; s/$/ write/' "$op_tmp/paths") \
		"$op_tmp/results"
}

# What is to be expected of somebody who has ALLOWED ("ok", or the error for what
# the file's kind allows) and, for what it does not, FORBIDDEN.
#     expected ALLOWED FORBIDDEN
expected()
{
	awk -v "yes=$1" -v "no=$2" '{
		print $2, "read", $1 == "w" ? no : yes
		print $2, "write", $1 == "d" ? "open:EISDIR" : $1 == "r" ? no : yes
	}' "$op_tmp/kinds"
}

# as_expected GOT WANTED WHAT
as_expected()
{
	[ -s "$1" ] && cmp -s "$1" "$2"
	result $? "$3" || diag "$(diff "$1" "$2" | head -n 20)"
}

# All that can be read: each line with its file's name.
state()
{
	(cd "$op" && awk '$1 ~ /^r/ && $2 !~ /^(buffer|changes)$/ { print $2 }' "$op_tmp/kinds" |
		xargs grep -sH '')
}

# Good values, each other than what is there: whoever may, would change things.
writes()
{
	local path

	while read -r path; do
		case $path in
		enable | dump | reset) echo "$path 1" ;;
		cpu_buffer_size) echo "$path 4096" ;;
		buffer_size) echo "$path 65536" ;;
		buffer_watershed) echo "$path 77" ;;
		sync_ms) echo "$path 77" ;;
		hist_memory) echo "$path 1048576" ;;
		[0-9]/event) echo "$path cpu-clock" ;;
		[0-9]/enabled) echo "$path 1" ;;
		[0-9]/kernel | [0-9]/user) echo "$path 0" ;;
		[0-9]/freq) echo "$path 77" ;;
		[0-9]/count) echo "$path 7777777" ;;
		mark) echo "$path vmlinux" ;;
		dcookies | changes) echo "$path 1" ;;
		jit_maps) echo "$path remove_mapping keep" ;;
		buffer) echo "$path maps" ;;
		esac
	done <"$op_tmp/paths"
}

# refused WHAT DIR COMMAND...: the same, written by somebody
refused()
{
	local what=$1 dir=$2

	shift 2
	writes | sed "s|^\([^ ]*\) \(.*\)|$dir/\1\t\2\\\\n|" >/tmp/batch
	"$@" </tmp/batch >"$op_tmp/results"
	is "$(grep -Ecx 'open:(EPERM|EACCES|ENOENT)' "$op_tmp/results") of $(:
		)$(wc -l </tmp/batch)" \
		"$(wc -l </tmp/batch) of $(wc -l </tmp/batch)" \
		"$what: every write is refused" || diag "$(sort "$op_tmp/results" | uniq -c)"
	state >"$op_tmp/after"
	as_expected "$op_tmp/after" "$op_tmp/before" "$what: and has changed nothing"
}

# --- somebody ---

batch="$put --batch"
nobody()
{
	# shellcheck disable=SC2086 # words
	op_as_nobody "" $batch
}
perfmon()
{
	# shellcheck disable=SC2086
	op_as_nobody ,+perfmon $batch
}
sys_admin()
{
	# shellcheck disable=SC2086
	op_as_nobody ,+sys_admin $batch
}
# All but these two, by name and by number: root as a container has it, and more.
weak_root()
{
	# shellcheck disable=SC2086
	setpriv --bounding-set=-perfmon,-sys_admin \
		--inh-caps=-perfmon,-sys_admin -- $batch
}
# Root by its number only.
owner()
{
	# shellcheck disable=SC2086
	setpriv --bounding-set=-all,+perfmon --inh-caps=-all -- $batch
}
user_ns()
{
	# shellcheck disable=SC2086
	op_as_nobody "" unshare -Ur $batch
}
# Capabilities that it had outside do not come in.
perfmon_ns()
{
	# shellcheck disable=SC2086
	op_as_nobody ,+perfmon unshare -Ur $batch
}
root_ns()
{
	# shellcheck disable=SC2086
	unshare -Ur $batch
}

# A container: all namespaces, and a tree of its own in which /op is ours.
box=/tmp/box
mkdir $box
mount -t tmpfs -o mode=755 box $box
mkdir $box/{usr,proc,tmp,op,old}
chmod 1777 $box/tmp
ln -s usr/bin usr/lib usr/lib64 usr/sbin $box
mount --rbind /usr $box/usr
mount --bind "$op" $box/op
install -m 755 $put $box/tmp/put.pl

# boxed COMMAND...: in it; its root is root of nothing else
boxed()
{
	unshare -UrmpfnuiC bash -c '
		mount --rbind "$1" "$1" && cd "$1" && pivot_root . old &&
			cd / && mount -t proc proc proc && umount -l old || exit 1
		shift
		exec "$@"' bash $box "$@"
}
in_box()
{
	boxed /tmp/put.pl --batch
}
nobody_in_box()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		--inh-caps=-all -- bash -c "
		$(declare -f boxed)
		box=$box
		boxed /tmp/put.pl --batch"
}

# --- a tree with something in everything ---

plan 38
op_start 997
op_gather 20 '}usr}bin}gzip' vmlinux -- bash -c 'gzip -c /bin/bash >/dev/null'
op_stop
op_idle
pid=$op_idle_pid
echo "add_mapping keep 0xffffffffc0000000 0xffffffffc0000010" >"$op/jit_maps"
echo "add_mapping his 0x1000 0x2000 pid=$pid" >"$op/jit_maps"
tree "$op" >"$op_tmp/paths"
while read -r path; do
	kind_of "$path"
	echo "$path"
done <"$op_tmp/paths" | paste -d ' ' - - >"$op_tmp/kinds"
state >"$op_tmp/before"
is "$(awk '$1 == "unknown"' "$op_tmp/kinds")" "" "every file has its expectation"
is "$(cut -d ' ' -f 1 "$op_tmp/kinds" | sort | uniq -c | awk '$1 > 1' | wc -l)" 4 \
	"there are files of every kind"
grep -q '^jit_maps:keep ' "$op_tmp/before" && grep -q '/hist:0x' "$op_tmp/before"
result $? "there is something that could change"

# who WHAT DIR COMMAND ALLOWED FORBIDDEN
who()
{
	local what=$1 dir=$2 command=$3

	shift 3
	opens "$dir" "$command" >"$op_tmp/got"
	expected "$@" >"$op_tmp/wanted"
	as_expected "$op_tmp/got" "$op_tmp/wanted" "$what"
}

# A shell's own: root, as it is.
by_root()
{
	# shellcheck disable=SC2086
	$batch
}

# --- as it is mounted: 0600 ---

who "root" "$op" by_root ok open:EACCES
who "root with CAP_PERFMON only" "$op" owner ok open:EACCES
who "root with all but CAP_PERFMON and CAP_SYS_ADMIN" "$op" weak_root \
	open:EPERM open:EPERM
who "root of a user namespace that root made" "$op" root_ns open:EPERM open:EPERM
who "root of such a container" /op in_box open:EPERM open:EPERM
for user in nobody perfmon sys_admin user_ns perfmon_ns; do
	is "$(opens "$op" $user | awk '$1 != "." { print $3 }' | sort -u)" \
		open:EACCES "0600: $user gets nowhere"
done
for user in weak_root root_ns nobody; do
	refused "0600: $user" "$op" $user
done
refused "0600: root of a container" /op in_box

# --- as it may be mounted: 0666 ---

mount -o remount,mode=0666 "$op"
state >"$op_tmp/after"
as_expected "$op_tmp/after" "$op_tmp/before" "a remount changes nothing in it"
who "0666: CAP_PERFMON" "$op" perfmon ok open:EACCES
who "0666: CAP_SYS_ADMIN" "$op" sys_admin ok open:EACCES
who "0666: an ordinary user" "$op" nobody open:EPERM open:EACCES
who "0666: root of a user namespace of his own" "$op" user_ns \
	open:EPERM open:EACCES
who "0666: the same who had CAP_PERFMON outside" "$op" perfmon_ns \
	open:EPERM open:EACCES
who "0666: root of his own container" /op nobody_in_box open:EPERM open:EACCES
refused "0666: nobody" "$op" nobody
refused "0666: perfmon_ns" "$op" perfmon_ns
refused "0666: his own container" /op nobody_in_box
mount -o remount,mode=0600 "$op"

# --- who may mount ---

mkdir -m 777 /tmp/at
is "$(boxed bash -c 'mkdir /tmp/m; mount -t oprofilefs nodev /tmp/m 2>&1' |
	grep -c 'permission denied\|not permitted')" 1 \
	"root of a container can't mount one of its own"
is "$(unshare -Urm bash -c "mount -t oprofilefs nodev /tmp/at 2>&1;
	mount -o remount,mode=0666 $op 2>&1" |
	grep -c 'permission denied\|not permitted')" 2 \
	"nor can root of a user namespace, or change the rights of ours"
is "$(stat -c %a "$op/enable")" 600 "which are what they were"

# --- and none of it because it was wrong ---

writes | sed "s|^\([^ ]*\) \(.*\)|$op/\1\t\2\\\\n|" >/tmp/batch
# The counters and sizes have their turn before it is enabled.
by_root </tmp/batch >"$op_tmp/results"
op_stop
state >"$op_tmp/after"
# Lost are the histograms, so nothing of what is left is what it was.
is "$(grep -c open: "$op_tmp/results") $(diff "$op_tmp/before" "$op_tmp/after" |
	grep -c '^< \(sync_ms:\|jit_maps:keep\|hist_memory:\|images/vmlinux/samples:\)')" \
	"0 4" "root may write all of that, and then it is another"
kill $pid
finish
