#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 600
#
# Which image a sample belongs to: files of every kind and what can happen to
# them, the vdso, and what has no file at all.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

hz=1999
dir=/tmp/images
mkdir -p $dir || op_bail "no folder for files"
modprobe loop
modprobe -q btrfs
with_btrfs=$?
plan $((with_btrfs == 0 ? 72 : 66))

# brief PROGRAM: a burn program, for a short time
brief()
{
	timeout 0.3 "$@" 0
	[ $? = 124 ]
}

# own IMAGE PROGRAM WHAT: the image has samples, all of them of burn-PROGRAM's
# own code. Each burn program has its code at another place.
own()
{
	local n all

	echo 1 >"$op/dump"
	all=$(op_samples "$1")
	n=$(op_func_counts "$1" "$op_progs/burn-$2" |
		awk -v f="burn_$2" '$1 == f { print $2 }')
	# Its few other instructions are rarely met.
	[ "$all" -gt 0 ] && [ $((n * 100)) -ge $((all * 98)) ] &&
		[ -z "$(op_strays "$1" "$op_progs/burn-$2")" ]
	result $? "$3 (${n:-0} of $all)"
}

# names GLOB: the images that there are
names()
{
	local path

	for path in "$op"/images/$1; do
		[ ! -e "$path" ] || echo "${path##*/}"
	done | sort | tr '\n' ' '
}

path_of()
{
	cat "$op/images/$1/path"
}

op_start $hz

# --- files ---

cp "$op_progs/burn-alpha" $dir/plain
op_gather 50 '}tmp}images}plain' -- brief $dir/plain
own '}tmp}images}plain' alpha "a file on a tmpfs"
is "$(cut -d ' ' -f 1-2,4 <"$op/images/}tmp}images}plain/identity")" \
	"$(stat -c 'dev=%Hd:%Ld ino=%i' $dir/plain) mtime=$(stat -c %.9Y $dir/plain)" \
	"its identity is what stat says"
is "$(cat "$op/images/vmlinux/identity")" "" "what is no file has none"

cp "$op_progs/burn-alpha" "$dir/a b#c"
op_gather 50 '}tmp}images}a%20b%23c' -- brief "$dir/a b#c"
own '}tmp}images}a%20b%23c' alpha "a name with odd characters"

# Whatever a name may have: what is not printed as it is comes back whole.
odd=$dir/$'n\nl!b\\s\134t\tx\xff\xc3z'
image=$(op_name "$odd")
cp "$op_progs/burn-gamma" "$odd"
op_gather 50 "$image" -- brief "$odd"
own "$image" gamma "a name that is no text"
is "$(path_of "$image" | perl -pe 's/\\([0-7]{3})/chr(oct($1))/ge')" "$odd" \
	"its path comes back whole"
is "$(grep -c "^$(cat "$op/images/$image/dcookie") " "$op/dcookies")" 1 \
	"and takes one line of dcookies"
is "$(head -n 2 "$op/images/$image/hist" | grep -c '^# ')" 2 "and one of hist"

cp "$op_progs/burn-beta" "$dir/x (deleted)"
op_gather 50 '}tmp}images}x%20%28deleted%29' -- brief "$dir/x (deleted)"
own '}tmp}images}x%20%28deleted%29' beta "a file that is really named so"
is "$(path_of '}tmp}images}x%20%28deleted%29')" "$dir/x (deleted)" "its path"

# One of that name, deleted before it is ever sampled.
cp "$op_progs/burn-gamma" "$dir/y (deleted)"
# shellcheck disable=SC2288 # that is its name
"$dir/y (deleted)" 0 &
pid=$!
rm "$dir/y (deleted)"
op_gather 50 '}tmp}images}y%20%28deleted%29' -- sleep 0.2
kill $pid
wait $pid 2>/dev/null
is "$(path_of '}tmp}images}y%20%28deleted%29')" "$dir/y (deleted)" \
	"one that is deleted as well"

# A container: its own root, where other files have the same paths.
mkdir -p "$dir/root"
mkdir -p "$dir/pod" && cp "$op_progs/burn-alpha" "$dir/pod/prog"
op_gather 50 '}tmp}images}pod}prog' -- brief "$dir/pod/prog"
# shellcheck disable=SC2016 # the inner shell's
unshare -m bash -c '
	mount -t tmpfs nodev "$1/root" &&
		mkdir -p "$1/root/tmp/images/pod" "$1/root/old" &&
		cp "$2" "$1/root/tmp/images/pod/prog" &&
		cd "$1/root" && pivot_root . old && cd / &&
		exec /tmp/images/pod/prog 0' bash "$dir" "$op_progs/burn-beta" &
