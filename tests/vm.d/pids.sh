#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 300
#
# Process numbers: those of a pid namespace, those that are used again, and what
# an exec makes of the one that stays.

# shellcheck disable=SC2016,SC2317 # inner shells' variables; functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/stream.sh
. tests/lib/stream.sh

hz=1999
s=$op_tmp/stream
plan 24

# --- a pid namespace ---

stream_start "$s"
op_start $hz
# Inside, a process runs code without a name, and another one names it.
mkfifo "$op_tmp/in"
unshare -pf --mount-proc bash -c '
	op=$1 jitter=$2 tmp=$3
	"$jitter" --at 0x200000000 anon:1 <"$tmp/in" >"$tmp/out" &
	echo $! >"$tmp/inner"
	until grep -q "^pid" "$tmp/out" 2>/dev/null; do sleep 0.1; done
	echo "add_mapping inside 0x200000000 0x200001000 pid=$!" >"$op/jit_maps"
	echo $? >"$tmp/added"
	cat "$op/jit_maps" >"$tmp/seen"
	echo "add_mapping outside 0x200000000 0x200001000 pid=$4" 2>/dev/null >"$op/jit_maps"
	echo $? >"$tmp/foreign"
	touch "$tmp/ready"
	wait' bash "$op" "$op_progs/jitter" "$op_tmp" $$ &
unshare=$!
exec {in}>"$op_tmp/in"
until [ -e "$op_tmp/ready" ]; do
	kill -0 $unshare 2>/dev/null || op_bail "the namespace went away"
	sleep 0.1
done
inner=$(cat "$op_tmp/inner")
outer=$(awk -v "inner=$inner" '/^Pid:/ { pid = $2 }
	/^NSpid:/ && NF == 3 && $3 == inner { print pid }' /proc/[0-9]*/status 2>/dev/null)
diag "the process is $inner inside, $outer outside"
[ -n "$outer" ] && [ "$outer" != "$inner" ]
result $? "a process has two numbers"
is "$(cat "$op_tmp/added")" 0 "inside, a range is added by the inner number"
is "$(cat "$op/jit_maps")" "inside 0x200000000 0x200001000 pid=$outer" \
	"outside it is shown with the outer one"
is "$(cat "$op_tmp/seen")" "inside 0x200000000 0x200001000 pid=$outer" \
	"and inside as well: it is the machine's file"
is "$(cat "$op_tmp/foreign")" 1 "a process of outside cannot be named inside"
run()
{
	echo "run 200 0" >&"$in"
	sleep 0.3
}
op_gather 100 jit:inside -- run
result $? "its samples are in the range"
is "$(op_samples anon)" 0 "and not in anon"
exec {in}>&-
wait $unshare
is "$(cat "$op/jit_maps")" "" "the range goes with its process"
op_stop
stream_stop
stream_text "$s" >"$op_tmp/text"
[ "$(grep -c "^exec .*task $outer/$outer\|^exec task $outer/$outer" "$op_tmp/text")" = 1 ]
result $? "the stream has its exec with the outer number"
grep -q "^task .*$outer/$outer\|^task $outer/$outer" "$op_tmp/text"
result $? "and its samples"
is "$(grep -cE "^(exec|exit).* $inner/$inner " "$op_tmp/text")" 0 "not the inner one"
ok "replay: the stream's histograms are the histograms" stream_replays "$s"
op_conserved "a pid namespace: the law"

# --- a number that is used again ---

# again PID COMMAND...: run it as this process, in the background
again()
{
	local want=$1 i

	shift
	for ((i = 0; i < 50; i++)); do
		echo $((want - 1)) >/proc/sys/kernel/ns_last_pid
		"$@" &
		[ $! != "$want" ] || return 0
		kill -KILL $!
		wait $! 2>/dev/null
	done
	return 1
}

"$op_progs/burn-alpha" 0 &
pid=$!
op_start $hz
op_gather 100 "$(op_name "$op_progs/burn-alpha")" -- sleep 0.2
kill -KILL $pid
wait $pid 2>/dev/null
again $pid "$op_progs/burn-beta" 0
result $? "another program is process $pid at once"
echo 1 >"$op/dump"
alpha=$(op_samples "$(op_name "$op_progs/burn-alpha")")
op_gather 100 "$(op_name "$op_progs/burn-beta")" -- sleep 0.2
kill -KILL $pid
wait $pid 2>/dev/null
op_stop
is "$(op_samples "$(op_name "$op_progs/burn-alpha")")" "$alpha" \
	"the old one's image gets nothing of it"
is "$(op_strays "$(op_name "$op_progs/burn-beta")" "$op_progs/burn-beta")" "" \
	"and nothing of the old one is in the new one's"

# The range of a process that is over is not its successor's of the number.
jitter()
{
	exec "$op_progs/jitter" --at 0x200000000 anon:1 <"$op_tmp/in" >"$op_tmp/out"
}
wait_for_jitter()
{
	until grep -q '^pid' "$op_tmp/out" 2>/dev/null; do
		sleep 0.1
	done
}
rm -f "$op_tmp/out"
jitter &
pid=$!
exec {in}>"$op_tmp/in"
wait_for_jitter
echo "add_mapping old 0x200000000 0x200001000 pid=$pid" >"$op/jit_maps"
op_start $hz
op_gather 100 jit:old -- run
result $? "a process with a range"
kill -KILL $pid
wait $pid 2>/dev/null
exec {in}>&-
rm -f "$op_tmp/out"
again $pid jitter
result $? "another one has its number"
exec {in}>"$op_tmp/in"
wait_for_jitter
echo 1 >"$op/dump"
old=$(op_samples jit:old)
op_gather 100 anon -- run
is "$(op_samples jit:old)" "$old" "but not its range"
kill -KILL $pid
wait $pid 2>/dev/null
exec {in}>&-
op_stop
op_conserved "numbers that are used again: the law"

# --- exec ---

# The same process, the same address, another program.
rm -f "$op_tmp/out"
bash -c 'echo "add_mapping before 0x200000000 0x200001000 pid=$$" >"$1/jit_maps"
	cat "$1/jit_maps" >"$4/seen"
	exec "$2" --at 0x200000000 anon:1 <"$4/in" >"$4/out"' \
	bash "$op" "$op_progs/jitter" - "$op_tmp" &
pid=$!
exec {in}>"$op_tmp/in"
wait_for_jitter
is "$(cat "$op_tmp/seen")" "before 0x200000000 0x200001000 pid=$pid" \
	"a program names a range of itself"
is "$(cat "$op/jit_maps")" "" "an exec takes it away"
op_start $hz
op_gather 100 anon -- run
is "$(op_samples jit:before)" 0 "and the new program's samples are not in it"
kill -KILL $pid
wait $pid 2>/dev/null
op_stop
op_conserved "exec: the law"

finish
