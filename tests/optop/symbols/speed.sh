#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Asking never waits for a file: 300 images and a program of 500 MB; and several
# threads that ask at once.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 10
needs gcc objcopy perl valgrind
build plain
build thread

# Half a million functions, with names as long as C++'s.
perl -e 'print ".text\n";
	for my $n (0 .. 499_999) {
		my $name = sprintf("_ZN4some9namespace5partsIiE14function%06uERKNS_5thingEi", $n);
		print ".type $name,\@function\n.globl $name\n$name: .skip 16\n.size $name,16\n";
	}' >"$T/big.s"
echo '.globl _start' >>"$T/big.s"
echo '_start: nop' >>"$T/big.s"
gcc -c -o "$T/big.o" "$T/big.s" && rm "$T/big.s"
truncate -s 400M "$T/filler"
gcc -nostdlib -static -o "$T/small" "$T/big.o" && rm "$T/big.o"
# As much of it as debug information would be.
objcopy --add-section .filler="$T/filler" "$T/small" "$T/big"
rm "$T/filler"
big=$(stat -c %s "$T/big")
ok "a program of $((big / 1000000)) MB" test "$big" -gt 450000000

# The program first, so that all others wait for it.
{
	echo "$T/big"
	find /usr/bin /usr/lib/*-linux-gnu -maxdepth 1 -type f -size +8k | sort |
		head -n 299
} >"$T/list"
is "$(wc -l <"$T/list")" 300 "300 images"
got=$("$BIN/threads" -s "$T/list")
diag "asking, in microseconds: $got"
read -r _ wrong _ answers _ median _ p99 _ longest <<<"$got"
is "$wrong" 0 "no name is wrong"
ok "there are names ($answers)" test "$answers" -gt 100
ok "34: half of all questions take less than 20 µs ($median)" \
	test "${median%.*}" -lt 20
ok "34: 99 of 100 less than 500 µs ($p99)" test "${p99%.*}" -lt 500
ok "34: none half as long as a frame may take, 250 ms ($longest µs)" \
	test "${longest%.*}" -lt 250000
begin=$(date +%s%N)
is "$(name "$T/big" "$(offset_of "$T/small" \
	_ZN4some9namespace5partsIiE14function250000ERKNS_5thingEi)")" \
	"some::namespace::parts<int>::function250000(some::thing const&, int)" \
	"a name of half a million"
diag "which took $((($(date +%s%N) - begin) / 1000000)) ms, readelf included"
rm "$T/big"

head -n 40 "$T/list" | tail -n 30 >"$T/some"
printf '%s\n' "$BIN/lookup" vmlinux unknown jit:x anon vdso bpf ext4.ko \
	/none >>"$T/some"
ok "threads that ask at once: TSan" eval \
	'TSAN_OPTIONS=halt_on_error=1 timeout 100 "$BIN/thread/threads" "$T/some"'
head -n 8 "$T/some" | cat - <(tail -n 9 "$T/some") >"$T/few"
ok "threads that ask at once: helgrind" eval \
	'nice timeout 100 valgrind -q --tool=helgrind --error-exitcode=9 \
		"$BIN/threads" "$T/few"'
finish
