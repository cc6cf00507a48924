# SPDX-License-Identifier: GPL-2.0-only
#
# Turns the symbols that tests/bench/guest printed and the counts of
# tests/bench/insns.c into instructions a sample by function, those of the loop
# alone taken off.
#
# The first file is the guest's output, the second the plugin's.

FNR == 1 {
	file++
}

# An address of the kernel without its leading ffff, which would not fit in the
# 53 bits of a number here.
function number(hex)
{
	return strtonum("0x" substr(hex, length(hex) - 11))
}

file == 1 && $1 == "symbol" {
	window = ids[$2]
	if (window == "") {
		window = ids[$2] = nr_windows++
		name_of[window] = $2
	}
	n = ++nr_symbols[window]
	address[window, n] = number($5)
	symbol[window, n] = $6
}

file == 1 && $1 == "run" {
	samples[ids[$2]] = $6
}

file == 2 && $1 == "window" {
	window = $2
	delete cache
	# Addresses come unsorted from kallsyms where modules are.
	count = nr_symbols[window]
	delete order
	for (i = 1; i <= count; i++)
		order[i] = sprintf("%020d %d", address[window, i], i)
	asort(order)
	for (i = 1; i <= count; i++) {
		split(order[i], part, " ")
		at[i] = part[2]
	}
}

# The function that address a of the present window is in.
function find(a,   low, high, mid)
{
	low = 0
	high = count
	while (low < high) {
		mid = int((low + high + 1) / 2)
		if (address[window, at[mid]] <= a)
			low = mid
		else
			high = mid - 1
	}
	return low ? symbol[window, at[low]] : "?"
}

file == 2 && $1 != "window" {
	where = $1 == "0x0" ? "(user space)" : find(number($1))
	insns[window, where] += $2
	all[where] = 1
}

END {
	for (w = 1; w < nr_windows; w++) {
		total = 0
		delete row
		rows = 0
		for (where in all) {
			d = (insns[w, where] - insns[0, where]) / samples[w]
			total += d
			if (d >= 0.5 || d <= -0.5)
				row[++rows] = sprintf("%015.1f %s", d + 1e9, where)
		}
		asort(row)
		printf "%s: %.1f instructions a sample (%d samples)\n",
		       name_of[w], total, samples[w]
		for (i = rows; i >= 1; i--) {
			split(row[i], part, " ")
			printf "%10.1f  %s\n", part[1] - 1e9, part[2]
		}
		print ""
	}
}
