# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# vm: --timeout 600
#
# jit_maps: commands in pieces, many in one write, many writers, a writer that
# is killed. What a single bad line gets is in fs-badinput.sh.

. tests/lib/tap.sh
put=$PWD/tests/lib/put.pl
cd /dev/oprofile || exit 1

a=0xffffffffc0000000
b=0xffffffffc0001000

list()
{
	cat jit_maps
}

# clear: remove all that is listed
clear()
{
	sed -E 's/^([^ ]+) [^ ]+ [^ ]+/remove_mapping \1/' jit_maps >/tmp/clear
	[ ! -s /tmp/clear ] || cat /tmp/clear >jit_maps
}

# try WANTED_RESULT WANTED_LIST NAME TEXT...: each TEXT is one write
try()
{
	local result=$1 want=$2 name=$3

	shift 3
	is "$("$put" jit_maps "$@")
$(list)" "$result
$want" "$name"
	clear
}

plan 44
clear

# --- one command ---

try 52 "x $a $b" "a command" "add_mapping x $a $b\n"
try 51 "x $a $b" "the last line needs no newline" "add_mapping x $a $b"
try 58 "x $a $b" "blanks and tabs" "\tadd_mapping\tx  $a \t $b \t\n"
try "53 1 0 3" "x $a $b" "blank lines, and nothing at all" \
	"\nadd_mapping x $a $b\n" '\n' '' ' \t\n'
try 17 "" "a blank line without its newline" ' *17'
try "52 17" "" "and removed" "add_mapping x $a $b\n" "remove_mapping x\n"
try "5 6 3 18 20 1" "x $a $b" "in pieces" \
	add_m "apping" " x " "$a" " 0xffffffffc0001000 " '\n'
text="add_mapping x $a $b\n"
mapfile -t bytes < <(fold -w1 <<<"${text%??}")
is "$("$put" jit_maps "${bytes[@]/#%/}" '\n' | tr -d ' ')
$(list)" "$(printf '1%.0s' {1..52})
x $a $b" "byte by byte"
clear
exec 3>jit_maps
echo -n "add_mapping x $a $b" >&3
is "$(list)" "" "before its newline it has no effect"
echo >&3
is "$(list)" "x $a $b" "with its newline it has"
echo -n "remove_mapping x" >&3
exec 3>&-
is "$(list)" "" "or with the close"
name=$(printf 'n%.0s' {1..200})
try 251 "$name $a $b" "the longest name" "add_mapping $name $a $b\n"
try 512 "x $a $b" "the longest line" \
	"add_mapping x $a$(printf ' %.0s' {1..461})$b\n"
try E2BIG "" "one byte more" \
	"add_mapping x $a$(printf ' %.0s' {1..462})$b\n"
try "255 E2BIG 52" "y $a $b" "also in pieces" \
	"add_mapping $(printf ' %.0s' {1..243})" \
	"$(printf ' %.0s' {1..257})" "add_mapping y $a $b\n"
ok "appending" bash -c "echo 'add_mapping x $a $b' >>jit_maps"
is "$(list)" "x $a $b" "has done it"
clear

# --- several commands ---

try 104 "x $a $b
y $a $b" "two in one write" "add_mapping x $a $b\nadd_mapping y $a $b\n"
try "58 46" "x $a $b
y $a $b" "one and a piece of the next" \
	"add_mapping x $a $b\nadd_ma" "pping y $a $b\n"
try 52 "x $a $b" "the second is bad: a short write" \
	"add_mapping x $a $b\nbogus\nadd_mapping y $a $b\n"
try "52 EINVAL" "x $a $b" "going on from there: the errno" \
	"add_mapping x $a $b\nbogus\n" "bogus\n"
try EINVAL "" "the first is bad: nothing after it" \
	"bogus\nadd_mapping x $a $b\n"
try EINVAL "" "blank lines before it make no short write" \
	"\n\nbogus\n"
try "8 EINVAL 52" "y $a $b" "a bad one in pieces: nothing of it is kept" \
	"add_mapp" "ers x $a $b\n" "add_mapping y $a $b\n"
try "3 close:EINVAL" "" "a bad last line: close says so" bog
try "3 ENOENT" "" "no more than one errno" 'rem' 'ove_mapping x\nbog'
try "52 EINVAL" "x $a $b" "a NUL" "add_mapping x $a $b\n" '\x00\n'
for ((i = 0; i < 20000; i++)); do
	printf 'add_mapping m%05d 0x%x 0x%x\n' $i \
		$((a + i * 16)) $((a + i * 16 + 16))
done >/tmp/many
is "$(perl -e 'local $/; open(my $in, "<", "/tmp/many"); my $text = <$in>;
	open(my $out, ">", "jit_maps");
	print(syswrite($out, $text) - length($text))')" 0 \
	"20000 commands in one write of $(stat -c %s /tmp/many) bytes"
is "$(list | md5sum)" \
	"$(sed 's/add_mapping //' /tmp/many | md5sum)" "all are listed"
is "$(dd if=jit_maps bs=13 status=none | md5sum)" "$(list | md5sum)" \
	"also when read by pieces"
clear
is "$(list)" "" "all are removed"

# --- copies of the descriptor ---

exec 3>jit_maps
echo -n "add_mapping x $a $b" >&3
(exec 3>&-)
is "$(list)" "" "a child's close does nothing"
exec 4>&3 4>&-
is "$(list)" "" "nor does that of a duplicate"
(exec 4>&3; kill -KILL $BASHPID)
exec 3>&-
is "$(list)" "x $a $b" "nor does a child that is killed"
clear
exec 3>jit_maps 4>jit_maps
echo -n "add_mapping x $a " >&3
echo "add_mapping y $a $b" >&4
echo "$b" >&3
exec 3>&- 4>&-
is "$(list | sort)" "x $a $b
y $a $b" "two open files do not disturb each other"
clear

# --- a writer that is killed ---

for signal in KILL TERM SEGV; do
	bash -c "exec 3>jit_maps; echo -n 'add_mapping x $a $b' >&3
		kill -$signal \$\$; sleep 10" 2>/dev/null
	is "$(list)" "" "killed by SIG$signal in the middle of a line"
done
exec 3>jit_maps
bash -c "echo -n 'add_mapping x $a $b' >&3; kill -KILL \$\$"
exec 3>&-
is "$(list)" "" "also where another one still has the file"
bash -c "exec 3>jit_maps; echo -n 'add_mapping x $a $b' >&3; exit 3"
is "$(list)" "x $a $b" "one that exits has finished its line"
clear

# --- many at once ---

for w in {0..7}; do
	perl -e 'my ($w, $a) = @ARGV; open(my $out, ">", "jit_maps");
		for my $i (0..499) {
			my $text = sprintf("add_mapping w%d_%d 0x%x 0x%x\n",
				$w, $i, hex($a) + ($w * 500 + $i) * 16,
				hex($a) + ($w * 500 + $i) * 16 + 16);
			# In two pieces, each its own write.
			my $cut = 1 + $i % (length($text) - 1);
			syswrite($out, substr($text, 0, $cut));
			syswrite($out, substr($text, $cut));
		}' "$w" $a &
done 2>/dev/null
wait
is "$(list | wc -l)" 4000 "eight writers, 500 mappings in halves each"
is "$(list | awk '{ print $1 }' | sort -u | wc -l)" 4000 "all different"
clear
is "$(list)$(cat stats/jit_maps)" 0 "none is left"
ok "no line of what was written is in the log" \
	bash -c '! dmesg | grep -E "bogus|mappers|0xffffffffc0000000"'

finish
