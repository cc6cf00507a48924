# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # lib.sh has the variables
#
# Reports: exact ones of tree/, and what two pictures make of what changed
# between them.

reports_tests=26

# The time is what can't be the same twice.
timeless()
{
	sed -E 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/TIME/'
}

# add_samples TREE: 25 more of gzip's longest_match
add_samples()
{
	local hist="$1/images/}usr}bin}gzip/hist"

	sed -i 's/^0x3f10 120 200$/0x3f10 145 200/' "$hist"
	sed -i 's/.*/1503/' "$1/stats/received"
	echo 509 > "$1/images/}usr}bin}gzip/samples"
}

has_line()
{
	grep -q "$1" "$2" 2>/dev/null
}

# two_pictures MODE: of a tree in which add_samples was between them
two_pictures()
{
	local pid

	rm -rf "$work/t" "$work/two"
	cp -r "$tree" "$work/t"
	"$optop" --fs "$work/t" -b -n 2 -d 2 -m "$1" -o "$work/two" &
	pid=$!
	wait_for 20 has_line SHARE "$work/two"
	add_samples "$work/t"
	wait $pid || return
	# The second one only.
	sed -i '1,/^$/d; 1,/^$/d' "$work/two"
}

sums_up()
{
	jq -e '.pictures[0] | [.images[].samples[]] as $i |
		[.symbols[].samples[]] as $s |
		($i | add) + .lost + .skipped == .stats.received and
		($i | add) == ($s | add)' > /dev/null
}

run_reports()
{
	local opt=("$asan" --fs "$tree")

	run 0 "--once" "${opt[@]}" --once
	same_as once.txt "--once prints what is expected" < "$work/out"
	run 0 "--once -e cycles" "${opt[@]}" --once -e cycles
	same_as once-cycles.txt "one event of two" < "$work/out"
	run 0 "-b -n 1" "${opt[@]}" -b -n 1
	timeless < "$work/out" > "$work/timeless"
	same_as batch.txt "-b prints what is expected" < "$work/timeless"
	run 0 "--json" "${opt[@]}" --json
	ok "--json is one document" jq -e -s 'length == 1' "$work/out"
	timeless < "$work/out" | jq . > "$work/timeless"
	same_as json.txt "--json prints what is expected" < "$work/timeless"
	ok "images, losses and skipped samples are what was received" \
		sums_up < "$work/out"
	run 0 "--csv" "${opt[@]}" --csv
	timeless < "$work/out" > "$work/timeless"
	same_as csv.txt "--csv prints what is expected" < "$work/timeless"
	run 0 "-e by number, -M, -v and -o" "${opt[@]}" --csv -e 1 -v \
		-M "$work/map" -o "$work/file"
	is "$(wc -c < "$work/out")" 0 "-o: nothing on standard output"
	is "$(grep -c cycles "$work/file")" 11 "-o: all in the file"
	same_as map.txt "-M writes the map" < "$work/map"
	same_as verbose.txt "-v says what was found" < "$work/err"
	run 0 "no locale" env LC_ALL=C "${opt[@]}" --once
	same_as once.txt "a report does not depend on the locale" < "$work/out"

	ok "two pictures, delta" two_pictures delta
	is "$(grep -c '%' "$work/two")" 1 "delta: one symbol had samples"
	# 25 in 2 s, whatever else the machine has to do.
	ok "delta: its line" grep -Eq \
		'^100\.00% +25 +1[0-2]\.[0-9]/s gzip +\[\.\] longest_match$' \
		"$work/two"
	ok "two pictures, decay" two_pictures decay
	ok "decay: an eighth less, and what came" grep -Eq \
		' 173\.8 .* longest_match$' "$work/two"
	ok "decay: an eighth less" grep -Eq \
		' 437\.5 +0\.0/s .* native_safe_halt$' "$work/two"
	ok "two pictures in one document" eval \
		'"$optop" --fs "$tree" --json -n 2 -d 0.1 |
			jq -e ".pictures | length == 2 and .[1].seconds > 0"'
}
