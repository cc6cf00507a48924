#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --kunit --smp 2 --timeout 300
#
# The KUnit tests of tests/kunit: each case that stands there is one that was run
# and was good.
#
# No program is started for a case: that takes an emulated machine long.

set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

# The cases that there are, and the files that have some.
cases=()
suites=0
for file in tests/kunit/*.c; do
	text=$(<"$file")
	[[ $text != *'struct kunit_suite op_kunit_'* ]] || suites=$((suites + 1))
	while [[ $text =~ KUNIT_CASE\(([a-z0-9_]+)\) ]]; do
		cases+=("${BASH_REMATCH[1]}")
		text=${text#*"${BASH_REMATCH[0]}"}
	done
done
plan $((${#cases[@]} + 2))

echo 1 >/sys/module/oprofile/parameters/kunit

# What KUnit says of them: a result behind what was wrong.
declare -A good said
ran=0
good_suites=0
about=
while IFS= read -r line; do
	if [[ $line =~ ^(\ *)(not\ )?ok\ [0-9]+\ (-\ )?([a-z0-9_]+)$ ]]; then
		name=${BASH_REMATCH[4]}
		if [ -n "${BASH_REMATCH[1]}" ]; then
			ran=$((ran + 1))
			[ -n "${BASH_REMATCH[2]}" ] || good[$name]=y
			said[$name]=$about
		else
			[ -n "${BASH_REMATCH[2]}" ] ||
				good_suites=$((good_suites + 1))
		fi
		about=
	else
		about+=$line$'\n'
	fi
done < <(dmesg --notime)

for name in "${cases[@]}"; do
	[ "${good[$name]-}" ]
	result $? "$name" || diag "${said[$name]-it did not run}"
done
# Nothing else ran, which the list above does not know.
is $ran ${#cases[@]} "as many cases ran as there are"
is $good_suites $suites "each suite is content"
finish
