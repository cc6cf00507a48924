#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 400
#
# "optop --once" and "perf report --stdio" of the same stretch of the same run,
# at nearly the same rate: the same twenty symbols come first, in the same order,
# but for what chance may do to that.
#
# What chance may do: each profiler takes a sample of its own of what the machine
# does, n1 and n2 of them. A symbol whose true share is p gets a share with a
# variance of p (1 - p) / n (the binomial distribution), so two such shares
# differ with a variance of p (1 - p) (1 / n1 + 1 / n2), where p is taken from
# both together. The difference of two symbols' shares in one profile has the
# variance (p + q - (p - q)^2) / n (the multinomial distribution). The bound is
# 4 standard errors: one in 16,000 comparisons is beyond by chance, and here are
# some hundreds.
#
# Samples at a fixed distance spread less than those drawn by lot, so that these
# bounds are wide rather than narrow.
#
# The rates differ by a hundredth. Two timers of the same rate keep the distance
# that they began with, for the whole run: where one comes just behind the other,
# it sees more of what the other's interrupt brings about, and less of what it
# delays; and on a slow machine that is more than chance would do.
#
# What is not the same in both and is no fault of either: perf calls the kernel
# [kernel.kallsyms], and a module that, too, or [NAME], so that the kernel and its
# modules are one image here; what has no symbol is a row for each address there,
# and one row an image here. Rows without a symbol are left out of both, and
# counted.

# shellcheck disable=SC2016 # it is bash -c that has these variables
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

optop=$PWD/build/optop/optop
ko=$op_progs/$OP_KVER/opburn.ko
tmp=$(mktemp -d) || op_bail "no folder for temporary files"
wanted=12000
unset DEBUGINFOD_URLS
export LC_ALL=C.UTF-8
[ -x "$optop" ] || op_bail "no $optop: make optop"
plan 12

# perf is ready before there is anything to do, and has opened its counters before
# they count. Both begin and end with one command each.
insmod "$ko" || op_bail "no $ko"
mkfifo "$tmp/control" "$tmp/ack"
op_start 997
op_stop
echo 1 >"$op/reset"
chrt -f 50 perf record -q -a -F 1009 -e cpu-clock -k CLOCK_MONOTONIC -D -1 -o "$tmp/data" \
	--control "fifo:$tmp/control,$tmp/ack" >"$tmp/record" 2>&1 &
perf=$!
exec {control}<>"$tmp/control" {ack}<>"$tmp/ack"
perf_control()
{
	echo "$1" >&$control
	timeout 200 head -c 4 <&$ack >"$tmp/answer"
	grep -q ack "$tmp/answer"
}
perf_control ping
result $? "perf is ready" || diag "$(cat "$tmp/record")"
# Known functions of several shares, programs of others, and the kernel's work:
# by copying, by clearing pages, and by a module.
for _ in 1 2; do
	"$op_progs/shares-lib" >/dev/null &
done
"$op_progs/shares-pie" >/dev/null &
"$op_progs/burn-alpha" 0 &
/usr/bin/python3 -c 'while 1: sorted(str(i * i) for i in range(5000))' &
while :; do
	gzip -9 <"$op_progs/../optop/optop"
done >/dev/null &
while :; do
	sqlite3 :memory: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL
		SELECT x + 1 FROM c WHERE x < 50000)
		SELECT count(DISTINCT hex(x % 1000)) FROM c;"
done >/dev/null &
dd if=/dev/zero of=/dev/null bs=64k status=none &
while echo 200000; do
	:
done >/sys/module/opburn/parameters/burn &

# Until they are in their loops. Then this script and perf are never kept waiting.
# What either does to begin and to end is no part of the comparison: from the one
# moment on ours begins anew and perf's is looked at, and so to the other.
sleep 10
chrt -f -p 50 $$ >/dev/null || op_bail "no chrt"
perf_control enable
result $? "both sample"
echo 1 >"$op/enable"
sleep 1
echo 1 >"$op/dump"
echo 1 >"$op/reset"
read -r from _ </proc/uptime
for ((i = 0; i < 300; i++)); do
	[ "$(op_stat received)" -lt $wanted ] || break
	sleep 0.5
done
read -r to _ </proc/uptime
op_stop
perf_control disable
mapfile -t jobs < <(jobs -p)
for job in "${jobs[@]}"; do
	[ "$job" = "$perf" ] || kill "$job"
done
perf_control stop
wait $perf
result $? "perf record" || diag "$(cat "$tmp/record")"
n=$(op_stat received)
[ "$n" -ge $wanted ]
result $? "there are $n samples"
op_conserved "none of ours got lost"

# Where there is a vmlinux it would look for modules in files; kallsyms has all.
perf report -i "$tmp/data" --stdio --no-children --sort dso,sym -n \
	--kallsyms=/proc/kallsyms --percent-limit 0 --time "$from,$to" >"$tmp/perf" 2>"$tmp/err"
result $? "perf report" || diag "$(cat "$tmp/err")"
ok "optop --once" bash -c '"$1" --once >"$2"' - "$optop" "$tmp/optop"

