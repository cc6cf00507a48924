#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Offsets are the file's: the program headers map them, as far as the file has
# the bytes.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 15
needs gcc ld.lld ld.mold readelf nm perl
build plain

cat >"$T/three.c" <<'END'
int data[5000] = { 1 };
int bss[5000];
__attribute__((noinline)) int one(int x) { return x + data[1]; }
__attribute__((noinline)) int two(int x) { return x * 3 + bss[1]; }
int main(int argc, char **argv) { (void)argv; return one(argc) + two(argc); }
END

# differs FILE: that text is elsewhere in memory than in the file, or the test
# shows nothing
differs()
{
	readelf -lW "$1" | awk '$1 == "LOAD" && / R E / {
		exit strtonum($2) == strtonum($3) }'
}

for linker in lld mold; do
	gcc -O1 -fuse-ld=$linker -o "$T/$linker" "$T/three.c"
	ok "3: $linker makes p_offset differ from p_vaddr" differs "$T/$linker"
	ok "3: all names of a program by $linker" \
		perl "$here/compare.pl" "$BIN/lookup" "$T/$linker"
	ok "3: all names of a library by $linker" eval \
		'gcc -O1 -fuse-ld=$linker -shared -fPIC -o "$T/$linker.so" \
			"$T/three.c" &&
		 perl "$here/compare.pl" "$BIN/lookup" "$T/$linker.so"'
done
gcc -O1 -no-pie -Wl,-z,noseparate-code -Wl,-z,max-page-size=0x1000 \
	-Wl,--section-start=.text=0x7400000 -o "$T/far" "$T/three.c"
ok "3: all names of a program with text far away" \
	perl "$here/compare.pl" "$BIN/lookup" "$T/far"

# A segment that has much more memory than file, and lies right in front of the
# text in the file: by p_memsz, an offset of text would be one of it.
cat >"$T/memsz.ld" <<'END'
ENTRY(main)
PHDRS { data PT_LOAD FLAGS(7); text PT_LOAD FLAGS(5); }
SECTIONS {
	. = 0x400000;
	.first : { *(.first) } :data
	.bss : { *(.bss.code) *(.bss) . += 0x20000; } :data
	. = 0x800000;
	.text : { *(.text*) } :text
	/DISCARD/ : { *(.note*) *(.comment) *(.eh_frame*) }
}
END
cat >"$T/ghost.s" <<'END'
	.section .bss.code, "awx", @nobits
	.skip	0x1000 - 0x20
	.globl	ghost
	.type	ghost, @function
ghost:	.skip	0x100
	.size	ghost, 0x100
END
cat >"$T/memsz.c" <<'END'
int bss[40000];
__attribute__((section(".first"))) int early(int x) { return x + 1; }
int main(void) { return early(bss[1]); }
int other(int x) { return x * 5; }
END
gcc -O1 -g -nostdlib -static -fno-pie -no-pie -Wl,-T,"$T/memsz.ld" \
	-Wl,-z,max-page-size=0x1000 -Wl,--build-id=none \
	-o "$T/memsz" "$T/memsz.c" "$T/ghost.s" 2>/dev/null
covers()
{
	readelf -lW "$1" | awk '$1 == "LOAD" { n++
		if (n == 1) end = strtonum($2) + strtonum($6)
		else exit !(strtonum($2) < end) }'
}
ok "4: p_memsz of the one segment covers the other's offsets" covers "$T/memsz"
other=$(readelf -sW "$T/memsz" | awk '$8 == "other" { print "0x" $2 }')
text=$(readelf -lW "$T/memsz" | awk '$1 == "LOAD" { o = $2; a = $3 }
	END { print o, a }')
# shellcheck disable=SC2086
set -- $text
is "$(name "$T/memsz" $((other - $2 + $1)))" other \
	"4: the segment is chosen by p_filesz"
ok "4: all names of it" perl "$here/compare.pl" "$BIN/lookup" "$T/memsz"
ghost=$(readelf -sW "$T/memsz" | awk '$8 == "ghost" { print "0x" $2 }')
is "$(lookup "$T/memsz" $((ghost - 0x400000 + 0x1000)) | grep -c ghost)" 0 \
	"4: what only memory has is not in the file, where other text is"
is "$(lookup -l "$T/memsz" $((other - $2 + $1)) | sed 's,.*/,,')" memsz.c:4 \
	"4: lines go by p_filesz"
early=$(offset_of "$T/memsz" early)
is "$(name "$T/memsz" "$early")" early "4: the first segment's are right too"

# A symbol in memory that no file has.
gcc -O1 -no-pie -o "$T/nofile" "$T/three.c" -Wl,--defsym=ghost=bss+40
is "$(lookup "$T/nofile" 0x0 0xffffffffffffffff | awk '{ print $2 }' | sort -u)" \
	- "offsets that no segment has are unknown"
# Beyond 4 GiB.
objcopy -O elf64-x86-64 "$T/far" "$T/big"
truncate -s 5G "$T/big"
perl -e '
	open(my $f, "+<", $ARGV[0]) or die; binmode($f);
	read($f, my $h, 64); my $off = 5 * 2 ** 30 - 0x10000;
	my ($phoff, $n) = (unpack("Q", substr($h, 32, 8)), unpack("S", substr($h, 56, 2)));
	for my $i (0 .. $n - 1) {
		seek($f, $phoff + 56 * $i, 0); read($f, my $p, 56);
		my ($type, $flags, $o, $v, $pa, $fs) = unpack("LLQQQQ", $p);
		next unless $type == 1 && $flags & 1 && $v >= 0x7000000;
		seek($f, $o, 0); read($f, my $b, $fs);
		seek($f, $off, 0); print $f $b;
		seek($f, $phoff + 56 * $i + 8, 0); print $f pack("Q", $off);
		print "$o\n";
	}' "$T/big" >"$T/was"
was=$(cat "$T/was")
main=$(offset_of "$T/far" main)
is "$(name "$T/big" $((main - was + 5 * (1 << 30) - 0x10000)))" main \
	"9: an offset beyond 4 GiB"
finish
