#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --mem 2048 --timeout 1800
#
# 100,000 images: each is there, with its sample, and afterwards nothing is left
# of them.  And readers with buffers of a byte and of a gigabyte, and paths as
# long as paths get.

# shellcheck disable=SC2317 # functions that ok calls
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh

plan 30
put=tests/lib/put.pl

# others: the samples of all images but the many
others()
{
	find "$op/images" -mindepth 1 -maxdepth 1 ! -name '}tmp}many}*' \
		-printf '%p/samples\n' | xargs cat | awk '{ n += $1 } END { print n + 0 }'
}

# The law, where the many have so many samples: to read them all takes minutes.
law()
{
	cat "$op"/stats/lost_* "$op"/stats/skipped_* |
		awk -v "many=$1" -v "others=$(others)" \
			-v "received=$(op_stat received)" '
		{ n += $1 }
		END {
			printf "received %d = %d + %d of others + %d lost or skipped\n",
				received, many, others, n
			exit received != many + others + n || !received
		}'
}

# --- readers ---

op_start 1999
op_gather 100 vmlinux '}usr}bin}gzip' -- bash -c 'gzip -c /bin/bash >/dev/null'
op_stop
for ((i = 0; i < 300; i++)); do
	printf 'add_mapping f%d 0x%x 0x%x\n' $i $((0xffffffffc0000000 + 16 * i)) \
		$((0xffffffffc0000010 + 16 * i))
