#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --icount --timeout 300
#
# Ticks of the timer that come late. While interrupts are off none can come; what
# was due meanwhile is one sample, at the place where they are let in again, and
# the rest is counted as overrun. A second sample of that place would show it as
# dearer than it is.
#
# The machine's clock counts its instructions.

set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

ko=$op_progs/$OP_KVER/opburn.ko
stretches=400
insmod "$ko" || op_bail "no $ko"
plan 13

# blind US: stretches of US microseconds, at a period of 1000; how many samples
# they got, how many they should have, and the ticks in all
blind()
{
	echo "$1" >/sys/module/opburn/parameters/blind_us
	op_start 1000
	echo $stretches >/sys/module/opburn/parameters/blind
	op_stop
	got=$(op_samples opburn.ko)
	all=$(($(op_stat received) + $(op_stat timer_overrun)))
	due=$((stretches * $1 / 1000))
	diag "$1 us: $got samples, $all ticks of $due"
}

# As long as a period and longer, each has one that is due, and one only. Of those
# that are shorter, as many have one as there are periods in them, and in what the
# interrupts themselves take. What a kernel that was built here does between two of
# them has some ticks, too, and how long a microsecond is it has measured to a
# hundredth.
more=4
part=100
if [[ $OP_KVER = *-oprofile-* ]]; then
	more=$((stretches * 5 / 100))
	part=99
fi
for us in 300 700 1300 1600 1900 4700; do
	blind $us
	least=$((us < 1000 ? due : stretches))
	[ "$got" -ge $((least - 4)) ] && [ "$got" -le $((stretches + more)) ]
	result $? "$us us with interrupts off, $stretches times: $got samples, of $least to $stretches"
	# What comes before and behind them are some ticks more.
	[ "$all" -ge $((due * part / 100 - 2)) ] && [ "$all" -le $((due + 200)) ]
	result $? "$us us: and all $due ticks are counted ($all)"
done
op_conserved "no sample got lost"
finish
