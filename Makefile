# make, make run and make check do all the set-up on a bare Debian machine:
# as root they install the packages that are missing, otherwise they say which
# ones. The build itself is meson's; this file only drives it.
BUILD ?= build
PREFIX ?= /usr/local

# esbuild bundles the dashboard, if the archive of a release does not have it already;
# like a browser, it may be there without being Debian's. MPI is for gangs of real
# processes alone.
COMPILE_NEEDS = gcc libc6-dev meson ninja-build pkg-config zlib1g-dev \
	libjansson-dev libyaml-dev libsqlite3-dev libuv1-dev libmicrohttpd-dev \
	libconfuse-dev nettle-dev libcurl4-openssl-dev python3-cffi
MPI_NEEDS = mpich libmpich-dev
ESBUILD = $(shell command -v esbuild >/dev/null || echo esbuild)
BUILD_NEEDS = $(COMPILE_NEEDS) $(if $(wildcard web/bundled),,$(ESBUILD))
SLURM_NEEDS = $(COMPILE_NEEDS) libcmocka-dev python3 procps iproute2 \
	munge slurmctld slurmd slurm-client libslurm-dev
CHECK_NEEDS = $(BUILD_NEEDS) $(ESBUILD) libcmocka-dev python3-numpy \
	$(shell command -v node >/dev/null || echo nodejs)
ALL_NEEDS = $(CHECK_NEEDS) $(SLURM_NEEDS) $(MPI_NEEDS) openmpi-bin \
	libopenmpi-dev clang g++ abigail-tools doxygen \
	python3-jsonschema python3-prometheus-client python3-yaml python3-pandas \
	python3-matplotlib python3-scipy python3-mpi4py python3-distributed mypy \
	mandoc zsh fish nginx-light openssl \
	$(shell command -v chromium >/dev/null || echo chromium fonts-dejavu-core)

DEB_NEEDS = $(COMPILE_NEEDS) $(ESBUILD) $(MPI_NEEDS) build-essential debhelper dh-python lintian libslurm-dev python3-numpy

# Root builds as the owner of the sources, who can then build again.
AS := $(shell scripts/owner .)
SETUP = $(AS) meson setup $(if $(wildcard $(BUILD)/build.ninja),--reconfigure) $(BUILD)

.PHONY: all run check check-all check-bare check-slurm check-kube kube-apiserver \
	soak bench bench-parts results picture \
	dist spdx reference deb deb-twice check-deb image install clean help

all: $(BUILD)/build.ninja
	@$(AS) ninja -C $(BUILD) product

# A build is set up again if packages have been installed since: they may be
# what a part of tori lacked.
$(BUILD)/build.ninja: $(wildcard /var/lib/dpkg/status)
	@scripts/need $(BUILD_NEEDS)
	@[ -e web/bundled ] || [ -e $(BUILD)/web/npm/node_modules/three ] || echo \
	"tori: the dashboard needs three and uplot of npm: 7 MB to fetch, into $(BUILD)"
	$(SETUP)

run: all
	@scripts/showcase $(BUILD)

# The library, the command, torid, Python and the code of the dashboard.
check:
	@scripts/need $(CHECK_NEEDS)
	@python3 tests/system/check.py

# That, then clusters, browser, MPI on several hosts, packages, papers, and most of it
# under sanitizers.
check-all:
	@scripts/need $(ALL_NEEDS)
	@python3 tests/system/check.py --all

# The commands of the README on a bare Debian 12, as root and as a user; needs root.
check-bare:
	@tests/system/bare

# The tests of Slurm, on a cluster of this machine; `make check-all` has them.
# With SUITE=bookworm, trixie or sid: with the Slurm of that Debian, in a folder
# that is made once; needs root.
check-slurm:
ifdef SUITE
	@tests/system/slurm_suite $(SUITE)
else
	@scripts/need $(SLURM_NEEDS) mariadb-server slurmdbd
	@$(SETUP) -Dtests=enabled
	@ninja -C $(BUILD)
	@meson test -C $(BUILD) --no-rebuild --suite slurm --print-errorlogs
	@echo "slurm-killed: torid, tori-slurm and slurmctld killed during $$(\
	sed -n 's/.*"--jobs", \([0-9]*\).*/\1/p' tests/system/slurm_killed.py) jobs; for" \
	'300: python3 tests/system/slurm_killed.py $(BUILD) --jobs 300'
