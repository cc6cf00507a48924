#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel and its modules: by kallsyms, by a System.map, by vmlinux, by .ko
# files, and which of several.

# ok calls functions, and evaluates text.
# shellcheck disable=SC2016,SC2317
# shellcheck source=tests/optop/symbols/lib.sh
. "$(dirname "$0")/lib.sh"
plan 71
needs gcc ld readelf xz zstd objcopy perl
build plain

# k KERNEL IMAGE OFFSET [option...]: the name
k()
{
	local kernel=$1 image=$2 offset=$3

	shift 3
	name -k "$kernel" "$@" "$image" "$offset"
}

cat >"$T/kallsyms" <<'END'
0000000000000000 A fixed_percpu_data
0000000000001000 A cpu_debug_store
ffffffff91000000 T startup_64
ffffffff92000000 T _stext
ffffffff92000000 T _text
ffffffff92000040 t local_one
ffffffff92000040 T global_one
ffffffff92000060 W weak_one
ffffffff92000080 r a_constant
ffffffff920000a0 T behind_data
ffffffff92001000 T last_one
ffffffff93000000 D some_data
ffffffffc0a00010 t first_of_mod	[a_mod]
ffffffffc0a00050 T second_of_mod	[a_mod]
ffffffffc0a00090 t last_of_mod	[a_mod]
ffffffffc0a02000 d data_of_mod	[a_mod]
ffffffffc0b00000 t init_of_mod	[a_mod]
ffffffffc0c00000 t bpf_prog_1234_one	[bpf]
ffffffffc0c00100 t bpf_prog_5678_two	[bpf]
ffffffffc0d00004 t another	[b_mod]
END
K=$T/kallsyms
is "$(k "$K" vmlinux 0x44)" global_one "an offset of the kernel counts from _stext"
is "$(k "$K" vmlinux 0x44 -s 0xffffffff81000000)" global_one \
	"with -k, also if the image began elsewhere"
is "$(k "$K" vmlinux 0)" _text "its first byte"
is "$(k "$K" vmlinux 0x3f)" _text "a symbol reaches to the next"
is "$(k "$K" vmlinux 0x7f)" weak_one "a weak one"
is "$(k "$K" vmlinux 0x80)" - "data is no function"
is "$(k "$K" vmlinux 0x9f)" - "to its end"
is "$(k "$K" vmlinux 0xa0)" behind_data "what is behind it is"
is "$(k "$K" vmlinux 0x1000000)" - "data behind the text"
is "$(lookup -k "$K" -z vmlinux 0x44)" "0x44 T global_one+0x4 32" \
	"size and type"
is "$(k "$K" a_mod.ko 0x14 -s 0xffffffffc0a00000)" first_of_mod \
	"a module's offset counts from its start"
is "$(k "$K" a_mod.ko 0 -s 0xffffffffc0a00000)" - "before its first function"
is "$(k "$K" a_mod.ko 0x14)" first_of_mod \
	"without a start, from its first function's page"
is "$(k "$K" a_mod.ko 0x50 -s 0xffffffffc0a00000)" second_of_mod "the second"
is "$(k "$K" a_mod.ko 0x91 -s 0xffffffffc0a00000)" last_of_mod "the last"
is "$(k "$K" a_mod.ko 0x14 -s 0xffffffffc0900000)" - \
	"a table of another boot has no names for a module"
is "$(state -k "$K" -s 0xffffffffc0900000 a_mod.ko)" MISSING "and says so"
is "$(k "$K" a_mod.ko:init 0 -s 0xffffffffc0b00000)" init_of_mod \
	"22: init text is an image of its own"
is "$(state -k "$K" a_mod.ko:init)" MISSING "of which the start must be known"
is "$(k "$K" a_mod.ko 0x14 -s 0xffffffffc0900000 -m 0xffffffffc0a00000 |
	tr '\n' ' ')" "- first_of_mod " "22: a module that came back elsewhere"
is "$(k "$K" a_mod.ko 0x14 -s 0xffffffffc0a00000 -m 0xffffffffc0a00040 |
	tr '\n' ' ')" "first_of_mod second_of_mod " \
	"22: nothing stale of where it was"
is "$(k "$K" b_mod.ko 4 -s 0xffffffffc0d00000)" another \
	"the last one of a module ends with its page"
is "$(k "$K" b_mod.ko 0xfff -s 0xffffffffc0d00000)" another "its last byte"
is "$(k "$K" b_mod.ko 0x1000 -s 0xffffffffc0d00000)" - "not further"
is "$(state -k "$K" c_mod.ko)" MISSING "a module that is not there"
is "$(k "$K" bpf 0xffffffffc0c00010)" bpf_prog_1234_one \
	"bpf: an address is a program's"
