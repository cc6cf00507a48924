# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # lib.sh has the variables
#
# Trees that are no trees: nothing crashes, by the sanitizers' word and by
# valgrind's, and what is good in them is shown all the same.

broken_tests=$((4 * 14 + 8))

# A line of 10 MB, one made of it.
long_line()
{
	head -c 10000000 /dev/zero | tr '\0' "$1"
	echo
}

junk()
{
	head -c 200000 "$optop"
}

break_files_missing()
{
	rm "$1"/images/*/samples "$1/version" "$1/stats/received"
	rm "$1/images/vmlinux/"* "$1/images/ext4.ko/hist" \
		"$1/images/anon/path" "$1/images/bpf/dcookie" "$1/images/bpf/start"
}

break_only_images()
{
	find "$1" -mindepth 1 -maxdepth 1 ! -name images -exec rm -r {} +
}

break_numbers()
{
	local n=0 bad=(-1 0x 12a 99999999999999999999999 '' ' 5' 1e3 0xg '5 5')

	for file in "$1"/images/*/{samples,dcookie,start} "$1"/stats/* \
		"$1"/stats/cpu*/received "$1"/enable; do
		[ ! -f "$file" ] || echo "${bad[n++ % ${#bad[@]}]}" > "$file"
	done
}

break_long_lines()
{
	for file in version cpu_type enable jit_maps 0/event stats/received \
		stats/hooks images/vmlinux/{hist,path,samples,dcookie,start} \
		images/anon/{hist,identity}; do
		long_line 7 > "$1/$file"
	done
	long_line '#' >> "$1/images/bpf/hist"
}

break_junk()
{
	find "$1" -type f | while read -r file; do
		junk > "$file"
	done
}

break_junk_behind()
{
	for file in "$1"/images/*/hist "$1/jit_maps"; do
		junk >> "$file"
	done
}

break_folders()
{
	for file in version cpu_type enable jit_maps 0/enabled stats/received \
		stats/hooks images/vmlinux/{hist,path,samples} \
		images/anon/{samples,dcookie,start,identity}; do
		rm -f "$1/$file"
		mkdir "$1/$file"
	done
	touch "$1/images/afile" "$1/images/}another"
	rm -r "$1/stats"
	touch "$1/stats"
}

break_loops()
{
	ln -s . "$1/images/loop"
	ln -s ../images "$1/images/}up"
	ln -sf hist "$1/images/vmlinux/hist"
	ln -sf ../anon/samples "$1/images/anon/samples"
	ln -sf /dev/zero "$1/version"
	ln -sf /dev/zero "$1/images/bpf/hist"
	ln -s nowhere "$1/images/dangling"
}

break_pipes()
{
	for file in version jit_maps stats/received stats/hooks \
		images/vmlinux/{hist,samples,path} images/anon/hist; do
		rm "$1/$file"
		mkfifo "$1/$file"
	done
}

break_names()
{
	local name

	name=$(printf '%0255d' 0)
	cp -r "$1/images/anon" "$1/images/$name"
	cp -r "$1/images/anon" "$1/images/"$'\e[31m\n\t'
	cp -r "$1/images/anon" "$1/images/"$'\xff\xfe\x80'
	cp -r "$1/images/anon" "$1/images/.hidden"
	printf '/\\033\\377\\000\\9\\\n' > "$1/images/bpf/path"
	long_line / | head -c 30000 > "$1/images/vdso/path"
	# As the module encodes it, with a start that may not be seen.
	cp -r "$1/images/jit:my_jit" "$1/images/jit:a%3Cb%3E"
	echo 'jit:a<b>' > "$1/images/jit:a%3Cb%3E/path"
	echo 0x0 > "$1/images/jit:a%3Cb%3E/start"
	echo 'a<b> 0x0 0x0' >> "$1/jit_maps"
}

break_counts()
{
	local hist="$1/images/vmlinux/hist"

	{
		echo '0x1 18446744073709551615 1'
		echo '0x2 18446744073709551615 18446744073709551615'
		echo '0x3 18446744073709551616 1'
		echo '0x1 5 5'
		echo '0x10000 1'
		echo '0x10001 1 2 3'
		echo '0x10002 1 2 '
		echo '0x10003  1 2'
		echo '10004 -1 2'
		echo '0xffffffffffffffff 1 1'
		printf '0x10005 1 \0 2\n'
		echo '# events: other'
		printf '0x10006'
	} >> "$hist"
}

break_events()
{
	local hist

	for hist in "$1"/images/*/hist; do
		sed -i "s/^# events:.*/# events: $(seq -s ' ' 40)/" "$hist"
	done
	sed -i '/^# events/d' "$1/images/vmlinux/hist"
	sed -i "s/^# events:.*/# events: $(printf '%0200d' 0) b/" \
		"$1/images/anon/hist"
	sed -i 's/^# events:.*/# events:/' "$1/images/bpf/hist"
}

