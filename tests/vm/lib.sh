# shellcheck shell=bash
# shellcheck disable=SC2034 # the variables are for those who read this file
# SPDX-License-Identifier: GPL-2.0-only
#
# What run and prepare share: where things are, which kernels there are.

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(cd "$vm_dir/../.." && pwd -P)
cache=$top/.cache/vm

# The runner's own exit codes; everything else is the script's. Each comes with
# a line on stderr that begins with "vm: ".
ex_usage=95
ex_prepare=96
ex_module=97
ex_lost=98
ex_splat=99
ex_timeout=124

say()
{
	echo "vm: $*" >&2
}

# die STATUS MESSAGE...
die()
{
	local status=$1

	shift
	say "$@"
	exit "$status"
}

# Neither Kbuild nor make can live with these in the name of a folder.
check_place()
{
	case $top in
	*[[:space:]:]*)
		die $ex_prepare "the folder's name has a blank or a colon in it," \
			"so nothing can be built here: $top"
		;;
	esac
}

# cache_lock NAME: holds that lock of the cache, as descriptor 8, until the
# shell ends; waits for others.
cache_lock()
{
	if ! { mkdir -p "$cache" && exec 8>"$cache/$1"; } 2>/dev/null; then
		die $ex_prepare "cannot write $cache/$1: whose clone is this?"
	fi
	flock 8
}

# kernel_select NAME: sets k_arch, k_how, k_package (from the table) and k_dir.
kernel_select()
{
	local name rest

	while read -r name k_arch k_how k_package rest; do
		[ "$name" = "$1" ] || continue
		k_dir=$cache/$1
		return
	done < <(grep -v '^#' "$vm_dir/kernels")
	die $ex_usage "no kernel '$1'; known: $(kernel_names)"
}

kernel_names()
{
	awk '!/^#/ && NF { printf "%s%s", sep, $1; sep = " " }' "$vm_dir/kernels"
}

# config_files CONFIG: it and the one that it begins with, which comes first
config_files()
{
	sed -n "s|^# from |$(dirname "$1")/|p" "$1"
	echo "$1"
}

# machine_select ARCH: sets m_qemu (the program), m_package (which has it),
# m_args (machine and CPU), m_console, m_append (for the kernel's command line).
machine_select()
{
	case $1 in
	amd64)
		m_qemu=qemu-system-x86_64
		m_package=qemu-system-x86
		# With a random number generator, or the first program that
		# wants random numbers waits for seconds, and is profiled so.
		m_args=(-machine q35 -cpu "qemu64,+rdrand")
		m_console=ttyS0
		# On a busy host the check of the timer interrupt sees too few
		# ticks in its time: "IO-APIC + timer doesn't work!", a panic.
		m_append=no_timer_check
		;;
	*)
		die $ex_usage "no machine for architecture '$1'"
		;;
	esac
}

# Says what a prepared kernel was made from: when it changes, or the version
# that prepare chose isn't there any more, prepare has work to do.
kernel_stamp()
{
	cat "$vm_dir/prepare" "$vm_dir/guest/init" "$vm_dir/guest/main" | cksum
}
