#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Names as they stand in the source: C++ and Rust; long ones within bounds.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 16
needs g++ gcc nm llvm-cxxfilt perl
build plain

# object NAME...: $T/o.ko, a module whose function at 16 * N has the Nth name
object()
{
	local name

	{
		echo '.text'
		for name; do
			printf '.globl "%s"\n.type "%s",@function\n' \
				"$name" "$name"
			printf '"%s": .fill 16,1,0x90\n.size "%s",16\n' \
				"$name" "$name"
		done
	} >"$T/o.s"
	gcc -c -o "$T/o.ko" "$T/o.s"
}
shown()
{
	name -k "$T" "${@:2}" o.ko $((16 * $1))
}

object _Z3addii _ZN5outer5innerILi3EE4callERKSsPFvvE \
	_ZN4core3fmt9Formatter9write_fmt17h0123456789abcdefE \
	_RNvMs_NtCs1234_4mine4partNtB4_5Thing3run \
	_RINvNtC3std3mem8align_ofdE plain _Z _ZZZZ main.cold _Z3addii.cold \
	'_ZN1X3fooB5cxx11Ev'
is "$(shown 0)" "add(int, int)" "C++: a function"
is "$(shown 1)" "outer::inner<3>::call(std::string const&, void (*)())" \
	"C++: a template's member"
is "$(shown 2)" "core::fmt::Formatter::write_fmt" "Rust's old way, no hash"
is "$(shown 3)" "<mine::part::Thing>::run" "Rust's new way"
is "$(shown 4)" "std::mem::align_of::<f64>" "Rust's new way, generic"
is "$(shown 5) $(shown 6) $(shown 7) $(shown 8)" "plain _Z _ZZZZ main.cold" \
	"what is no mangled name stays"
is "$(shown 9)" "add(int, int) [clone .cold]" "a part that was split off"
is "$(shown 10)" "X::foo[abi:cxx11]()" "with an ABI tag"
is "$(shown 0 -R) $(shown 3 -R)" \
	"_Z3addii _RNvMs_NtCs1234_4mine4partNtB4_5Thing3run" "raw names"

# All that a compiler makes of a program with templates, held against LLVM's
# demangler, which is another program than ours.
cat >"$T/t.cc" <<'END'
#include <functional>
#include <map>
#include <string>
#include <vector>
namespace deep { template <class T, int N> struct box {
	T t[N]; __attribute__((noinline)) T &at(int i) const { return
		const_cast<T &>(t[i]); } }; }
int main(int argc, char **argv)
{
	std::map<std::string, std::vector<std::string>> m;
	for (int i = 0; i < argc; i++)
		m[argv[i]].push_back(argv[0]);
	deep::box<std::function<int(int, long)>, 3> b;
	b.at(0) = [&](int x, long y) { return x + (int)y + (int)m.size(); };
	return b.at(0)(1, 2) == 0;
}
END
g++ -O0 -no-pie -o "$T/t" "$T/t.cc"
main=$(nm "$T/t" | awk '$3 == "main" { print "0x" $1 }')
base=$(($(offset_of "$T/t" main) - main))
nm -S "$T/t" | awk '$3 ~ /[tTW]/ && $4 ~ /^_Z/ { print $4, "0x" $1 }' |
	head -n 200 | while read -r mangled address; do
		echo "$mangled $((base + address))"
	done >"$T/list"
cut -d ' ' -f 2 "$T/list" | lookup "$T/t" - >"$T/ours"
cut -d ' ' -f 2 "$T/list" | lookup -R "$T/t" - | awk '{ print $3 }' |
	sed 's/+0x0$//' >"$T/raw"
# LLVM writes a lambda in its own way.
# Constructors of one place have several names, of which one is shown.
llvm-cxxfilt <"$T/raw" | tr -d ' ' |
	sed "s/'lambda'(\([^()]*\))/{lambda(\1)#1}/g" >"$T/theirs"
sed 's/^[^ ]* . //; s/+0x0$//' "$T/ours" | tr -d ' ' >"$T/shown"
ok "C++: LLVM says the same of all names of a program" \
	eval 'diff "$T/shown" "$T/theirs" && test "$(wc -l <"$T/list")" -ge 100'

# Taken from what rustc makes, in both schemes.
object _ZN1r5inner10S\$LT\$T\$GT\$5twice17h0a1b2c3d4e5f6789E \
	_RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeINtNtCslNYArtu3iFV_5alloc5boxed3BoxSNtNtBL_6string6StringEECsjrHSEGnQ3l9_3std
is "$(shown 0)" "r::inner::S<T>::twice" "Rust: what rustc makes, the old way"
is "$(shown 1)" \
	"core::ptr::drop_in_place::<alloc::boxed::Box<[alloc::string::String]>>" \
	"Rust: what rustc makes, the new way"

# A name that would be of 2^60 parts, one too long to be read, one of a million
# bytes, and one that nests deeper than anybody's stack.
mapfile -t evil < <(perl -e '
	my @digits = (0 .. 9, "A" .. "Z");
	my $bomb = "_Z1f1PIiiE";
	for my $n (0 .. 59) {
		my ($text, $i) = ("", $n);
		do { $text = $digits[$i % 36] . $text; $i = int($i / 36) } while $i;
		$bomb .= "S_IS${text}_S${text}_E";
	}
	print "$bomb\n";
	print "_ZN", "1a" x 3000, "Ev\n";
	print "_Z", "x" x 1000000, "\n";
	print "_Z1f", "P" x 1900, "i\n";
	print "_RINvC1a1b", "T" x 1900, "\n";
	print "_RNvC1a", "B_" x 900, "\n";')
object "${evil[@]}"
begin=$(date +%s%N)
for i in 0 1 2 3 4 5; do
	got=$(shown $i)
	printf '%s %s\n' ${#got} "${got:0:6}"
done >"$T/evil"
took=$((($(date +%s%N) - begin) / 1000000))
ok "names made to take for ever: six in under 3 s ($took ms)" \
	test $took -lt 3000
is "$(awk '$1 > 4096 { n++ } END { print n + 0 }' "$T/evil")" 0 \
	"no name is shown with more than 4096 bytes"
is "$(awk '$2 !~ /^_Z|^_R|^f\(|^a::/ { n++ } END { print n + 0 }' "$T/evil")" 0 \
	"they are shown mangled or demangled"
is "$(wc -l <"$T/evil")" 6 "all six"
finish
