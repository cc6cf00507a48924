#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All tests of the symboliser, as one: each script in symbols/ is a subject.
#
#     tests/optop/symbols.sh [SUBJECT...]
#
# On the host, without the module. A script that ends early leaves a gap in the
# numbers, which its plan here gives away.

here=$(cd "$(dirname "$0")/symbols" && pwd)
scripts=()
for subject in "${@:-*}"; do
	# shellcheck disable=SC2206
	scripts+=("$here"/$subject.sh)
done

planned=0
for script in "${scripts[@]}"; do
	[ "${script##*/}" != lib.sh ] || continue
	count=$(sed -n 's/^plan \([0-9]*\)$/\1/p' "$script")
	planned=$((planned + ${count:?$script has no plan}))
done
echo "1..$planned"

failed=0
number=0
for script in "${scripts[@]}"; do
	[ "${script##*/}" != lib.sh ] || continue
	name=${script##*/}
	echo "# ${name%.sh}"
	count=$(sed -n 's/^plan \([0-9]*\)$/\1/p' "$script")
	bash "$script" </dev/null | awk -v at="$number" -v name="${name%.sh}" '
		/^1\.\./ { next }
		/^(not )?ok [0-9]+/ {
			not = /^not/ ? "not " : ""
			sub(/^(not )?ok [0-9]+ - /, "")
			print not "ok " ++at " - " name ": " $0
			fflush()
			next
		}
		{ print; fflush() }'
	[ "${PIPESTATUS[0]}" = 0 ] || failed=1
	number=$((number + count))
done
exit $failed
