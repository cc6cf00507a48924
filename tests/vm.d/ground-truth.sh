#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --icount --timeout 400
#
# Programs that know what a profile of them must say, under the timer at its
# default rate: each function's share within three standard errors over at least
# 10,000 samples, each offset the very one of the ELF file.
#
# The machine's clock counts its instructions, so that the same work takes the
# same time, whatever else the host has to do.
#
# That is 6 comparisons for each of 5 programs. If samples were drawn by lot,
# one run in 12 would fail by chance at three errors. They aren't: many slices are
# longer than the distance of two samples, and such a slice gets what is its due
# but for one. So the spread is, measured, 0.6 of the binomial error that the bound
# is made of: three of these are five of the real ones, and one run in 50,000
# fails by chance.

set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

wanted=10000
tmp=$(mktemp -d) || op_bail "no folder for temporary files"

# Program, and the file that its functions are in.
declare -A elf=(
	[pie]=shares-pie [nopie]=shares-nopie [lib]=libshares.so
	[dlopen]=plugin.so [children]=shares-children
)
variants="pie nopie lib dlopen children"
plan $((5 * 5 + 2))

# Samples in the functions of known cost, so far.
work_samples()
{
	op_func_counts "$(op_name "$op_progs/${elf[$1]}")" "$op_progs/${elf[$1]}" |
		awk '/_(one|two|three|four|eight|sixteen) / { n += $2 }
			END { print n + 0 }'
}

op_start 997
us=${EPOCHREALTIME/./}
declare -A pid=()
for v in $variants; do
	option=
	[ "$v" != children ] || option=--children
	"$op_progs/shares-$v" $option >"$tmp/$v" &
	pid[$v]=$!
done

# Each goes on until there are enough samples of it, and a few of what else is in
# the file.
while [ ${#pid[@]} -gt 0 ]; do
	sleep 1
	echo 1 >"$op/dump"
	for v in "${!pid[@]}"; do
		n=$(op_samples "$(op_name "$op_progs/${elf[$v]}")")
		if [ "$n" -ge $((wanted + 200)) ]; then
			kill "${pid[$v]}"
			wait "${pid[$v]}" || diag "$v ended with $?"
			unset "pid[$v]"
		fi
	done
done
us=$((${EPOCHREALTIME/./} - us))
op_stop

# The functions' places by readelf: "NAME 0xOFFSET SIZE".
by_readelf()
{
	local name value size offset vaddr filesz from

	while read -r name value size; do
		while read -r offset vaddr filesz; do
			from=$((0x$value - vaddr))
			if ((from >= 0 && from < filesz)); then
				printf '%s %#x %d\n' "$name" $((from + offset)) \
					"$size"
			fi
		done < <(readelf -lW "$1" | awk '$1 == "LOAD" { print $2, $3, $5 }')
	done < <(readelf -sW "$1" | awk '
		/^Symbol table/ { full = /symtab/ }
		full && $4 == "FUNC" && $8 ~ /_(one|two|three|four|eight|sixteen)$/ {
			print $8, $2, $3
		}')
}

for v in $variants; do
	file=$op_progs/${elf[$v]}
	image=$(op_name "$file")
	n=$(work_samples "$v")
	[ "$n" -ge $wanted ]
	result $? "$v: $n samples in the functions"
	is "$(cat "$op/images/$image/path")" "$file" "$v: the image's path"
	op_ok "$v: each function's share" op_shares_agree \
		"$(op_func_counts "$image" "$file")" "$(cat "$tmp/$v")"
	is "$(op_strays "$image" "$file")" "" \
		"$v: each sample is where an instruction of the file begins"
	# One path for offset and name is tried above; this is another.
	is "$("$op_progs/opfuncs" "$file" | grep -E '_(one|two|three|four|eight|sixteen) ' | sort)" \
		"$(by_readelf "$file" | sort)" \
		"$v: the functions are where readelf says"
done
# This machine's clock stands still for whatever the host does, so the timer misses
# nothing.
want=$((us * 997 / 1000000))
n=$(op_stat received)
[ $((n * 100)) -gt $((want * 99)) ] && [ $((n * 100)) -lt $((want * 101)) ]
result $? "$n samples in $us us: 997 a second, that is $want"
op_conserved "no sample got lost on the way"
finish
