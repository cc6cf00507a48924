# SPDX-License-Identifier: GPL-2.0-only
#
# Turns the lines of tests/bench/guest into tests/bench/run's table, and says
# whether our timer mode keeps to the budget.
#
# -v hz=N -v budget=INSTRUCTIONS

$1 == "#" {
	print
}

$1 == "run" {
	variant = $2
	loop = $3
	if (!((variant, loop) in runs)) {
		if (!(loop in nr_variants))
			loops[++nr_loops] = loop
		variants[loop, ++nr_variants[loop]] = variant
	}
	r = ++runs[variant, loop]
	ns[variant, loop, r] = $5
	samples[variant, loop, r] = $6
	after[variant, loop, r] = $7
}

# The middle one of value[1..n]; value is in order afterwards.
function middle(value, n)
{
	asort(value)
	return n % 2 ? value[(n + 1) / 2] : (value[n / 2] + value[n / 2 + 1]) / 2
}

function is_ours(variant)
{
	return variant ~ /^oprofile-/
}

# Fills base[loop].
function find_base(loop,   r, value)
{
	for (r = 1; r <= runs["nothing", loop]; r++)
		value[r] = ns["nothing", loop, r]
	base[loop] = middle(value, runs["nothing", loop])
}

function show(variant, loop,   n, r, s, value, sum_after, cost, name)
{
	n = runs[variant, loop]
	for (r = 1; r <= n; r++) {
		s = samples[variant, loop, r]
		value[r] = s ? (ns[variant, loop, r] - base[loop] + \
			(is_ours(variant) ? after[variant, loop, r] : 0)) / s : 0
		sum_after += s ? after[variant, loop, r] / s : 0
	}
	cost = middle(value, n)
	printf "%-8s %-20s %7.0f %7.0f %7.0f %8d %9.1f\n", loop, variant, cost,
	       value[1], value[n], samples[variant, loop, 1], sum_after / n
	lines[++nr_lines] = sprintf("bench: loop=%s variant=%s cost=%.1f " \
		"min=%.1f max=%.1f samples=%d after=%.1f", loop, variant, cost,
		value[1], value[n], samples[variant, loop, 1], sum_after / n)
	if (loop == "user" && variant == "oprofile-timer")
		ours = cost
}

END {
	printf "Instructions a sample at %d Hz, one CPU; the loops take", hz
	for (l = 1; l <= nr_loops; l++) {
		find_base(loops[l])
		printf "%s %.3f s (%s)", (l > 1 ? "," : ""), base[loops[l]] / 1e9,
		       loops[l]
	}
	printf " alone.\n\n%-8s %-20s %7s %7s %7s %8s %9s\n", "loop", "under",
	       "middle", "lowest", "highest", "samples", "after"
	for (l = 1; l <= nr_loops; l++) {
		for (v = 1; v <= nr_variants[loops[l]]; v++)
			if (variants[loops[l], v] != "nothing")
				show(variants[loops[l], v], loops[l])
		print ""
	}
	print "after: of the figures before it, done once the loop had ended (dump)."
	print ""
	for (i = 1; i <= nr_lines; i++)
		print lines[i]
	if (ours == "")
		exit 0
	if (ours > budget) {
		printf "bench: FAILED: oprofile-timer costs %.0f instructions" \
		       " a sample, more than the budget of %d\n", ours, budget
		exit 1
	}
	printf "bench: passed: oprofile-timer costs %.0f instructions a" \
	       " sample, budget %d\n", ours, budget
}
