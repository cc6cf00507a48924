#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 400
#
# perf record and this module, at once, on the same programs: both name the same
# images, with shares that differ by no more than sampling does.

set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

tmp=$(mktemp -d) || op_bail "no folder for temporary files"
plan 6

# What both sample: perf begins when it is ready, whenever that is.
cat >"$tmp/load" <<END
cd "$op_progs"
echo 1 >"$op/enable"
./shares-lib >/dev/null &
./shares-nopie >/dev/null &
./burn-alpha 0 &
dd if=/dev/zero of=/dev/null bs=16k 2>/dev/null &
gzip -9 </dev/zero >/dev/null &
sleep 20
kill \$(jobs -p)
echo 0 >"$op/enable"
END

# Each rate is out of step with the other.
op_start 997
op_stop
echo 1 >"$op/reset"
perf record -q -a -F 1009 -e cpu-clock -o "$tmp/data" -- \
	bash "$tmp/load" >"$tmp/record" 2>&1
result $? "perf record" || diag "$(cat "$tmp/record")"
op_conserved "no sample of ours got lost"

# "IMAGE COUNT" of programs only: what idles does not depend on us.
perf script -i "$tmp/data" -F ip,dso 2>/dev/null | awk '
	{ dso = $NF; gsub(/[()]/, "", dso); n[dso]++ }
	END { for (d in n) print d, n[d] }' >"$tmp/theirs"
for image in "$op"/images/*; do
	echo "$(cat "$image/path") $(cat "$image/samples")"
done >"$tmp/ours"

# perf says [kernel.kallsyms] and [NAME], or which file has the symbols.
sed -i -E -e 's,^(\[kernel.kallsyms\]|/boot/vmlinux) ,vmlinux ,' \
	-e 's,^\[([a-z0-9_]*)\] ,\1.ko ,' -e 's,^/lib/modules/.*/([^/]*\.ko) ,\1 ,' \
	"$tmp/theirs"

# The kernel idles in between, in the one as in the other, but the begin and the
# end are not the same: shares are those of the programs.
awk '
	FNR == NR { if ($1 ~ /^\//) { a[$1] = $2; sa += $2 } else k[$1] = $2
		next }
	{ if ($1 ~ /^\//) { b[$1] = $2; sb += $2 } else l[$1] = $2 }
	END {
		printf "%-60s %8s %7s %8s %7s %6s\n", "image", "ours", "",
			"perf", "", "sigma"
		for (i in a)
			all[i]
		for (i in b)
			all[i]
		for (i in all) {
			p = a[i] / sa
			q = b[i] / sb
			m = (a[i] + b[i]) / (sa + sb)
			se = sqrt(m * (1 - m) * (1 / sa + 1 / sb))
			z = se ? (p - q) / se : 0
			printf "%-60s %8d %6.2f%% %8d %6.2f%% %+6.1f\n", i,
				a[i], 100 * p, b[i], 100 * q, z
			big = p > 0.01 || q > 0.01
			if (big)
				n++
			if (big && (!a[i] || !b[i]))
				missing = missing " " i
			if (big && (z > 3 || z < -3))
				far = far " " i
		}
		printf "samples of programs: %d %d\n", sa, sb
		for (i in k)
			printf "%-60s %8d %8d\n", i, k[i], l[i]
		print "RESULT n=" n
		print "RESULT missing=" missing
		print "RESULT far=" far
	}' "$tmp/ours" "$tmp/theirs" >"$tmp/table"
diag "$(grep -v '^RESULT' "$tmp/table" | sort -k2,2nr)"
field()
{
	sed -n "s/^RESULT $1=//p" "$tmp/table"
}

[ "$(field n)" -ge 4 ]
result $? "there are $(field n) images of more than 1 %"
is "$(field missing)" "" "both name them all"
is "$(field far)" "" "no share differs by more than 3 standard errors"
[ "$(awk '$1 == "vmlinux" { print $2 }' "$tmp/theirs")" -gt 500 ] &&
	[ "$(op_samples vmlinux)" -gt 500 ]
result $? "both see the kernel"
finish