pid=$!
op_gather 50 '}tmp}images}pod}prog~2' -- sleep 0.2
kill $pid
wait $pid 2>/dev/null
own '}tmp}images}pod}prog~2' beta "a container's file of the same path is another image"
own '}tmp}images}pod}prog' alpha "and the host's is its own"
is "$(path_of '}tmp}images}pod}prog~2')" "/tmp/images/pod/prog" \
	"its path is the one that it has there"

# Gone while it runs.
cp "$op_progs/burn-beta" $dir/going
$dir/going 0 &
pid=$!
op_gather 50 '}tmp}images}going' -- sleep 0.2
rm $dir/going
before=$(op_samples '}tmp}images}going')
op_gather $((before + 50)) '}tmp}images}going' -- sleep 0.2
result $? "a file that is deleted is the image that it was"
kill $pid
wait $pid 2>/dev/null
own '}tmp}images}going' beta "with its own code"

# Gone before its first sample.
cp "$op_progs/burn-gamma" $dir/gone
exec 3<$dir/gone
rm $dir/gone
op_gather 50 '}tmp}images}gone' -- brief /proc/self/fd/3
exec 3<&-
own '}tmp}images}gone' gamma "a file that was deleted before"
is "$(path_of '}tmp}images}gone')" "$dir/gone" "its path"
is "$(names '}tmp}images}go*')" '}tmp}images}going }tmp}images}gone ' \
	"no other image comes of it"

# Replaced while it runs.
cp "$op_progs/burn-alpha" $dir/swap
$dir/swap 0 &
pid=$!
op_gather 50 '}tmp}images}swap' -- sleep 0.2
cp "$op_progs/burn-beta" $dir/swap.new
mv $dir/swap.new $dir/swap
before=$(op_samples '}tmp}images}swap')
op_gather 50 '}tmp}images}swap~2' -- brief $dir/swap
op_gather $((before + 50)) '}tmp}images}swap' -- sleep 0.2
kill $pid
wait $pid 2>/dev/null
own '}tmp}images}swap' alpha "a file that is replaced: the old one"
own '}tmp}images}swap~2' beta "the new one"
is "$(path_of '}tmp}images}swap') $(path_of '}tmp}images}swap~2')" \
	"$dir/swap $dir/swap" "they have one path"
[ "$(cat "$op/images/}tmp}images}swap/dcookie")" != \
	"$(cat "$op/images/}tmp}images}swap~2/dcookie")" ]
result $? "and two dcookies"

# Written anew in place: the same inode, another program.
cp "$op_progs/burn-alpha" $dir/again
op_gather 50 '}tmp}images}again' -- brief $dir/again
sleep 0.1
cat "$op_progs/burn-beta" >$dir/again
op_gather 50 '}tmp}images}again~2' -- brief $dir/again
own '}tmp}images}again' alpha "a file that is rewritten: the old contents"
own '}tmp}images}again~2' beta "the new contents"

# Renamed while it runs.
cp "$op_progs/burn-gamma" $dir/before
$dir/before 0 &
pid=$!
op_gather 50 '}tmp}images}before' -- sleep 0.2
mv $dir/before $dir/after
before=$(op_samples '}tmp}images}before')
op_gather $((before + 50)) '}tmp}images}before' -- sleep 0.2
result $? "a file that is renamed is the image that it was"
kill $pid
wait $pid 2>/dev/null
is "$(names '}tmp}images}after*')" "" "the new name is no other image"

# --- names and numbers at their limits ---

