# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # lib.sh has the variables
#
# The live view in a terminal, on tree/: every view and key, exact screens.  The
# program is the one with the sanitizers, which say so when something is wrong,
# at its end too.

screens_tests=96

run_screens()
{
	local file=$work/written

	open_screen 80 24 "$asan --fs $tree -d 0.5"
	screen_is symbols.txt "symbols"
	cursor_is native_safe_halt "the first line is chosen"
	keys Down
	cursor_is longest_match "Down"
	keys j
	cursor_is finish_task_switch "j"
	keys Up
	cursor_is longest_match "Up"
	keys k
	cursor_is native_safe_halt "k"
	keys G
	screen_is symbols-end.txt "G"
	keys g
	screen_is symbols.txt "g"
	keys End
	screen_is symbols-end.txt "End"
	keys Home
	screen_is symbols.txt "Home"
	keys PageDown
	screen_is symbols-end.txt "PgDn"
	cursor_is '[bpf]' "PgDn: a page further"
	keys PageUp
	screen_is symbols.txt "PgUp"
	cursor_is native_safe_halt "PgUp: a page back"

	keys 2
	screen_is images.txt "2: images"
	keys Down Enter
	screen_is image.txt "Enter: an image's symbols"
	keys Enter
	screen_is symbol.txt "Enter: a symbol's addresses"
	keys Escape
	screen_is image.txt "Esc goes out"
	keys Right
	screen_is symbol.txt "Right goes in"
	keys Left
	screen_is image.txt "Left goes out"
	keys BSpace
	screen_is images.txt "Backspace goes out"
	cursor_is /usr/bin/gzip "to where one was"
	keys 3
	screen_is modules.txt "3: modules and JIT ranges"
	keys Down Down Enter
	screen_is jit.txt "into a JIT range"
	keys Left Down Enter
	screen_is jit-idle.txt "into a JIT range without samples"
	keys 4
	screen_is stats.txt "4: statistics"
	keys G
	screen_is stats-end.txt "its end, with what could not be hooked"
	keys F2
	screen_is symbols.txt "F2: from the last view to the first"
	keys F2
	screen_is images.txt "F2: to the next"
	keys 1 h
	screen_is help.txt "h: help"
	keys G
	screen_is help-end.txt "help to its end"
	keys h
	screen_is symbols.txt "h: and back"
	keys '?'
	screen_is help.txt "?: help"
	keys Escape F1
	screen_is help.txt "F1: help"
	keys Escape

	keys /
	screen_is filter-empty.txt "/: a filter"
	keys E X T
	screen_is filter-typing.txt "it works while one types"
	keys BSpace BSpace BSpace g z
	screen_is filter-changed.txt "Backspace takes back"
	keys Enter
	screen_is filter.txt "Enter keeps it"
	keys 2
	screen_is filter-images.txt "it holds in other views"
	keys 1 F4 x x
	screen_is filter-nothing.txt "F4: a filter that nothing passes"
	keys Escape
	screen_is filter.txt "Esc: the filter before"
	keys Escape
	screen_is symbols.txt "Esc ends a filter"
	keys / ü
	screen_is filter-utf8.txt "a filter in UTF-8"
	keys BSpace Enter
	screen_is symbols.txt "Backspace takes back a whole character"

	keys F3
	screen_shows "find: _" "F3: find"
	keys j i t Enter
	cursor_is my_jit "the first that has it"
	keys F3
	cursor_is js:loop "F3: the next one"
	keys F3
	cursor_is my_jit "F3: from the end to the beginning"
	keys g

	keys s
	screen_shows "by rate" "s: by rate"
	keys s
	screen_is by-image.txt "s: by image"
	keys F6
	screen_is by-symbol.txt "F6: by symbol"
	keys s
	screen_is symbols.txt "s: by samples"
	keys e
	screen_is event.txt "e: the next event"
	keys Tab
	screen_is symbols.txt "Tab: and the first"
	keys K
	screen_is hide-kernel.txt "K: without the kernel"
	keys F8
	screen_is hide-all.txt "F8: without the rest"
	keys F7
	screen_is hide-user.txt "F7: with the kernel"
	keys U
	screen_is symbols.txt "U: with the rest"
	keys Space
	screen_is frozen.txt "Space: frozen"
	keys Space
	screen_is symbols.txt "Space: on again"

	keys d
	screen_shows "delay in seconds: _" "d: asks for the delay"
	keys 0 Enter
	screen_shows "not a delay of 0.1 to 86400 s: 0" "a bad one"
	keys d 6 0 Enter
	screen_is symbols.txt "a good one"
	screen_raw_shows " 2 s old" "d: the picture gets older now"
	keys z
	screen_shows "reset all counts of the kernel? y or n" "z asks"
	keys n
	screen_is symbols.txt "n: no"
	keys F9
	screen_shows "reset all counts of the kernel? y or n" "F9 asks"
	keys y
	screen_shows "this is a copy: nothing to reset" "y: it is a copy"
	keys S
	screen_shows "this is a copy: nothing to start" "S: it is a copy"

	keys w
	screen_shows "write to the new file: _" "w: asks for a file"
	keys -l "$file"
	keys Enter
	screen_shows "written to" "w: written"
	same_as written.txt "it holds all lines" < "$file"
	keys w
	keys -l "$file"
	keys Enter
	screen_shows "File exists" "a file that is there stays as it is"
	keys 2

	tm resize-window -x 40 -y 10
	screen_is small.txt "40x10: images"
	keys 1
	screen_is small-symbols.txt "40x10: symbols"
	keys Down Enter
	screen_is small-symbol.txt "40x10: a symbol"
	keys Escape 3
	screen_is small-modules.txt "40x10: modules"
	keys 1
	tm resize-window -x 39 -y 10
	screen_is too-narrow.txt "39x10: too small, and says so"
	tm resize-window -x 40 -y 9
	screen_is too-low.txt "40x9: too small, and says so"
	tm resize-window -x 150 -y 30
	screen_is big.txt "150x30"
	keys Down Enter
	screen_is big-symbol.txt "150x30: a symbol, with instructions and lines"
	keys Escape g
	tm resize-window -x 80 -y 24
	screen_is symbols.txt "back to 80x24"
	keys q
	screen_is quit.txt "q: the terminal is as it was"

	open_screen 80 24 "$asan --fs $tree -d 3600"
	screen_is one-look.txt "one look only: no rates yet"
	keys a
	screen_is decay.txt "a: decay; all is as it was then"
	keys F5
	screen_is delta.txt "F5: delta; there is nothing yet"
	keys a
	screen_is one-look.txt "a: accumulate"
	keys q
	screen_is quit.txt "q"

	open_screen 80 24 "$asan --fs $tree -e cycles"
	screen_is event.txt "-e"
	ok "there are colours" colored
	keys F10
	screen_is quit.txt "F10 quits"
	open_screen 80 24 "NO_COLOR=1 $asan --fs $tree"
	screen_is symbols.txt "NO_COLOR"
	keys Down
	cursor_is longest_match "NO_COLOR: a line is chosen"
	ok "NO_COLOR: there are none" not_colored
	keys q
	open_screen 80 24 "LC_ALL=C $asan --fs $tree"
	screen_is symbols-ascii.txt "a locale of ASCII only"
	keys q
	screen_is quit.txt "it has nothing to complain about either"
}

# Of the symbols' rows the first has a colour by its share.
colored()
{
	tm capture-pane -p -e | grep -q $'\e\\[[0-9;]*3[0-7]'
}

not_colored()
{
	! colored
}

shows_raw()
{
	tm capture-pane -p | grep -qF -e "$1"
}

screen_raw_shows()
{
	wait_for 20 shows_raw "$1"
	result $? "$2" || diag "$(tm capture-pane -p)"
}
