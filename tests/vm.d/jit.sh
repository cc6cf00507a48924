#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 400
#
# What jit_maps says about ranges of code is what becomes of their samples: to
# the byte, from the write on, in this process and in no other.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

hz=1999
plan 82

hex()
{
	printf '%#x\n' $(($1))
}

add()
{
	echo "add_mapping $*" >"$op/jit_maps"
}

remove()
{
	echo "remove_mapping $*" >"$op/jit_maps"
}

# sampled N IMAGE... -- COMMAND...: begin anew, gather, and stop
sampled()
{
	op_start $hz
	op_gather "$@"
	result $? "samples in $2"
	op_stop
	while [ "$1" != -- ]; do
		shift
	done
	shift
	command=("$@")
}

# only NAME LO HI WHAT: NAME's samples are all in [LO, HI), and there are some
only()
{
	local n inside

	n=$(op_samples "$1")
	inside=$(op_count_between "$1" "$2" "$3")
	[ "$n" -gt 0 ] && [ "$n" = "$inside" ]
	result $? "$4 ($inside of $n)"
}

# at NAME OFFSET WHAT: one address has samples. It has few of those that were
# gathered, on a slow machine maybe none: then what ran before does so again.
at()
{
	local i

	for ((i = 0; i < 20; i++)); do
		[ "$(op_count_between "$1" "$2" $(($2 + 1)))" = 0 ] || break
		echo 1 >"$op/enable"
		"${command[@]}"
		op_stop
	done
	[ "$(op_count_between "$1" "$2" $(($2 + 1)))" -gt 0 ]
	result $? "$3"
}

# --- one process, three pages ---

op_jitter_start p anon:3
pid=${jitter_pid[p]}
s=${jitter_start[p.0]}
e=${jitter_end[p.0]}

sampled 100 anon -- op_jitter p run 200 0
only anon "$s" "$e" "unnamed code is anon, at its address"
at anon "$s" "its first byte"
at anon $((e - 1)) "its last byte"
is "$(echo "$op"/images/jit:*)" "$op/images/jit:*" "and no range is made up"

add whole "$s" "$e" pid="$pid"
sampled 100 jit:whole -- op_jitter p run 200 0
only jit:whole 0 0x3000 "named code is in its range, from the range's start"
at jit:whole 0 "its first byte"
at jit:whole 0x2fff "its last byte"
is "$(op_samples anon)" 0 "and nothing of it is anon"
is "$(cat "$op/images/jit:whole/start")" "$s" "the start file says where that is"

# The latest wins, and it may be a part.
add part "$(hex $((s + 0x1000)))" "$(hex $((s + 0x2000)))" pid="$pid"
sampled 150 jit:whole jit:part -- op_jitter p run 200 0
only jit:part 0 0x1000 "a later range on a part of the first"
at jit:part 0 "its first byte"
at jit:part 0xfff "its last byte"
is "$(op_count_between jit:whole 0x1000 0x2000)" 0 "none of it is the first one's"
at jit:whole 0xfff "the byte before is"
at jit:whole 0x2000 "the byte behind it is"

remove part pid="$pid"
sampled 150 jit:whole -- op_jitter p run 200 0
at jit:whole 0x1000 "with the later one gone, the first one is seen again"
is "$(op_samples jit:part)" 0 "and the later one gets nothing more"

# To the byte: all but the last one.
add short "$s" "$(hex $((s + 0xfff)))" pid="$pid"
remove whole pid="$pid"
sampled 150 jit:short anon -- op_jitter p run 200 0
only jit:short 0 0xfff "a range that ends before a piece of code"
at anon $((s + 0xfff)) "the byte at its end is not its own"
is "$(op_count_between anon "$s" $((s + 0xfff)))" 0 "none of its own is anon"
# And all but the first one.
remove short pid="$pid"
add late "$(hex $((s + 1)))" "$(hex $((s + 0x1000)))" pid="$pid"
sampled 150 jit:late anon -- op_jitter p run 200 0
at anon "$s" "a range that begins one byte late leaves the first byte"
at jit:late 0xffe "and has its last one"

# The same name again: it has moved.
add late "$(hex $((s + 0x2000)))" "$e" pid="$pid"
sampled 150 jit:late anon -- op_jitter p run 200 0
only jit:late 0 0x1000 "a name that is added again has moved"
is "$(op_count_between anon $((s + 0x2000)) "$e")" 0 "there it has all"
at anon $((s + 0x1000 - 1)) "and nothing where it was"

# Named in the middle of sampling.
remove late pid="$pid"
op_start $hz
op_gather 100 anon -- op_jitter p run 100 0
before=$(op_samples anon)
add now "$s" "$e" pid="$pid"
op_gather 100 jit:now -- op_jitter p run 100 0
result $? "a range counts from its write on"
op_stop
is "$(op_samples anon)" "$before" "and what was before is left as it is"
op_conserved "ranges that come and go: the law"

# --- split by mprotect ---

op_jitter_start split rwx:3
op_jitter split protect 0 1 rx
result $? "a region whose middle page is protected in another way"
is "$(grep -c "^${jitter_start[split.0]#0x}-\|-${jitter_end[split.0]#0x} " \
	"/proc/${jitter_pid[split]}/maps")" 2 "it is three mappings"
add split "${jitter_start[split.0]}" "${jitter_end[split.0]}" \
	pid="${jitter_pid[split]}"
sampled 100 jit:split -- op_jitter split run 200 0
only jit:split 0 0x3000 "it is one image"
for page in 0 0x1000 0x2000; do
	at jit:split $page "with page $page"
