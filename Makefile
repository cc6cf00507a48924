# SPDX-License-Identifier: GPL-2.0-only
#
# The front door.  `make help` lists what there is.
#
# The module is built in build/VERSION/, one folder a kernel, so that several
# kernels' builds stand side by side and the sources stay clean.

TOP := $(CURDIR)

# Whose headers are named says which kernel it is for: the first of these is what
# the module will say it is for, and in Debian's headers the others differ.
ifneq ($(origin KDIR),undefined)
ifeq ($(origin KVER),undefined)
KVER := $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
		"$(KDIR)/include/generated/utsrelease.h" 2>/dev/null | grep . || \
	cat "$(KDIR)/include/config/kernel.release" 2>/dev/null || \
	env -u MAKEFLAGS -u MFLAGS make -s -C "$(KDIR)" kernelrelease 2>/dev/null)
endif
no_headers = no kernel headers in $(KDIR)
else
KVER ?= $(shell uname -r)
no_headers = no kernel headers in $(KDIR): apt-get install \
	linux-headers-$(KVER), or name others: make KVER=… or KDIR=…
endif
# Debian's header packages are found even where nothing is in /lib/modules.
KDIR ?= $(firstword $(wildcard /lib/modules/$(KVER)/build \
			       /usr/src/linux-headers-$(KVER)) \
		    /lib/modules/$(KVER)/build)
# With OP_KUNIT=y the module has the KUnit tests inside, with OP_GCOV=y it counts
# which of its lines run: builds of their own, for the debug and gcov kernels.
BUILD := $(TOP)/build/$(KVER)$(if $(OP_KUNIT),+kunit)$(if $(OP_GCOV),+gcov)
KERNEL ?= 6.1

DESTDIR ?=
PREFIX ?= /usr/local
MODULE_DIR = $(DESTDIR)/lib/modules/$(KVER)/extra
MAN_DIR = $(DESTDIR)$(PREFIX)/share/man/man7
OPTOP = $(MAKE) --no-print-directory -C tools/optop DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"

MODULE_SOURCES := Kbuild $(wildcard core/*.[ch] oprofilefs/*.[ch] \
				    arch/*/*.[ch])
