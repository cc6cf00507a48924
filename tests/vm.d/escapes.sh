#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --smp 2 --timeout 900
#
# Names that anybody may choose: of files that run and of JIT ranges, with all
# that a terminal, a shell, JSON, CSV or a reader of lines could take for
# something else.  Each comes back whole; none reaches a text or the log as it is.

# shellcheck disable=SC2317,SC2016,SC1003 # functions that ok calls; odd names
set -u
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/oprofile.sh
. tests/lib/oprofile.sh
# shellcheck source=tests/lib/stream.sh
. tests/lib/stream.sh

optop=$OP_TOP/build/optop/optop
[ -x "$optop" ] || op_bail "no $optop: make optop"
dir=/tmp/EVIL
mkdir $dir
long=$(printf 'EVIL"%.0s' {1..50})
names=($'new\nline EVIL' $'# image: EVIL\n0x0 999' $'esc\e]0;EVIL\a\e[31m'
	$'bad\xff\xc3(\xed\xa0\x80\xf4\x90\x80\x80utf' $'c1\x9b31mEVIL'
	'quote"EVIL'"'"'`id`$(id)${x}' 'back\slash\\EVIL\' '\x00EVIL\u0041'
	'\012EVIL\040' $'tab\tCR\r\bEVIL\x7f' ' lead and trail, EVIL; ' '-rf *?[a]~!EVIL'
	'%00%2F}EVIL~2' $'r\xe2\x80\xaeltr EVIL' '<EVIL>&amp;{"a":1}' "$long"
	'=EVIL()+cmd|x' '#EVIL')
