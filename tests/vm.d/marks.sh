#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 300
#
# mark and dcookies: what is marked is kept, to the sample, and nothing else is.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

plan 53
dir=$op_tmp/dir
mkdir "$dir"
cp "$op_progs/burn-alpha" "$dir/a"
cp "$op_progs/burn-beta" "$dir/b"

# refuses ERROR TEXT NAME: a write of TEXT (printf's) to mark
refuses()
{
	local error

	error=$(perl -e '
		use Errno;
		open(my $f, "+<", $ARGV[0]) or die "open: $!";
		my $text = eval("\"$ARGV[1]\"");
		print(defined(syswrite($f, $text)) ? "0" :
			(grep { $!{$_} } keys(%!))[0]);' "$op/mark" "$2")
	is "$error" "$1" "$3"
}

images()
{
	local all=("$op"/images/*)

	echo "${all[*]##*/}"
}

# run: both programs, for a while
run()
{
	"$dir/a" 3000000 >/dev/null
	"$dir/b" 3000000 >/dev/null
}

# marked NAME...: what is marked, by its path
marked()
{
	is "$(cut -d ' ' -f 2- "$op/mark" | sort | xargs)" "$1" "$2"
}

# --- the file ---

is "$(cat "$op/mark")" "" "nothing is marked"
exec 3<>"$op/mark"
echo "$dir/a" >&3
read -r cookie <&3
is "$(cat "$op/mark")" "$cookie $dir/a" "a path is marked, and reads back its dcookie"
read -r more <&3
is "${more-}" "" "and nothing else"
echo vmlinux >&3
read -r cookie2 <&3
is "$cookie2" 1 "the same descriptor takes another one, by an image's name"
echo "$dir/a" >&3
read -r again <&3
is "$again" "$cookie" "marked twice is marked once"
echo "unmark vmlinux" >&3
exec 3>&-
marked "$dir/a" "a mark is taken away by its name"
cd "$dir" || exit
for i in "ENOENT|$dir/none|a path that does not exist" "ENOENT|none.ko|no such image" \
	"EINVAL|$dir|a folder" "EINVAL|/dev/null|a device" "EINVAL||nothing" \
	'EINVAL|\n|an empty line' "EINVAL|/bin/ca\\0t|a NUL" "ENOENT|a|a relative path" \
	"ENOTDIR|$dir/a/b|a path through a file" \
	"ENOENT|unmark $dir/b|unmark: what is not marked" \
	"ENOENT|unmark 99999|unmark: a dcookie of nobody" "ENOENT|unmark |unmark: nothing" \
	"ENAMETOOLONG|/\" . \"x\" x 5000 . \"|a path of 5000 bytes" \
	"ENAMETOOLONG|/\" . \"x\" x 1000000 . \"|one of a million" \
	"ENOENT|${dir}/a\\n\\n|only one newline is none of the path's"; do
	IFS='|' read -r error text name <<<"$i"
	refuses "$error" "$text" "$name: $error"
done
marked "$dir/a" "which changed nothing"
# What was only named here is not kept.
before=$(op_stat images)
bad=
for ((i = 0; i < 20; i++)); do
	cp "$op_progs/burn-beta" "$dir/never$i"
	! echo "unmark $dir/never$i" 2>/dev/null >"$op/mark" || bad=$i
	echo "$dir/never$i" >"$op/mark"
	echo "unmark $dir/never$i" >"$op/mark"
done
is "$bad" "" "files that nobody has marked"
is "$(op_stat images)" "$before" "names that came to nothing are forgotten"
is "$(grep -c never "$op/dcookies")" 0 "and their dcookies"
marked "$dir/a" "unlike the mark that is there"

# --- samples ---

op_start 1999
run
op_stop
is "$(images)" "$(op_name "$dir/a")" "only the marked file has a histogram"
[ "$(op_stat skipped_unmarked)" -gt "$(op_samples "$(op_name "$dir/a")")" ]
result $? "the others were skipped ($(op_stat skipped_unmarked))"
op_conserved "the law"
at_sample=0
for file in "$op"/stats/cpu*/skipped_unmarked; do
	at_sample=$((at_sample + $(cat "$file")))
done
[ $((at_sample * 100)) -gt $(($(op_stat skipped_unmarked) * 80)) ]
result $? "nearly all at the sample ($at_sample of $(op_stat skipped_unmarked))"

# By another name, another mount, another namespace.
mkdir "$op_tmp/bound"
mount --bind "$dir" "$op_tmp/bound"
ln "$dir/a" "$dir/link"
op_start 1999
image=$(op_name "$dir/a")
# more COMMAND...: it is what the mark is of, by 20 more samples
more()
{
	op_gather $(($(op_samples "$image") + 20)) "$image" -- "$@" >/dev/null
}
ok "it is the file by a bind mount" more "$op_tmp/bound/a" 3000000
ok "by another link" more "$dir/link" 3000000
ok "in another mount namespace" more unshare -m "$dir/a" 3000000
op_stop
is "$(images)" "$(op_name "$dir/a")" "and all is one image"
umount "$op_tmp/bound"
rm "$dir/link"

# Renamed, replaced, deleted.
mv "$dir/a" "$dir/old"
cp "$op_progs/burn-alpha" "$dir/a"
op_start 1999
"$dir/a" 3000000 >/dev/null
op_stop
is "$(images)" "*" "a file that took its place is not marked"
op_start 1999
op_gather 5 "$image" -- "$dir/old" 3000000 >/dev/null
op_stop
is "$(images)" "$(op_name "$dir/a")" "the one that was marked still is, wherever it went"
"$dir/old" 5000000000 >/dev/null &
pid=$!
sleep 0.2
rm "$dir/old"
op_start 1999
ok "also when it is deleted" op_gather 50 "$image" -- sleep 0.2
op_stop
kill $pid
wait $pid 2>/dev/null
marked "$dir/a" "the mark is there"
refuses ENOENT "unmark $dir/a" "but that path is another file now"
echo "unmark $cookie" >"$op/mark"
marked "" "its dcookie takes it away"
op_start 1999
run
op_stop
[ "$(images | wc -w)" -gt 2 ]
result $? "with no mark left everything is profiled again"
is "$(op_stat skipped_unmarked)" 0 "and nothing skipped"

# --- the kernel, jit ranges, anonymous memory ---

insmod "$op_progs/$OP_KVER/opburn.ko" || op_bail "no opburn.ko"
spin()
{
	echo 30000000 >/sys/module/opburn/parameters/burn
}
echo opburn.ko >"$op/mark"
op_start 1999
op_gather 50 opburn.ko -- spin
run
op_stop
is "$(images)" opburn.ko "a kernel module"
op_conserved "the law"
text=$(cat /sys/module/opburn/sections/.text)
printf 'add_mapping marked %s 0x%x\n' "$text" $((text + 4096)) >"$op/jit_maps"
echo "unmark opburn.ko" >"$op/mark"
echo jit:marked >"$op/mark"
op_start 1999
op_gather 50 jit:marked -- spin
run
op_stop
is "$(images)" jit:marked "a JIT range"
echo "remove_mapping marked" >"$op/jit_maps"
echo "unmark jit:marked" >"$op/mark"
rmmod opburn
echo vmlinux >"$op/mark"
op_start 1999
run
op_stop
is "$(images)" vmlinux "the kernel"

# --- a file of an overlay, whose inode's number says too little ---

mkdir "$op_tmp"/{up,work,over}
mount -t overlay -o "lowerdir=$dir,upperdir=$op_tmp/up,workdir=$op_tmp/work" \
	nodev "$op_tmp/over"
echo "unmark vmlinux" >"$op/mark"
echo "$op_tmp/over/a" >"$op/mark"
op_start 1999
op_gather 50 "$(op_name "$op_tmp/over/a")" -- "$op_tmp/over/a" 2000000
result $? "a file of an overlay"
"$op_tmp/over/b" 2000000
op_stop
is "$(images)" "$(op_name "$op_tmp/over/a")" "and no other one of it"
echo "unmark $op_tmp/over/a" >"$op/mark"
echo vmlinux >"$op/mark"

# --- while it runs, and at the end ---

op_start 1999
for ((i = 0; i < 30; i++)); do
	echo "$dir/a" >"$op/mark"
	"$dir/a" 20000 >/dev/null
	echo "unmark vmlinux" >"$op/mark"
	"$dir/b" 20000 >/dev/null
	echo vmlinux >"$op/mark"
	echo "unmark $dir/a" >"$op/mark"
done
op_stop
op_conserved "marks that change all the time: the law"

exec 4<>"$op/dcookies"
echo 1 >&4
is "$(cat <&4)" "1 vmlinux" "dcookies: one of them"
echo 2 >&4
is "$(cat <&4)" "2 anon" "another one"
ok "none of this number" sh -c "! echo 999999 2>/dev/null >&4"
exec 4>&-
umount "$op" && rmmod oprofile
result $? "unload with marks set"
finish