is "$(k "$K" bpf 0xffffffffc0c00100)" bpf_prog_5678_two "another one's"
is "$(k "$K" bpf 0xffffffffc0bfffff)" - "before the first"
is "$(k "$K" unknown 0x44)" - "unknown stays unknown"

grep -v '\[' "$K" >"$T/System.map-1.2.3"
is "$(k "$T/System.map-1.2.3" vmlinux 0x44)" global_one "a System.map"
is "$(state -k "$T/System.map-1.2.3" bpf)" NONE "has no BPF programs"
sed '/_stext/d' "$K" >"$T/nostext"
is "$(k "$T/nostext" vmlinux 0x44 -s 0xffffffff92000000)" global_one \
	"without _stext, the image's start"
is "$(state -k "$T/nostext" vmlinux)" NONE "without either, none"
sed -E 's/^[0-9a-f]{16}/0000000000000000/' "$K" >"$T/hidden"
is "$(state -k "$T/hidden" vmlinux) $(state -k "$T/hidden" a_mod.ko)" \
	"NONE MISSING" "a kallsyms of zeros has no names"
is "$(state -k "$T/hidden" bpf)" NONE "nor of BPF programs"
is "$(state -k "$T/none" vmlinux)" MISSING "no such file"
echo "this is no table" >"$T/garbage"
is "$(state -k "$T/garbage" vmlinux)" BROKEN "a text that is no such table"
head -c 100000 /dev/urandom >"$T/noise"
is "$(state -k "$T/noise" vmlinux)" BROKEN "noise"
: >"$T/empty"
is "$(state -k "$T/empty" vmlinux)" NONE "an empty file"

# A vmlinux, and modules beside it.
B=$T/build
mkdir -p "$B/drivers/deep"
cat >"$T/vmlinux.c" <<'END'
__attribute__((section(".head.text"))) void startup(void) { }
__attribute__((section(".a"))) int core_function(int x) { return x + 1; }
static __attribute__((noinline, used)) int core_static(int x) { return x * 7; }
__attribute__((section(".init.text"))) int core_init(int x) { return x + 9; }
END
cat >"$T/vmlinux.ld" <<'END'
ENTRY(_stext)
SECTIONS {
	. = 0xffffffff80800000;
	.head.text : { *(.head.text) }
	. = 0xffffffff81000000;
	_stext = .;
	.text : { *(.a) *(.text) }
	_etext = .;
	. = 0xffffffff82000000;
	.init.text : { *(.init.text) }
	/DISCARD/ : { *(.note*) *(.eh_frame*) *(.comment) }
}
END
gcc -O1 -g -fcf-protection=none -mcmodel=kernel -fno-pic -nostdlib -static \
	-Wl,-T,"$T/vmlinux.ld" -Wl,--build-id=none -o "$B/vmlinux" \
	"$T/vmlinux.c" 2>/dev/null
address=$(readelf -sW "$B/vmlinux" | awk '$8 == "core_static" { print "0x" $2 }')
static=$((address - 0xffffffff81000000))
is "$(k "$B/vmlinux" vmlinux $static)" core_static "by vmlinux"
is "$(k "$B/vmlinux" vmlinux $static -s 0xffffffff9b000000)" core_static \
	"wherever this boot has put it"
is "$(k "$B/vmlinux" vmlinux 0x1000000)" core_init "its init text"
is "$(k "$B/vmlinux" vmlinux 0x100000)" - "a gap"
is "$(k "$B" vmlinux $static)" core_static "a folder with a vmlinux"
head -c 3000 "$B/vmlinux" >"$T/vmlinux.cut"
is "$(state -k "$T/vmlinux.cut" vmlinux)" BROKEN "a vmlinux that is cut off"
strip -o "$T/vmlinux.stripped" "$B/vmlinux"
is "$(state -k "$T/vmlinux.stripped" vmlinux)" NONE "a stripped one"
is "$(lookup -l -k "$B/vmlinux" vmlinux $static | sed 's,/.*/,,')" \
	"$(printf '0x%x vmlinux.c:3' $static)" "the source line by vmlinux"
is "$(lookup -d -k "$B/vmlinux" vmlinux $static | cut -d ' ' -f 2)" \
	"$(objdump -d --start-address="$address" --no-show-raw-insn \
		"$B/vmlinux" | awk '/core_static>:/ { getline; print $2 }')" \
	"the instruction by vmlinux"

cat >"$T/mod.s" <<'END'
	.macro f section, name, bytes, align
	.section \section, "ax", @progbits
	.balign	\align
	.globl	\name
	.type	\name, @function
