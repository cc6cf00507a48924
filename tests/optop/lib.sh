# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # the parts use what is set here
#
# What the parts of optop.sh share. To be sourced behind tests/lib/tap.sh.

here=$PWD/tests/optop
tree=$here/tree
expected=$here/expected
work=$(mktemp -d)
optop=$PWD/build/optop-stub/optop
asan=$PWD/build/optop-stub-asan/optop
tmux_name=optop-test-$$
# Seconds in which a screen has to come to be what it should; nothing is proved
# by how many there are.
patience=20

# Nothing of whoever runs the tests may change what comes out.
unset NO_COLOR OPTOP_STUB_DELAY DEBUGINFOD_URLS TMUX LINES COLUMNS
export LC_ALL=C.UTF-8 TZ=UTC OPTOP_STUB=$here/symbols.txt
export ASAN_OPTIONS=abort_on_error=0:exitcode=99

# shellcheck disable=SC2317 # a trap calls it
clean_up()
{
	tmux -L "$tmux_name" kill-server 2>/dev/null
	chmod -R u+rwx "$work" 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

build()
{
	make -s -C tools/optop STUB=1 &&
		make -s -C tools/optop STUB=1 ASAN=1
}

# same_as FILE NAME: standard input is what expected/FILE holds
same_as()
{
	cat > "$work/got"
	if [ -n "${UPDATE-}" ]; then
		mkdir -p "$expected"
		cp "$work/got" "$expected/$1"
	fi
	diff -u "$expected/$1" "$work/got" > "$work/diff"
	result $? "$2" || diag "$(cat "$work/diff")"
}

# run STATUS NAME COMMAND...: COMMAND ends with STATUS; stdout is in $work/out,
# stderr in $work/err
run()
{
	local wanted=$1 name=$2 status

	shift 2
	"$@" > "$work/out" 2> "$work/err" < /dev/null
	status=$?
	[ "$status" = "$wanted" ]
	result $? "$name" && return
	diag "$* ended with $status, not $wanted"
	diag "$(head -c 2000 "$work/err")"
	return 1
}

# wait_for SECONDS COMMAND...: until COMMAND succeeds; nothing is proved by time
wait_for()
{
	local until=$((SECONDS + $1))

	shift
	until "$@"; do
		[ $SECONDS -lt $until ] || return 1
		sleep 0.05
	done
}

# tm COMMAND...: of a tmux of our own
tm()
{
	tmux -L "$tmux_name" "$@"
}

# The status line is off so that a window has all of its lines, and keys are not
# waited for to become other ones.
printf '%s\n' 'set -g status off' 'set -s escape-time 0' \
	'set -g default-terminal screen-256color' > "$work/tmux.conf"

# open_screen COLUMNS LINES COMMAND: COMMAND, a line of shell, in a terminal of
# its own; what it ended with and how the terminal then is, is shown behind it.
# It stays open until the next one. What stty has to say before and after is in
# $work/stty.before and $work/stty.after.
open_screen()
{
	tm kill-server 2>/dev/null
	wait_for 10 eval '! tm list-sessions > /dev/null 2>&1'
	rm -f "$work"/stty.*
	tm -f "$work/tmux.conf" new-session -d -x "$1" -y "$2" \
		"bash -c 'stty -a > $work/stty.before; $3; s=\$?;
			stty -a > $work/stty.after; echo \"status \$s\"; stty -a |
			tr \" ;\" \"\\n\\n\" | grep -x -e -*echo -e -*icanon; cat'"
}

# The age of the picture is what can't be the same twice.
normal()
{
	sed -E 's/ +[0-9]+ s old/  AGE/; s/[[:space:]]+$//'
}

screen()
{
	tm capture-pane -p | normal
}

# shows TEXT: the screen has it somewhere
shows()
{
	screen | grep -qF -e "$1"
}

# shows_not TEXT
shows_not()
{
	! shows "$1"
}

keys()
{
	tm send-keys "$@"
}

screen_is_expected()
{
	screen > "$work/screen"
	cmp -s "$expected/$1" "$work/screen"
}

# A screen that stays the same for a while; only for UPDATE.
settled()
{
	local before

	before=$(screen)
	sleep 0.7
	[ "$before" = "$(screen)" ]
}

# screen_is FILE NAME: the screen comes to be what expected/FILE holds
screen_is()
{
	if [ -n "${UPDATE-}" ]; then
		wait_for 20 settled
		mkdir -p "$expected"
		screen > "$expected/$1"
	fi
	wait_for 20 screen_is_expected "$1"
	result $? "$2" && return
	diag "$(diff -u "$expected/$1" "$work/screen")"
}

# screen_shows TEXT NAME: the screen comes to have TEXT
screen_shows()
{
	wait_for "$patience" shows "$1"
	result $? "$2" && return
	diag "wanted: $1"
	diag "$(screen)"
	return 1
}

# The entry that is chosen is the one that is shown in reverse.
cursor_at()
{
	tm capture-pane -p -e | grep $'\e\\[[0-9;]*7m' | grep -qF -e "$1"
}

# cursor_is TEXT NAME
cursor_is()
{
	wait_for "$patience" cursor_at "$1"
	result $? "$2" && return
	diag "wanted: $1"
	diag "$(tm capture-pane -p -e | cat -v)"
	return 1
}

# ends_with STATUS NAME: the program ended, and left the terminal as it was
ends_with()
{
	if ! screen_shows "status $1" "$2"; then
		result 1 "$2: the terminal is as it was"
		return
	fi
	# Both are there, and with no minus sign; and the screen is the first one.
	wait_for "$patience" eval \
		'screen | grep -qx icanon && screen | grep -qx echo' &&
		cmp -s "$work/stty.before" "$work/stty.after" &&
		[ "$(tm display-message -p '#{alternate_on}')" = 0 ] &&
		[ "$(tm display-message -p '#{cursor_flag}')" = 1 ]
	result $? "$2: the terminal is as it was" || diag "$(screen)"
}

# The process in the screen whose name is optop.
optop_pid()
{
	pgrep -P "$(tm display-message -p '#{pane_pid}')" -x optop
}
