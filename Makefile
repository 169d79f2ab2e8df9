# make, make run and make check do all the set-up on a bare Debian machine:
# as root they install the packages that are missing, otherwise they say which
# ones. The build itself is meson's; this file only drives it.
BUILD ?= build
PREFIX ?= /usr/local

BUILD_NEEDS := gcc libc6-dev meson ninja-build pkg-config zlib1g-dev \
	libjansson-dev libyaml-dev mpich libmpich-dev libsqlite3-dev libuv1-dev \
	libmicrohttpd-dev libconfuse-dev nettle-dev libcurl4-openssl-dev
CHECK_NEEDS := $(BUILD_NEEDS) libcmocka-dev clang libclang-rt-14-dev \
	gnuplot-nox g++ python3 python3-jsonschema python3-prometheus-client \
	python3-yaml mandoc zsh fish nginx-light openssl iproute2 \
	openmpi-bin libopenmpi-dev \
	munge slurmctld slurmd slurm-client libslurm-dev

.PHONY: all run check check-slurm soak bench results install clean help

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) product

$(BUILD)/build.ninja:
	@scripts/need $(BUILD_NEEDS)
	meson setup $(BUILD)

run: all
	@scripts/showcase $(BUILD)

# npm and a browser may be there without being Debian's.
check:
	@scripts/need $(CHECK_NEEDS)
	@command -v npm >/dev/null || scripts/need npm
	@command -v chromium >/dev/null || scripts/need chromium fonts-dejavu-core
	@python3 tests/check.py

# What concerns Slurm, on a cluster of this machine; `make check` has it, too.
check-slurm:
	@scripts/need $(CHECK_NEEDS)
	@test -d $(BUILD) || meson setup $(BUILD)
	@meson configure $(BUILD) -Dtests=enabled
	@ninja -C $(BUILD)
	@meson test -C $(BUILD) --no-rebuild --suite slurm --print-errorlogs
	@echo "slurm-killed: torid, tori-slurm and slurmctld killed during $$(\
	sed -n 's/.*"--jobs", \([0-9]*\).*/\1/p' tests/slurm_killed.py) jobs; for" \
	'300: python3 tests/slurm_killed.py $(BUILD) --jobs 300'

# Worlds for SOAK seconds on each of two kinds of disks, then real processes that are killed.
SOAK ?= 600
soak:
	@scripts/need $(CHECK_NEEDS)
	@test -d $(BUILD) || meson setup $(BUILD)
	@meson configure $(BUILD) -Dtests=enabled
	@ninja -C $(BUILD)
	@$(BUILD)/tests/test_worlds --soak $(SOAK) --seed $$(date +%s)
	@$(BUILD)/tests/test_worlds_disk --soak $(SOAK) --seed $$(date +%s)
	@python3 tests/killed.py $(BUILD) --rounds 500 --slow 10000
	@python3 tests/slurm_killed.py $(BUILD) --jobs 300
	@python3 tests/gang_hosts.py $(BUILD) --rounds 200 --seconds 60

bench: all
	@meson test -C $(BUILD) --benchmark --verbose --num-processes 1

# The logs are where `tori paper` looks for them. What was there stays if one
# is missing.
results: all
	@$(BUILD)/tori paper all --quick > doc/results.txt.new
	@mv doc/results.txt.new doc/results.txt

# Whatever the build was set up for, it is installed here, and in lib, where
# pkg-config and the loader look.
install: all
	@meson configure $(BUILD) -Dprefix=$(PREFIX) -Dlibdir=lib
	@ninja -C $(BUILD) product
	@meson install -C $(BUILD) --no-rebuild
	@scripts/installed $(PREFIX)

clean:
	rm -rf $(BUILD) build-asan build-fuzz

help:
	@echo 'make          build $(BUILD)/tori and libtori'
	@echo 'make run      torid with a few jobs, which are only pretended'
	@echo 'make check    every test, also under sanitizers, and the fuzz targets'
	@echo 'make check-slurm  the tests on a Slurm cluster of this machine'
	@echo 'make soak     simulated crashes for SOAK=SECONDS, and 500 real ones'
	@echo 'make bench    the benchmarks'
	@echo 'make results  all published experiments, in short, into doc/results.txt'
	@echo 'make install  install below PREFIX ($(PREFIX)) and DESTDIR'
	@echo 'make clean    remove what was built'