done
is "$(op_samples anon)" 0 "nothing of it is anon"
op_jitter_stop split

# --- the same addresses in two processes ---

op_jitter_start a --at 0x200000000 anon:1
op_jitter_start b --at 0x200000000 anon:1
add same 0x200000000 0x200001000 pid="${jitter_pid[a]}"
sampled 100 anon -- op_jitter b run 200 0
is "$(op_samples jit:same)" 0 "a range is of its own process only"
add other 0x200000000 0x200001000 pid="${jitter_pid[b]}"
sampled 100 jit:same -- op_jitter a run 200 0
sampled 100 jit:other -- op_jitter b run 200 0
is "$(op_samples jit:same)" 0 "two processes, two ranges at the same address"
# And of the same name.
remove other pid="${jitter_pid[b]}"
add same 0x200000000 0x200001000 pid="${jitter_pid[b]}"
op_start $hz
op_gather 100 jit:same 'jit:same~2' -- op_jitter a run 200 0
op_gather 250 jit:same 'jit:same~2' -- op_jitter b run 300 0
op_stop
[ "$(op_samples jit:same)" -gt 0 ] && [ "$(op_samples 'jit:same~2')" -gt 0 ]
result $? "two ranges of the same name are two images"
op_jitter_stop a
gone=$(grep -c "pid=" "$op/jit_maps")
op_jitter_stop b
op_jitter_stop p
is "$gone $(grep -c "pid=" "$op/jit_maps")" "2 0" "a process takes its ranges with it"

# --- memory of other kinds ---

echo 4 >/proc/sys/vm/nr_hugepages
file=/tmp/jit-code
op_jitter_start k shared:1 memfd=code:1 sysv:1 "file=$file@0:1"
kinds=(shared memfd sysv file)
for i in 0 1 2 3; do
	add "${kinds[i]}" "${jitter_start[k.$i]}" "${jitter_end[k.$i]}" \
		pid="${jitter_pid[k]}"
done
for i in 0 1 2; do
	sampled 100 "jit:${kinds[i]}" -- op_jitter k run 200 $i
done
sampled 100 "$(op_name $file)" -- op_jitter k run 200 3
is "$(op_samples jit:file)" 0 "but a file keeps its name"
op_jitter_stop k
at=0x300000000
op_jitter_start h --at $at huge:512
result $? "huge pages"
sampled 100 anon -- op_jitter h run 200 0
only anon $at $((at + 0x200000)) "huge pages are anon"
add huge $at "$(hex $((at + 0x200000)))" pid="${jitter_pid[h]}"
sampled 100 jit:huge -- op_jitter h run 200 0
is "$(op_samples anon)" 0 "a range names them"
op_jitter_stop h

# Huge pages of the other kind, which memory gets without asking for a file.
at=0x340000000
op_jitter_start t --at $at thp:512
result $? "transparent huge pages"
[ "$(awk -v "at=${at#0x}-" 'index($0, at) == 1 { mine = 1 }
	mine && $1 == "AnonHugePages:" { print $2; exit }' \
	"/proc/${jitter_pid[t]}/smaps")" = 2048 ]
result $? "it is one, to the kernel"
sampled 100 anon -- op_jitter t run 200 0
only anon $at $((at + 0x200000)) "transparent huge pages are anon"
add thp $at "$(hex $((at + 0x200000)))" pid="${jitter_pid[t]}"
sampled 100 jit:thp -- op_jitter t run 200 0
is "$(op_samples anon)" 0 "a range names them, too"
op_jitter_stop t

# A file's text that its program has moved to such pages.
file=/tmp/jit-moved
at=0x380000000
op_jitter_start v --at $at "moved=$file@0:512"
result $? "text of a file, copied to huge pages and moved to where it was"
add moved $at "$(hex $((at + 0x200000)))" pid="${jitter_pid[v]}"
sampled 100 jit:moved -- op_jitter v run 200 0
is "$(op_samples anon) $(op_samples "$(op_name $file)")" "0 0" "a range names it"
op_jitter_stop v

# --- kernel text ---

burn()
{
	echo 5000000 >/sys/module/opburn/parameters/burn
}

insmod "$op_progs/$OP_KVER/opburn.ko"
declare -A k
while read -r address _ name _; do
	k[$name]=0x$address
done < <(grep -w 'opburn_[abcd]' /proc/kallsyms)
text=$(cat /sys/module/opburn/sections/.text)
sampled 100 opburn.ko -- burn
add kernel "${k[opburn_b]}" "${k[opburn_c]}"
sampled 150 opburn.ko jit:kernel -- burn
only jit:kernel 0 $((k[opburn_c] - k[opburn_b])) "a range of a module's text"
at jit:kernel 0 "its first byte"
is "$(op_count_between opburn.ko $((k[opburn_b] - text)) $((k[opburn_c] - text)))" \
	0 "nothing of it is the module's any more"
at opburn.ko $((k[opburn_a] - text)) "the code before it is"
at opburn.ko $((k[opburn_c] - text)) "the code at its end is"
is "$(cat "$op/images/jit:kernel/start")" "${k[opburn_b]}" "its start"
# One byte more, and the next piece's first byte is its last one.
add kernel "${k[opburn_b]}" "$(hex $((k[opburn_c] + 1)))"
sampled 150 opburn.ko jit:kernel -- burn
at jit:kernel $((k[opburn_c] - k[opburn_b])) "one byte more, and that is its last"
remove kernel
sampled 100 opburn.ko -- burn
is "$(op_samples jit:kernel)" 0 "removed, it gets nothing more"
op_conserved "all this: the law"
rmmod opburn
finish
