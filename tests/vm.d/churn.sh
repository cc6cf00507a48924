#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 4 --timeout 500
#
# Everything comes and goes at once, for a minute, on all CPUs: programs, threads
# with libraries, a JIT that rewrites its code and renames it, a kernel module.
# Every sample is counted, nearly all have a name, none has a wrong one, and the
# stream tells the same as the histograms.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/stream.sh
. tests/lib/stream.sh

ko=$op_progs/$OP_KVER/opburn.ko
seconds=${OP_CHURN_SECONDS:-60}
plan 21

# The JIT: two regions, whose names change; a page's rights change all the time.
jit()
{
	local end=$((SECONDS + seconds)) i=0 pid

	op_jitter_start churn anon:2 rwx:2
	pid=${jitter_pid[churn]}
	while [ $SECONDS -lt $end ]; do
		i=$((i + 1))
		echo "add_mapping churn$((i % 3)) ${jitter_start[churn.0]}" \
			"${jitter_end[churn.0]} pid=$pid" >"$op/jit_maps"
		op_jitter churn "run 50 0 1"
		op_jitter churn "protect 0 $((i % 2)) rwx"
		op_jitter churn "run 20 1"
		op_jitter churn "protect 0 $((i % 2)) rx"
		echo "remove_mapping churn$((i % 3)) pid=$pid" >"$op/jit_maps"
	done
	op_jitter_stop churn
}

modules()
{
	local end=$((SECONDS + seconds))

	while [ $SECONDS -lt $end ]; do
		insmod "$ko" init_burn=100000
		echo 300000 >/sys/module/opburn/parameters/burn
		echo 100000 >/sys/module/opburn/parameters/exit_burn
		rmmod opburn
	done
}

# storm: all of it
storm()
{
	"$op_progs/forkstorm" 1 $((seconds * 1000)) 0 "$op_progs/burn-alpha" 100000 \
		>"$op_tmp/alpha" &
	"$op_progs/forkstorm" 1 $((seconds * 1000)) 0 "$op_progs/burn-beta" 100000 \
		>"$op_tmp/beta" &
	"$op_progs/dlstorm" $((seconds * 1000)) 200000 "$op_progs"/plugin-[abc].so \
		>"$op_tmp/plugins" &
	"$op_progs/mapstorm" 2 1 $((seconds * 1000)) "$op_progs/burn-gamma" \
		>"$op_tmp/maps" &
	jit &
	modules &
	for i in $(jobs -p); do
		[ "$i" = "$stream_pid" ] || wait "$i"
	done
}

# only FILE FUNCTION: all samples of the file are in the function
only()
{
	local image counts

	image=$(op_name "$op_progs/$1")
	counts=$(op_func_counts "$image" "$op_progs/$1")
	echo "$counts" | xargs
	echo "$counts" | awk -v f="$2" '
		$1 == f { mine = $2 }
		$1 ~ /^(burn_(alpha|beta|gamma)|plugin_)/ && $1 != f { wrong += $2 }
		END { exit !(mine > 50 && !wrong) }' &&
		[ -z "$(op_strays "$image" "$op_progs/$1")" ]
}

# --- a stream with room enough ---

echo 1048576 >"$op/buffer_size" && echo 65536 >"$op/cpu_buffer_size"
s=$op_tmp/stream
stream_start "$s"
op_start 2000
storm
op_stop
stream_stop
op_conserved "the law"
is "$(($(op_stat lost_cpu_buffer) + $(op_stat lost_hist_memory) + $(op_stat lost_no_memory)))" 0 \
	"no sample was lost ($(op_stat received))"
is "$(op_stat notifications_lost)" 0 "no notification was lost"
is "$(stream_count "$s" lost)" 0 "no record was lost"
# Addresses of the kernel's are not user samples.
unknown=$(op_hist unknown | awk 'length($1) < 18 { n += $2 } END { print n + 0 }')
user=$(cat "$op"/images/*/hist | awk '
	$1 == "#" && $2 == "image:" { user = $3 ~ /^}/ || $3 ~ /^(jit:|anon|vdso)/ }
	!/^#/ && user { n += $2 } END { print n + 0 }')
[ $((unknown * 1000)) -le "$user" ]
result $? "of the user's samples less than 0.1 % are unknown ($unknown of $user)"
diag "the kernel's: $(op_hist unknown | awk 'length($1) >= 18 { n += $2 } END { print n + 0 }')"
op_ok "one program's samples are its own" only burn-alpha burn_alpha
op_ok "the other's, too" only burn-beta burn_beta
for i in a b c; do
	op_ok "a library's that comes and goes: plugin-$i" only plugin-$i.so plugin_${i}_one
done
n=0
for i in 0 1 2; do
	n=$((n + $(op_samples "jit:churn$i")))
done
[ $n -gt 100 ]
result $? "generated code has its names of the moment ($n)"
outside=0
for i in 0 1 2; do
	outside=$((outside + $(op_samples "jit:churn$i") -
		$(op_count_between "jit:churn$i" 0 8192)))
done
is $outside 0 "and no sample outside"
[ "$(op_samples opburn.ko)" -gt 50 ] && [ "$(op_samples opburn.ko:init)" -gt 0 ]
result $? "the module's samples are its own ($(op_samples opburn.ko), init $(op_samples opburn.ko:init))"
is "$(names=("$op"/images/opburn*); echo "${names[*]##*/}")" "opburn.ko opburn.ko:init" \
	"and of one image"
for name in fork exec exit map unmap; do
	[ "$(stream_count "$s" $name)" = "$(op_stat ${name}s)" ] || {
		diag "$name: $(stream_count "$s" $name) records of $(op_stat ${name}s)"
		break
	}
done
is "$name" unmap "each of $(op_stat forks) forks, $(op_stat execs) execs, $(op_stat exits) exits, $(op_stat maps) maps and $(op_stat unmaps) unmaps has its record"
op_ok "replay: the stream's histograms are the histograms" stream_replays "$s"

# --- a tiny one ---

seconds=10
echo 4096 >"$op/buffer_watershed" && echo 4096 >"$op/buffer_size"
exec 3<"$op/buffer"
stream_start "$op_tmp/fast"
op_start 2000
storm
op_stop
stream_stop
timeout 10 cat <&3 >"$s"
exec 3<&-
op_conserved "a tiny buffer: the law"
op_ok "its stream makes sense" "$op_progs/opstream" check <"$s"
lost()
{
	"$op_progs/opstream" text <"$1" |
		awk '$1 == "lost" && $2 == "records" { n += $3 } END { print n + 0 }'
}
records()
{
	"$op_progs/opstream" text <"$1" | awk '
		$1 == "lost" && $2 == "records" { skip = 3; next }
		skip && /^(cpu|task|cookie) / { skip--; next }
		!/ state |^header/ { n++; skip = 0 }
		END { print n }'
}
[ "$(lost "$s")" -gt 0 ]
result $? "a reader that does not read loses records ($(lost "$s"))"
# The other one may have lost some as well. Switches behind a loss may be the
# ring's own or said anew: a few cannot be told.
a=$(($(records "$s") + $(lost "$s")))
b=$(($(records "$op_tmp/fast") + $(lost "$op_tmp/fast")))
[ $((a - b)) -le $((8 + b / 1000)) ] && [ $((b - a)) -le $((8 + b / 1000)) ]
result $? "what two readers got and lost is the same ($a, $b)"
ok "the other's makes sense as well" "$op_progs/opstream" check <"$op_tmp/fast"
finish
