#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A file that is no longer the one that was sampled gives no names.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317,SC2001
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 30
needs gcc readelf
build plain

echo 'int one(void) { return 1; } int main(void) { return one(); }' |
	gcc -O0 -o "$T/a" -x c -
echo 'int other(void) { return 2; } int main(void) { return other(); }' |
	gcc -O0 -o "$T/b" -x c -
one=$(offset_of "$T/a" one)

# identity FILE: its line, as the module writes it
identity()
{
	local major minor

	read -r major minor <<<"$(stat -c '%Hd %Ld' "$1")"
	echo "dev=$major:$minor ino=$(stat -c %i "$1")" \
		"size=$(stat -c %s "$1") mtime=$(stat -c %.9Y "$1")" \
		"ctime=$(stat -c %.9Z "$1")"
}

# check IDENTITY STATE NAME
check()
{
	local wanted=-

	[ "$2" != LOADED ] || wanted=one
	is "$(state -i "$1" "$T/a") $(name -i "$1" "$T/a" "$one")" \
		"$2 $wanted" "$3"
}

id=$(identity "$T/a")
is "$(name "$T/a" "$one")" one "without an identity, the file is believed"
check "$id" LOADED "the same file"
check "$(echo "$id" | tr ' ' '\n' | tac | tr '\n' ' ')" LOADED \
	"its keys in another order"
check "$id generation=5 what=ever" LOADED "further keys"
check "ino=$(stat -c %i "$T/a")" LOADED "some keys lack"
check "" LOADED "all keys lack"
check "$id
" LOADED "with a newline behind it"
check "$(echo "$id" | sed 's/ino=/ino=1/')" CHANGED "12b: another inode"
check "$(echo "$id" | sed 's/size=/size=1/')" CHANGED "12b: another size"
check "$(echo "$id" | sed 's/\(mtime=[0-9]*\)/\11/')" CHANGED \
	"12b: another second"
check "$(echo "$id" | sed -E 's/(mtime=[0-9]*\.[0-9]{8})./\1x/')" CHANGED \
	"12b: a time that can't be read"
last=$(echo "$id" | sed -E 's/.*mtime=[0-9]*\.[0-9]{8}(.).*/\1/')
check "$(echo "$id" | sed -E \
	"s/(mtime=[0-9]*\.[0-9]{8})./\1$(((last + 1) % 10))/")" CHANGED \
	"12b: another nanosecond"
check "$(echo "$id" | sed 's/dev=\([0-9]*\)/dev=1\1/')" CHANGED \
	"12b: another device"
check "$(echo "$id" | sed 's/dev=[^ ]*/dev=x/')" CHANGED \
	"12b: a device that can't be read"
check "$(echo "$id" | sed 's/ino=[0-9]*/ino=99999999999999999999999/')" CHANGED \
	"12b: a number beyond 64 bits"

cp -p "$T/a" "$T/keep"
touch -d '2001-02-03 04:05:06.789' "$T/a"
check "$id" CHANGED "12b: touched since"
touch -r "$T/keep" "$T/a"
check "$id" LOADED "and put back"
cat "$T/b" >"$T/a"
check "$id" CHANGED "12b: written over in place"
is "$(lookup -i "$id" "$T/a" $(seq 0 16 20000) | grep -vc -- ' -$')" 0 \
	"12b: not one name of the new one"
is "$(name "$T/a" "$(offset_of "$T/b" other)")" other \
	"which it has, as a file of its own"
cp -p "$T/keep" "$T/new"
mv "$T/new" "$T/a"
check "$id" CHANGED "12b: replaced by a copy with the same size and time"
rm "$T/a"
check "$id" MISSING "deleted"
is "$(state "$T/none")" MISSING "never there"
mkdir "$T/a"
check "$id" MISSING "a folder in its place"
rmdir "$T/a"
mkfifo "$T/a"
check "$id" MISSING "a FIFO in its place, which nobody waits for"
rm "$T/a"

# Below another root a file is a copy: its size and time tell.
mkdir -p "$T/root/usr"
cp -p "$T/keep" "$T/root/usr/a"
there=$(echo "$id" | sed -E 's/dev=[^ ]*/dev=99:99/')
is "$(name -r "$T/root" -i "$there" /usr/a "$one")" one \
	"a copy below another root"
touch -d @1 "$T/root/usr/a"
is "$(state -r "$T/root" -i "$there" /usr/a)" CHANGED \
	"12b: a copy of another time"
is "$(state -r "$T/root" -i "$(identity "$T/root/usr/a" |
	sed 's/ino=/ino=1/')" /usr/a)" CHANGED \
	"12b: another file on the same device"
ln -s / "$T/root/out"
ln -s /usr/a "$T/root/link"
is "$(state -r "$T/root" "/out$T/keep")" MISSING \
	"a link below the root does not lead out of it"
is "$(name -r "$T/root" /link "$one")" one "but to what is below it"
finish
