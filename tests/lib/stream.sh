# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of tests/lib/oprofile.sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What tests need of the record stream. Sourced after tests/lib/oprofile.sh.
#
#     stream_start FILE        record the stream to FILE, from now on
#     stream_stop              end the recording, with all that there is
#     stream_text FILE         one line a record
#     stream_count FILE TYPE   how many records there are of a type
#     stream_replays FILE      a test's command: the histograms that the stream
#                              gives are those of images/*/hist

stream_start()
{
	rm -f "$1"
	cat "$op/buffer" >"$1" &
	stream_pid=$!
	# It has begun when the header is there.
	until [ -s "$1" ]; do
		sleep 0.1
	done
}

# Its end is when nothing more comes for a while.
stream_stop()
{
	local size=-1 now

	for (( ; ; )); do
		now=$(stat -L -c %s "/proc/$stream_pid/fd/1")
		[ "$now" != "$size" ] || break
		size=$now
		sleep 0.5
	done
	kill "$stream_pid"
	wait "$stream_pid" 2>/dev/null
	return 0
}

stream_text()
{
	"$op_progs/opstream" text <"$1"
}

stream_count()
{
	"$op_progs/opstream" count <"$1" | awk -v type="$2" '$1 == type { print $2 }'
}

stream_replays()
{
	"$op_progs/opstream" replay <"$1" | sort >"$op_tmp/replay" || return
	# A column is a counter; those in the line "# events:" are counted from
	# 0 on here: tests that use others say which.
	cat "$op"/images/*/hist | awk -v "counters=${2:-0 1 2 3}" '
		BEGIN { split(counters, counter, " ") }
		$1 == "#" && $2 == "dcookie:" { cookie = $3 }
		!/^#/ {
			for (i = 2; i <= NF; i++)
				if ($i)
					print cookie, counter[i - 1], $1, $i
		}' | sort >"$op_tmp/hists"
	echo "$(wc -l <"$op_tmp/hists") bins"
	[ -s "$op_tmp/hists" ] && diff "$op_tmp/replay" "$op_tmp/hists" | head
	cmp -s "$op_tmp/replay" "$op_tmp/hists"
}