\name:	.fill	\bytes, 1, 0x90
	.size	\name, \bytes
	.endm
	f .text, m_text, 20, 1
	f .exit.text, m_exit, 10, 1
	f .init.text, m_init, 30, 1
	f .text.unlikely, m_unlikely, 8, 16
	f .init.text.late, m_init_late, 8, 32
	f .altinstr_replacement, m_alt, 5, 1
	.data
	.long 1
END
gcc -c -o "$B/drivers/deep/my-mod.ko" "$T/mod.s"
# .text at 0, .exit.text at 20, .text.unlikely aligned to 32, ...
is "$(k "$B" my_mod.ko 19)" m_text ".ko: the first section"
is "$(k "$B" my_mod.ko 20)" m_exit ".ko: the next one behind it"
is "$(k "$B" my_mod.ko 32)" m_unlikely ".ko: as aligned as it asks for"
is "$(k "$B" my_mod.ko 31)" - ".ko: a gap"
is "$(k "$B" my_mod.ko:init 0) $(k "$B" my_mod.ko:init 32)" \
	"m_init m_init_late" "22: .ko: init sections apart"
is "$(k "$B/vmlinux" my_mod.ko 19)" m_text "modules below a build's vmlinux"
is "$(lookup -d -k "$B" my_mod.ko 0)" "0x0 nop" ".ko: the instruction"
xz "$B/drivers/deep/my-mod.ko"
is "$(k "$B" my_mod.ko 20)" m_exit ".ko.xz"
xz -d "$B/drivers/deep/my-mod.ko.xz"
zstd -q --rm "$B/drivers/deep/my-mod.ko"
is "$(k "$B" my_mod.ko 20)" m_exit ".ko.zst"
is "$(lookup -d -k "$B" my_mod.ko 0)" "0x0 nop" ".ko.zst: the instruction"
cp "$B/drivers/deep/my-mod.ko.zst" "$T/whole.zst"
head -c 150 "$T/whole.zst" >"$B/drivers/deep/my-mod.ko.zst"
is "$(state -k "$B" my_mod.ko)" MISSING ".ko.zst: half of it"
zstd -q -f -o "$B/drivers/deep/my-mod.ko.zst" "$T/mod.s"
is "$(state -k "$B" my_mod.ko)" MISSING ".ko.zst: packed, but no module"
zstd -q -d -c "$T/whole.zst" | gzip >"$B/drivers/deep/my-mod.ko.gz"
rm "$B/drivers/deep/my-mod.ko.zst"
is "$(k "$B" my_mod.ko 20)" m_exit ".ko.gz"
gcc -c -o "$B/drivers/mymod2.ko" "$T/mod.s"
cp "$B/drivers/mymod2.ko" "$B/drivers/deep/"
is "$(state -k "$B" mymod2.ko)" MISSING \
	"of two files of a name, none can be told to be the one"
mkdir -p "$B/$(uname -r)"
cp "$B/drivers/mymod2.ko" "$B/$(uname -r)/"
is "$(k "$B" mymod2.ko 20)" m_exit "unless one is the running kernel's"

# What this machine shows of itself; nothing, if it hides it.
wanted=$(awk '$3 == "_stext" { s = $1 } $2 == "T" && $3 == "vfs_read" { v = $1 }
	END { if (v ~ /[1-9a-f]/) print s, v }' /proc/kallsyms)
if [ -n "$wanted" ]; then
	got=$(name vmlinux $((0x${wanted#* } - 0x${wanted% *})))
	other=$(state -s 0xffffffff00000000 vmlinux)
else
	got=vfs_read$(state vmlinux | sed s/NONE//)
	other=CHANGED
fi
is "$got" vfs_read "/proc/kallsyms, or nothing where it is hidden"
is "$other" CHANGED "an image of another boot gets none of its names"

# A recorded image may be of another kernel, so that it began where this one does
# shows something only where that is not the same for all.
stext=$(awk '$3 == "_stext" { print "0x" $1 }' /proc/kallsyms)
case $stext in
"" | 0x0000000000000000) wanted="NONE NONE" ;;
0xffffffff81000000)      wanted="MISSING MISSING" ;;
*)                       wanted="LOADED MISSING" ;;
esac
is "$(state -V -s "${stext:-0}" vmlinux) $(state -V vmlinux)" "$wanted" \
	"a recorded image gets no names of a kernel that may be another"
is "$(state -V ext4.ko)" MISSING "nor of its modules"
is "$(k "$K" vmlinux 0x44 -V)" global_one "unless -k says which kernel it is"
is "$(k "$K" a_mod.ko 0x14 -V)" first_of_mod "which holds for modules too"
is "$(k "$B" mymod2.ko 20 -V)" m_exit "by their files as well"
is "$(k "$K" bpf 0xffffffffc0c00010 -V)" bpf_prog_1234_one "and for bpf"
finish