done >"$op/jit_maps"
# But for those that say something new each time.
mapfile -t files < <(find "$op" -type f -perm -400 ! -name buffer ! -name changes)
[ ${#files[@]} -gt 100 ]
result $? "there are files (${#files[@]})"
is "$("$op_progs/readsizes" "${files[@]}")" "${#files[@]} files" \
	"each is the same by 1 to 57 bytes at a time, and with room for 1 GiB"
ok "a reader of the stream whose buffer is too small loses nothing" \
	"$op_progs/readsizes" --stream "$op/buffer"

# --- paths ---

# deep LENGTH: the path of a new program, of so many bytes
deep()
{
	local dir=/tmp/deep n

	mkdir -p $dir
	while [ $((${#dir} + 202)) -lt $(($1 - 1)) ]; do
		dir+=/$(printf 'd%.0s' {1..200})
		mkdir -p "$dir" || return
	done
	n=$(($1 - ${#dir} - 1))
	# Never more than a name may have.
	if [ $n -gt 255 ]; then
		dir+=/$(printf 'e%.0s' {1..100})
		mkdir -p "$dir" || return
		n=$((n - 101))
	fi
	printf '%s/%s\n' "$dir" "$(printf 'f%.0s' $(seq $n))"
}

path=$(deep 4095)
is ${#path} 4095 "a path of 4095 bytes"
cp "$op_progs/burn-alpha" "$path"
is "$("$put" "$op/mark" "$path\n")" 4096 "can be marked"
is "$(cut -d ' ' -f 2 "$op/mark")" "$path" "and is shown whole"
is "$("$put" "$op/mark" "${path}x")" ENAMETOOLONG "one of 4096 is too long"
is "$("$put" "$op/mark" "unmark ${path}x")" ENAMETOOLONG "also to be unmarked"
is "$("$put" "$op/mark" "x*4200")" ENAMETOOLONG "and one that goes nowhere"
is "$("$put" "$op/mark" "/tmp/$(printf 'n%.0s' {1..256})")" ENAMETOOLONG \
	"a name of 256 bytes is no name"
# From here on all counts.
"$put" "$op/mark" "unmark $path" >/dev/null
is "$(cat "$op/mark")" "" "the one of 4095 bytes can be unmarked"
echo 1 >"$op/reset"
op_start 1999
brief()
{
	timeout 0.3 "$@" 0
	[ $? = 124 ]
}
# Its name is cut, so it is the one of its path.
image_of()
{
	grep -lxF "$1" "$op"/images/*/path | sed 's|/path$||; s|.*/||'
}
found()
{
	brief "$path"
	echo 1 >"$op/dump"
	name=$(image_of "$path")
	[ "$name" ]
}
op_soon found
result $? "a program of that path has an image"
[ ${#name} -le 255 ] && [ "${name:0:2}" = '}~' ]
result $? "whose folder's name is one (${#name} bytes)"
# Longer than any path that can be named: by its own folder it can be run.
(
	cd /tmp/deep || exit
	for _ in {1..30}; do
		mkdir -p "$(printf 'g%.0s' {1..250})" &&
			cd -P "$(printf 'g%.0s' {1..250})" || exit
	done
	cp "$op_progs/burn-beta" ./deepest
	op_soon brief ./deepest
	for _ in {1..8}; do
		brief ./deepest
	done
	# Longer than any room: the last name must do.
	for _ in {1..40}; do
		mkdir -p "$(printf 'g%.0s' {1..250})" &&
			cd -P "$(printf 'g%.0s' {1..250})" || exit
	done
	cp "$op_progs/burn-gamma" ./bottom
	for _ in {1..8}; do
		brief ./bottom
	done
)
echo 1 >"$op/dump"
long=/tmp/deep$(for _ in {1..30}; do printf '/'; printf 'g%.0s' {1..250}; done)/deepest
name=$(image_of "$long")
[ "$name" ] && [ ${#name} -le 255 ]
result $? "so has one of a path of ${#long} bytes"
[ "$(image_of /.../bottom)" ]
result $? "and one of $((${#long} - 8 + 40 * 251)), by its last name"
op_stop
op_conserved "paths: the law"
echo 1 >"$op/reset"
rm -rf /tmp/deep

# --- 100,000 images ---

many=100000
echo "remove_mapping f0" >"$op/jit_maps"
for ((i = 1; i < 300; i++)); do
	echo "remove_mapping f$i"
done >"$op/jit_maps"
mkdir /tmp/many
echo page-faults >"$op/0/event"
echo 1 >"$op/0/count"
echo 0 >"$op/0/kernel"
echo 65536 >"$op/cpu_buffer_size"
# What is there with no image at all: wait for what is forgotten.
base()
{
	sleep 0.5
	[ "$(op_stat images)" -le $((few + 4)) ]
}
# What sampling leaves behind: the kernel's modules, mostly.
echo 1 >"$op/reset"
few=40
op_soon base
result $? "to begin with, there are few images ($(op_stat images))"
few=$(op_stat images)
memory=$(op_stat memory)
before=$(op_memory)
start=${EPOCHREALTIME/./}
echo 1 >"$op/enable"
ok "100,000 files are run" "$op_progs/mapexec" --files /tmp/many $many
op_stop
diag "in $(((${EPOCHREALTIME/./} - start) / 1000000)) s;" \
	"$(op_stat memory) bytes of $(cat "$op/hist_memory")"
[ "$(op_stat images)" -ge $many ]
result $? "each is an image ($(op_stat images))"
[ "$(op_stat memory)" -le "$(cat "$op/hist_memory")" ]
result $? "in no more memory than is allowed"
is "$(cat "$op"/stats/lost_* | sort -u)" 0 "nothing was lost"
perl -e '
	use Fcntl;
	sysopen(my $f, $ARGV[0], O_RDONLY | O_NONBLOCK) or die "open: $!";
	while (sysread($f, my $text, 65536)) { print($text) }' "$op/buffer" \
	>"$op_tmp/names"
[ "$("$op_progs/opstream" text <"$op_tmp/names" | grep -c '^name .*/tmp/many/')" -ge $many ]
result $? "a reader of the stream is told the names of all"
rm "$op_tmp/names"
find "$op/images" -maxdepth 1 -name '}tmp}many}file-*' | wc -l >"$op_tmp/n"
is "$(cat "$op_tmp/n")" $many "each has its folder"
# cat by thousands: no command line takes more.
find "$op/images" -path '*many}file-*' -name hist -exec cat {} + |
	awk '!/^#/ { bins++; n += $2; bad += $1 != "0x0" || $2 != 1 }
		END { print bins, n, bad + 0 }' >"$op_tmp/n"
is "$(cat "$op_tmp/n")" "$many $many 0" "each with one sample, at its first byte"
op_ok "100,000 images: the law" law $many
is "$(grep -c '/tmp/many/file-' "$op/dcookies")" $many "dcookies has them all"

# Beyond the bound: as many again, of which none fits.
op_stat memory >"$op/hist_memory"
echo 1 >"$op/enable"
"$op_progs/mapexec" --files /tmp/many 2000
op_stop
[ "$(op_stat lost_hist_memory)" -ge 2000 ] &&
	[ "$(op_stat memory)" -le "$(cat "$op/hist_memory")" ]
result $? "what does not fit is counted as lost ($(op_stat lost_hist_memory))"
op_ok "and the law holds" law $many

used=$(($(op_memory) - before))
echo 1 >"$op/reset"
op_soon base
# But for what each CPU's rings named last.
[ "$(op_stat images)" -le $((few + 4)) ] &&
	[ "$(op_stat memory)" -lt $((memory + 4000)) ] &&
	! grep -q '/tmp/many/' "$op/dcookies"
result $? "after a reset all is as it was ($(op_stat images) of $few, $(
	op_stat memory) of $memory)"
cd /
umount "$op" && rmmod oprofile
left=$(($(op_memory) - before))
diag "kB of memory: $used with the images, $left without"
[ $used -gt 30000 ] && [ $((left * 4)) -lt $used ]
result $? "unloaded, the memory is back"
finish
