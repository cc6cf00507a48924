# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Malformed writes to every file that can be written: each gets its errno and
# changes nothing.
#
# A line is a file, an errno (or what else tests/lib/put.pl is to print), and a
# text, separated by a bar; the text is written by one write(2).

. tests/lib/tap.sh
cd /dev/oprofile || exit 1

n200=$(printf 'n%.0s' {1..200})
hi=0xffffffffc0000000

table()
{
	local file number

	# Numbers: the same of all files that take one.
	for file in enable cpu_buffer_size buffer_size buffer_watershed \
		    sync_ms hist_memory 0/enabled 0/count 0/freq 0/kernel \
		    0/user dump reset; do
		cat <<-END
			$file|EINVAL|
			$file|EINVAL|\n
			$file|EINVAL|-1\n
			$file|EINVAL|+1\n
			$file|EINVAL|1 2\n
			$file|EINVAL|1\x00
			$file|EINVAL|1\n1\n
			$file|EINVAL|0x\n
			$file|EINVAL|1x\n
			$file|EINVAL|one\n
			$file|EINVAL|1.0\n
			$file|EINVAL|1e9\n
			$file|EINVAL|0b1\n
			$file|EINVAL|0x-1\n
			$file|EINVAL|1,000\n
			$file|EINVAL|\xd9\xa1\n
			$file|EINVAL|\x0b1\n
			$file|EINVAL|1k\n
			$file|EINVAL|\xff\xfe\n
			$file|ERANGE|18446744073709551616\n
			$file|ERANGE|18446744073709551617\n
			$file|ERANGE|36893488147419103233\n
			$file|ERANGE|0x10000000000000000
			$file|EINVAL|0*200
			$file|EINVAL|1*1048576
			$file|EINVAL|1\n*100000
		END
	done
	# What is a number and yet not one for that file: what is 1 or 0 in 32
	# bits, or negative, is no other than what it is.
	for file in enable dump reset 0/enabled 0/kernel 0/user; do
		for number in 4294967296 4294967297 9223372036854775808 \
			      9223372036854775809 18446744073709551614; do
			printf '%s\n' "$file|EINVAL|$number\\n"
		done
	done
	for file in cpu_buffer_size buffer_size buffer_watershed sync_ms \
		    0/freq; do
		for number in 4294967296 4294967396 0x10000000000001000 \
			      9223372036854775808 9223372036854780000 \
			      18446744073709551615; do
			printf '%s\n' "$file|ERANGE|$number\\n"
		done
	done
	cat <<-END
		0/count|ERANGE|9223372036854775808
		0/count|ERANGE|18446744073709551615
		hist_memory|ERANGE|0xffff
		enable|EINVAL|2
		enable|EINVAL|18446744073709551615
		dump|EINVAL|0
		dump|EINVAL|2
		reset|EINVAL|0
		reset|EINVAL|2
		cpu_buffer_size|ERANGE|0
		cpu_buffer_size|ERANGE|18446744073709551615
		buffer_size|ERANGE|0
		buffer_size|ERANGE|0xffffffff
		buffer_watershed|ERANGE|0
		buffer_watershed|ERANGE|0xffffffff
		sync_ms|ERANGE|0
		sync_ms|ERANGE|1000000
		hist_memory|ERANGE|0
		hist_memory|ERANGE|1
		0/enabled|EINVAL|2
		0/kernel|EINVAL|2
		0/user|EINVAL|18446744073709551615
		0/count|EINVAL|0
		0/freq|EINVAL|0
		0/freq|ERANGE|4294967296
		0/event|EINVAL|
		0/event|EINVAL|\n
		0/event|EINVAL|no-such-event
		0/event|EINVAL|timer timer
		0/event|EINVAL|timer\x00
		0/event|EINVAL|ti\nmer
		0/event|EINVAL|r
		0/event|EINVAL|rxyz
		0/event|EINVAL|../timer
		0/event|EINVAL|%s%s%n
		0/event|EINVAL|\x1b[31mtimer
		0/event|EINVAL|t*60
		0/event|EINVAL|t*1048576
	END
	# Commands.
	cat <<-END
		jit_maps|EINVAL|bogus\n
		jit_maps|EINVAL|\x00\n
		jit_maps|EINVAL|add_mapping\n
		jit_maps|EINVAL|add_mapping a\n
		jit_maps|EINVAL|add_mapping a $hi\n
		jit_maps|EINVAL|add_mapping $hi 0xffffffffc0000001\n
		jit_maps|EINVAL|add_mapping a 1 2\n
		jit_maps|EINVAL|add_mapping a 0x 0x1\n
		jit_maps|EINVAL|add_mapping a -$hi -0x1\n
		jit_maps|EINVAL|add_mapping a 0xffffffffc0001000 $hi\n
		jit_maps|EINVAL|add_mapping a $hi $hi\n
		jit_maps|ERANGE|add_mapping a $hi 0x10000000000000000\n
		jit_maps|EINVAL|add_mapping a 0x1000 0x2000\n
		jit_maps|EINVAL|add_mapping a 0x7fffffff0000 $hi\n
		jit_maps|EINVAL|add_mapping a $hi 0xffffffffc0001000 pid=1\n
		jit_maps|EINVAL|add_mapping a 0x1000 $hi pid=1\n
		jit_maps|EINVAL|add_mapping a 0x1000 0x2000 pid=0\n
		jit_maps|EINVAL|add_mapping a 0x1000 0x2000 pid=-1\n
		jit_maps|EINVAL|add_mapping a 0x1000 0x2000 pid=1 pid=1\n
		jit_maps|ERANGE|add_mapping a 0x1000 0x2000 pid=4194305\n
		jit_maps|ESRCH|add_mapping a 0x1000 0x2000 pid=4194304\n
		jit_maps|EINVAL|add_mapping a $hi 0xffffffffc0001000 0x1\n
		jit_maps|EINVAL|add_mapping a $hi 0xffffffffc0001000\r\n
		jit_maps|EINVAL|add_mapping a/b $hi 0xffffffffc0001000\n
		jit_maps|EINVAL|add_mapping .. $hi 0xffffffffc0001000\n
		jit_maps|EINVAL|add_mapping . $hi 0xffffffffc0001000\n
		jit_maps|EINVAL|add_mapping ../../x $hi 0xffffffffc0001000\n
		jit_maps|EINVAL|add_mapping a\x01b $hi 0xffffffffc0001000\n
		jit_maps|EINVAL|add_mapping a\x00b $hi 0xffffffffc0001000\n
		jit_maps|EINVAL|add_mapping a\x7fb $hi 0xffffffffc0001000\n
		jit_maps|EINVAL|add_mapping \xc3\xa4 $hi 0xffffffffc0001000\n
		jit_maps|ENAMETOOLONG|add_mapping ${n200}n $hi 0xffffffffc0001000\n
		jit_maps|EINVAL|remove_mapping\n
		jit_maps|EINVAL|remove_mapping a/b\n
		jit_maps|EINVAL|remove_mapping a b\n
		jit_maps|ENOENT|remove_mapping nobody\n
		jit_maps|ENAMETOOLONG|remove_mapping ${n200}n\n
		jit_maps|ESRCH|remove_mapping a pid=4194304\n
		jit_maps|E2BIG|x*1048576
		jit_maps|EINVAL|x\n*500000
		jit_maps|E2BIG| *1048576
	END
	# Files that cannot be written, not even by root.
	for file in version cpu_type events stats/received \
		    stats/cpu0/received images/vmlinux/hist \
		    images/vmlinux/path images/vmlinux/dcookie \
		    images/vmlinux/samples images/vmlinux/start; do
		echo "$file|open:EACCES|1"
	done
	for file in . 0 images images/vmlinux stats stats/cpu0; do
		echo "$file|open:EISDIR|1"
	done
	echo "no_such_file|open:ENOENT|1"
	echo "4/enabled|open:ENOENT|1"
	echo "stats/cpu4096/received|open:ENOENT|1"
	echo "images/no-such-image/hist|open:ENOENT|1"
}

# Writes that are wrong for where they go.
offsets()
{
	local file

	for file in enable 0/freq sync_ms 0/event jit_maps dump; do
		echo "$file|EINVAL|1|-p 1"
		echo "$file|EINVAL|1|-p 4096"
	done
}

state()
{
	local file

	for file in enable [a-ce-z]*_* sync_ms [0-9]/* jit_maps \
		    stats/received stats/lost_* stats/jit_maps; do
		echo "$file: $(cat "$file")"
	done
	cat images/*/hist
}

# Histograms to be left alone.
echo 1 >enable
for _ in {1..20}; do
	gzip -c /bin/bash >/dev/null
	[ -d images/vmlinux ] && [ -d 'images/}usr}bin}gzip' ] && break
done
echo 0 >enable
echo 1 >dump
echo "add_mapping keep $hi 0xffffffffc0000010" >jit_maps

cd "$OLDPWD" || exit 1
mapfile -t cases < <(table; offsets)
plan $((${#cases[@]} + 4))

before=$(cd /dev/oprofile && state)
ok "there is something that could change" \
	grep -q '^0x' <<<"$before"
mapfile -t results < <(
	for line in "${cases[@]}"; do
		IFS='|' read -r file _ text options <<<"$line"
		[ -z "$options" ] || printf '%s\t' "${options% *}" "${options#* }"
		printf '%s\t%s\n' "/dev/oprofile/$file" "$text"
	done | tests/lib/put.pl --batch)
for i in "${!cases[@]}"; do
	IFS='|' read -r file want text options <<<"${cases[i]}"
	# A line without its newline is judged at the close.
	is "${results[i]}" "$want" "${text:0:60} > $file${options:+ $options}"
done
is "$(cd /dev/oprofile && state)" "$before" "nothing has changed"

cd /dev/oprofile || exit 1
is "$("$OLDPWD/tests/lib/put.pl" sync_ms '200\n' '' '300\n')" \
	"4 EINVAL 4" "the same descriptor writes again and again"
is "$(cat sync_ms)" 300 "the last one counts"
finish
