#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 600
#
# The record stream: what is read is what happened, and what happened is read.

# shellcheck disable=SC2317 # functions that ok calls
set -u
shopt -s extglob
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/stream.sh
. tests/lib/stream.sh

ko=$op_progs/$OP_KVER/opburn.ko
s=$op_tmp/stream
n=1000
plan 57

text()
{
	stream_text "$s"
}

# lines PATTERN: how many lines of the stream's text match
lines()
{
	text | grep -cE "$1"
}

# --- open, read, wait ---

exec 3<"$op/buffer"
head -c 1 <&3 >/dev/null 2>&1
is $? 1 "no room for even the first record: an error"
dd bs=1024 count=1 <&3 >"$op_tmp/one" 2>/dev/null
is "$("$op_progs/opstream" text <"$op_tmp/one" | head -n 1 | cut -d ' ' -f 1-5)" \
	"header $(cat "$op/version") $(cat "$op/cpu_type") cpus 2" \
	"the first record is the header"
[ "$(stat -c %s "$op_tmp/one")" -gt 700 ]
result $? "a read gives as many whole records as go in"
exec 3<&-
perl -e '
	use Fcntl;
	use IO::Poll;
	sysopen(my $f, $ARGV[0], O_RDONLY | O_NONBLOCK) or die "open: $!";
	my ($text, $n) = ("", 0);
	while (defined(my $got = sysread($f, $text, 65536))) { $n += $got }
	print($!{EAGAIN} ? "again" : "$!", " ");
	my $poll = IO::Poll->new;
	$poll->mask($f => IO::Poll::POLLIN);
	print($poll->poll(0.3), " ");
	open(my $e, ">", "$ARGV[1]/enable") or die; syswrite($e, "1");
	print($poll->poll(20), " ");
	syswrite($e, "0");
	print(defined(sysread($f, $text, 65536)) ? "read" : "$!", " ");
	print(defined(sysseek($f, 0, 0)) ? "seek" : "$!", "\n");
' "$op/buffer" "$op" >"$op_tmp/poll"
is "$(cat "$op_tmp/poll")" "again 0 1 read Illegal seek" \
	"O_NONBLOCK, poll and lseek"
cat "$op/buffer" >/dev/null &
pid=$!
sleep 0.5
kill -INT $pid 2>/dev/null
kill $pid
wait $pid 2>/dev/null
is $? 143 "who waits for records can be killed"
for text in 'mops' 'maps maps' ''; do
	printf '%s' "$text" >"$op_tmp/text"
	dd if="$op_tmp/text" of="$op/buffer" conv=notrunc status=none 2>"$op_tmp/err"
	[ -n "$text" ] || { result 0 "asked for: nothing"; continue; }
	grep -q 'Invalid argument' "$op_tmp/err"
	result $? "asked for '$text': EINVAL"
done

# --- what there was before ---

insmod "$ko" || op_bail "no $ko"
"$op_progs/burn-gamma" 1000000000000 &
burn=$!
sleep 0.5
stream_start "$s"
stream_stop
text=$(cat /sys/module/opburn/sections/.text)
is "$(text | awk '$1 == "module" && $2 == "state" && $3 == "opburn" && $4 == ".text" { print $5 }')" \
	"$text" "a module that is there, and where its text is"
is "$(text | awk '$1 == "module" && $3 == "opburn" && $4 ~ /^.init/' | wc -l)" 0 \
	"its init sections have gone"
is "$(text | awk '$1 == "module" && $2 == "state" && $4 == ".text" { print $3 }' | sort | xargs)" \
	"$(cut -d ' ' -f 1 /proc/modules | sort | xargs)" \
	"all of the modules that are there"
is "$(lines '^map')" 0 "no mappings: nobody asked"
exec 3<>"$op/buffer"
echo maps >&3
timeout 3 cat <&3 >"$s"
exec 3>&-
address=$(awk '$2 ~ /x/ && $6 ~ /burn-gamma/ { sub("-.*", "", $1); print $1 }' /proc/$burn/maps)
is "$(text | awk -v "t=$burn/$burn" '$1 == "map" && $2 == "state" && $4 == t && $7 == "0x'"${address##+(0)}"'" { print $6 }')" \
	"$(text | awk '$1 == "name" && $NF ~ "burn-gamma$" { print $3; exit }')" \
	"when asked, the mappings of what runs, and of what they are"
