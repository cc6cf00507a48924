#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Which of a table's symbols an offset has: sizes, gaps, aliases, nesting.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 26
needs gcc readelf objcopy
build plain

cat >"$T/t.s" <<'END'
	.macro func name, bytes
	.type	\name, @function
\name:	.fill	\bytes, 1, 0x90
	.size	\name, \bytes
	.endm

	.text
	.globl	_start
_start:	.fill	64, 1, 0x90		# no type, no size
	func	sized, 16
	.fill	16, 1, 0xcc		# nobody's
	.globl	after
	func	after, 16

	# Names of one place.
	.globl	alias_global_long, alias_glob
	.weak	a_weak
	.type	alias_local, @function
	.type	alias_global_long, @function
	.type	alias_glob, @function
	.type	a_weak, @function
a_label:
alias_local:
a_weak:
alias_global_long:
alias_glob:
	.fill	32, 1, 0x90
	.size	alias_local, 32
	.size	a_weak, 32
	.size	alias_global_long, 32
	.size	alias_glob, 32

	# The one with a version is shorter.
	.globl	plain_name, v
	.type	plain_name, @function
	.type	v, @function
v:
plain_name:
	.fill	16, 1, 0x90
	.size	plain_name, 16
	.size	v, 16

	# Equal but for their bytes.
	.globl	bb, ba
	.type	bb, @function
	.type	ba, @function
bb:
ba:	.fill	16, 1, 0x90
	.size	bb, 16
	.size	ba, 16

	# A short one at the start of a longer one.
	.type	short_local, @function
	.globl	long_global
	.type	long_global, @function
	.globl	short_global
	.type	short_global, @function
short_global:
	.size	short_global, 8
long_local:
	.type	long_local, @function
	.fill	32, 1, 0x90
	.size	long_local, 32

	# One inside another, and a label inside both.
	.globl	outer
	.type	outer, @function
outer:	.fill	16, 1, 0x90
	.type	inner, @function
inner:	.fill	4, 1, 0x90
label_inside:
	.fill	12, 1, 0x90
	.size	inner, 16
	.fill	16, 1, 0x90
	.size	outer, 48

	# Two that overlap.
	.type	left, @function
left:	.fill	16, 1, 0x90
	.type	right, @function
right:	.fill	16, 1, 0x90
	.size	left, 24
	.fill	16, 1, 0x90
	.size	right, 32
	.fill	16, 1, 0xcc
	.type	empty, @function
empty:	.fill	16, 1, 0x90
	.size	empty, 0
	.data
	.globl	a_datum
	.type	a_datum, @object
a_datum: .quad	1
	.size	a_datum, 8
END
gcc -nostdlib -static -Wl,--build-id=none -o "$T/t" "$T/t.s" -Wl,--defsym=constant=0x401010
objcopy --redefine-sym 'v=v@@VERS_1' "$T/t"

# at SYMBOL DELTA WANTED NAME
at()
{
	is "$(name "$T/t" "$(plus "$(offset_of "$T/t" "$1")" "$2")")" "$3" "$4"
}

at _start 0 _start "5: a symbol of size 0 matches its own address"
at _start 1 - "5: and not the next byte"
at _start 63 - "5: nor all up to the next symbol"
at sized 0 sized "a symbol's first byte"
at sized 15 sized "and its last"
at sized 16 - "5: a gap is unknown, not the symbol before it"
at sized 31 - "5: to its end, and not the symbol behind it"
at after 0 after "the first byte after a gap"
at alias_glob 0 alias_glob "5: aliases: the global, and of these the shorter"
at alias_glob 31 alias_glob "5: for all of it"
at plain_name 3 plain_name "5: the one without a version"
at ba 3 ba "equal in all: the first in byte order"
at short_global 0 short_global "a short global where a longer local starts"
at short_global 7 short_global "to its end"
at short_global 8 long_local "from there on, the longer one"
at short_global 31 long_local "to its end"
at outer 0 outer "a function"
at outer 15 outer "in front of one inside it"
at outer 16 inner "the one inside"
at outer 20 inner "not the label within a function"
at outer 32 outer "behind the one inside"
at outer 48 left "to its end"
at left 16 right "of two that overlap, the one that starts last"
at right 31 right "to its end"
at empty 0 empty "a function of size 0 at its own address"
at empty 1 - "only there"
finish
