#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Do the tests' own checks find what they are there to find? Runs on the host,
# with a folder that looks like a mounted oprofilefs.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp" "$op_tmp"' EXIT
OP_TOP=$PWD
# shellcheck disable=SC2034 # read by oprofile.sh
OP_DIR=$tmp/op
mkdir -p "$OP_DIR"/stats/cpu{0,1} "$OP_DIR"/images/{vmlinux,x}
echo 0 >"$OP_DIR/enable"
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

# The fake: 100 samples that came, 60 + 30 in images, 7 lost, 3 skipped.
fake()
{
	echo 100 >"$OP_DIR/stats/received"
	echo 41 >"$OP_DIR/stats/cpu0/received"
	echo 59 >"$OP_DIR/stats/cpu1/received"
	echo 7 >"$OP_DIR/stats/lost_cpu_buffer"
	echo 0 >"$OP_DIR/stats/lost_hist_memory"
	echo 3 >"$OP_DIR/stats/skipped_kernel"
	printf '# image: vmlinux\n0x10 50\n0x20 10\n' \
		>"$OP_DIR/images/vmlinux/hist"
	echo 60 >"$OP_DIR/images/vmlinux/samples"
	printf '# image: x\n0x1040 20 5\n0x1081 4 1\n' >"$OP_DIR/images/x/hist"
	echo 30 >"$OP_DIR/images/x/samples"
}

# It says no: ending with an error of its own is not the same.
# shellcheck disable=SC2317 # called by op_ok
not()
{
	"$@"
	[ $? = 1 ]
}

plan 20

fake
op_ok "the law holds" op_law
echo 101 >"$OP_DIR/stats/received"
op_ok "one received too much is found" not op_law
fake
printf '0x30 1\n' >>"$OP_DIR/images/vmlinux/hist"
echo 61 >"$OP_DIR/images/vmlinux/samples"
op_ok "one counted too much is found" not op_law
fake
echo 1 >"$OP_DIR/stats/lost_hist_memory"
op_ok "one lost too much is found" not op_law
fake
echo 40 >"$OP_DIR/stats/cpu0/received"
op_ok "a CPU's sum that is wrong is found" not op_law
fake
echo 29 >"$OP_DIR/images/x/samples"
op_ok "an image's sum that is wrong is found" not op_law
fake
for file in "$OP_DIR"/stats/{received,cpu?/received,lost_*,skipped_*}; do
	echo 0 >"$file"
done
echo '# image: x' >"$OP_DIR/images/x/hist"
echo '# image: vmlinux' >"$OP_DIR/images/vmlinux/hist"
echo 0 | tee "$OP_DIR"/images/*/samples >/dev/null
op_ok "no samples at all are no success" not op_law
fake
rm "$OP_DIR/stats/received"
op_ok "a missing file is found" not op_law

fake
is "$(op_samples vmlinux)" 60 "samples of an image"
is "$(op_samples nothing)" 0 "samples of an image that isn't there"
is "$(op_count_between vmlinux 0x10 0x20)" 50 "samples between two offsets"
is "$(op_share vmlinux)" 0.714286 "share of an image"
is "$(op_name '/tmp/a b~c}d%é')" '}tmp}a%20b%7Ec%7Dd%25%C3%A9' "an image's name"

# Function and instruction, by a file whose text is not where its offset is.
elf=$op_progs/libshares.so
read -r _ offset size < <("$op_progs/opfuncs" "$elf" | grep '^lib_two ')
want=$(readelf -sW "$elf" | awk '$8 == "lib_two" { print "0x" $2; exit }')
read -r p_offset p_vaddr < <(readelf -lW "$elf" |
	awk '$1 == "LOAD" && $3 ~ /040000$/ { print $2, $3 }')
is $((offset)) $((want - p_vaddr + p_offset)) "a function's offset is what readelf says"
printf '%#x 3\n%#x 4\n%#x 2\n' $((offset)) $((offset + size - 1)) $((offset + size)) \
	>"$OP_DIR/images/x/hist"
is "$(op_func_counts x "$elf" | tr '\n' ' ')" "lib_two 7 ? 2 " \
	"first and last byte are the function's, the next one is not"
# Behind the jump back comes the return, of one byte.
printf '%#x 3\n%#x 4\n' $((offset)) $((offset + size - 2)) >"$OP_DIR/images/x/hist"
is "$(op_strays x "$elf")" "$(printf '%#x 4' $((want + size - 2)))" \
	"an offset inside an instruction is found"

truth=$'truth a 100\ntruth b 300'
op_ok "shares that agree" op_shares_agree $'a 2590\nb 7410\n? 100' "$truth"
op_ok "a share too high by 3.2 errors is found" \
	not op_shares_agree $'a 2640\nb 7360' "$truth"
op_ok "a name without a sample is found" not op_shares_agree 'b 9999' "$truth"
op_ok "no samples don't agree with anything" not op_shares_agree '? 7' "$truth"

finish