text >"$op_tmp/text"
missing=0
for maps in /proc/[0-9]*/maps; do
	pid=${maps//[!0-9]/}
	while read -r range _; do
		address=${range%-*}
		grep -q "^map state task $pid/$pid .* 0x${address##+(0)} " "$op_tmp/text" ||
			{ missing=$((missing + 1)); diag "$pid $range"; }
	done < <(awk '$2 ~ /x/ && $6 ~ /^\// { print }' "$maps" 2>/dev/null)
done
# (Those of the shell's own helpers of this very moment.)
[ $missing -le 4 ]
result $? "of all processes, but for those that came meanwhile"
kill $burn
wait $burn 2>/dev/null
rmmod opburn

# --- a thousand of each ---

stream_start "$s"
op_start 97
snap()
{
	for name in forks execs exits maps unmaps module_loads module_unloads; do
		cat "$op/stats/$name"
	done | xargs
}
"$op_progs/forkstorm" 1 100000 $n "$op_progs/burn-beta" 1 >/dev/null
before=$(snap)
"$op_progs/mapexec" "$op_progs/libshares.so" $n >"$op_tmp/mapped"
after=$(snap)
is "$(($(cut -d ' ' -f 5 <<<"$after") - $(cut -d ' ' -f 5 <<<"$before")))" $((3 * n)) \
	"$((3 * n)) executable mappings of a file that went away are as many unmaps"
"$op_progs/modstorm" "$ko" opburn $n
is "$(cut -d ' ' -f 6-7 <<<"$(snap)")" "$n $n" "$n module loads and unloads"
op_stop
stream_stop
is "$(stream_count "$s" lost)" 0 "no record was lost"
is "$(op_stat notifications_lost)" 0 "nor any notification"
for name in fork exec exit map unmap; do
	is "$(stream_count "$s" $name)" "$(op_stat ${name}s)" \
		"there is a record for each $name ($(op_stat ${name}s))"
done
is "$(lines '^module opburn \.text ')" $n "$n records of a module's text"
is "$(lines '^module_gone opburn \.text ')" $n "$n that it has gone"
is "$(lines '^module opburn \.init\.text ')" $n "$n of its init text"
is "$(lines '^module_gone opburn \.init\.text ')" $n "$n that it has gone"
ok "replay: the stream's histograms are the histograms" stream_replays "$s"
op_conserved "the law"
# (In the order of their times, which is not that of the stream.)
text >"$op_tmp/text"
awk -v beta="$(awk '$1 == "name" && $NF ~ /burn-beta$/ { print ($2 == "state" ? $3 : $2); exit }' "$op_tmp/text")" '
	$1 == "fork" { born[$3]++ }
	$1 == "exec" && $5 == beta { ran[$3]++ }
	$1 == "exit" { ended[$2 == "last" ? $4 : $3]++ }
	END {
		for (task in ran) {
			execs += ran[task]
			if (born[task] == 1 && ran[task] == 1 && ended[task] == 1)
				good++
		}
		print execs, good
	}' "$op_tmp/text" >"$op_tmp/tasks"
# (A task that changes its CPU in the midst of an exec may be said out of order.)
early=$(awk '$1 == "exec" { ran[$3] = 1 }
	$1 == "map" && $2 == "task" && !($3 in ran) && $7 == "0x401000" { n++ }
	END { print n + 0 }' "$op_tmp/text")
is "$(cat "$op_tmp/tasks")" "$n $n" \
	"$n programs, each born once, run once, ended once"
[ "$early" -le $((n / 50)) ]
result $? "an exec is said before what it maps ($early of $n not)"

# --- what becomes executable later, threads, kernel text ---

stream_start "$s"
op_start 97
"$op_progs/mapexec" --protect 10 >"$op_tmp/protected"
"$op_progs/mapexec" --thread 7 &
threads=$!
wait $threads
op_stop
stream_stop
read -r pid address <"$op_tmp/protected"
is "$(lines "^map task $pid/$pid cookie 2 $address ")" 10 \
	"memory that becomes executable by mprotect: a map, of anon"
is "$(lines "^fork thread task $threads/")" 7 "threads are forks of their process"
# (The last of them may be on its way out when its process ends.)
is "$(lines "^exit (last )?task $threads/")" 8 "each of them ends, and their process"
[ "$(lines "^exit task $threads/")" -ge 6 ] && [ "$(lines "^exit last task $threads/")" -ge 1 ]
result $? "and their exits are not their process's"

stream_start "$s"
op_start 97
"$op_progs/mapexec" --bpf 20
# It goes when nobody can be running it any more.
all_gone()
{
	[ "$(op_stat ksyms_gone)" -ge 20 ]
}
op_soon all_gone
op_stop
stream_stop
is "$(lines '^ksym bpf_prog_')" 20 "20 BPF programs that come"
is "$(lines '^ksym_gone bpf_prog_')" 20 "and go"
is "$(stream_count "$s" ksym)" "$(op_stat ksyms)" \
	"there is a record for each ksym ($(op_stat ksyms))"
is "$(stream_count "$s" ksym_gone)" "$(op_stat ksyms_gone)" \
	"and for each that goes"

# --- hooks ---

is "$(awk '{ print $1, $3 }' "$op/stats/hooks" | xargs)" \
	"fork off exec off exit off map off unmap off ksym off" \
	"with sampling off there are no hooks"
echo 1 >"$op/enable"
is "$(awk '{ print $1, $3 }' "$op/stats/hooks" | xargs)" \
	"fork on exec on exit on map on unmap on ksym on" \
	"with sampling on all are there"
echo 0 >"$op/enable"

# --- slow readers ---

echo 4096 >"$op/buffer_watershed"
echo 4096 >"$op/buffer_size"
op_start 1999
exec 3<"$op/buffer" 4<"$op/buffer"
dd bs=65536 count=1 <&3 >"$s" 2>/dev/null
# By number, not by time: a slow machine too must fill the buffer.
"$op_progs/forkstorm" 2 0 600 "$op_progs/burn-beta" 1000 >/dev/null
op_stop
forks=$(op_stat forks)
timeout 5 cat <&3 >>"$s"
timeout 5 cat <&4 >"$s.4"
exec 3<&- 4<&-
lost=$(text | awk '$1 == "lost" && $2 == "records" { n += $3 } END { print n + 0 }')
[ "$lost" -gt 0 ]
result $? "a slow reader loses records and is told ($lost)"
got=$("$op_progs/opstream" count <"$s" |
	awk '$1 ~ /^(fork|exec|exit|map|unmap|sample|time)$/ { n += $2 } END { print n }')
diag "got $got of them; $forks forks"
ok "what it gets makes sense" "$op_progs/opstream" check <"$s"
ok "so it does for another slow reader" "$op_progs/opstream" check <"$s.4"
op_conserved "and not a sample was lost for that"
# A fast one at the same time gets all.
stream_start "$op_tmp/fast"
exec 3<"$op/buffer"
dd bs=65536 count=1 <&3 >"$s" 2>/dev/null
echo 1 >"$op/reset"
echo 1 >"$op/enable"
"$op_progs/forkstorm" 1 0 400 "$op_progs/burn-beta" 1000 >/dev/null
op_stop
stream_stop
timeout 5 cat <&3 >>"$s"
exec 3<&-
is "$(stream_count "$op_tmp/fast" lost)" 0 "a fast reader beside it loses none"
ok "and replays" stream_replays "$op_tmp/fast"
# All records of the fast one's, after the reset, are the slow one's got or lost.
all=$("$op_progs/opstream" text <"$op_tmp/fast" |
	awk '!/ state |^header|^counter/ { n++ } END { print n }')
mine=$(text | awk '$1 == "lost" && $2 == "records" { n += $3; skip = 3 }
	skip && /^(cpu|task|cookie) / { skip--; next }
	!/ state |^header|^counter|^lost records/ { n++; skip = 0 } END { print n }')
diag "fast $all, slow $mine"
[ $((all - mine)) -le 8 ] && [ $((mine - all)) -le 8 ]
result $? "what a slow one got and lost is what there was ($mine of $all)"

# --- sizes, resets, unload ---

exec 3<"$op/buffer"
echo 8192 >"$op/buffer_size"
echo 1 >"$op/enable"
"$op_progs/forkstorm" 1 100 0 "$op_progs/burn-beta" 1000 >/dev/null
op_stop
timeout 3 cat <&3 >"$s"
ok "the buffer's size changed under a reader" "$op_progs/opstream" check <"$s"
umount "$op" 2>/dev/null
is $? 32 "while it is open the file system is busy"
exec 3<&-
stream_start "$s"
op_start 1999
"$op_progs/burn-beta" 1000000
echo 1 >"$op/reset"
"$op_progs/burn-beta" 1000000
op_stop
stream_stop
ok "replay over a reset" stream_replays "$s"
echo 64 >"$op/cpu_buffer_size"
echo 2000 >"$op/sync_ms"
stream_start "$s"
op_start 4999
"$op_progs/forkstorm" 2 500 0 "$op_progs/burn-beta" 1000 >/dev/null
op_stop
stream_stop
op_conserved "tiny buffers: the law"
is "$(text | awk '$1 == "lost" && $2 == "cpu_buffer" { n += $3 } END { print n + 0 }')" \
	"$(op_stat lost_cpu_buffer)" \
	"samples that had no room are in the stream as lost ($(op_stat lost_cpu_buffer))"
is "$(text | awk '$1 == "lost" && $2 == "notifications" { n += $3 } END { print n + 0 }')" \
	"$(op_stat notifications_lost)" \
	"so are notifications ($(op_stat notifications_lost))"
is "$(($(stream_count "$s" fork) + $(stream_count "$s" exec) + $(stream_count "$s" exit) + $(stream_count "$s" map) + $(stream_count "$s" unmap) + $(stream_count "$s" ksym) + $(stream_count "$s" ksym_gone) + $(op_stat notifications_lost)))" \
	"$(($(op_stat forks) + $(op_stat execs) + $(op_stat exits) + $(op_stat maps) + $(op_stat unmaps) + $(op_stat ksyms) + $(op_stat ksyms_gone)))" \
	"each is in the stream or was lost"
ok "replay: what was not lost" stream_replays "$s"
umount "$op" && rmmod oprofile
result $? "unload"
finish