# 255 bytes go in as they are; with a suffix they do not, and the end stays.
long=$(printf '%%20%.0s' {1..80})
name=$(printf ' %.0s' {1..80})end
cp "$op_progs/burn-alpha" "$dir/$name"
op_gather 50 "}tmp}images}${long}end" -- brief "$dir/$name"
own "}tmp}images}${long}end" alpha "a name of 255 bytes"
sleep 0.1
cat "$op_progs/burn-beta" >"$dir/$name"
op_gather 50 "}~${long#%20}end~2" -- brief "$dir/$name"
own "}~${long#%20}end~2" beta "its double keeps the end, and whole codes"
sleep 0.1
cat "$op_progs/burn-gamma" >"$dir/$name"
op_gather 50 "}~${long#%20}end~3" -- brief "$dir/$name"
own "}~${long#%20}end~3" gamma "so does the third"
is "$(path_of "}~${long#%20}end~3")" "$dir/$name" "its path is whole"

# Times that differ in the upper half only.
moment()
{
	timeout 0.1 "$@" 0
	[ $? = 124 ]
}
cp "$op_progs/burn-alpha" $dir/times
for ((i = 1; i <= 40; i++)); do
	ns=$((1000000000000000000 + (i << 32)))
	touch -d "@${ns:0:10}.${ns:10}" $dir/times
	name="}tmp}images}times~$i"
	op_gather 1 "${name%~1}" -- moment $dir/times
done
is "$(names '}tmp}images}times*' | wc -w)" 40 "40 times of one file: 40 images"
is "$(op_stat lost_no_memory)" 0 "for which there is memory"

# --- what hides behind a path ---

mkdir $dir/lower $dir/upper $dir/work $dir/merged
cp "$op_progs/burn-alpha" $dir/lower/prog
op_jitter_start w "file=$dir/lower/lib@0:1"
op_jitter_stop w
mount -t overlay -o "lowerdir=$dir/lower,upperdir=$dir/upper,workdir=$dir/work" \
	overlay $dir/merged || diag "no overlay"
op_gather 50 '}tmp}images}merged}prog' -- brief $dir/merged/prog
own '}tmp}images}merged}prog' alpha "overlayfs: the path that its user sees"
is "$(names '}tmp}images}lower*')" "" "and not the one below"

# Copied up while it runs, with the same contents.
$dir/merged/prog 0 &
pid=$!
op_gather 50 '}tmp}images}merged}prog' -- sleep 0.2
chmod 700 $dir/merged/prog
[ -e $dir/upper/prog ]
result $? "a file of the lower layer is copied up"
before=$(op_samples '}tmp}images}merged}prog')
op_gather $((before + 50)) '}tmp}images}merged}prog' -- sleep 0.2
result $? "one that is copied up while it runs is the image that it was"
kill $pid
wait $pid 2>/dev/null
before=$(op_samples '}tmp}images}merged}prog')
op_gather $((before + 50)) '}tmp}images}merged}prog' -- brief $dir/merged/prog
own '}tmp}images}merged}prog' alpha "and so is the copy"
is "$(names '}tmp}images}merged*')" '}tmp}images}merged}prog ' "it is one image"

# Written over while it is mapped (a program could not be): what is mapped is
# what is below.
op_jitter_start old "ro=$dir/merged/lib@0:1"
op_gather 50 '}tmp}images}merged}lib' -- op_jitter old run 200 0
cat $dir/lower/lib $dir/lower/lib >$dir/merged/lib
before=$(op_samples '}tmp}images}merged}lib')
op_gather $((before + 50)) '}tmp}images}merged}lib' -- op_jitter old run 200 0
result $? "a library that is written over while it is mapped is the image that it was"
is "$(names '}tmp}images}merged}lib*')" '}tmp}images}merged}lib ' "and no other one"
op_jitter_start new "ro=$dir/merged/lib@0x1000:1"
before=$(op_samples '}tmp}images}merged}lib')
op_gather 50 '}tmp}images}merged}lib~2' -- op_jitter new run 200 0
result $? "the new contents are another image"
is "$(op_samples '}tmp}images}merged}lib')" "$before" "and the old one gets nothing of it"
op_jitter_stop old
op_jitter_stop new
umount $dir/merged

# btrfs: two subvolumes have files of the same number.
subvolumes()
{
	truncate -s 128M $dir/disk
	mkfs.btrfs -q $dir/disk && mkdir $dir/btrfs && mount -o loop $dir/disk $dir/btrfs &&
		btrfs -q subvolume create $dir/btrfs/one &&
		cp "$op_progs/burn-beta" $dir/btrfs/one/prog &&
		btrfs -q subvolume snapshot $dir/btrfs/one $dir/btrfs/two
	result $? "a btrfs with a subvolume and a snapshot of it"
	is "$(stat -c %i $dir/btrfs/two/prog)" "$(stat -c %i $dir/btrfs/one/prog)" \
		"in which two files have the same inode number"
	op_gather 50 '}tmp}images}btrfs}one}prog' -- brief $dir/btrfs/one/prog
	op_gather 50 '}tmp}images}btrfs}two}prog' -- brief $dir/btrfs/two/prog
	own '}tmp}images}btrfs}one}prog' beta "btrfs: the path that its user sees"
	own '}tmp}images}btrfs}two}prog' beta "and a snapshot's file is another image"
	is "$(names '}tmp}images}btrfs*' | wc -w)" 2 "each is one image"
	is "$(cut -d ' ' -f 1-2 <"$op/images/}tmp}images}btrfs}two}prog/identity")" \
		"$(stat -c 'dev=%Hd:%Ld ino=%i' $dir/btrfs/two/prog)" "by what stat says of it"
	echo 1 >"$op/dump"
	ok "and can be unmounted" umount $dir/btrfs
}
if [ $with_btrfs = 0 ]; then
	subvolumes
else
	skip "two subvolumes" "this kernel has no btrfs"
fi

