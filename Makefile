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

MODULE_SOURCES := Kbuild $(wildcard core/*.[ch] oprofilefs/*.[ch] \
				    arch/*/*.[ch])

all: module

# Only what changed is copied, with its time stamp, so that make sees what
# make needs to see.
module:
	@test -d "$(KDIR)" || { \
		echo "no kernel headers in $(KDIR):" \
		     "apt-get install linux-headers-$(KVER)," \
		     "or name others: make KVER=… or KDIR=…" >&2; exit 1; }
	@mkdir -p "$(BUILD)"
	@cp -pu --parents $(MODULE_SOURCES) "$(BUILD)"
	+$(MAKE) -C "$(KDIR)" M="$(BUILD)" W=1 $(KBUILD_FLAGS) modules

.PHONY: all module
