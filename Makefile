# SPDX-License-Identifier: GPL-2.0-only
#
# The front door.  `make help` lists what there is.
#
# The module is built in build/VERSION/, one folder a kernel, so that several
# kernels' builds stand side by side and the sources stay clean.

TOP := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))

KVER ?= $(shell uname -r)
# Debian's header packages are found even where nothing is in /lib/modules.
KDIR ?= $(firstword $(wildcard /lib/modules/$(KVER)/build \
			       /usr/src/linux-headers-$(KVER)) \
		    /lib/modules/$(KVER)/build)
BUILD := $(TOP)/build/$(KVER)
KERNEL ?= 6.1

DESTDIR ?=
MODULE_DIR = $(DESTDIR)/lib/modules/$(KVER)/extra
PREFIX ?= /usr/local

MODULE_SOURCES := Kbuild $(wildcard core/*.[ch] oprofilefs/*.[ch] \
				    arch/*/*.[ch])

# What the tests and the demonstration run, beside what the VM runner needs.
DEMO_PACKAGES := gzip python3-minimal sqlite3
CHECK_PACKAGES := $(DEMO_PACKAGES) perl libcmocka-dev linux-perf libelf-dev \
		  libcap2-bin util-linux
BENCH_PACKAGES := linux-perf bpftrace
LINT_PACKAGES := sparse clang-format shellcheck linux-source-6.1 perl

all: module

# Only what changed is copied, with its time stamp, so that make sees what
# make needs to see. Two at once would disturb each other in Kbuild.
module:
	@test -d "$(KDIR)" || { \
		echo "no kernel headers in $(KDIR):" \
		     "apt-get install linux-headers-$(KVER)," \
		     "or name others: make KVER=… or KDIR=…" >&2; exit 1; }
	@mkdir -p "$(BUILD)"
	@cp -pu --parents $(MODULE_SOURCES) "$(BUILD)"
	+@flock "$(BUILD)" $(MAKE) -C "$(KDIR)" M="$(BUILD)" W=1 \
		$(KBUILD_FLAGS) modules

install: module
	install -D -m 644 "$(BUILD)/oprofile.ko" "$(MODULE_DIR)/oprofile.ko"
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/man/man7" \
		Documentation/oprofile.7
	test -n "$(DESTDIR)" || depmod "$(KVER)"

uninstall:
	rm -f "$(MODULE_DIR)/oprofile.ko" \
		"$(DESTDIR)$(PREFIX)/share/man/man7/oprofile.7"
	test -n "$(DESTDIR)" || depmod "$(KVER)"

demo:
	@tests/vm/prepare --kernel $(KERNEL) $(DEMO_PACKAGES)
ifeq ($(NATIVE),1)
	@tests/demo --native
else
	@tests/vm/run --kernel $(KERNEL) --smp 2 -- 'exec tests/demo'
endif

check:
	@tests/vm/prepare --kernel $(KERNEL) $(CHECK_PACKAGES)
	+@$(MAKE) -s -C tests/progs
	@OP_KERNEL=$(KERNEL) tests/run $(T)

bench:
	@tests/vm/prepare --kernel $(KERNEL) $(BENCH_PACKAGES)
	@tests/bench/run

lint:
	@tests/vm/prepare --kernel $(KERNEL) $(LINT_PACKAGES)
	@tests/lint

clean:
	rm -rf build

distclean: clean
	rm -rf .cache

help:
	@echo 'make             build the module for the running kernel'
	@echo 'make KVER=6.1.0-57-amd64, make KDIR=/path/to/headers'
	@echo '                 build it for another one'
	@echo 'make install     install module and manual page (DESTDIR=, PREFIX=)'
	@echo 'make uninstall   remove them'
	@echo 'make demo        profile real programs in a VM and show the result'
	@echo '                 (NATIVE=1: on this machine)'
	@echo 'make check       all tests; T="NAME…" some (tests/run --list)'
	@echo 'make bench       what a sample costs, in instructions'
	@echo 'make lint        checkpatch, sparse, clang-format, shellcheck'
	@echo 'make clean       remove what was built'
	@echo 'make distclean   and what was downloaded'

.PHONY: all module install uninstall demo check bench lint clean distclean help