ifeq ($(OP_KUNIT),y)
KUNIT_SOURCES := $(wildcard tests/kunit/*.c)
MODULE_SOURCES += $(KUNIT_SOURCES) $(wildcard tests/kunit/*.h tests/unit/*.h)
endif

# What the tests and the demonstration run, beside what the VM runner needs.
DEMO_PACKAGES := gzip python3-minimal sqlite3
OPTOP_PACKAGES := gcc make libc6-dev pkg-config libncurses-dev libjson-c-dev \
		  libdw-dev libelf-dev libiberty-dev libcapstone-dev \
		  liblzma-dev libzstd-dev
OPTOP_CHECK_PACKAGES := $(OPTOP_PACKAGES) g++ clang lld mold llvm \
		  elfutils binutils valgrind strace tmux jq mandoc perl \
		  procps util-linux xz-utils zstd gawk
FUZZ_PACKAGES := $(OPTOP_PACKAGES) clang libclang-rt-dev
CHECK_PACKAGES := $(DEMO_PACKAGES) perl libcmocka-dev linux-perf libelf-dev \
		  libcap2-bin util-linux btrfs-progs $(FUZZ_PACKAGES) \
		  $(OPTOP_CHECK_PACKAGES)
NATIVE_PACKAGES := $(DEMO_PACKAGES) gcc make libc6-dev kmod
BENCH_PACKAGES := $(DEMO_PACKAGES) linux-perf bpftrace bsdutils procps
LINT_PACKAGES := sparse clang-format shellcheck linux-source-6.1 perl

all: module optop

# Kbuild and make itself cannot live with these.
place:
	@case "$(TOP)" in *[[:space:]:]*) \
		echo "the folder's name has a blank or a colon in it," \
		     "so nothing can be built here: $(TOP)" >&2; exit 1 ;; \
	esac

headers: place
	@test -n "$(KVER)" && test -e "$(KDIR)/Makefile" || { \
		echo "$(no_headers)" >&2; exit 1; }

# Only what changed is copied, with its time stamp, so that make sees what
# make needs to see. Two at once would disturb each other in Kbuild. Where
# there is no vmlinux there is no BTF, and no need to say so.
module: headers
	+@mkdir -p "$(BUILD)" 2>/dev/null && test -w "$(BUILD)" || { \
		echo "cannot write $(BUILD): whose clone is this?" >&2; exit 1; }
	+@cp -pu --parents $(MODULE_SOURCES) "$(BUILD)"
	+@flock "$(BUILD)" $(MAKE) -C "$(KDIR)" M="$(BUILD)" W=1 \
		$(if $(wildcard $(KDIR)/vmlinux),,CONFIG_DEBUG_INFO_BTF_MODULES=) \
		OP_KUNIT_SOURCES="$(KUNIT_SOURCES)" $(KBUILD_FLAGS) modules

# Where that kernel is not installed there is no list of modules to renew.
depmod = test -n "$(DESTDIR)" || \
	! test -e "/lib/modules/$(KVER)/modules.order" || depmod "$(KVER)"

install: install-module install-optop

install-module: module
	install -D -m 644 "$(BUILD)/oprofile.ko" "$(MODULE_DIR)/oprofile.ko"
	install -D -m 644 -t "$(MAN_DIR)" Documentation/oprofile.7
	$(depmod)

install-optop: place
	+@$(OPTOP) install

uninstall: place
	@test -n "$(KVER)" || { echo "$(no_headers)" >&2; exit 1; }
	@found=; \
	for file in "$(MODULE_DIR)/oprofile.ko" "$(MAN_DIR)/oprofile.7" \
		    $$($(OPTOP) installed); do \
		test -e "$$file" || continue; \
		found=y; \
		echo "rm $$file"; \
		rm "$$file" || exit 1; \
	done; \
	test -n "$$found" || { \
		echo "nothing to remove: there is no $(MODULE_DIR)/oprofile.ko," \
		     "no $(MAN_DIR)/oprofile.7, and no optop"; exit 0; }; \
	test ! -d "$(MODULE_DIR)" || \
		rmdir --ignore-fail-on-non-empty "$(MODULE_DIR)"; \
	$(depmod)

demo: place
ifeq ($(NATIVE),1)
	@tests/vm/prepare --no-vm $(NATIVE_PACKAGES)
	@tests/demo --native
else
	@tests/vm/prepare --kernel $(KERNEL) $(DEMO_PACKAGES)
	@echo "building the module and booting a VM: a minute or two" >&2
	@tests/vm/run --kernel $(KERNEL) --smp 2 -- 'exec tests/demo'
endif

check: place
	@tests/vm/prepare --kernel $(KERNEL) $(CHECK_PACKAGES)
	@echo "building the tests' programs; then each test builds and boots" >&2
	+@$(MAKE) -s -C tests/progs
	+@$(OPTOP)
	@OP_KERNEL=$(KERNEL) tests/run $(T)

# Hours, most of them on the debug kernel.
check-all: check
	+@$(MAKE) --no-print-directory coverage T=
	+@OP_SECONDS=600 $(MAKE) --no-print-directory check KERNEL=debug \
		T="$$(OP_KERNEL=debug tests/run --list-vm | tr '\n' ' ')"
	+@$(MAKE) --no-print-directory fuzz FUZZ_RUNS=1000000 T=

coverage: place
	@tests/vm/prepare --kernel gcov $(CHECK_PACKAGES)
	+@$(MAKE) -s -C tests/progs
	+@$(OPTOP)
	@tests/coverage/run $(T)

optop: place
	+@$(OPTOP)

# On this machine, without a VM.
check-optop: place
	@tests/vm/prepare --no-vm $(OPTOP_CHECK_PACKAGES)
	@tests/run optop symbols

# Its own number of inputs: make fuzz FUZZ_RUNS=1000000 T="elf tree"
fuzz: place
	@tests/vm/prepare --no-vm $(FUZZ_PACKAGES)
	@FUZZ_RUNS=$(FUZZ_RUNS) prove --exec bash tests/fuzz/fuzz.sh $(if $(T),:: $(T))

bench: place
	@tests/vm/prepare --kernel $(KERNEL) $(BENCH_PACKAGES) $(OPTOP_PACKAGES)
	@tests/bench/run
	@tests/bench/hooks $(KERNEL)
	@tests/bench/view $(KERNEL)

lint: place
	@tests/vm/prepare --kernel $(KERNEL) $(LINT_PACKAGES)
	@tests/lint

clean:
	rm -rf build

distclean: clean
	rm -rf .cache

help:
	@echo 'make             build the module for the running kernel, and optop'
	@echo 'make KVER=6.1.0-NN-amd64, make KDIR=/path/to/headers'
	@echo '                 build it for another one'
	@echo 'make module, make optop'
	@echo '                 one of them'
	@echo 'make install     install both and their manual pages (DESTDIR=, PREFIX=);'
	@echo '                 make install-module, make install-optop: one of them'
	@echo 'make uninstall   remove them'
	@echo 'make demo        profile real programs in a VM and show the result'
	@echo '                 (NATIVE=1: on this machine)'
	@echo 'make check       all tests; T="NAME…" some (tests/run --list)'
	@echo 'make check-all   these, and all those in the VM on a kernel that checks'
	@echo '                 itself, and longer: hours'
	@echo 'make check-optop those of optop that need no VM'
	@echo 'make fuzz        made-up inputs for parsers and readers; T="NAME…" some,'
	@echo '                 FUZZ_RUNS=N so many of each'
	@echo 'make coverage    which lines the VM tests run; T="NAME…" some'
	@echo 'make bench       what a sample costs, in instructions'
	@echo 'make lint        checkpatch, sparse, clang-format, shellcheck'
	@echo 'make clean       remove what was built'
	@echo 'make distclean   and what was downloaded'

.PHONY: all place headers module optop install install-module install-optop \
	uninstall demo check check-all check-optop fuzz coverage bench lint clean \
	distclean help
