# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The Test Anything Protocol, for test scripts:
#
#     plan 3                        first of all: how many there will be
#     check "what is so" COMMAND…   ok if COMMAND succeeds; its output otherwise
#     is "$got" "$want" "what"      ok if the two texts are equal
#     pass "what"; fail "what"      for whoever decides by himself
#     skip "what" "why it cannot be tried here"
#     note "TEXT"                   a comment
#     tap_end                       last: exit status, also if tests are missing

tap_planned=0
tap_count=0
tap_failed=0

plan()
{
	tap_planned=$1
	echo "1..$1"
}

note()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

pass()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $*"
}

fail()
{
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $*"
}

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# is GOT WANT WHAT
is()
{
	if [ "$1" = "$2" ]; then
		pass "$3"
		return
	fi
	fail "$3"
	note "got:    '$1'"
	note "wanted: '$2'"
	return 1
}

# check WHAT COMMAND...
check()
{
	local what=$1 output

	shift
	if output=$("$@" 2>&1); then
		pass "$what"
		[ -z "$output" ] || note "$output"
		return
	fi
	fail "$what"
	note "failed: $*"
	[ -z "$output" ] || note "$output"
	return 1
}

tap_end()
{
	if [ $tap_count != "$tap_planned" ]; then
		note "planned $tap_planned tests, ran $tap_count"
		exit 1
	fi
	exit $((tap_failed > 0))
}
