#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Files that make no sense, made from good ones by changing one thing each: no
# crash, no bad access, no leak, no end of memory or patience.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 22
needs gcc objcopy strip valgrind perl xz
build plain
build address,undefined

mkdir "$T/m"
cat >"$T/s.c" <<'END'
int data = 1;
__attribute__((noinline)) int one(int x) { return x + data; }
int main(int argc, char **argv) { (void)argv; return one(argc); }
END
gcc -O1 -g -o "$T/full" "$T/s.c"
gcc -O1 -m32 -g -nostdlib -static -o "$T/full32" -x c - <<-'END'
	int one(int x) { return x + 1; }
	void _start(void) { for (;;) one(1); }
END
gcc -O1 -g -shared -fPIC -Wl,--build-id=none -o "$T/stripped" "$T/s.c"
objcopy --only-keep-debug "$T/stripped" "$T/debug"
strip -o "$T/stripped" "$T/stripped"
xz -k "$T/debug"
objcopy --add-section .gnu_debugdata="$T/debug.xz" \
	--add-gnu-debuglink="$T/debug" "$T/stripped"
gcc -O1 -g -c -o "$T/mod.o" "$T/s.c"

perl "$here/mutate.pl" "$T/full" "$T/m" full >"$T/list.all"
perl "$here/mutate.pl" "$T/full32" "$T/m" full32 >"$T/list.32"
perl "$here/mutate.pl" "$T/stripped" "$T/m" stripped >"$T/list.stripped"
perl "$here/mutate.pl" "$T/mod.o" "$T/m" mod >"$T/list.mod"
# What is broken is the debug file of a good program.
perl "$here/mutate.pl" "$T/debug" "$T/m" debug | awk 'NR % 7 == 0' |
	while read -r debug; do
		program=$T/m/p-${debug##*/}
		objcopy -R .gnu_debuglink -R .gnu_debugdata \
			--add-gnu-debuglink="$debug" "$T/stripped" "$program"
		echo "$program"
	done >"$T/list.debug"
# As modules they have names like modules.
mkdir "$T/k"
while read -r path; do
	n=$((n + 1))
	mv "$path" "$T/k/m$n.ko"
	echo "m$n.ko"
done <"$T/list.mod" >"$T/list.ko"
cat "$T/list.all" "$T/list.32" "$T/list.stripped" "$T/list.ko" \
	"$T/list.debug" >"$T/list.every"
made=$(wc -l <"$T/list.every")
ok "$made broken files, at least 60" test "$made" -ge 60

# all BINARY LIST: ask for all that can be asked, of each
all()
{
	timeout 100 "$1" -k "$T/k" -T -f "$2" >"$T/out" 2>"$T/err" && return
	tail -n 30 "$T/err"
	return 1
}
for list in all 32 stripped ko debug; do
	ok "no crash: $(wc -l <"$T/list.$list") of $list" \
		all "$BIN/lookup" "$T/list.$list"
	cp "$T/out" "$T/states.$list"
done
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=2000
for list in all 32 stripped ko debug; do
	ok "no bad access, leak or undefined behaviour: ASan, UBSan, $list" \
		all "$BIN/address,undefined/lookup" "$T/list.$list"
done
memcheck()
{
	timeout 110 valgrind -q --error-exitcode=9 --leak-check=full \
		--errors-for-leak-kinds=definite,possible \
		"$BIN/lookup" -k "$T/k" -f "$1" >"$T/out" 2>"$T/err" && return
	tail -n 40 "$T/err"
	return 1
}
ok "valgrind: all of them" memcheck "$T/list.every"

# was NAME STATE
was()
{
	is "$(cat "$T"/states.* | awk -v f="$T/m/$1" '$2 == f { print $1 }')" \
		"$2" "$1 is $2"
}
was full-empty BROKEN
was full-text BROKEN
was full-cut-10 BROKEN
was full-e_shoff-max BROKEN
was full-e_shnum-max BROKEN
was full-s.symtab-offset-max BROKEN
was full-s.symtab-size-half BROKEN
was full-s.strtab-xxx BROKEN
was full-segments-all-exec LOADED
is "$(awk '$1 == "WAITING"' "$T"/states.* | wc -l)" 0 \
	"none of them is still waiting"
finish
