# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034 # the other libraries' variables
#
# What the tests of optop's live view in the VM share: what runs meanwhile, and
# ways to ask what a screen shows whose numbers are not known. To be sourced
# behind tests/lib/oprofile.sh and tests/optop/lib.sh.

optop=$PWD/build/optop/optop
ko=$op_progs/$OP_KVER/opburn.ko
patience=60
[ -x "$optop" ] || op_bail "no $optop: make optop"

# A program with a name that is not ASCII, and a function with one that is longer
# than the screen is wide.
long=_ZN6finder7reorderILi11EEEv
for _ in 1 2 3 4 5 6; do
	long+=RKSt6vectorIiSaIiEE
done
objcopy --redefine-sym "burn_alpha=$long" \
	"$op_progs/burn-alpha" "$work/café" || op_bail "no objcopy"
insmod "$ko" || op_bail "no $ko"
op_jitter_start p anon:1 anon:1
pid=${jitter_pid[p]}
start=${jitter_start[p.0]}
middle=${jitter_end[p.0]}
printf '%x 1000 perf_map_code\n' "$middle" >"/tmp/perf-$pid.map"
echo "add_mapping my_jit $start $middle pid=$pid" >"$op/jit_maps"

# All of it gives way to the viewer.
load()
{
	nice -n 19 "$op_progs/shares-lib" >/dev/null &
	nice -n 19 "$work/café" 0 &
	nice -n 19 /usr/bin/python3 -c 'while 1: sum(range(10000))' &
	while :; do
		nice -n 19 sqlite3 :memory: "WITH RECURSIVE c(x) AS (SELECT 1 UNION
			ALL SELECT x + 1 FROM c WHERE x < 50000)
			SELECT sum(x) FROM c;"
	done >/dev/null &
	while echo 100000; do
		:
	done >/sys/module/opburn/parameters/burn &
	renice -n 19 $! >/dev/null
	renice -n 19 "$pid" >/dev/null
	echo "run 10000000 0 1" >&"${jitter_in[p]}"
}

# start_load: two events, the timer and the same by perf at half the rate
start_load()
{
	echo cpu-clock >"$op/1/event"
	echo 499 >"$op/1/freq"
	echo 1 >"$op/1/enabled"
	load
	op_start 997
}

end_load()
{
	local jobs

	mapfile -t jobs < <(jobs -p)
	kill "${jobs[@]}"
}

# The entries that the screen shows.
entries()
{
	screen | sed '1,5d; $d'
}

# entries_pass NAME COMMAND: a line of shell that all entries are given to
entries_pass()
{
	wait_for "$patience" eval "entries | $2"
	result $? "$1" || diag "$(screen)"
}

# where NAME REGEX: the fourth line, which says where one is, comes to match it
where()
{
	wait_for "$patience" eval "screen | sed -n 4p | grep -qE -e '$2'"
	result $? "$1" || diag "$(screen)"
}

# top NAME REGEX: the first line
top()
{
	wait_for "$patience" eval "screen | sed -n 1p | grep -qE -e '$2'"
	result $? "$1" || diag "$(screen)"
}

# at_entry N NAME: the cursor is at the N-th of the entries in $work/frozen
at_entry()
{
	cursor_is "$(sed -n "$1p" "$work/frozen")" "$2"
}

# write_view: all of a view, by the key w, to $work/view
write_view()
{
	rm -f "$work/view"
	keys w
	wait_for "$patience" shows "write to the new file: _" || return
	keys -l "$work/view"
	keys Enter
	wait_for "$patience" shows "written to"
}

# Numbers in the order that is asked for, and more than one.
falling()
{
	awk '{ bad += NR > 1 && $1 > last; last = $1 }
		END { exit bad || NR < 2 }'
}

rising()
{
	LC_ALL=C sort -c 2>/dev/null
}

# The samples in a view that was written: "SUM TOTAL-OF-THE-HEAD".
sums()
{
	awk 'NR == 2 { total = $1 } NR > 5 { n += $2 } END { print n, total }' \
		"$work/view"
}
