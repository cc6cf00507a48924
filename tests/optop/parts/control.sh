# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # lib.sh has the variables
#
# What optop writes to a tree that is mounted: to start, stop and reset, and only
# when it is told to. The tree is a copy that a preloaded library makes look like
# a mounted one.

control_tests=26

holds()
{
	[ "$(cat "$work/t/$1" 2> /dev/null)" = "$2" ]
}

# file_is FILE TEXT NAME: a file of the tree comes to hold TEXT
file_is()
{
	wait_for 20 holds "$1" "$2"
	result $? "$3" || diag "$1: $(cat "$work/t/$1")"
}

fresh_tree()
{
	rm -rf "$work/t"
	cp -r "$tree" "$work/t"
	: > "$work/t/reset"
	: > "$work/t/dump"
}

run_control()
{
	local preload=LD_PRELOAD=$work/fake_fs.so

	ok "the library builds" cc -D_GNU_SOURCE -O2 -shared -fPIC \
		-o "$work/fake_fs.so" tests/optop/fake_fs.c
	fresh_tree
	open_screen 80 24 "$preload $optop --fs $work/t -d 0.3"
	screen_is off.txt "sampling is off, and it says so"
	file_is enable 0 "looking starts nothing"
	keys S
	screen_shows "sampling timer:997Hz [1 of 2] (timer)" "S: it is on"
	file_is enable 1 "S: the file says so"
	keys S
	screen_shows "OFF (S starts), timer:997Hz" "S: it is off again"
	file_is enable 0 "the file says so"
	keys z n
	screen_is off.txt "z, n"
	file_is reset "" "z, n: nothing is reset"
	keys z y
	file_is reset 1 "z, y: a reset"
	rm "$work/t/reset"
	keys z y
	screen_shows "reset: No such file or directory" \
		"a reset that fails says so"
	rm "$work/t/enable"
	keys S
	screen_shows "enable: No such file or directory (the kernel's log says" \
		"a start that fails says so"
	keys q
	screen_shows "status 0" "q"

	fresh_tree
	open_screen 80 24 "$preload $optop --fs $work/t --start -d 0.3"
	screen_shows "sampling timer:997Hz" "--start"
	file_is enable 1 "--start: the file says so"
	keys q
	screen_shows "sampling goes on; to end it: echo 0 > $work/t/enable" \
		"it goes on, and is said how to end it"

	fresh_tree
	run 0 "--start --once" env "$preload" "$optop" --fs "$work/t" --start \
		--once -d 0.2
	file_is enable 1 "it is started"
	file_is dump 1 "and what was sampled is fetched before it is shown"
	fresh_tree
	run 0 "--start --json -q" env "$preload" "$optop" --fs "$work/t" \
		--start --json -q -d 0.1
	is "$(cat "$work/err")" "" "-q: nothing on standard error"
	is "$(jq -c '.pictures[0].enabled' "$work/out")" true "JSON knows"
	rm "$work/t/enable"
	run 1 "--start that fails" env "$preload" "$optop" --fs "$work/t" \
		--start --once
	ok "it says so" grep -q 'sampling cannot be started: No such file' \
		"$work/err"
	fresh_tree
	run 0 "no --start" env "$preload" "$optop" --fs "$work/t" --once
	file_is enable 0 "nothing is started"
}
