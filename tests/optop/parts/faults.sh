# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # lib.sh has the variables
#
# What cannot be done is said in one clear line, with the right exit code.

faults_tests=41

# one_line TEXT NAME: standard error was one line that has TEXT
one_line()
{
	[ "$(wc -l < "$work/err")" = 1 ] && grep -qF -e "$1" "$work/err"
	result $? "$2" && return
	diag "wanted: $1"
	diag "$(head -c 2000 "$work/err")"
}

# As somebody who has no rights to the tree.
nobody()
{
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

run_faults()
{
	local o=$optop

	run 2 "an unknown option" "$o" --nonsense
	run 2 "an argument" "$o" something
	one_line "not an option: something" "an argument: says so"
	run 2 "a bad delay" "$o" -b -d 0
	one_line "not a delay" "a bad delay: says so"
	run 2 "a delay that is no number" "$o" -b -d nan
	run 2 "a bad number of pictures" "$o" -b -n -1
	one_line "not a number of pictures" "a bad number: says so"
	run 2 "a bad mode" "$o" -m sum
	one_line "not accumulate, decay or delta" "a bad mode: says so"
	run 2 "two formats" "$o" --json --csv
	one_line "only one can be" "two formats: says so"
	run 2 "-o without a report" "$o" -o "$work/x" --fs "$tree"
	run 2 "an event that is not there" "$o" --fs "$tree" --once -e nosuch
	one_line "there is timer:997Hz, cycles:100000" \
		"an event that is not there: says which are"
	run 2 "--start of a copy" "$o" --fs "$tree" --once --start
	one_line "is a copy" "--start of a copy: says so"
	run 2 "no terminal" "$o" --fs "$tree"
	one_line "use -b or --once" "no terminal: says what to do"
	run 3 "no such folder" "$o" --once --fs "$work/none"
	one_line "No such file or directory" "no such folder: says so"
	mkdir -p "$work/empty" "$work/flat"
	run 3 "an empty folder" "$o" --once --fs "$work/empty"
	one_line "is no tree of oprofilefs" "an empty folder: says so"
	touch "$work/flat/images"
	run 3 "images is a file" "$o" --once --fs "$work/flat"
	one_line "Not a directory" "images is a file: says so"
	if [ -e /dev/oprofile/images ]; then
		skip "not mounted" "there is a tree in /dev/oprofile"
		skip "not mounted: says what to do" "likewise"
	else
		run 3 "not mounted" "$o" --once
		one_line "mount -t oprofilefs nodev /dev/oprofile" \
			"not mounted: says what to do"
	fi

	chmod 755 "$work"
	cp "$o" "$work/optop"
	cp -r "$tree" "$work/mine"
	chmod 700 "$work/mine"
	[ "$(id -u)" = 0 ] || chmod 0 "$work/mine"
	run 4 "no rights" nobody "$work/optop" --once --fs "$work/mine"
	one_line "no rights to read" "no rights: says so"

	run 1 "-o to where nothing can be" "$o" --fs "$tree" --once \
		-o "$work/none/x"
	run 1 "a full disk" "$o" --fs "$tree" --once -o /dev/full
	one_line "No space left on device" "a full disk: says so"
	run 1 "a full disk behind standard output" \
		bash -c '"$1" --fs "$2" --json > /dev/full' - "$o" "$tree"
	run 1 "-M to where nothing can be" "$o" --fs "$tree" --once \
		-M "$work/none/x"

	rm -rf "$work/t"
	cp -r "$tree" "$work/t"
	rm "$work/t/stats/hooks"
	run 0 "a copy without the hooks" "$o" --fs "$work/t" --once
	is "$(cat "$work/err")" "" "that is no fault"

	# Until there is a new one, there is none.
	rm -rf "$work/t" "$work/gone" "$work/out"
	cp -r "$tree" "$work/t"
	"$o" --fs "$work/t" --json -n 100 -d 0.2 > "$work/out" \
		2> "$work/err" &
	wait_for 20 test -s "$work/out"
	mv "$work/t" "$work/gone"
	wait $!
	is $? 5 "the tree goes while it is looked at"
	one_line "the tree has gone" "the tree goes: says so"
	ok "the tree goes: the document is whole" \
		jq -e '.pictures | length > 0' "$work/out"

	rm "$work/out"
	"$o" --fs "$tree" --json -n 100 -d 5 > "$work/out" &
	wait_for 20 test -s "$work/out"
	kill -TERM $!
	wait $!
	is $? 143 "a report that is ended by SIGTERM"
	ok "its document is whole" jq -e '.pictures | length == 1' "$work/out"
}
