# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What tests need of a mounted oprofilefs. Sourced by scripts that run in the
# test VM, after tests/lib/tap.sh. Nothing here knows the module but by its
# files.
#
#     op_start [HZ]               forget all samples and start sampling
#     op_stop                     stop sampling
#     op_conserved WHAT           a test: the law of conservation holds
#     op_stat NAME                a number of stats/; 0 if there is no such file
#     op_name PATH                the name that an image of that path has
#     op_hist NAME                an image's lines "0xOFFSET COUNT", no comments
#     op_samples NAME             its number of samples; 0 if there is no such image
#     op_samples_since NAME BASE  how many more than BASE
#     op_count_between NAME LO HI samples with LO <= offset < HI
#     op_errno_of VALUE FILE      what writing it fails with, in words; else nothing
#     op_as_nobody CAPS COMMAND…  run it as an ordinary user with capabilities:
#                                 "" or, as setpriv has them, ",+perfmon"
#     op_user_unknown             samples in unknown that are not the kernel's
#     op_kernel_unknown           those of the kernel's but a hook's own page
#     op_share NAME               its part of all images' samples, 0 to 1
#     op_func_counts NAME ELF     "FUNCTION COUNT", "? COUNT" for those in none
#     op_strays NAME ELF          "0xADDRESS COUNT" of samples that are not at the
#                                 beginning of an instruction of ELF
#     op_up                       load and mount, where that is not so yet
#     op_down                     unmount and unload
#     op_soon COMMAND…            it succeeds, within ten seconds or so
#     op_idle                     start a process that only is there: $op_idle_pid
#     op_memory                   KiB of the kernel's that a leak would be in
#     op_shares_agree COUNTS TRUTH  a test's command: see there
#
# $op_progs is where tests/progs are built.

op=${OP_DIR:-/dev/oprofile}
op_progs=${OP_PROGS:-${OP_TOP:-.}/build/tests}

# op_ok NAME COMMAND...: like ok, but what COMMAND prints is shown in any case
op_ok()
{
	local name=$1 output status

	shift
	output=$("$@" 2>&1)
	status=$?
	result "$status" "$name"
	[ -z "$output" ] || diag "$output"
	return "$status"
}

op_bail()
{
	echo "Bail out! $*"
	exit 1
}

op_tmp=$(mktemp -d) || op_bail "no folder for temporary files"

[ -e "$op/enable" ] || op_bail "no oprofilefs at $op"
[ -x "$op_progs/opfuncs" ] || op_bail "no programs in $op_progs: make -C tests/progs"

# op_start [HZ]: from no samples at all.
op_start()
{
	echo 0 >"$op"/enable || return
	echo 1 >"$op"/reset || return
	echo "${1:-997}" >"$op"/0/freq || return
	echo 1 >"$op"/enable
}

op_stop()
{
	echo 0 >"$op"/enable
}

op_stat()
{
	if [ -e "$op/stats/$1" ]; then
		cat "$op/stats/$1"
	else
		echo 0
	fi
}

op_name()
{
	local LC_ALL=C path=$1 i c name=

	for ((i = 0; i < ${#path}; i++)); do
		c=${path:i:1}
		case $c in
		/) name+="}" ;;
		[a-zA-Z0-9._+,:@=-]) name+=$c ;;
		*) printf -v c '%%%02X' "$((256 + $(printf '%d' "'$c")))"
		   name+=%${c: -2} ;;
		esac
	done
	printf '%s\n' "$name"
}

op_hist()
{
	[ ! -e "$op/images/$1/hist" ] || sed '/^#/d' "$op/images/$1/hist"
}

op_samples()
{
	local n=0

	# No program is started: that takes an emulated machine long.
	[ ! -e "$op/images/$1/samples" ] || read -r n <"$op/images/$1/samples"
	echo "$n"
}

op_samples_since()
{
	echo $(($(op_samples "$1") - $2))
}

# Kernel addresses are negative numbers for bash; their order is right.
op_count_between()
{
	local lo=$(($2)) hi=$(($3)) offset count n=0

	[ -e "$op/images/$1/hist" ] || { echo 0; return; }
	while read -r offset count _; do
		[ "$offset" != "#" ] || continue
		if ((offset >= lo && offset < hi)); then
			n=$((n + count))
		fi
	done <"$op/images/$1/hist"
	echo $n
}

op_errno_of()
{
	LC_ALL=C bash -c "echo $1 >$2" 2>&1 | sed 's/.*: //'
}