# Two mount namespaces, one path.
mkdir $dir/ns
cp "$op_progs/burn-alpha" $dir/ns/prog
op_gather 50 '}tmp}images}ns}prog' -- brief $dir/ns/prog
in_namespace()
{
	unshare -m bash -c "mount -t tmpfs none $dir/ns &&
		cp $op_progs/burn-beta $dir/ns/prog &&
		timeout 0.5 $dir/ns/prog 0; :"
}
op_gather 50 '}tmp}images}ns}prog~2' -- in_namespace
own '}tmp}images}ns}prog' alpha "the same path in two mount namespaces: here"
own '}tmp}images}ns}prog~2' beta "and there"

# What has been profiled can be unmounted after the next sync: at once, if that
# is asked for, and by itself after sync_ms, or when a busy host gets there.
mkdir $dir/mnt
# gone TRIES: is it unmounted within as many tries, 10 ms apart?
gone()
{
	local i

	for ((i = 0; i < $1; i++)); do
		! umount $dir/mnt 2>/dev/null || return 0
		sleep 0.01
	done
	umount -l $dir/mnt
	return 1
}
at_once=0
alone=0
for _ in {1..10}; do
	mount -t tmpfs none $dir/mnt
	cp "$op_progs/burn-gamma" $dir/mnt/prog
	brief $dir/mnt/prog
	echo 1 >"$op/dump"
	gone 1 || at_once=$((at_once + 1))
	mount -t tmpfs none $dir/mnt
	cp "$op_progs/burn-gamma" $dir/mnt/prog
	brief $dir/mnt/prog
	gone 300 || alone=$((alone + 1))
done
is $at_once 0 "after a dump no file system is busy because its programs were sampled"
is $alone 0 "nor is it after sync_ms"
own '}tmp}images}mnt}prog' gamma "what was sampled is there"

# --- no usual file ---

op_jitter_start m memfd=code:1 sysv:1 "file=/dev/shm/code@0:1"
op_gather 50 '}memfd:code' -- op_jitter m run 200 0
only()
{
	local n inside

	n=$(op_samples "$1")
	inside=$(op_count_between "$1" "$2" "$3")
	[ "$n" -gt 0 ] && [ "$n" = "$inside" ]
	result $? "$4 ($inside of $n)"
}
only '}memfd:code' 0 0x1000 "a memfd is an image"
is "$(path_of '}memfd:code')" "/memfd:code" "its path"
op_gather 50 '}SYSV00000000' -- op_jitter m run 200 1
only '}SYSV00000000' 0 0x1000 "System V shared memory is an image"
op_gather 50 '}dev}shm}code' -- op_jitter m run 200 2
only '}dev}shm}code' 0 0x1000 "a file in /dev/shm is an image"
op_jitter_stop m

# --- offsets ---

# Neighbours: a file's page, anonymous memory, another file's page, from the
# first to the last byte.
op_jitter_start e "file=$dir/one@0:1" anon:1 "file=$dir/two@0x7000:1"
op_gather 150 '}tmp}images}one' '}tmp}images}two' anon -- op_jitter e run 300 0 1 2
ends()
{
	[ "$(op_count_between "$1" "$2" $(($2 + 1)))" -gt 0 ] &&
		[ "$(op_count_between "$1" $(($2 + 0xfff)) $(($2 + 0x1000)))" -gt 0 ]
	result $? "$3"
}
only '}tmp}images}one' 0 0x1000 "a mapping of one page has nothing else"
ends '}tmp}images}one' 0 "but its first and its last byte"
only '}tmp}images}two' 0x7000 0x8000 "a mapping from the middle of a file"
ends '}tmp}images}two' 0x7000 "its first and its last byte"
only anon "${jitter_start[e.1]}" "${jitter_end[e.1]}" "what is between them"
ends anon "${jitter_start[e.1]}" "its first and its last byte"
op_jitter_stop e

# Beyond 4 GiB, where 32 bits end, and beyond 16 TiB, where 32 bits of pages do.
for offset in 0x100003000 0x140000001000 0x7fffff000000; do
	file=$dir/high$offset
	op_jitter_start h "file=$file@$offset:1"
	op_gather 50 "$(op_name "$file")" -- op_jitter h run 200 0
	only "$(op_name "$file")" $offset $((offset + 0x1000)) "file offset $offset"
	op_jitter_stop h
done

# --- the vdso ---

"$op_progs/vdsoloop" 1 $dir/vdso.elf
op_gather 100 vdso -- "$op_progs/vdsoloop" 300
n=$(op_samples vdso)
clock=$(op_func_counts vdso $dir/vdso.elf |
	awk '/clock_gettime/ { n += $2 } END { print n + 0 }')
# The short function that it calls has no symbol.
[ $((clock * 100)) -gt $((n * 70)) ]
result $? "the vdso's samples are in clock_gettime ($clock of $n)"
is "$(op_strays vdso $dir/vdso.elf)" "" "where an instruction of it begins"

is "$(op_user_unknown)" 0 "nothing of all this is unknown"
op_stop
op_conserved "all this: the law"
finish
