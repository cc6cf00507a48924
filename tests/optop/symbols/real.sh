#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The names of this machine's own programs and libraries, all of them, as nm(1)
# has them: at the first byte of each symbol, at its last, and at one past it.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 8
needs nm readelf gcc perl
build plain

# compare FILE nm-OPTIONS...: what nm says and lookup does not; prints how many
# addresses were compared.
compare()
{
	perl "$here/compare.pl" "$BIN/lookup" "$@"
}

# Debian's are stripped: these have .dynsym alone, to both.
cp "$(readlink -f /bin/bash)" "$T/bash"
ok "bash: all names of .dynsym" compare "$T/bash" -D
objcopy -R .gnu_debuglink -R .note.gnu.build-id \
	"$(gcc -print-file-name=libc.so.6)" "$T/libc.so.6"
ok "libc: all names of .dynsym" compare "$T/libc.so.6" -D
objcopy -R .gnu_debuglink -R .note.gnu.build-id \
	"$(readlink -f "$(gcc -print-file-name=libstdc++.so.6)")" "$T/libstdc++"
ok "libstdc++: all names of .dynsym" compare "$T/libstdc++" -D

# And these have .symtab.
ok "lookup itself: all names of .symtab" compare "$BIN/lookup"
echo 'int work(void) { return 1; } void _start(void) { for (;;) work(); }' |
	gcc -nostdlib -static -o "$T/full" -x c -
strip -o "$T/strip" "$T/full"
is "$(state "$T/strip")" NONE "a stripped program that exports nothing"
is "$(name "$T/strip" "$(offset_of "$T/full" work)")" - \
	"has no names any more"

# Without a linker's help, and with 32 bits.
gcc -O1 -ffunction-sections -static -o "$T/static" -x c - <<-'END'
	#include <stdio.h>
	int main(void) { return puts("static"); }
END
ok "a static program: all names of .symtab" compare "$T/static"
gcc -m32 -O1 -nostdlib -static -o "$T/static32" -x c - <<-'END'
	int two(int x) { return x + 2; }
	void _start(void) { for (;;) two(1); }
END
ok "a 32-bit program: all names of .symtab" compare "$T/static32"
finish
