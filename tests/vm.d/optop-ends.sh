#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 900
#
# What ends optop, or keeps it from beginning, on a mounted tree: no module, no
# mount, no rights, the tree unmounted and the module unloaded while it runs,
# signals. Each time: one line that says what to do, an exit status that says
# which it was, and a terminal that is as it was before.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/optop/lib.sh
. tests/optop/lib.sh

optop=$PWD/build/optop/optop
patience=60
[ -x "$optop" ] || op_bail "no $optop: make optop"
plan 60

# says NAME TEXT: what is on the screen besides what open_screen puts there is
# one line, however often it is broken, and has TEXT
says()
{
	local text

	text=$(tm capture-pane -p -J | grep -vxE 'status [0-9]+|icanon|echo|')
	[ "$(wc -l <<<"$text")" = 1 ] && grep -qF -e "$2" <<<"$text"
	result $? "$1" || diag "wanted: $2" "$(screen)"
}

# ready: it has drawn something
ready()
{
	wait_for "$patience" shows F10Quit
}

try_umount()
{
	umount "$op" 2>/dev/null
}

try_rmmod()
{
	rmmod oprofile 2>/dev/null
}

mount_it()
{
	mount -t oprofilefs "${@:--orw}" nodev "$op"
}

# --- signals ---

"$op_progs/burn-alpha" 0 &
burn=$!
op_start 997
for end in TERM:143 HUP:129 INT:130 SEGV:139 ABRT:134; do
	open_screen 80 24 "$optop"
	ready
	kill "-${end%:*}" "$(optop_pid)"
	ends_with "${end#*:}" "SIG${end%:*}"
done
is "$(cat "$op/enable")" 1 "sampling goes on without it"
op_stop
kill $burn
wait $burn 2>/dev/null

# --- off ---

open_screen 80 24 "$optop -d 0.5"
screen_shows "OFF (S starts)" "off: says so"
screen_shows "burn_alpha" "off: and shows what there is"
is "$(tm capture-pane -p -e | sed -n 1p | grep -c $'\e\\[[0-9;]*33m')" 1 \
	"off: in colour"

# --- unmounted while it runs: no file of the tree is in the way ---

ok "unmounting" wait_for "$patience" try_umount
ends_with 5 "unmounted"
says "unmounted: what to do" "oprofilefs is not mounted: mkdir -p $op && mount -t oprofilefs nodev $op"
open_screen 80 24 "$optop"
ends_with 3 "not mounted"
says "not mounted: what to do" "oprofilefs is not mounted: mkdir -p $op && mount -t oprofilefs nodev $op"
run 3 "not mounted: a report" "$optop" --once
is "$(wc -l <"$work/err")" 1 "one line"

# --- unloaded while it runs ---

mount_it
open_screen 80 24 "$optop -d 0.5"
ready
# So that it does not see that it is unmounted first.
keys Space
screen_shows FROZEN "frozen"
ok "unmounting" wait_for "$patience" try_umount
ok "unloading" wait_for "$patience" try_rmmod
keys Space
ends_with 5 "unloaded"
says "unloaded: what to do" "the module oprofile is not loaded: modprobe oprofile"
open_screen 80 24 "$optop"
ends_with 3 "not loaded"
says "not loaded: what to do" "the module oprofile is not loaded: modprobe oprofile"
run 3 "not loaded: a report" "$optop" --once
is "$(wc -l <"$work/err")" 1 "one line"

# Loaded anew while it looks on: it is another one, with other numbers.
ok "loading" insmod "$OP_KO"
mount_it
op_start 997
"$op_progs/burn-alpha" 0 &
burn=$!
open_screen 80 24 "$optop -d 0.5"
screen_shows burn_alpha "a view of the first"
kill $burn
wait $burn 2>/dev/null
keys Space
screen_shows FROZEN "frozen"
ok "unmounting" wait_for "$patience" try_umount
ok "unloading" wait_for "$patience" try_rmmod
ok "loading" insmod "$OP_KO"
mount_it
op_start 997
# As long as it takes: what idles has more and more, and few lines fit.
"$op_progs/burn-beta" 0 &
burn=$!
keys Space
screen_shows burn_beta "of the second"
shows_not burn_alpha
result $? "and nothing of the first" || diag "$(screen)"
kill $burn
wait $burn 2>/dev/null
op_stop
screen_shows "OFF (S starts)" "off"
keys w
wait_for "$patience" shows "write to the new file: _"
keys -l "$work/view"
keys Enter
screen_shows "written to" "written"
is "$(awk 'NR == 2 { total = $1 } NR > 5 { n += $2 } END { print n, total }' \
	"$work/view")" "$(cat "$op"/images/*/hist | awk '!/^#/ { n += $2 }
	END { print n, n }')" "to the last sample"
keys q
ends_with 0 "q"
op_conserved "the law"

# --- rights ---

op_start 997
as_nobody()
{
	echo "setpriv --reuid=65534 --regid=65534 --clear-groups" \
		"--inh-caps=-all$1 --ambient-caps=-all$1 --"
}
open_screen 80 24 "$(as_nobody '') $optop"
ends_with 4 "an ordinary user"
says "an ordinary user: what to do" "no rights to read $op: be root, or have CAP_PERFMON"
open_screen 80 24 "$(as_nobody ,+perfmon) $optop"
ends_with 4 "with CAP_PERFMON, in a tree that is root's"
umount "$op"
mount_it -o uid=65534
open_screen 80 24 "$(as_nobody '') $optop"
ends_with 4 "without CAP_PERFMON, in a tree that is the user's"
says "likewise: what to do" "no rights to read $op: be root, or have CAP_PERFMON"
open_screen 80 24 "$(as_nobody ,+perfmon) $optop"
ready
screen_shows "sampling timer:997Hz" "with both: it works"
keys q
ends_with 0 "with both"
op_stop
op_conserved "at the end"
finish
