#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 900
#
# optop's views in a terminal of 80x24, over programs that run meanwhile. What is
# exact is tested on a recorded tree, by tests/optop/optop.sh; here it is what
# must be true of any numbers.

# shellcheck disable=SC2016,SC2154,SC2317 # lines of shell for eval; libraries
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/optop/lib.sh
. tests/optop/lib.sh
# shellcheck source=tests/lib/optop.sh
. tests/lib/optop.sh

plan 49
start_load
open_screen 80 24 "$optop"
screen_shows '[.] lib_sixteen' "symbols: of a library"
top "which event, from where, and how often in fact" \
	'^sampling timer:997Hz \[1 of 2\] \(timer\), real [1-9][0-9.]* Hz'
where "which view, mode and order" '^symbols  .* accumulate by samples .* AGE'
wait_for "$patience" eval \
	'screen | sed -n 2p | grep -qE "^[0-9]+ samples, [1-9][0-9.]*/s  forks [0-9.]+/s execs [0-9.]+/s  [0-9]+ images"'
result $? "how many samples, forks, execs and images" || diag "$(screen)"
wait_for "$patience" eval 'screen | sed -n 3p | grep -qE "^(lost 0|LOST [0-9]+:)"'
result $? "what was lost" || diag "$(screen)"
entries_pass "an entry: share, samples, rate, image, kernel or not, name" \
	'awk "!/^ *[0-9.]+% +[0-9]+ +[0-9.]+ .+ \[[k.]\] ./ { exit 1 }"'
entries_pass "most samples first" "awk '{ print \$2 }' | falling"

# What is only there when it has been in the picture.
keys / p e r f _ m a p
screen_shows "anon                 [.] perf_map_code" \
	"symbols: of a process's own map"
keys C-u m y _ j i t
screen_shows "jit:my_jit           [.] my_jit" "symbols: a JIT range"
keys C-u o p b u r n
screen_shows "opburn.ko            [k] opburn_spin" "symbols: of a module"
keys C-u r e o r d e r
screen_shows "café                 [.] " "symbols: a name in UTF-8"
screen_shows "finder::reorder<11>" "symbols: a long name of C++ is cut"
keys C-u s q l i t e Enter
entries_pass "/: a filter" 'grep -qi sqlite && ! entries | grep -qvi sqlite'
keys Escape

keys 2
screen_shows "$op_progs/libshares.so" "images, by their paths"
entries_pass "images: the kernel is one" "grep -q ' vmlinux$'"
keys F3
screen_shows "find: _" "F3: find"
keys -l libshares
keys Enter
cursor_is libshares.so "F3: found"
keys Enter
where "Enter: into an image" '^images > libshares.so  '
screen_shows lib_sixteen "an image's symbols"
entries_pass "and no other's" "grep -q lib_ && ! entries | grep -q '\[k\]'"
keys g F3
wait_for "$patience" shows "find: _"
keys -l lib_sixteen
keys Enter
cursor_is lib_sixteen "one of its symbols"
keys Enter
where "Enter: into a symbol" '^images > libshares.so > lib_sixteen '
screen_shows works.c: "its addresses: with the line of the source"
screen_shows "nop " "with the instruction"
keys Space s s s
where "by address" 'FROZEN accumulate by symbol'
ok "w: a view into a file" write_view
# Which function an offset is in, somebody else says.
is "$(awk 'NR > 5 { print $4, $2 }' "$work/view" |
	"$op_progs/opfuncs" "$op_progs/libshares.so" - | cut -d ' ' -f 1)" \
	lib_sixteen "all of them are in it"
ok "s: in their order" eval "awk 'NR > 5 { print \$4 }' '$work/view' | rising"
keys s Space
keys Escape
where "Esc: out" '^images > libshares.so  '
keys Right
where "Right: in" '^images > libshares.so > '
keys Left
where "Left: out" '^images > libshares.so  '
keys BSpace
where "Backspace: out" '^images  '
cursor_is libshares.so "to where one was"

keys 3
screen_shows "NAME" "modules and JIT ranges"
entries_pass "modules" "grep -qE '^ +[1-9][0-9]* 0x[0-9a-f]+ .* opburn.ko$'"
entries_pass "JIT ranges" \
	"grep -qE '^ +[1-9][0-9]* +$start +$middle +$pid jit:my_jit$'"
keys G
cursor_is jit:my_jit "G: the last"
keys Enter
where "Enter: into a range" '^modules and jit maps > jit:my_jit '
keys 1 3 g F3
wait_for "$patience" shows "find: _"
keys -l opburn
keys Enter
cursor_is opburn.ko "a module"
keys Enter
where "Enter: into a module" '^modules and jit maps > opburn.ko '
screen_shows opburn_spin "its symbols"
keys 4
screen_shows "received  " "statistics"
keys F2
where "F2: from the last view to the first" '^symbols '
keys h
screen_shows "WHAT IT DOES" "h: help"
keys '?'
where "?: and back" '^symbols '
keys F1
screen_shows "WHAT IT DOES" "F1: help"
keys Escape
keys q
ends_with 0 "q"
end_load
op_stop
op_conserved "no sample is missing"
finish
