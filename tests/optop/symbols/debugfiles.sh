#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The symbols of a stripped program: from wherever its debug file is.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 30
needs strace gcc objcopy strip eu-strip eu-elfcompress readelf xz perl nm
build plain

cat >"$T/p.c" <<'END'
static __attribute__((noinline)) int hidden(int x) { return x * 3 + 1; }
int shown(int x) { return hidden(x) + 1; }
int main(int argc, char **argv) { (void)argv; return shown(argc) & 1; }
END
D=$T/root
mkdir -p "$D/bin/.debug" "$D/usr/lib/debug/bin"

# fresh NAME [gcc options]: /bin/NAME below the root with all its symbols in
# $T/full, and their offsets
fresh()
{
	local name=$1

	shift
	gcc -O1 -g -rdynamic "$@" -o "$T/full" "$T/p.c"
	hidden=$(offset_of "$T/full" hidden)
	shown=$(offset_of "$T/full" shown)
	rm -f "$D"/bin/*.debug "$D"/bin/.debug/* "$D"/usr/lib/debug/bin/*
	rm -rf "$D/usr/lib/debug/.build-id"
	cp "$T/full" "$D/bin/$name"
}
# at OFFSET WANTED NAME
at()
{
	is "$(name -r "$D" /bin/p "$1")" "$2" "$3"
}
by_id()
{
	local id

	id=$(readelf -n "$T/full" | sed -n 's/.*Build ID: //p')
	mkdir -p "$D/usr/lib/debug/.build-id/${id:0:2}"
	cp "$1" "$D/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
}

fresh p
at "$hidden" hidden "a program with .symtab"
strip "$D/bin/p"
at "$hidden" - "a stripped one lacks what is static"
at "$shown" shown "but has .dynsym"
objcopy --only-keep-debug "$T/full" "$T/p.debug"
by_id "$T/p.debug"
at "$hidden" hidden "by build-id, a file of objcopy"
at "$shown" shown "with .dynsym beside it"
eu-strip -f "$T/eu.debug" -o "$D/bin/p" "$T/full"
by_id "$T/eu.debug"
at "$hidden" hidden "by build-id, a file of eu-strip"
eu-elfcompress -q -t zlib -n .symtab -n .strtab -n '.debug*' \
	-f -o "$T/packed.debug" "$T/p.debug"
by_id "$T/packed.debug"
is "$(readelf -SW "$T/packed.debug" 2>/dev/null | grep -c '\.symtab.* C ')" 1 \
	"a table that is compressed"
at "$hidden" hidden "is unpacked"

# A build-id file of another program, put there by mistake.
echo 'int main(void) { return 0; }' | gcc -g -o "$T/other" -x c -
objcopy --only-keep-debug "$T/other" "$T/other.debug"
by_id "$T/other.debug"
at "$hidden" - "a debug file of another build-id is not believed"

for place in bin bin/.debug usr/lib/debug/bin; do
	fresh p -Wl,--build-id=none
	objcopy --only-keep-debug "$T/full" "$D/$place/p.debug"
	strip "$D/bin/p"
	objcopy --add-gnu-debuglink="$D/$place/p.debug" "$D/bin/p"
	at "$hidden" hidden "by debuglink in $place"
done
printf x >>"$D/usr/lib/debug/bin/p.debug"
at "$hidden" - "a debuglink file of another CRC is not believed"
cp "$T/full" "$D/bin/p"
objcopy --add-gnu-debuglink="$D/bin/p" "$D/bin/p"
strip "$D/bin/p"
at "$shown" shown "a debuglink to the program itself"

# mini FORMAT: the small debug file within the program
mini()
{
	cp "$D/bin/p" "$T/stripped"
	objcopy --only-keep-debug "$T/full" "$T/mini"
	objcopy -S --keep-symbol=hidden "$T/mini" 2>/dev/null
	$1 <"$T/mini" >"$T/mini.xz"
	objcopy --add-section .gnu_debugdata="$T/mini.xz" "$T/stripped" \
		"$D/bin/p"
}
fresh p -Wl,--build-id=none
strip "$D/bin/p"
mini "xz -c"
at "$hidden" hidden "by .gnu_debugdata"
at "$shown" shown "with .dynsym beside it"
printf 'no such thing' >"$T/garbage"
objcopy --add-section .gnu_debugdata="$T/garbage" "$T/stripped" "$D/bin/p"
at "$shown" shown "a .gnu_debugdata that makes no sense"
head -c 300 "$T/mini.xz" >"$T/cut"
objcopy --add-section .gnu_debugdata="$T/cut" "$T/stripped" "$D/bin/p"
at "$shown" shown "a .gnu_debugdata that is cut off"

# A bomb: 700 MB of nothing in a hundred kilobytes.
head -c 700000000 /dev/zero | xz -0 >"$T/bomb"
objcopy --add-section .gnu_debugdata="$T/bomb" "$T/stripped" "$D/bin/p"
memory=$(lookup -w "grep VmHWM /proc/\$PPID/status" -r "$D" /bin/p "$shown" |
	awk '/VmHWM/ { print $2 } / shown\+/ { print "found" }' | tr '\n' ' ')
ok "a .gnu_debugdata that is a bomb takes bounded memory ($memory)" \
	eval '[[ "$memory" == *found* ]] && test "${memory%% *}" -lt 400000'

# Prelink moves a library; its debug file stays as it was.
for move in 0x10000 0x7f5000000000; do
	id=-Wl,--build-id=0x0123456789abcdef
	gcc -O1 -g -shared -fPIC "$id" -o "$T/full" "$T/p.c"
	objcopy --only-keep-debug "$T/full" "$T/p.debug"
	by_id "$T/p.debug"
	gcc -O1 -shared -fPIC "$id" -Wl,-Ttext-segment=$move -o "$D/bin/p" \
		"$T/p.c"
	hidden=$(offset_of "$D/bin/p" hidden)
	cp "$D/bin/p" "$T/moved"
	strip "$D/bin/p"
	at "$hidden" hidden "33: a program moved by $move"
done
is "$(readelf -sW "$T/p.debug" | awk '$8 == "hidden" { print $2 }' )" \
	"$(readelf -sW "$T/full" | awk '$8 == "hidden" { print $2 }')" \
	"33: the debug file has the old address"
at "$(plus "$hidden" 2)" hidden "33: in all of the function"
# Without section headers, the segments tell.
perl -e 'open(my $f, "+<", $ARGV[0]); seek($f, 40, 0); print $f "\0" x 8;
	 seek($f, 58, 0); print $f "\0" x 6' "$D/bin/p"
at "$hidden" hidden "33: also without section headers"
# Text moved by another distance than data.
gcc -O1 -shared -fPIC "$id" -Wl,--section-start=.text=0x55000 -o "$D/bin/p" \
	"$T/p.c"
hidden=$(offset_of "$D/bin/p" hidden)
strip "$D/bin/p"
at "$hidden" hidden "33: each section by its own distance"

# Nobody asks a server unless told to.
fresh p
strip "$D/bin/p"
got=$(DEBUGINFOD_URLS=http://127.0.0.1:9 timeout 10 \
	strace -f -e trace=connect -o "$T/trace" "$BIN/lookup" -r "$D" /bin/p \
	"$shown" | cut -d ' ' -f 3)
is "$got $(grep -c connect "$T/trace")" "shown+0x0 0" "no server is asked"
# A server that has one file, for two questions at most.
cat >"$T/server.pl" <<'END'
use IO::Socket::INET;
my $socket = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die;
open(my $in, '<:raw', $ARGV[0]) or die; my $file = do { local $/; <$in> };
$| = 1; print $socket->sockport(), "\n"; alarm(30);
while (my $client = $socket->accept()) {
	my $ask = <$client>; while (<$client>) { last if /^\r?\n$/ }
	print $ask;
	print $client $ask =~ m{^GET /buildid/[0-9a-f]+/debuginfo } ?
		"HTTP/1.0 200 OK\r\nContent-Length: " . length($file) . "\r\n\r\n$file" :
		"HTTP/1.0 404 No\r\nContent-Length: 0\r\n\r\n";
	close($client);
}
END
objcopy --only-keep-debug "$T/full" "$T/served.debug"
perl "$T/server.pl" "$T/served.debug" >"$T/asked" &
server=$!
for ((i = 0; i < 50; i++)); do
	[ ! -s "$T/asked" ] || break
	sleep 0.1
done
export DEBUGINFOD_CACHE_PATH=$T/cache
DEBUGINFOD_URLS=http://127.0.0.1:$(head -n 1 "$T/asked")
export DEBUGINFOD_URLS
at "$hidden" - "debuginfod is there, but was not allowed"
if ldconfig -p | grep -q libdebuginfod.so.1; then
	got=$(name -D -r "$D" /bin/p "$hidden")
	is "$got $(grep -c 'GET /buildid/.*/debuginfo' "$T/asked")" "hidden 1" \
		"by debuginfod, when that is allowed"
else
	skip "by debuginfod, when that is allowed" "no libdebuginfod"
fi
kill $server
wait $server 2>/dev/null
# A server that takes the question and says nothing: the end does not wait.
rm -rf "$T/cache"
perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 5,
	LocalAddr => "127.0.0.1") or die; $| = 1; print $s->sockport(), "\n";
	alarm(60); my @kept; push(@kept, scalar($s->accept())) while 1' \
	>"$T/silent" &
server=$!
for ((i = 0; i < 50; i++)); do
	[ ! -s "$T/silent" ] || break
	sleep 0.1
done
DEBUGINFOD_URLS=http://127.0.0.1:$(head -n 1 "$T/silent")
begin=$(date +%s)
lookup -q -D -r "$D" /bin/p
took=$(($(date +%s) - begin))
# It does wait a little, without which this would show nothing.
least=0
ldconfig -p | grep -q libdebuginfod.so.1 && least=2
ok "the end does not wait for a server that says nothing ($took s)" \
	test $took -ge $least -a $took -lt 15
kill $server
wait $server 2>/dev/null
unset DEBUGINFOD_URLS

mkdir -p "$T/plain"
cp "$D/bin/p" "$T/plain/p"
is "$(name "$T/plain/p" "$hidden")" - "nor another program's file taken"
finish
