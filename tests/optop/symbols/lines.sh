#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Source lines and instructions of offsets, held against addr2line and objdump.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 17
needs gcc clang addr2line objdump objcopy strip readelf eu-elfcompress
build plain

cat >"$T/s.c" <<'END'
int table[16];

__attribute__((noinline)) int work(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += table[i & 15] * i;
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	return work(argc) & 1;
}
END

# lines FILE DEBUG: the lines of all offsets in work and main as we and as
# addr2line have them; prints those that differ, and fails if there are any
lines()
{
	local from to start name offset

	start=$(readelf -sW "$2" | awk '$8 == "work" || $8 == "main" {
		print strtonum("0x" $2), $3, $8 }')
	while read -r from to name; do
		offset=$(offset_of "$2" "$name")
		for ((i = 0; i < to; i++)); do
			printf '0x%x %s\n' $((offset + i)) $((from + i))
		done
	done <<<"$start" >"$T/offsets"
	cut -d ' ' -f 1 "$T/offsets" | lookup -l "$1" - | cut -d ' ' -f 2 \
		>"$T/ours"
	cut -d ' ' -f 2 "$T/offsets" | xargs printf '0x%x\n' |
		addr2line -e "$2" | sed 's/ (disc.*//; s/.*:?$/-/' >"$T/theirs"
	test "$(wc -l <"$T/ours")" -gt 30 && diff "$T/ours" "$T/theirs"
}
for options in "-gdwarf-5" "-gdwarf-4" "-g -gz" "-g -no-pie -fuse-ld=lld"; do
	# shellcheck disable=SC2086
	gcc -O1 $options -o "$T/p" "$T/s.c"
	ok "lines as addr2line has them: gcc $options" lines "$T/p" "$T/p"
done
clang -O1 -g -o "$T/c" "$T/s.c"
ok "lines as addr2line has them: clang, with no index of addresses" \
	lines "$T/c" "$T/c"
gcc -O1 -g -o "$T/full" "$T/s.c"
objcopy --only-keep-debug "$T/full" "$T/d.debug"
strip -o "$T/d" "$T/full"
objcopy --add-gnu-debuglink="$T/d.debug" "$T/d"
ok "lines by a debug file" lines "$T/d" "$T/full"
rm "$T/d.debug"
work=$(offset_of "$T/full" work)
is "$(lookup -l "$T/d" "$work")" "$work -" "no debug file, no line"
is "$(lookup -l "$T/none" 0x1000)" "0x1000 -" "no file, no line"
is "$(lookup -l "$T/full" 0x7fffffff)" "0x7fffffff -" "no such offset, no line"
is "$(lookup -l -i ino=1 "$T/full" "$work")" "$work -" \
	"12b: not the sampled file, no line"
is "$(lookup -d -i ino=1 "$T/full" "$work")" "$work -" \
	"12b: and no instruction"
is "$(lookup -l anon 0x1000; lookup -d anon 0x1000; lookup -d jit:x 0)" \
	"0x1000 -
0x1000 -
0x0 -" "what has no file has neither"

# instructions FILE SYNTAX: mnemonics as objdump has them
instructions()
{
	local base address mnemonic

	objdump -d --no-show-raw-insn -M "$2" "$1" |
		awk '/^[0-9a-f]+ </ { on = /<(work|main)>/ } on && /^ / {
			sub(":", "", $1); print "0x" $1, $2 }' >"$T/objdump"
	base=$(($(offset_of "$1" work) -
		0x$(readelf -sW "$1" | awk '$8 == "work" { print $2 }')))
	while read -r address mnemonic; do
		printf '%s %s\n' $((base + address)) "$mnemonic"
	done <"$T/objdump" >"$T/wanted"
	cut -d ' ' -f 1 "$T/wanted" | lookup -d "$1" - | cut -d ' ' -f 2 |
		sed 's/[lq]$//' >"$T/ours"
	test "$(wc -l <"$T/ours")" -gt 10 || return 1
	cut -d ' ' -f 2 "$T/wanted" | sed 's/[lq]$//' | diff "$T/ours" -
}
if [ "$(uname -m)" = x86_64 ]; then
	syntax=intel
else
	syntax=no-aliases
fi
ok "instructions as objdump has them" instructions "$T/full" $syntax
gcc -m32 -O1 -nostdlib -static -o "$T/i386" -x c - <<-'END'
	int work(int x) { int s = 0; for (int i = 0; i < x; i++) s += i * x; return s; }
	int main(void) { __asm__ volatile("inc %%eax; dec %%ecx" ::: "eax", "ecx"); return work(5); }
	void _start(void) { main(); for (;;) ; }
END
ok "instructions of a 32-bit program" instructions "$T/i386" intel
is "$(lookup -d "$T/full" 0x7fffffff)" "0x7fffffff -" \
	"no instruction beyond the file"
is "$(lookup -d "$T/full" "$work" | cut -d ' ' -f 1)" "$work" \
	"one at a function's first byte"
sed 's/sum/SUM/' "$T/s.c" >"$T/long name é.c"
gcc -O1 -g -o "$T/p" "$T/long name é.c"
work=$(offset_of "$T/p" work)
is "$(lookup -l "$T/p" "$work")" "$work $T/long name é.c:7" \
	"a file name with blanks"
finish
