# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What a test in bash needs to speak TAP. To be sourced:
#
#     . tests/lib/tap.sh
#     plan 2
#     ok "true is true" true
#     is "$(echo 1)" 1 "echo echoes"
#     finish
#
# The plan comes first, so that a test that ends early is a failed one.

tap_count=0
tap_planned=0
tap_failed=0

# plan N
plan()
{
	tap_planned=$1
	echo "1..$1"
}

# diag TEXT...: for whoever looks into a failure
diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

# result STATUS NAME: the test NAME ended with STATUS
result()
{
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
	fi
	return "$1"
}

# ok NAME COMMAND...: COMMAND succeeds; what it prints is shown if it does not
ok()
{
	local name=$1 output status

	shift
	output=$("$@" 2>&1)
	status=$?
	result "$status" "$name" && return
	diag "$* ended with $status"
	[ -z "$output" ] || diag "$output"
	return "$status"
}

# is GOT WANTED NAME
is()
{
	[ "$1" = "$2" ]
	result $? "$3" && return
	diag "got:    $1"
	diag "wanted: $2"
	return 1
}

# skip NAME REASON
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# finish: end with the tests' verdict
finish()
{
	if [ "$tap_count" != "$tap_planned" ]; then
		diag "$tap_planned tests were planned, $tap_count came"
		exit 1
	fi
	exit $((tap_failed > 0))
}
