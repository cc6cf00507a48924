#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --icount --timeout 900
#
# Programs that live for less than the time between two samples: what is sampled
# of them is theirs, all of it. Each runs nothing but its own code, so whatever
# else has their name, or whatever of theirs has another, is wrong.

set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

tmp=$(mktemp -d) || op_bail "no folder for temporary files"
hz=7993

plan 10

# An iteration takes 185 ns, a sample comes every 125 us: 150, 300 and 600 times
# in one life, that is 0.2, 0.4 and 0.9 samples.
declare -A work=([alpha]=150 [beta]=300 [gamma]=600)

op_start $hz
for name in alpha beta gamma; do
	"$op_progs/forkstorm" 2 0 7000 "$op_progs/burn-$name" \
		"${work[$name]}" >"$tmp/$name" &
done
wait
op_stop

counts=
truth=
total=0
for name in alpha beta gamma; do
	file=$op_progs/burn-$name
	image=$(op_name "$file")
	read -r _ lives <"$tmp/$name"
	is "$lives" 7000 "burn-$name lives 7000 times"
	is "$(op_strays "$image" "$file")" "" "burn-$name has its own code only"
	n=$(op_func_counts "$image" "$file" |
		awk -v f="burn_$name" '$1 == f { print $2 }')
	total=$((total + n))
	counts+="burn_$name $n"$'\n'
	truth+="truth burn_$name $((lives * ${work[$name]}))"$'\n'
done
[ "$total" -ge 10000 ]
result $? "$total samples"
op_ok "the programs' shares" op_shares_agree "$counts" "$truth"
is "$(op_user_unknown)" 0 "nothing is unknown"
op_conserved "no sample got lost on the way"
finish
