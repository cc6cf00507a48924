#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 900
#
# optop's keys in a terminal of 80x24, over programs that run meanwhile: what
# changes the list, and what changes the module. Where a picture has to stand
# still, it is frozen.

# shellcheck disable=SC2016,SC2154,SC2317 # lines of shell for eval; libraries
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/optop/lib.sh
. tests/optop/lib.sh
# shellcheck source=tests/lib/optop.sh
. tests/lib/optop.sh

plan 61
start_load
open_screen 80 24 "$optop"
screen_shows '[.] lib_sixteen' "symbols: of a library"
# --- what changes the list; the picture stands still meanwhile ---

keys Space
where "Space: frozen" ' FROZEN '
entries >"$work/frozen"
[ "$(wc -l <"$work/frozen")" = 18 ]
result $? "there is a page of symbols, and more"
at_entry 1 "the first is chosen"
keys Down
at_entry 2 "Down"
keys j j
at_entry 4 "j"
keys Up k
at_entry 2 "Up and k"
keys PageDown
wait_for "$patience" eval '! entries | cmp -s - "$work/frozen"'
result $? "PgDn: another page"
keys PageUp
entries_pass "PgUp: the one before" 'cmp -s - "$work/frozen"'
keys End
wait_for "$patience" eval '! entries | cmp -s - "$work/frozen"'
result $? "End: the last entries"
keys Home
at_entry 1 "Home"
ok "the view into a file" write_view
read -r sum total <<<"$(sums)"
is "$sum" "$total" "no sample is missing among all symbols"
keys s
where "s: by rate" ' by rate '
entries_pass "it is" "awk '{ print \$3 }' | falling"
keys F6
where "F6: by image" ' by image '
keys / l i b _
keys Enter F6
where "by symbol, what is filtered" '/lib_ .* by symbol '
entries_pass "it is" "grep -o ' lib_.*' | rising && entries | grep -q lib_"
keys Escape s
where "by samples" ' by samples '
keys e
top "e: the other event" 'cpu-clock:499Hz \[2 of 2\]'
ok "its view into a file" write_view
read -r sum other <<<"$(sums)"
is "$sum" "$other" "all of its samples"
[ "$other" -gt 0 ] && [ "$other" != "$total" ]
result $? "which are others" || diag "$other, $total"
keys Tab
top "Tab: the first one" 'timer:997Hz \[1 of 2\]'
keys K
where "K: without the kernel" ' -kernel '
entries_pass "there is none" "grep -qF '[.]' && ! entries | grep -qF '[k]'"
keys F7 U
where "U: the kernel only" ' -user '
entries_pass "there is nothing else" "grep -qF '[k]' && ! entries | grep -qF '[.]'"
keys F8
entries_pass "and all is as it was" 'cmp -s - "$work/frozen"'
keys a
where "a: decay" ' decay by '
keys F5
where "F5: delta" ' delta by '
ok "delta into a file" write_view
read -r sum _ <<<"$(sums)"
[ "$sum" -gt 0 ] && [ "$sum" -lt "$total" ]
result $? "it has less: what came last ($sum of $total)"
keys a
where "a: accumulate" ' accumulate by '
entries_pass "what is frozen, stays" 'cmp -s - "$work/frozen"'

tm resize-window -x 40 -y 10
wait_for "$patience" eval '[ "$(tm capture-pane -p | sed -n "10{/^F1Help/p}")" ] &&
	[ "$(tm capture-pane -p | sed -n "6{/ \[[k.]\] /p}")" ]'
result $? "40x10" || diag "$(screen)"
tm resize-window -x 80 -y 24
entries_pass "and 80x24 again" 'cmp -s - "$work/frozen"'
keys Space
wait_for "$patience" eval '! entries | cmp -s - "$work/frozen"'
result $? "Space: it goes on"

# --- sampling off and on, from nothing, and at another pace ---

keys z
screen_shows "reset all counts of the kernel? y or n" "z asks"
before=$(op_stat received)
keys n
where "n" '^symbols '
[ "$(op_stat received)" -ge "$before" ]
result $? "n: they stay"
keys S
top "S: sampling is off" '^OFF \(S starts\), '
is "$(cat "$op/enable")" 0 "it is"
keys 4
# Now that nothing changes, exactly.
entries_pass "the statistics are those of the files" \
	"grep -qE '^received +$(op_stat received)\$'"
keys 1
write_view
read -r sum total <<<"$(sums)"
is "$sum $total" "$(cat "$op"/images/*/hist | awk '
	!/^#/ { n += $2 } END { print n, n }')" "as many samples as in the files"
op_conserved "of which none is missing"
before=$(op_stat received)
keys F9 y
wait_for "$patience" eval '[ "$(op_stat received)" = 0 ]'
result $? "F9, y: nothing is left of $before samples"
screen_shows "nothing yet" "and it says so"
keys S
screen_shows "lib_sixteen" "S: sampling is on"
is "$(cat "$op/enable")" 1 "it is"
keys d
screen_shows "delay in seconds: _" "d: asks"
keys 6 0 Enter
wait_for "$patience" eval "tm capture-pane -p | grep -qE ' [3-9] s old'"
result $? "d: the picture gets old"
keys d
wait_for "$patience" shows "delay in seconds: _"
keys 1 Enter
wait_for "$patience" eval "tm capture-pane -p | grep -qE ' [01] s old'"
result $? "and new again"
keys q
ends_with 0 "q"
echo 0 >"$op/enable"
open_screen 80 24 "$optop --start -d 0.5"
screen_shows "lib_sixteen" "--start"
is "$(cat "$op/enable")" 1 "it does"
keys F10
ends_with 0 "F10"
screen_shows "echo 0 > $op/enable" "it says that sampling goes on"
end_load
op_stop
op_conserved "at the end"
finish