op_as_nobody()
{
	local caps=$1

	shift
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		--inh-caps="-all$caps" --ambient-caps="-all$caps" -- "$@"
}

op_up()
{
	[ -e /sys/module/oprofile ] || insmod "$OP_KO" || return
	mountpoint -q "$op" || mount -t oprofilefs nodev "$op"
}

op_down()
{
	if mountpoint -q "$op"; then
		umount "$op" || return
	fi
	[ ! -e /sys/module/oprofile ] || rmmod oprofile
}

op_soon()
{
	local op_try

	for ((op_try = 0; op_try < 100; op_try++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# Its exec takes away the ranges that it had before, so it is waited for.
op_idle()
{
	sleep 10000 &
	op_idle_pid=$!
	until [ "$(cat /proc/$op_idle_pid/comm)" = sleep ]; do
		sleep 0.1
	done
}

# When all that waits to be freed has been.
op_memory()
{
	local i

	for i in 1 2 3; do
		sync
		echo 3 >/proc/sys/vm/drop_caches
		sleep 0.3
	done
	awk '$1 == "SUnreclaim:" || $1 == "VmallocUsed:" || $1 == "Percpu:" ||
		$1 == "KernelStack:" { n += $2 } END { print n }' /proc/meminfo
}

# Code that the kernel makes for a hook has no name: a few samples, all in one
# page. Those are in unknown, and rightly so.
op_user_unknown()
{
	op_count_between unknown 0 0x7fffffffffffffff
}

# op_kernel_unknown: samples in unknown but for those of the page that has most
op_kernel_unknown()
{
	op_hist unknown | awk '
		length($1) == 18 { n += $2; page[substr($1, 1, 15)] += $2 }
		END {
			for (p in page)
				if (page[p] > most)
					most = page[p]
			print n - most
		}'
}

op_share()
{
	cat "$op"/images/*/hist | awk -v "mine=$(op_samples "$1")" '
		!/^#/ { n += $2 }
		END { printf "%.6f\n", n ? mine / n : 0 }'
}

op_func_counts()
{
	op_hist "$1" | "$op_progs/opfuncs" "$2" -
}

# Disassembly takes an emulated machine long, so it is done once for each file.
op_strays()
{
	local code=$op_tmp/${2//\//%}

	[ -e "$code" ] || objdump -d -w --no-show-raw-insn "$2" |
		awk 'match($1, /^[0-9a-f]+:$/) {
			print "0x" substr($1, 1, RLENGTH - 1)
		}' >"$code"
	op_hist "$1" | "$op_progs/opfuncs" -a "$2" - |
		awk 'NR == FNR { start[$1] = 1; next }
			!($1 in start) { print }' "$code" -
}

# Every sample is in exactly one place. To be asked when sampling is off. Says
# what it found if it does not hold, and for whoever reads it also if it does.
# With no sample at all nothing is shown, so that is a failure, too.
op_law()
{
	local name value received hist=0 lost=0 skipped=0 cpus=0 wrong=0
	local file n shown

	received=$(cat "$op"/stats/received) || return
	hist=$(cat "$op"/images/*/hist | awk '
		!/^#/ { for (i = 2; i <= NF; i++) n += $i }
		END { printf "%.0f", n }')
	for file in "$op"/stats/lost_* "$op"/stats/skipped_*; do
		name=${file##*/}
		value=$(cat "$file") || return
		[ "$value" = 0 ] || echo "$name $value"
		case $name in
		lost_*) lost=$((lost + value)) ;;
		skipped_*) skipped=$((skipped + value)) ;;
		esac
	done
	for file in "$op"/stats/cpu*/received; do
		cpus=$((cpus + $(cat "$file")))
	done
	echo "received $received = hist $hist + lost $lost + skipped $skipped;" \
		"over the CPUs $cpus"

	for file in "$op"/images/*/samples; do
		# Where all were lost there is no image.
		[ -e "$file" ] || continue
		name=${file%/samples}
		shown=$(cat "$file") || return
		n=$(awk '!/^#/ { for (i = 2; i <= NF; i++) n += $i }
			END { printf "%.0f", n }' "$name/hist")
		if [ "$shown" != "$n" ]; then
			echo "$name: samples says $shown, hist has $n"
			wrong=1
		fi
	done
	[ "$received" -gt 0 ] && [ $wrong = 0 ] &&
		[ "$received" = $((hist + lost + skipped)) ] &&
		[ "$received" = "$cpus" ]
}

op_conserved()
{
	op_ok "$1" op_law
}

# op_shares_agree COUNTS TRUTH: does a profile tell the truth?
#
# COUNTS is a text of lines "NAME COUNT", TRUTH one of lines "truth NAME WORK".
# Each name's part of all counts of these names must be within 3 standard errors
# of its part of the work. The error is the binomial one, sqrt(p * (1 - p) / n):
# for samples at a fixed distance the real one is never larger.
#
# Of comparisons with no systematic error at all, at that bound, one in 370
# fails by chance. So scripts that compare often (N times) must not come near to
# the binomial case; where that matters they say how.
op_shares_agree()
{
	printf '%s\n---\n%s\n' "$1" "$2" | awk '
		function far(z) { return z > 3 || z < -3 }
		$0 == "---" { in_truth = 1; next }
		!in_truth { count[$1] += $2; next }
		$1 == "truth" { work[$2] += $3 }
		END {
			for (name in work) {
				all += work[name]
				n += count[name]
				names++
			}
			if (!names || !n || !all) {
				print "nothing to compare"
				exit 1
			}
			printf "%d samples, %d comparisons\n", n, names
			printf "%-20s %10s %10s %8s %6s\n", "function",
				"truth", "profile", "samples", "errors"
			for (name in work) {
				p = work[name] / all
				q = count[name] / n
				z = p > 0 && p < 1 ? (q - p) / sqrt(p * (1 - p) / n) : 0
				if (p == 0 && q > 0)
					z = 99
				printf "%-20s %9.4f%% %9.4f%% %8d %+6.2f%s\n", name,
					100 * p, 100 * q, count[name], z,
					far(z) ? "  <-- too far" : ""
				bad += far(z)
			}
			exit bad > 0
		}'
}

# op_gather N NAME... -- COMMAND...: run COMMAND, and again, until these images
# have N samples together. How many times a busy host lets a timer fire in a
# second is not known. In vain after 50 times.
op_gather()
{
	local want=$1 images=() i n name

	shift
	while [ "$1" != -- ]; do
		images+=("$1")
		shift
	done
	shift
	for ((i = 0; i < 50; i++)); do
		"$@" || return
		echo 1 >"$op/dump"
		n=0
		for name in "${images[@]}"; do
			n=$((n + $(op_samples "$name")))
		done
		[ "$n" -lt "$want" ] || return 0
	done
	diag "only $n samples in ${images[*]}"
	return 1
}

# Processes of tests/progs/jitter, each with a name.
#
#     op_jitter_start ID ARGUMENT...   start it and wait until it has mapped all
#     op_jitter ID COMMAND             give it a command and wait for its end
#     op_jitter_stop ID                end it
#
# ${jitter_pid[ID]} is its process, ${jitter_start[ID.N]} and
# ${jitter_end[ID.N]} say where its region N is.
declare -A jitter_pid jitter_start jitter_end jitter_in jitter_out

# shellcheck disable=SC2034 # the scripts read what is set
op_jitter_start()
{
	local id=$1 dir word a b c in out

	shift
	dir=$(mktemp -d) || return
	mkfifo "$dir/in" "$dir/out" || return
	"$op_progs/jitter" "$@" <"$dir/in" >"$dir/out" &
	jitter_pid[$id]=$!
	exec {in}>"$dir/in" {out}<"$dir/out"
	jitter_in[$id]=$in
	jitter_out[$id]=$out
	rm -r "$dir"
	while read -r -u "$out" word a b c; do
		case $word in
		region)
			jitter_start[$id.$a]=$b
			jitter_end[$id.$a]=$c
			;;
		pid)
			[ "$a" = "${jitter_pid[$id]}" ]
			return
			;;
		esac
	done
	op_bail "jitter $* did not start"
}

op_jitter()
{
	local id=$1 answer

	shift
	echo "$*" >&"${jitter_in[$id]}"
	read -r -u "${jitter_out[$id]}" answer
	[ "$answer" = ok ]
}

op_jitter_stop()
{
	local in=${jitter_in[$1]} out=${jitter_out[$1]}

	# Others may have inherited the pipe, so its end is not enough.
	kill "${jitter_pid[$1]}"
	wait "${jitter_pid[$1]}" 2>/dev/null
	exec {in}>&- {out}<&-
	unset "jitter_pid[$1]"
}
