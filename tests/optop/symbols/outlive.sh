#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Names outlive the process, and what it ran.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 9
needs gcc readelf
build plain

echo 'int busy(void) { return 1; } int main(void) { return busy() - 1; }' |
	gcc -O0 -o "$T/p" -x c -
busy=$(offset_of "$T/p" busy)
"$T/p"
is "$(name "$T/p" "$busy")" busy "23: of a process that has ended"
is "$(name -w "rm $T/p" "$T/p" "$busy")" busy \
	"23: names that are loaded stay when the file goes"
is "$(state "$T/p")" MISSING "23: which are gone for who comes later"
is "$(lookup "$T/p" "$busy")" "$busy -" "23: and then there is no name"

mkdir "$T/tmp"
sleep 0 &
pid=$!
wait $pid
echo "7f0000001000 100 jitted" >"$T/tmp/perf-$pid.map"
is "$(name -t "$T/tmp" anon 0x7f0000001010)" jitted \
	"23: a JIT's names when its process has ended"
is "$(name -t "$T/tmp" -w "rm $T/tmp/perf-$pid.map" anon 0x7f0000001010)" \
	jitted "23: and when its map has gone"

echo 'int busy(void) { return 1; } int main(void) { return busy() - 1; }' |
	gcc -O0 -o "$T/q" -x c -
echo 'int pad(int x) { return x * 7 + x / 3; } int fresh(void) { return 1; }
int main(void) { return fresh() - pad(0); }' | gcc -O0 -o "$T/r" -x c -
is "$(name -w "mv $T/r $T/q" "$T/q" "$busy")" busy \
	"23: of a program that was replaced when its names were there"
is "$(name -w "truncate -s 100 $T/q" "$T/q" "$(offset_of "$T/q" fresh)")" \
	fresh "23: of a file that was cut short then"
is "$(state "$T/q")" BROKEN "which is broken for who comes later"
finish
