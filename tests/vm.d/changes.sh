#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 900
#
# The file changes says what is new since a generation: put onto what there was
# at an earlier look, it gives the histograms of now, to the last count. So does
# optop, which keeps its pictures up to date that way.

# shellcheck disable=SC2016,SC2317 # perl's variables; functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

optop=$PWD/build/optop/optop
[ -x "$optop" ] || op_bail "no $optop: make optop"
plan 41

# ask GENERATION: what changes answers, in $op_tmp/changes
ask()
{
	exec {file}<>"$op/changes" || return
	echo "$1" >&"$file" || return
	cat <&"$file" >"$op_tmp/changes"
	exec {file}>&-
}

# head_of NAME: a line of its head
head_of()
{
	sed -n "s/^# $1: //p" "$op_tmp/changes"
}

# "DCOOKIE OFFSET COLUMN COUNT" of all bins, from the histograms
all_bins()
{
	cat "$op"/images/*/hist | awk '
		$2 == "dcookie:" { cookie = $3 }
		/^0x/ { for (i = 2; i <= NF; i++)
			if ($i) print cookie, $1, i - 2, $i }' | LC_ALL=C sort
}

# The same of what changes listed.
changed_bins()
{
	awk '$1 == "image" { cookie = $2 }
		/^0x/ { print cookie, $1, $3 + 0, $2 }' "$op_tmp/changes" |
		LC_ALL=C sort
}

# put_on: the bins of standard input with those in $op_tmp/changes put onto them
put_on()
{
	{
		cat
		changed_bins
	} | awk '{ n[$1 " " $2 " " $3] = $4 }
		END { for (k in n) print k, n[k] }' | LC_ALL=C sort
}

# busy SECONDS: programs, for so long
busy()
{
	timeout "$1" "$op_progs/shares-lib" >/dev/null
	sha1sum /bin/bash >/dev/null
	dd if=/dev/zero of=/dev/null bs=64k count=500 status=none
}

pause()
{
	op_stop
	[ "$(op_stat received)" -gt 0 ]
}

# --- what it says ---

echo cpu-clock >"$op/1/event"
echo 499 >"$op/1/freq"
echo 1 >"$op/1/enabled"
op_start 1999
busy 2
ok "some samples" pause
ok "asked from nothing" ask 0
exec 4<>"$op/changes"
for i in 1 2; do
	echo 0 >&4
	cat <&4 >"$op_tmp/again$i"
done
exec 4>&-
is "$(grep -v '^# generation' "$op_tmp/again2")" \
	"$(grep -v '^# generation' "$op_tmp/again1")" "asked twice by one that has it open"
is "$(head_of since)" 0 "that is from the beginning"
is "$(head_of events)" "timer:1999Hz cpu-clock:499Hz" "the columns"
for n in received execs lost_cpu_buffer; do
	is "$(awk -v n=$n '$1 == "stat" && $2 == n { print $3 }' \
		"$op_tmp/changes")" "$(op_stat $n)" "stats/$n"
done
is "$(awk '$1 == "stat" { print $2 }' "$op_tmp/changes" | grep -v / | sort)" \
	"$(cd "$op/stats" && find . -maxdepth 1 -type f ! -name hooks -printf '%f\n' | sort)" \
	"every file of stats"
is "$(awk '$2 ~ /^cpu[0-9]+\/received$/ { n += $3 } END { print n }' \
	"$op_tmp/changes")" "$(op_stat received)" "the CPUs"
is "$(awk '$1 == "image" { print $2, $3, $4 }' "$op_tmp/changes" | sort)" \
	"$(for i in "$op"/images/*; do
		echo "$(cat "$i/dcookie") $(cat "$i/samples") hist"
	done | sort)" "all images, whose histograms are to be read"
is "$(grep -c '^0x' "$op_tmp/changes")" 0 "and no bins"

first=$(head_of generation)
ok "asked again" ask "$first"
is "$(head_of since)" "$first" "from then on"
is "$(grep -cE '^(image|0x)' "$op_tmp/changes")" 0 "nothing is new"
[ "$(head_of generation)" -gt "$first" ]
result $? "a new generation"

all_bins >"$op_tmp/before"
echo 1 >"$op/enable"
busy 2
op_stop
all_bins >"$op_tmp/now"
ok "what came since then" ask "$first"
[ "$(changed_bins | wc -l)" -gt 20 ]
result $? "is new" || diag "$(cat "$op_tmp/changes")"
put_on <"$op_tmp/before" >"$op_tmp/put"
ok "put onto what there was, it is what there is" \
	diff "$op_tmp/put" "$op_tmp/now"
# By lines that are cut anywhere.
exec {file}<>"$op/changes"
echo "$first" >&"$file"
dd bs=11 status=none <&"$file" >"$op_tmp/pieces"
exec {file}>&-
is "$(grep -E '^(image|0x)' "$op_tmp/pieces")" \
	"$(grep -E '^(image|0x)' "$op_tmp/changes")" "the same by pieces of 11 bytes"
is "$(awk '$1 == "image" { print $2 }' "$op_tmp/changes" | sort -u)" \
	"$(comm -13 "$op_tmp/before" "$op_tmp/now" | cut -d ' ' -f 1 | sort -u)" \
	"no image without news"
is "$(changed_bins)" "$(comm -13 "$op_tmp/before" "$op_tmp/now")" \
	"and no bin"
ok "asked from the first generation once more" ask "$first"
put_on <"$op_tmp/before" >"$op_tmp/put"
ok "it is the same again" diff "$op_tmp/put" "$op_tmp/now"

# Asked while it changes: nothing gets lost between two answers.
generation=$first
cp "$op_tmp/before" "$op_tmp/put"
echo 1 >"$op/enable"
busy 4 &
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	ask "$generation" || break
	generation=$(head_of generation)
	put_on <"$op_tmp/put" >"$op_tmp/more"
	mv "$op_tmp/more" "$op_tmp/put"
done
wait
op_stop
ask "$generation"
put_on <"$op_tmp/put" >"$op_tmp/more"
all_bins >"$op_tmp/now"
ok "a dozen answers while it samples, put together" \
	diff "$op_tmp/more" "$op_tmp/now"
op_conserved "no sample got lost"

# --- what it is not asked for ---

for bad in x -1 0x '""'; do
	is "$(op_errno_of "$bad" "$op/changes")" "Invalid argument" \
		"no generation: $bad"
done
ok "one that never was" ask $((generation + 1000))
is "$(head_of since)" 0 "is from the beginning"
echo 1 >"$op/reset"
ok "one from before a reset" ask "$generation"
is "$(head_of since)" 0 "is from the beginning, too"

# --- the viewer ---

# By itself, and by reading all at the end.
op_start 1999
"$optop" -b -n 12 -d 0.5 --csv >"$op_tmp/run" 2>&1 &
viewer=$!
busy 3
op_stop
wait $viewer
result $? "optop, twelve pictures"
# image, symbol, event and samples of the last picture
last()
{
	perl -ne '
		my @f = /("(?:[^"]|"")*"|[^,\n]*)(?:,|\n)/g;
		next if $f[0] eq "picture";
		%row = () if !defined($at) || $f[0] != $at;
		$at = $f[0];
		$row{"$f[2] $f[5] $f[7] $f[9] $f[10]"} = 1;
		END { print("$_\n") for sort(keys(%row)) }' "$1"
}
ok "optop, one picture" bash -c '"$1" --csv >"$2"' - "$optop" "$op_tmp/one"
last "$op_tmp/run" >"$op_tmp/last"
last "$op_tmp/one" >"$op_tmp/whole"
[ "$(wc -l <"$op_tmp/whole")" -gt 50 ]
result $? "it has symbols ($(wc -l <"$op_tmp/whole") lines)"
ok "both have the same" diff "$op_tmp/last" "$op_tmp/whole"
op_conserved "and no sample got lost"
echo 0 >"$op/1/enabled"
echo 1 >"$op/reset"
# Who can't see the kernel's addresses.
umount "$op" && mount -t oprofilefs -o uid=65534 nodev "$op"
op_start 1999
ask 0
busy 1
op_stop
op_as_nobody ",+perfmon" bash -c 'exec 3<>"$1"; echo "$2" >&3; cat <&3' - \
	"$op/changes" "$(head_of generation)" >"$op_tmp/nobody"
[ "$(grep -c '^0x' "$op_tmp/nobody")" -gt 20 ]
result $? "without CAP_SYSLOG"
is "$(grep -c '^0xffffffff' "$op_tmp/nobody")" 0 "no address of the kernel"
finish