endif

# What concerns Kubernetes, with a real API server, which is made once;
# `make check-all` has it where there is one.
check-kube: kube-apiserver
	@scripts/need $(COMPILE_NEEDS) libcmocka-dev python3 etcd-server openssl
	@$(SETUP) -Dtests=enabled
	@ninja -C $(BUILD)
	@meson test -C $(BUILD) --no-rebuild --suite kube --print-errorlogs
	@python3 tests/system/kube_killed.py $(BUILD) --machine torus:8x8x8 \
	--groups 200 --pods 2000 --kills 20

# From Debian's sources, into ~/.cache/tori/kube; needs root and 20 minutes.
kube-apiserver:
	@[ -x "$$KUBE_APISERVER" ] || tests/system/kube_apiserver

# Worlds for SOAK seconds on each of two kinds of disks, the fuzz targets, short runs of
# all papers, more random cases, then real processes that are killed.
SOAK ?= 600
soak:
	@scripts/need $(ALL_NEEDS) libclang-rt-14-dev
	@$(SETUP) -Dtests=enabled
	@ninja -C $(BUILD)
	@$(BUILD)/tests/test_worlds --soak $(SOAK) --seed $$(date +%s)
	@$(BUILD)/tests/test_worlds --hostile --soak $(SOAK) --seed $$(date +%s)
	@$(BUILD)/tests/test_worlds_disk --soak $(SOAK) --seed $$(date +%s)
	@python3 tests/system/check.py --fuzz
	@python3 tests/system/verdicts.py $(BUILD) . --all
	@python3 tests/cli/run.py $(BUILD) tests/cli/paper-all.t
	@python3 tests/system/answers.py $(BUILD) --all
	@TORI_CASES=8 meson test -C $(BUILD) alloc alloc_large cage choices exact failures \
	forecast futures largest live mc mm one_future policies ptas restart room sched \
	sim_random why
	@python3 tests/system/killed.py $(BUILD) --rounds 500 --slow 10000
	@python3 tests/system/hostile.py $(BUILD) --seconds $(SOAK) --late 1 --seed $$(date +%s)
	@python3 tests/system/slurm_killed.py $(BUILD) --jobs 300
	@python3 tests/system/gang_kill.py $(BUILD) --rounds 100
	@python3 tests/system/gang_hosts.py $(BUILD) --rounds 200 --seconds 60

# One table: work and result, also in doc/speed.json and the pages if the job logs are in
# TORI_TRACES; with BASE=COMMIT instead beside the result at that commit, and the ratio.
# Rates and growth, part by part: bench-parts.
bench: all
	@python3 bench/compare.py $(BUILD)/tori $(or $(BASE),$(if $(TORI_TRACES),--save))

bench-parts: all
	@meson test -C $(BUILD) --benchmark --verbose --num-processes 1

# The logs are in the folder TRACES, or where `tori paper` looks for them. What
# was there stays if one is missing. First the waits of README.md, doc/boxes.md and
# doc/choosing.md (doc/waits.json). doc/papers.md gets the values, and keeps the
# verdicts of full runs, which must be the same. After full runs (hours), `python3
# tests/system/verdicts.py $(BUILD) . --write FILE` takes the verdicts from FILE, the
# output of `tori paper all`.
results: all
	@python3 bench/waits.py $(BUILD)/tori $(TRACES)
	@$(BUILD)/tori paper all --quick $(addprefix --traces ,$(TRACES)) \
	> doc/results.txt.new || { rm doc/results.txt.new; exit 1; }
	@mv doc/results.txt.new doc/results.txt
	@python3 tests/system/verdicts.py $(BUILD) . --write

# The products and what depends on what, for doc/architecture.md.
picture:
	@python3 scripts/products.py . > doc/figures/products.svg
	@python3 scripts/concepts.py doc/figures/concepts

# The sources of a commit as one file, with its dashboard. The same commit and the same
# esbuild give the same bytes.
COMMIT ?= HEAD
dist:
	@scripts/need $(ESBUILD)
	@scripts/dist $(BUILD)/dist $(COMMIT)