break_cookies()
{
	for file in "$1"/images/*/dcookie; do
		echo 7 > "$file"
	done
	sed -i 's/^# dcookie:.*/# dcookie: junk/' "$1/images/vmlinux/hist"
}

break_many_names()
{
	local i

	# So many numbers that there is no room for them, and long names.
	for ((i = 0; i < 600; i++)); do
		echo $i > "$1/stats/number_$i"
	done
	echo 1 > "$1/stats/$(printf '%0200d' 0)"
	yes 'x 0x1 0x2 pid=3' | head -n 70000 > "$1/jit_maps"
}

all_broken()
{
	declare -F | sed -n 's/^declare -f break_//p'
}

# check CASE: all reports of a tree that is broken in this way
check()
{
	local name=$1 t="$work/broken" format

	chmod -R u+rwx "$t" 2>/dev/null
	rm -rf "$t"
	cp -r "$tree" "$t"
	"break_$name" "$t" 2> /dev/null
	for format in --once --json --csv; do
		run 0 "$name: $format" timeout 60 "$asan" -v --fs "$t" $format
	done
	run 0 "$name: valgrind" timeout 100 valgrind -q --error-exitcode=98 \
		--leak-check=full "$optop" --fs "$t" --json -n 2 -d 0.1
	cp "$work/out" "$work/$name.json"
}

run_broken()
{
	local name

	for name in $(all_broken); do
		check "$name"
	done
	ok "all documents are JSON" eval 'for name in $(all_broken); do
		jq -e .pictures "$work/$name.json" > /dev/null || exit; done'
	is "$(jq -c '.pictures[0].images[] | select(.name == "vmlinux") |
		.samples' "$work/counts.json")" '[568,102]' \
		"counts: what is good is counted, and nothing else"
	is "$(jq '.pictures[0].faults' "$work/counts.json")" 12 \
		"counts: each line that is not is a fault"
	is "$(jq -r '.pictures[0].images[] | select(.name == "bpf") | .path' \
		"$work/names.json")" '/\033\377\134000\1349\134' \
		"names: a path is unescaped once, and escaped once"
	is "$(jq -r '.pictures[0].symbols[] | select(.symbol == "a<b>") |
		.image, .kernel' "$work/names.json" | tr '\n' ' ')" \
		"jit:a%3Cb%3E true " "names: of a JIT range of the kernel"
	is "$(jq -r '.pictures[0].fault' "$work/loops.json")" \
		"version: Too many levels of symbolic links" \
		"loops: the first fault is named"
	is "$(jq '[.pictures[0].images[] | select(.name == "}usr}bin}gzip") |
		.samples[]] | add' "$work/files_missing.json")" 484 \
		"files missing: a histogram alone is enough"
	is "$(jq '[.pictures[0].images[] | select(.name == "vmlinux")] |
		length' "$work/files_missing.json")" 0 \
		"files missing: an empty folder is no image"
}
