#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tables and maps at random, against a model that goes a byte at a time; and
# noise where a text or a dump is expected.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 3
needs gcc perl readelf
build plain
build address,undefined

# same WANTED OURS ROUND: as the model says
same()
{
	[ "$(wc -l <"$1")" -ge 300 ] && cmp -s "$1" "$2" && return
	echo "round $3"
	diff "$1" "$2" | head -n 10
	return 1
}
symbols()
{
	local round base

	for round in {1..20}; do
		perl "$here/model.pl" symbols "$round" >"$T/s.s" 2>"$T/model"
		gcc -nostdlib -static -Wl,--build-id=none -o "$T/s" "$T/s.s" ||
			return 1
		base=$(offset_of "$T/s" base)
		awk -v base=$((base)) '{ print base + $1 }' "$T/model" |
			lookup "$T/s" - | awk -v base=$((base)) '{
			sub(/\+0x.*/, "", $3)
			print strtonum($1) - base, $2 == "-" ? "-" : $3 }' \
			>"$T/ours"
		same "$T/model" "$T/ours" "$round" || return 1
	done
}
ok "tables of 20 programs at random" symbols
mkdir "$T/tmp"
maps()
{
	local round

	for round in {1..30}; do
		rm -f "$T"/tmp/*
		perl "$here/model.pl" maps "$round" "$T/tmp" >"$T/model"
		cut -d ' ' -f 1 "$T/model" | lookup -t "$T/tmp" anon - | awk '{
			sub(/\+0x.*/, "", $3)
			print strtonum($1), $2 == "-" ? "-" : $3 }' >"$T/ours"
		same "$T/model" "$T/ours" "$round" || return 1
	done
}
ok "maps of 30 times three processes at random" maps
noise()
{
	local round lookup="$BIN/address,undefined/lookup"

	for round in {1..20}; do
		perl "$here/model.pl" noise "$round" "$T/tmp" || return 1
		"$lookup" -t "$T/tmp" anon 0 0x100 0x1388 0xffffffffffffffff &&
			"$lookup" -k "$T/tmp/kallsyms" vmlinux 0 0x1000 &&
			"$lookup" -k "$T/tmp/kallsyms" mod.ko 0 &&
			"$lookup" -k "$T/tmp/kallsyms" bpf 0xffffffffc0000000 ||
			return 1
	done
}
ok "no bad access for noise in maps, dumps and kallsyms" noise
finish