# The libraries that the build links and bundles, as SPDX 2.3.
spdx: all
	@python3 scripts/spdx.py . $(BUILD) > $(BUILD)/tori.spdx.json
	@echo $(BUILD)/tori.spdx.json

# The library and the HTTP API as pages.
reference: all
	@scripts/need doxygen
	@python3 scripts/reference.py . $(BUILD) $(BUILD)/reference
	@echo $(BUILD)/reference/index.html

# The Debian packages of a commit, in DEB: see debian/.
DEB ?= $(BUILD)/deb
deb:
	@scripts/need $(DEB_NEEDS)
	@scripts/deb $(DEB) $(COMMIT)
	@lintian --fail-on error,warning $(DEB)/*.changes

# They are the same bytes if they are built once more, in another folder, time
# zone and language.
deb-twice:
	@scripts/need $(DEB_NEEDS)
	@scripts/deb $(DEB) $(COMMIT)
	@TZ=Asia/Kathmandu LC_ALL=C.UTF-8 scripts/deb $(DEB)-twice/another/folder $(COMMIT)
	@for package in $(DEB)/*.deb; do \
	cmp $$package $(DEB)-twice/another/folder/$${package##*/} || exit; done
	@echo 'both builds gave the same bytes'

# Install, a job, upgrade from the packages of BASE, and purge, in a folder of
# Debian; needs root.
check-deb:
	@tests/system/debs $(or $(SUITE),bookworm) $(or $(BASE),HEAD~1) $(DEB)

# An image for containers, of the packages in DEB: podman run
# oci-archive:build/tori-image.tar. Needs root.
image: deb
	@scripts/image $(BUILD) $(DEB) $(or $(SUITE),bookworm)
	@tests/system/image $(BUILD)/tori-image.tar

install:
	@scripts/install '$(BUILD)' '$(PREFIX)'

clean:
	rm -rf $(BUILD) build-asan build-fuzz

help:
	@echo 'make          build $(BUILD)/tori and libtori'
	@echo 'make run      torid with a few jobs, which nothing runs, and its dashboard'
	@echo 'make check    the tests of the library, the command, torid, Python and the'
	@echo '              code of the dashboard'
	@echo 'make check-all    these, then real clusters, a browser, MPI on several hosts,'
	@echo '              packages, papers, and most of it under sanitizers'
	@echo 'make check-bare   make run, make check and make install on a bare Debian 12, as'
	@echo '              root and as a user'
	@echo 'make check-slurm  the tests on a Slurm cluster of this machine; with'
	@echo '              SUITE=bookworm, trixie or sid, with the Slurm of that Debian'
	@echo 'make check-kube   the tests with a Kubernetes API server, which is made once,'
	@echo '              by make kube-apiserver'
	@echo 'make soak     what takes long: simulated crashes for SOAK=SECONDS, 500'
	@echo '              real ones, the fuzz targets, short runs of all papers'
	@echo 'make bench    a table of times, into doc/speed.json if TORI_TRACES has the job'
	@echo '              logs; with BASE=COMMIT, beside those of an earlier commit'
	@echo 'make bench-parts  rates and growth, part by part'
	@echo 'make results  the waits of the pages, into doc/waits.json, then all published'
	@echo '              experiments, in short, into doc/results.txt; TRACES=FOLDER has'
	@echo '              the job logs'
	@echo 'make picture  the products and their dependencies, and the pictures of'
	@echo '              doc/concepts.md, into doc/figures'
	@echo 'make dist     the sources of COMMIT (HEAD) as a file, with the dashboard'
	@echo 'make spdx     what is linked and bundled, as $(BUILD)/tori.spdx.json'
	@echo 'make reference   the library and the HTTP API as HTML, in $(BUILD)/reference'
	@echo 'make deb      Debian packages of COMMIT (HEAD) in DEB ($(DEB)), and lintian'
	@echo 'make deb-twice   are they the same bytes if they are built twice?'
	@echo 'make check-deb   install, upgrade from BASE and purge them in a folder of'
	@echo '              SUITE (bookworm); takes long, and is not in make check-all'
	@echo 'make image    an OCI image of the packages, $(BUILD)/tori-image.tar: torid on a'
	@echo '              rehearsed machine; no registry is needed'
	@echo 'make install  install below PREFIX ($(PREFIX)) and DESTDIR'
	@echo 'make clean    remove what was built'
