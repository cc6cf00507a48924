#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The stubs by which programs call into libraries, as objdump names them.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 11
needs gcc g++ ld.lld ld.mold objdump readelf strip
build plain

cat >"$T/p.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	int (*by_pointer)(const char *) = atoi;
	char *copy = strdup(argv[0]);
	printf("%zu %d\n", strlen(copy), by_pointer(argv[argc - 1]));
	free(copy);
	return getchar() + rand();
}
END
# stubs FILE LEAST: each stub that objdump names, first byte and last, and there
# are at least so many
stubs()
{
	objdump -d --no-show-raw-insn "$1" | awk '
		/^[0-9a-f]+ <.*@plt>:$/ {
			gsub(/[<>:]/, "", $2); print "0x" $1, $2 }' >"$T/stubs"
	[ "$(wc -l <"$T/stubs")" -ge "$2" ] || return 1
	# Stubs are where they are in the file.
	readelf -lW "$1" | awk '$1 == "LOAD" && / R E / { print $2, $3 }' |
		head -n 1 >"$T/load"
	read -r offset address <"$T/load"
	while read -r at name; do
		printf '%d %s\n' $((at - address + offset)) "$name"
		printf '%d %s\n' $((at - address + offset + 7)) "$name"
	done <"$T/stubs" >"$T/wanted"
	cut -d ' ' -f 1 "$T/wanted" | lookup -R "$1" - | awk '{
		sub(/\+0x[0-9a-f]*$/, "", $3); print strtonum($1), $3 }' |
		diff "$T/wanted" -
}
if [ "$(uname -m)" = x86_64 ]; then
	least=4
else
	least=0
fi
for options in "" "-fcf-protection=full" "-Wl,-z,now" "-Wl,-z,lazy" \
	"-no-pie" "-Wl,-z,now -fcf-protection=none" "-fuse-ld=lld"; do
	# shellcheck disable=SC2086
	gcc -O1 $options -o "$T/p" "$T/p.c" && strip "$T/p"
	ok "stubs of a stripped program: gcc $options" stubs "$T/p" $least
done
# objdump can't read mold's, which are in the order of their relocations.
gcc -O1 -fuse-ld=mold -o "$T/p" "$T/p.c"
readelf -rW "$T/p" | awk '/JUMP_SLO/ { for (i = 1; i <= NF; i++) if ($i ~ /@/) {
	sub(/@.*/, "", $i); print $i "@plt"; next } }' >"$T/wanted"
readelf -SW "$T/p" | sed 's/^ *\[ *[0-9]*\]//' | awk '$1 == ".plt" {
	for (i = 0; i < strtonum("0x" $5); i += 16)
		print strtonum("0x" $4) + i }' | lookup -R "$T/p" - |
	awk '/@plt/ { sub(/\+0x0$/, "", $3); print $3 }' >"$T/ours"
[ $least != 0 ] || : >"$T/wanted"
ok "stubs of a program by mold" eval \
	'test "$(wc -l <"$T/wanted")" -ge $least && diff "$T/wanted" "$T/ours"'
ok "stubs of this machine's libstdc++" stubs \
	"$(readlink -f "$(gcc -print-file-name=libstdc++.so.6)")" $((least * 50))

# Their names are demangled like all others.
cat >"$T/l.cc" <<'END'
namespace ours { int shown(int x) { return x + 1; } }
int other(int x) { return ours::shown(x) * 2; }
END
g++ -O1 -shared -fPIC -o "$T/l.so" "$T/l.cc"
stubs "$T/l.so" 0 >/dev/null 2>&1
stub=$(awk '$2 ~ /shown/ { print $1; exit }' "$T/wanted")
if [ $least = 0 ]; then
	wanted=-
else
	wanted="ours::shown(int)@plt"
fi
is "$(name "$T/l.so" "${stub:-0}")" "$wanted" "a C++ one"
is "$(name "$T/l.so" "$((${stub:-0} / 4096 * 4096 + 0x20))")" - \
	"the first one, which looks the others up, has no name"
finish