# rows FORMAT FILE: "SHARE NAME IMAGE" of what has a symbol, the most first; what
# has none is counted in a line "none ROWS SHARE". SHARE is 0 to 1.
rows()
{
	awk -v perf="$1" '
		/^#/ || !NF { next }
		{
			share = $1 / 100
			at = perf ? 3 : 2
			image = $at
			kind = $(at + 1)
			name = $0
			sub(/^.* \[[k.]\] /, "", name)
			sub(/ +$/, "", name)
			if (kind == "[k]")
				image = "kernel"
			if (name ~ /^(0x|\[)/) {
				rows++
				none += share
			} else {
				key = name " " image
				if (!(key in all))
					order[++n] = key
				all[key] += share
			}
		}
		END {
			printf "none %d %.4f\n", rows, none
			for (i = 1; i <= n; i++)
				printf "%.6f %s\n", all[order[i]], order[i]
		}' "$2" | sort -s -k 1,1nr
}

rows '' "$tmp/optop" >"$tmp/ours"
rows 1 "$tmp/perf" >"$tmp/theirs"
n_perf=$(perf script -i "$tmp/data" --time "$from,$to" -F ip 2>/dev/null | wc -l)
diag "left out of optop's, of perf's: rows, and their share:" \
	"$(sed -n 's/^none //p' "$tmp/ours"); $(sed -n 's/^none //p' "$tmp/theirs")"
diag "samples: $n here, $n_perf there"

# (gawk 5.2.1 crashes on this where addresses are not random.)
mawk -v n1="$n" -v n2="$n_perf" '
	function abs(x) { return x < 0 ? -x : x }
	# Of one symbol in two profiles.
	function error(p, q,   m) {
		m = (p * n1 + q * n2) / (n1 + n2)
		return sqrt(m * (1 - m) * (1 / n1 + 1 / n2))
	}
	# Of the difference of two symbols in one profile.
	function between(p, q, n) {
		return sqrt((p + q - (p - q) * (p - q)) / n)
	}
	$1 == "none" { next }
	{ share = $1; sub(/^[^ ]+ /, "") }
	FNR == NR { ours[$0] = share; a[++na] = $0; ra[$0] = na; next }
	{ theirs[$0] = share; b[++nb] = $0; rb[$0] = nb }
	END {
		top = 20
		if (na < top || nb < top) {
			print "RESULT few"
			exit
		}
		for (i = 1; i <= top; i++) {
			both[a[i]]
			both[b[i]]
		}
		for (s in both) {
			p = ours[s] + 0
			q = theirs[s] + 0
			se = error(p, q)
			z = (p - q) / se
			printf "%-56s %3d %6.2f%% %3d %6.2f%% %+5.1f\n", s,
				ra[s], 100 * p, rb[s], 100 * q, z
			compared++
			if (abs(z) > 4)
				far = far " " s ";"
			# At the edge of the twenty: as good as the last.
			if (ra[s] > top || !(s in ours)) {
				edge++
				if (ours[a[top]] - p > 4 * between(p, ours[a[top]], n1))
					other = other " " s ";"
			}
			if (rb[s] > top || !(s in theirs)) {
				edge++
				if (theirs[b[top]] - q > 4 * between(q, theirs[b[top]], n2))
					other = other " " s ";"
			}
		}
		for (s in both)
			for (t in both) {
				p = ours[s] - ours[t]
				q = theirs[t] - theirs[s]
				if (p <= 0 || q <= 0)
					continue
				turned++
				if (p > 4 * between(ours[s], ours[t], n1) ||
				    q > 4 * between(theirs[s], theirs[t], n2))
					order = order " " s ", " t ";"
			}
		print "RESULT compared=" compared
		print "RESULT edge=" edge + 0
		print "RESULT turned=" turned + 0
		print "RESULT far=" far
		print "RESULT other=" other
		print "RESULT order=" order
	}' "$tmp/ours" "$tmp/theirs" >"$tmp/table"
diag "symbol, image; place and share here, there; difference in standard errors"
diag "$(grep -v '^RESULT' "$tmp/table" | LC_ALL=C sort -t '%' -k 1.58,1rn)"
field()
{
	sed -n "s/^RESULT $1=//p" "$tmp/table"
}

[ "$(field compared)" -ge 20 ]
result $? "$(field compared) symbols are among the first twenty of either" ||
	diag "$(head -n 60 "$tmp/perf" "$tmp/optop")"
is "$(field other)" "" \
	"it is the same twenty ($(field edge) at the edge, within the error)"
is "$(field far)" "" "no share differs by more than 4 standard errors"
is "$(field order)" "" \
	"the order is the same ($(field turned) pairs are the other way round, within the error)"
[ -n "$(sed -n 2p "$tmp/ours")" ] &&
	[ "$(op_stat received)" = "$(awk '/^# Samples:/ { print $3 }' "$tmp/optop")" ]
result $? "optop's report is of all samples"
finish
