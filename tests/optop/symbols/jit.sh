#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Code that no file has: ranges of jit_maps, the maps of JITs in /tmp, the vdso.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 42
needs perl readelf
build plain

mkdir "$T/tmp"
# at ADDRESS WANTED NAME: in anonymous memory
at()
{
	is "$(name -t "$T/tmp" anon "$1")" "$2" "$3"
}

is "$(name jit:my_jit 0) $(name jit:my_jit 0x12345)" "my_jit my_jit" \
	"a range of jit_maps is its own symbol"
is "$(name jit:two:colons-and+0x4 5)" "two:colons-and+0x4" "whatever its name"
is "$(state unknown) $(name unknown 5)" "NONE -" "unknown has no names"

is "$(state -t "$T/tmp" anon)" NONE "anonymous memory without maps"
is "$(state -t "$T/none" anon)" NONE "without a folder"
cat >"$T/tmp/perf-100.map" <<'END'
7f0000000000 40 first
7f0000000040 0x20 LazyCompile:*a name with blanks /x/y.js:5
7F0000000100 10 upper

garbage
7f0000000200 zz not hexadecimal
7f0000000300 0 nothing
7f0000000400 10
ffffffffffffff00 1000 wraps
7f0000000500 10 last without new
END
truncate -s -1 "$T/tmp/perf-100.map"
at 0x7f0000000000 first "its first byte"
at 0x7f000000003f first "its last"
at 0x7f0000000040 "LazyCompile:*a name with blanks /x/y.js:5" \
	"a name with blanks; 0x before a number"
at 0x7f0000000060 - "behind it"
at 0x7f0000000105 upper "digits in capitals"
at 0x7f0000000200 - "a line that is none"
at 0x7f0000000300 - "a range of no bytes"
at 0x7f0000000400 - "a range without a name"
at 0xffffffffffffff80 - "a range beyond all addresses"
at 0x7f0000000505 - "a last line that is not finished yet"

# Memory used again.
cat >"$T/tmp/perf-100.map" <<'END'
1000 100 old
1040 40 new
2000 100 whole
2000 100 whole again
3000 10 inside
2ff0 40 around
END
at 0x1010 old "in front of what came later"
at 0x1040 new "what came later covers"
at 0x107f new "to its end"
at 0x1080 old "behind it"
at 0x2050 "whole again" "all of it"
at 0x3004 around "also what was inside"

# Several processes.
cat >"$T/tmp/perf-200.map" <<'END'
1000 20 old
1020 20 not the same
4000 10 own
5000 10 shared
END
echo "5000 10 shared" >>"$T/tmp/perf-100.map"
at 0x1010 old "two processes that agree"
at 0x1025 - "two that do not: no name"
at 0x1045 new "where one says nothing"
at 0x4001 own "what only one has"
at 0x5001 shared "the same in both"
echo "1025 1 old" >"$T/tmp/perf-300.map"
at 0x1025 - "a third does not settle it"

rm "$T"/tmp/*
echo "1000 10 bad" >"$T/tmp/perf-abc.map"
echo "1000 10 bad" >"$T/tmp/perf-0.map"
echo "1000 10 bad" >"$T/tmp/perf-5.map.old"
echo "1000 10 bad" >"$T/tmp/xperf-5.map"
echo "1000 10 bad" >"$T/elsewhere"
ln -s "$T/elsewhere" "$T/tmp/perf-7.map"
mkfifo "$T/tmp/perf-8.map"
at 0x1000 - "other names, links and FIFOs are no maps"
printf '1000 10 \033[31mred\033[0m\tone\n' >"$T/tmp/perf-9.map"
at 0x1000 "?[31mred?[0m?one" "control characters do not come through"
rm "$T"/tmp/perf-9.map
perl -e 'print "1000 10 ", "x" x 1000000, "\n2000 10 next\n"' \
	>"$T/tmp/perf-9.map"
at 0x2001 next "behind a line that is too long"

# perf's jitdump.
rm "$T"/tmp/*
cat >"$T/dump.pl" <<'END'
# Format: > or < for the byte order.
my $e = shift; my $o = "";
sub record { my ($id, $body) = @_;
	$o .= pack("L${e}L${e}Q$e", $id, 16 + length($body), 5) . $body }
$o = pack("L${e}6Q${e}2", 0x4a695444, 1, 40, 62, 0, 100, 5, 0);
sub load { my ($at, $name, $n) = @_;
	record(0, pack("L${e}2Q${e}4", 100, 100, $at, $at, $n, 1) . "$name\0" . "\x90" x $n) }
load(0x10000, "one", 64);
record(2, "debug information of whatever form");
load(0x20000, "two", 32);
record(1, pack("L${e}2Q${e}5", 100, 100, 0x30000, 0x10000, 0x30000, 64, 1));
record(99, "unknown");
load(0x20000, "three", 16);
record(3, "");
print $o;
END
for order in '<' '>'; do
	perl "$T/dump.pl" "$order" >"$T/tmp/jit-100.dump"
	is "$(lookup -t "$T/tmp" anon 0x10010 0x2000f 0x20010 0x30001 |
		cut -d ' ' -f 3 | tr '\n' ' ')" \
		"one+0x10 three+0xf two+0x0 one+0x1 " "a jitdump, $order"
done
size=$(stat -c %s "$T/tmp/jit-100.dump")
cp "$T/tmp/jit-100.dump" "$T/whole"
wrong=0
for ((cut = 0; cut < size; cut += 7)); do
	head -c $cut "$T/whole" >"$T/tmp/jit-100.dump"
	lookup -t "$T/tmp" anon 0x10010 >"$T/out" || wrong=$((wrong + 1))
	grep -qE '^0x10010 (-|t one\+0x10)$' "$T/out" || wrong=$((wrong + 1))
done
is $wrong 0 "a jitdump cut off anywhere"
cp "$T/whole" "$T/tmp/jit-100.dump"
echo "40000 10 mapped" >"$T/tmp/perf-100.map"
is "$(name -t "$T/tmp" anon 0x40001) $(name -t "$T/tmp" anon 0x10001)" \
	"mapped one" "both forms of one process"
head -c 100000 /dev/urandom >"$T/tmp/jit-101.dump"
at 0x40001 mapped "noise beside it"
mkdir -p "$T/root/tmp"
echo "40000 10 below" >"$T/root/tmp/perf-100.map"
is "$(name -r "$T/root" anon 0x40001)" below "below another root"

# A map that grows while optop runs.
echo "50000 10 early" >"$T/tmp/perf-100.map"
is "$(name -t "$T/tmp" -w "
	echo '60000 10 late' >>$T/tmp/perf-100.map; sleep 1.1" anon \
	0x60001 0x50001 | tr '\n' ' ')" "- early " "a name that comes later"
is "$("$BIN/later" "$T/tmp" 0x70001 \
	"echo '70000 10 later' >>$T/tmp/perf-100.map" | tr '\n' ' ')" \
	"- later " "is there by and by"

mkdir "$T/tmp2"
is "$("$BIN/later" "$T/tmp2" 0x70001 \
	"echo '70000 10 first' >$T/tmp2/perf-100.map" | tr '\n' ' ')" \
	"- first " "also where there was no name at all"

# The vdso, as this machine has it.
gettime=$("$BIN/vdso" >"$T/vdso.so"; offset_of "$T/vdso.so" \
	__vdso_clock_gettime)
is "$(name vdso "$gettime" | sed 's/__vdso_//')" clock_gettime "the vdso's names"
is "$(name -V vdso "$gettime")" - "but not for what another machine sampled"
is "$(name vdso 0x7fffffff)" - "beyond it"
finish
