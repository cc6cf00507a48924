# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # lib.sh has the variables
#
# The live view while things happen: the tree changes or goes, names come late,
# signals end the program. The terminal is always put back.

live_tests=54

copy_tree()
{
	rm -rf "$work/t"
	cp -r "$tree" "$work/t"
}

clean_log()
{
	grep -q 'ERROR SUMMARY: 0 errors' "$work/valgrind" &&
		grep -Eq 'definitely lost: 0 bytes|no leaks are possible' \
			"$work/valgrind"
}

run_live()
{
	local signal number

	copy_tree
	open_screen 80 24 "$asan --fs $work/t -d 0.3"
	screen_is symbols.txt "the tree as it is"
	keys Enter
	screen_shows "symbols > " "in at the top"
	keys Escape s s
	screen_is by-image.txt "and out: in another order"
	cursor_is "$(sed -n 6p "$expected/by-image.txt")" "still at the top"
	keys s s
	screen_is symbols.txt "as before"
	echo 1503 > "$work/t/stats/received"
	sed -i 's/^0x3f10 120 200$/0x3f10 920 200/' \
		"$work/t/images/}usr}bin}gzip/hist"
	echo 1284 > "$work/t/images/}usr}bin}gzip/samples"
	screen_shows "53.80%      970" "new samples come"
	cursor_is longest_match "the cursor at the top stays at the top"
	echo 40 > "$work/t/stats/lost_no_memory"
	screen_shows "LOST 57: cpu_buffer 12, hist_memory 5, no_memory 40" \
		"new losses come"
	keys Space
	screen_shows FROZEN "frozen"
	rm -r "$work/t/images/}usr}bin}gzip"
	keys j
	cursor_is native_safe_halt "moving in what is frozen"
	screen_shows "53.80%      970" "what is frozen stays"
	keys Space
	wait_for 20 shows_not longest_match
	result $? "an image that goes, goes"
	cursor_is native_safe_halt "what is chosen stays so in another order"
	keys 2
	screen_shows "images  " "another view of it"
	echo junk > "$work/t/images/vmlinux/samples"
	screen_shows "FAULTS in the tree 1: image" "a fault is shown"
	keys 4
	screen_shows "faults 1: images/vmlinux/samples: not what it should be" \
		"and all of it among the statistics"
	mv "$work/t" "$work/t2"
	screen_shows "the tree has gone: $work/t: No such file" \
		"the tree goes: says so"
	ends_with 5 "the tree goes"
	rm -rf "$work/t2"

	# Many ranges, and several in one place.
	copy_tree
	seq -f 'r%.0f 0x7f0000001000 0x7f0000002000 pid=4242' 20000 \
		>> "$work/t/jit_maps"
	open_screen 80 24 "$asan --fs $work/t -d 0.3"
	screen_is symbols.txt "a tree with many JIT ranges"
	keys 3 G
	cursor_is jit:r20000 "the last of them"
	keys e Tab k
	cursor_is jit:r19999 "the one before it"
	keys e Tab
	echo 40 > "$work/t/stats/lost_no_memory"
	screen_shows "LOST 57" "after another look"
	cursor_is jit:r19999 "it is still that one"
	keys q
	ends_with 0 "q"

	# What a file system that was unmounted leaves behind.
	copy_tree
	open_screen 80 24 "$asan --fs $work/t -d 0.3"
	screen_is symbols.txt "a tree that will be unmounted"
	rm -rf "$work/t/"*
	screen_shows "is no tree of oprofilefs" "unmounted: says so"
	ends_with 5 "unmounted"

	open_screen 80 24 "OPTOP_STUB_DELAY=3000 $asan --fs $tree -d 60"
	screen_is waiting.txt "numbers come before names"
	screen_is one-look.txt "names come when they are there"
	# Killed while it looks for leaks, the sanitizer would never end.
	keys q
	ends_with 0 "q"
	for signal in TERM HUP INT SEGV ABRT; do
		case $signal in
		TERM) number=143 ;;
		HUP) number=129 ;;
		INT) number=130 ;;
		SEGV) number=139 ;;
		ABRT) number=134 ;;
		esac
		# Not the sanitizers', whose own handlers are in the way.
		open_screen 80 24 "$optop --fs $tree"
		wait_for 20 shows native_safe_halt
		kill -$signal "$(optop_pid)"
		ends_with $number "SIG$signal"
	done
	open_screen 80 24 "(ulimit -f 0; exec $optop --fs $tree -d 3600)"
	screen_is one-look.txt "where no file may be written"
	keys q
	ends_with 0 "there"
	open_screen 80 24 "$optop --fs $tree -d 3600"
	wait_for 20 shows native_safe_halt
	number=$(optop_pid)
	tm kill-server
	wait_for 20 test ! -e "/proc/$number"
	result $? "the terminal goes, and so does optop"
	open_screen 80 24 "TERM=dumb $asan --fs $tree"
	screen_shows "cannot place text (TERM): use -b or --once" \
		"TERM=dumb: says what to do"
	ends_with 2 "TERM=dumb"
	open_screen 80 24 "TERM=nosuch $asan --fs $tree"
	ends_with 2 "an unknown TERM"

	open_screen 80 24 "valgrind -q --leak-check=full --log-file=$work/valgrind \
		-v $optop --fs $tree -d 0.5"
	wait_for 60 shows native_safe_halt
	keys 2 j Enter Enter Escape 3 G Enter 4 h
	wait_for 60 shows "WHAT IT DOES"
	keys 1 / g z Enter a a s s s e K U
	tm resize-window -x 40 -y 10
	wait_for 60 eval 'screen | grep -q "^F1Help.*F6S$"'
	keys q
	wait_for 60 shows "status 0"
	ok "valgrind has nothing to say" clean_log
}
