# SPDX-License-Identifier: BSD-3-Clause
# The two commands: `make demo` and `make test`. Everything they make is in .venv/ and build/.
SHELL := /bin/bash
PYTHON ?= python3
JOBS ?= $(shell nproc)
# Launches of ranks wait more than they compute: two at a time more than cores keep these busy.
LAUNCHES ?= $(shell expr $(JOBS) + 2)
PYTHON_FILES = python src tools tools/setup tests tests/lab/virtual_hosts
CPP_FILES = $(shell git ls-files -co --exclude-standard -- '*.cpp' '*.hpp' '*.c' '*.h')

.PHONY: help demo test bench build setup format lint sanitize agent mpi4py mpich-suite clean
.NOTPARALLEL:

help:
	@echo 'make demo      set up, build, and run the main job: PCG under the host MPI and under Weft, on one node and between hosts'
	@echo 'make test      set up, build, and run all tests'
	@echo 'make bench     set up, build, and measure everything: results/report.md, in a quarter of an hour'
	@echo 'make build     set up and build; afterwards .venv/bin/weft is the command line'
	@echo 'make sanitize  C++ tests and MPI programs under the address, undefined-behaviour and thread sanitizers'
	@echo 'make agent     the MPI tests with device agent: all collectives over the wire'
	@echo "make mpi4py    mpi4py's own test suite, all of it, on 1 to 5 ranks, with Weft and without"
	@echo "make mpich-suite  MPICH's own test suite, from Debian's source package, on both hosts, with Weft and without"
	@echo 'make format    format the sources        make lint   clang-format, clang-tidy, ruff, tools/tidy.py'
	@echo 'make clean     remove .venv/ and build/'

setup:
	@$(PYTHON) tools/setup

demo:
	@$(PYTHON) tools/setup --demo
	@$(MAKE) --no-print-directory build
	.venv/bin/weft demo

build: setup
	@[ -f build/release/build.ninja ] && [ -f build/release/CMakeCache.txt ] || cmake --preset release
	cmake --build --preset release --parallel $(JOBS)

# Both halves run, so that one failure does not hide another.
test: build
	@status=0; \
	ctest --preset release --parallel $(JOBS) || status=1; \
	.venv/bin/python -m pytest -n $(LAUNCHES) --dist worksteal || status=1; \
	exit $$status

bench: build
	.venv/bin/weft bench report

# Address and undefined behaviour on everything, thread on the core with ranks as threads. What the hosts and
# libfabric leak is named in tests/sanitizers.
SANITIZED = $(addprefix tests/mpi/test_,$(addsuffix .py,accelerators check collectives communicators corners hierarchies \
  languages progress random_programs reproducible requests rounds times windows))
# Six sanitized ranks that verify every schedule they build take 4 GiB each.
TOO_LARGE = $(foreach mpi,openmpi mpich,--deselect \
  'tests/mpi/test_reproducible.py::test_sums_depend_on_the_number_of_ranks_alone[$(mpi)-6]')
sanitize: build
	@for preset in asan tsan; do \
	  { [ -f build/$$preset/build.ninja ] || cmake --preset $$preset; } && \
	  cmake --build --preset $$preset --parallel $(JOBS) && \
	  ctest --preset $$preset --parallel $(JOBS) || exit 1; \
	done
	$(CC) -shared -fPIC -o build/asan/lib/libkeep_loaded.so tests/mpi/programs/keep_loaded.c
	LD_PRELOAD=$(CURDIR)/build/asan/lib/libkeep_loaded.so \
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/sanitizers/hosts.supp:print_suppressions=0 \
	WEFT_LIBRARY_DIR=$(CURDIR)/build/asan/lib TEST_PATIENCE=5 \
	  .venv/bin/python -m pytest -n $(LAUNCHES) --timeout 1500 -m 'not measures_memory' $(TOO_LARGE) \
	  $(SANITIZED)

# The MPI tests once more, with an agent in every process: each rank is a node of its own, so that everything goes over
# the wire. Left out is what a node's memory alone does.
agent: build
	WEFT_NODE=0 WEFT_DEVICE=agent WEFT_WIRE_INTERFACE=lo TEST_PATIENCE=2 \
	  .venv/bin/python -m pytest -n $(LAUNCHES) --dist worksteal -m 'not needs_memory' tests/mpi

mpi4py: build
	WEFT_MPI4PY=all .venv/bin/python -m pytest -rP tests/mpi/test_mpi4py_suite.py

mpich-suite: build
	.venv/bin/python -m pytest -n $(LAUNCHES) -rP tests/mpi/mpich_suite.py

format: setup
	clang-format -i $(CPP_FILES)
	.venv/bin/ruff format $(PYTHON_FILES)
	.venv/bin/ruff check --fix $(PYTHON_FILES)

lint: setup
	@command -v clang-format clang-tidy run-clang-tidy >/dev/null || \
	  { echo 'sudo apt-get install -y --no-install-recommends clang-format clang-tidy'; exit 2; }
	clang-format --dry-run --Werror $(CPP_FILES)
	.venv/bin/ruff format --check $(PYTHON_FILES)
	.venv/bin/ruff check $(PYTHON_FILES)
	.venv/bin/python tools/tidy.py
	@[ -f build/debug/build.ninja ] || cmake --preset debug
	cmake --build --preset debug --parallel $(JOBS)
	run-clang-tidy -quiet -p build/debug -j $(JOBS) '$(CURDIR)/src/.*'

clean:
	rm -rf build .venv