jits=('EVIL"x\' '\x00EVIL' "EVIL'\`id\`\$(id)" '#EVIL' '%00EVIL' '{"EVIL":1},' 'EVIL;&|<>*?~!' \
	'pid=1')
plan 32

# --- all of them run, and have names ---

stream_start /tmp/stream
op_start 1999
for i in "${!names[@]}"; do
	cp "$op_progs/burn-alpha" "$dir/${names[i]}" || op_bail "no file $i"
done
brief()
{
	timeout 0.2 "$@" 0
	[ $? = 124 ]
}
missing=0
for name in "${names[@]}"; do
	image=$(op_name "$dir/$name")
	# The long one's is cut.
	[ "$name" != "$long" ] || image="}~${image: -242}"
	op_gather 3 "$image" -- brief "$dir/$name" || missing=$((missing + 1))
done
is $missing 0 "each has an image by the name of its path"
for i in "${!jits[@]}"; do
	printf 'add_mapping %s 0x%x 0x%x\n' "${jits[i]}" \
		$((0xffffffffc0000000 + 4096 * i)) $((0xffffffffc0001000 + 4096 * i))
done >"$op/jit_maps"
is $? 0 "JIT ranges can be called so"
op_jitter_start p anon:1
printf 'add_mapping %s %s %s pid=%s\n' "${jits[0]}" "${jitter_start[p.0]}" \
	"${jitter_end[p.0]}" "${jitter_pid[p]}" >"$op/jit_maps"
hot()
{
	op_jitter p run 200 0
	echo 1 >"$op/dump"
	compgen -G "$op/images/jit:EVIL*" >/dev/null
}
op_soon hot
compgen -G "$op/images/jit:EVIL*" >/dev/null
result $? "and one of them has samples"
for name in "${names[@]}"; do
	# By one write: bash's own printf makes one a line.
	printf '%s' "$dir/$name" | dd bs=8k of="$op/mark" conv=notrunc status=none ||
		diag "not marked: $name"
done
op_stop
stream_stop
op_jitter_stop p

# --- the files ---

find "$op" -type f -perm -400 ! -name buffer -exec cat {} + >/tmp/texts
[ "$(wc -l </tmp/texts)" -gt 300 ]
result $? "there is something to read ($(wc -l </tmp/texts) lines)"
is "$(LC_ALL=C grep -ac $'[\x01-\x09\x0b-\x1f\x7f]' /tmp/texts)" 0 \
	"no file has a control character"
is "$(tr -d '\n' </tmp/texts | LC_ALL=C tr -dc '\0' | wc -c)" 0 "or a NUL"
(cd "$op/images" && printf '%s\n' *) >/tmp/folders
is "$(LC_ALL=C grep -Evc '^[]A-Za-z0-9._+,:@=%}~-]+$' /tmp/folders)" 0 \
	"folders' names need no quotes"
is "$(awk 'length > 255' /tmp/folders)" "" "and are none too long"

# back FILE: lines as they stand in the files, each with its text undone, as hex
back()
{
	perl -ne 'chomp; s/\\([0-7]{3})/chr(oct($1))/ge; print unpack("H*", $_), "\n"' "$1"
}
for name in "${names[@]}"; do
	printf '%s' "$dir/$name" | od -An -v -tx1 | tr -d ' \n'
	echo
done | sort >/tmp/wanted
cat "$op"/images/*/path >/tmp/paths
back /tmp/paths | sort >/tmp/got
is "$(comm -23 /tmp/wanted /tmp/got)" "" "each path comes back whole"
is "$(wc -l </tmp/paths)" "$(wc -l </tmp/folders)" "and is one line"
cut -d ' ' -f 2- "$op/dcookies" >/tmp/paths
back /tmp/paths | sort >/tmp/got
is "$(comm -23 /tmp/wanted /tmp/got)" "" "in dcookies as well"
is "$(grep -Evc '^[0-9]+ [^ ]' "$op/dcookies")" 0 "whose lines are all such"
cut -d ' ' -f 2- "$op/mark" >/tmp/paths
back /tmp/paths | sort >/tmp/got
is "$(comm -3 /tmp/wanted /tmp/got)" "" "and in mark, which has no others"
sed -n 's/^# path: //p' "$op"/images/*/hist >/tmp/paths
back /tmp/paths | sort >/tmp/got
is "$(comm -23 /tmp/wanted /tmp/got)" "" "and in the heads of the histograms"
is "$(cat "$op"/images/*/hist | LC_ALL=C grep -aEv \
	'^(# (image|path|dcookie|start|events|lost):.*|0x[0-9a-f]+( [0-9]+)+)$')" "" \
	"which have no other lines"
is "$(cat "$op"/images/*/hist | grep -c '^# path: ')" "$(wc -l </tmp/folders)" \
	"and one path each"
is "$(cut -d ' ' -f 1 "$op/jit_maps" | sort)" "$(printf '%s\n' "${jits[@]}" | sort)" \
	"jit_maps has the names as they were given"
is "$("$op_progs/opstream" check </tmp/stream; echo $?)" 0 "the stream makes sense"
ok "and is the histograms" stream_replays /tmp/stream
op_conserved "the law"

# --- the log: what was written is never in it ---

dmesg -C
mapfile -t files < <(find "$op" -type f -perm -200)
turn=0
for text in 'EVIL' '\nEVIL\n' '\x1b]0;EVIL\x07\n' '%s%n%pEVIL' 'EVIL\x00' \
	    'add_mapping EVIL/ 0x1 0x2\n' 'unmark EVIL' '/tmp/EVIL/none'; do
	# Ten messages of a kind in five seconds: other files' at each turn.
	for ((i = 0; i < ${#files[@]}; i++)); do
		printf '%s\t%s\n' "${files[(i + turn) % ${#files[@]}]}" "$text"
	done >/tmp/batch
	tests/lib/put.pl --batch </tmp/batch
	turn=$((turn + 10))
	sleep 5.5
done >/tmp/results
is "$(grep -Ev '(^|[ :])E[A-Z0-9]+$' /tmp/results)" "" "bad texts are refused"
dmesg >/tmp/log
[ "$(grep -c oprofile: /tmp/log)" -gt 50 ]
result $? "the log says why ($(grep -c oprofile: /tmp/log) lines)"
is "$(grep -c 'EVIL\|\\x' /tmp/log)" 0 "and has none of the texts"

# --- optop ---

"$optop" -q -b -n 1 >/tmp/batch.out 2>/tmp/err
result $? "optop -b" || diag "$(head -n 5 /tmp/err)"
"$optop" -q --json >/tmp/json 2>/tmp/err
result $? "optop --json" || diag "$(head -n 5 /tmp/err)"
"$optop" -q --csv >/tmp/csv 2>/tmp/err
result $? "optop --csv" || diag "$(head -n 5 /tmp/err)"
"$optop" -q --once >/tmp/once 2>/tmp/err
result $? "optop --once" || diag "$(head -n 5 /tmp/err)"
is "$(LC_ALL=C grep -ac $'[\x01-\x09\x0b-\x1f\x7f]' /tmp/batch.out /tmp/json /tmp/csv \
	/tmp/once | tr '\n' ' ')" \
	"/tmp/batch.out:0 /tmp/json:0 /tmp/csv:0 /tmp/once:0 " "no control characters"
is "$(cat /tmp/batch.out /tmp/json /tmp/csv /tmp/once | iconv -f utf-8 -t utf-8 >/dev/null 2>&1
	echo $?)" 0 "all of it is UTF-8"
ok "jq reads the JSON" jq -e . /tmp/json
jq -r '.. | .path? // empty' /tmp/json | sort -u >/tmp/paths
back /tmp/paths | sort -u >/tmp/got
is "$(comm -23 /tmp/wanted /tmp/got)" "" "and finds each path whole"
is "$(python3 -c 'import csv
rows = [len(r) for r in csv.reader(open("/tmp/csv", newline="")) if r]
print(len(set(rows)), len(rows) > 18)')" "1 True" "each row of the CSV has the same columns"
rm -rf $dir
finish
