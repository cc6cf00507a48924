# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # lib.sh has the variables
#
# The help, the man page and the completion agree on options and keys, and all
# of them are installed.

docs_tests=13

man_page=Documentation/optop.1

help_options()
{
	"$optop" --help | grep -E '^ +-' | sed -E 's/^( {2,}[^ ]+( [^ ]+)*)  .*/\1/' |
		grep -oE -e '(^|[ ,])--?[A-Za-z][a-z-]*' | tr -d ' ,' | sort
}

man_options()
{
	sed -n '/^\.SH OPTIONS/,/^\.SH THE LIVE/p' "$man_page" |
		grep -A 1 -x -e '\.TP' | grep -E '^\.BR? ' |
		sed 's/\\fI.*//; s/\\-/-/g' |
		grep -oE -e '--?[A-Za-z][a-z-]*' | sort
}

completed_options()
{
	bash -c '. tools/optop/optop.bash-completion
		COMP_WORDS=(optop -) COMP_CWORD=1
		_optop
		printf "%s\n" "${COMPREPLY[@]}"' | sort
}

# complete_words WORD...: what the last word can become
complete_words()
{
	bash -c '. tools/optop/optop.bash-completion
		COMP_WORDS=(optop "$@") COMP_CWORD=$#
		_optop
		echo "${COMPREPLY[*]}"' - "$@"
}

# As the help of the live view has them: the key, and what it does.
man_keys()
{
	sed -n '/^\.\\" keys: begin/,/^\.\\" keys: end/p' "$man_page" |
		sed '/^\.\\"/d; /^\.TP/d' |
		sed -nE '/^\.B /{s/^\.B //; N; s/\n/|/; p}'
}

help_keys()
{
	sed '1,/^KEY /d' "$work/keys" | sed -E 's/  +/|/'
}

run_docs()
{
	local options

	options=$(help_options)
	is "$(wc -l <<< "$options")" 32 "all options are in the help"
	is "$(man_options)" "$options" "the man page has the same options"
	is "$(completed_options)" "$options" "so has the completion"
	is "$(complete_words -m d)" "decay delta" "it completes a mode"
	is "$(complete_words --fs "$tree" -e c)" "cycles" "and an event"
	open_screen 80 40 "$optop --fs $tree"
	wait_for 20 shows native_safe_halt
	keys h w
	screen_shows "write to the new file: _" "the help of the live view"
	keys -l "$work/keys"
	keys Enter
	wait_for 20 shows "written to"
	is "$(help_keys)" "$(man_keys)" "the man page has the same keys"
	keys q
	is "$(help_keys | wc -l)" 27 "and there are that many"
	ok "the man page is good" eval \
		'! mandoc -T lint -W warning "$man_page" | grep .'
	is "$(grep -c 'OP_EXIT_.*=' tools/optop/options.h)" \
		"$(sed -n '/^\.SH EXIT STATUS/,/^\.SH ENV/p' "$man_page" |
			grep -c '^\.B [0-9]')" \
		"all exit codes are in the man page"
	ok "it installs" make -s -C tools/optop STUB=1 install \
		DESTDIR="$work/root" PREFIX=/usr
	is "$(cd "$work/root" && find . -type f | sort | tr '\n' ' ')" \
		"./usr/bin/optop ./usr/share/bash-completion/completions/optop ./usr/share/man/man1/optop.1 " \
		"what is installed"
	is "$("$work/root/usr/bin/optop" --version)" "optop 0.1" \
		"and runs"
}
