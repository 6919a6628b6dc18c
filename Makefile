# The project's commands. `make demo` and `make test` do all set-up themselves, on a fresh Debian 12 or
# Ubuntu 24.04 too. Options: BUILD=dir, CUDA=OFF, CUDA_ARCHS="80;90;100" (default: one architecture), JOBS=n,
# ISAS=native (kernels for this processor alone, in a third of the time).
BUILD ?= build
CUDA ?= ON
# The architecture of the GPU kernels, unless the build folder has another. `make test` without a GPU compiles them to
# PTX, and hardly optimizes them: that takes a third of the time, and nothing would run them.
cached = $(shell sed -n 's/^$(1):[^=]*=//p' $(BUILD)/CMakeCache.txt 2>/dev/null)
CUDA_ARCHS ?= $(or $(call cached,CUPRITE_CUDA_ARCHS),$(NEW_ARCHS))
CUDA_QUICK ?= $(if $(wildcard /dev/nvidia0),OFF,$(or $(call cached,CUPRITE_CUDA_QUICK),$(NEW_QUICK)))
NEW_ARCHS := 90
NEW_QUICK := OFF
ISAS ?= v2;v3;v4
JOBS ?= $(shell nproc)
# Processes that share the Python tests: a thread pool each, so no more than a few.
TESTERS ?= $(shell n=$$(nproc); echo $$((n > 8 ? 8 : n)))
PYTHON := $(CURDIR)/.venv/bin/python
PREFIX ?= /usr/local
# The demo's library is for this processor alone; where `make build` was, its library serves.
DEMO_BUILD := $(if $(wildcard $(BUILD)/CMakeCache.txt),$(BUILD),$(BUILD)-demo)
DEMO_CUDA := $(if $(filter command environment,$(origin CUDA)),$(CUDA),$(if $(wildcard /dev/nvidia0),ON,OFF))

# Configures $(1) and compiles $(2), on one line where there is a screen, and in silence elsewhere.
configure = cmake -S . -B $(1) -G Ninja -DCUPRITE_CUDA_ARCHS="$(CUDA_ARCHS)" -DCUPRITE_CUDA_QUICK=$(CUDA_QUICK) $(2) \
    > $(1).log 2>&1 || (cat $(1).log; false)
compile = cmake --build $(1) -j $(JOBS) $(2) -- $$(test -t 1 || echo --quiet)

.PHONY: all demo test quick bench bench-kernels build docs install uninstall dist setup asan tsan check pages clean

all: build

setup:
	@tools/setup $(SETUP)

build: setup
	@$(call configure,$(BUILD),-DPython3_EXECUTABLE=$(PYTHON) -DCUPRITE_CUDA=$(CUDA) -DCUPRITE_PYTHON=ON \
	    -DCUPRITE_TESTS=ON -DCUPRITE_ISAS="$(ISAS)" -DCMAKE_INSTALL_PREFIX=$(PREFIX))
	@$(call compile,$(BUILD))

# The library, what reads files and the command: no tests, no Python module, kernels for this processor's instruction
# set alone, little optimization of what its programs hardly run; CUDA where there is a GPU to run it, or where CUDA=ON
# is said.
DEMO_FAST := /ndimage/label;/ndimage/bits;/sort/select;/loops_float32
# What they never run, or for milliseconds, and what takes longest to compile of it, is not optimized at all.
DEMO_IDLE := /products/;/fft/;/linalg/;/lfilter/;/filters/;/geometry/;/sparse/;/spatial/;/splines/;/matrices/;/spectra/
DEMO_IDLE := $(DEMO_IDLE);/peaks/;/windows/;/random/;/statistics/;/signal/;/compose/;/kernel/;/fuse/;/loop/;/scan/
DEMO_IDLE := $(DEMO_IDLE);/reduce/;/accumulate_;/elementwise_cells;/elementwise_divide;/elementwise_math
DEMO_IDLE := $(DEMO_IDLE);/elementwise_series;/loops_complex;/loops_int;/loops_float64
DEMO_IDLE := $(DEMO_IDLE);/loops_elementary;/loops_elliptic;/loops_harmonics;/loops_normal;/loops_hyper
DEMO_IDLE := $(DEMO_IDLE);/loops_quantiles;/loops_distributions;/loops_noncentral;/loops_cylinder;/loops_struve
DEMO_IDLE := $(DEMO_IDLE);/loops_airy;/loops_parabolic;/loops_carlson;/loops_bessel;/loops_gamma
DEMO_IDLE := $(DEMO_IDLE);/sort/sort_simd;/sort/search_simd;/index/index_simd;/index/single_simd
demo:
	@tools/setup demo
	@test -x $(DEMO_BUILD)/bin/cuprite || echo "demo: compiling the library and the command, a minute or so"
	@test $(DEMO_BUILD) = $(BUILD) || $(call configure,$(DEMO_BUILD),-DCUPRITE_PYTHON=OFF -DCUPRITE_TESTS=OFF \
	    -DCUPRITE_STATIC=OFF -DCUPRITE_LINES=OFF -DCUPRITE_ISAS=native -DCUPRITE_FAST="$(DEMO_FAST)" \
	    -DCUPRITE_IDLE="$(DEMO_IDLE)" \
	    -DCUPRITE_CUDA=$(DEMO_CUDA))
	@$(call compile,$(DEMO_BUILD),--target demo-programs)
	@tools/demo $(DEMO_BUILD)

# The test device late:0 shows what a program and a device have to do with each other: all tests of streams, memory and
# the like, and of those of values four cases each (SAMPLE; tests/python/conftest.py).
# NumPy, which answers are compared with, gets one thread: several processes share the processors (our own BLAS keeps
# its number). Bytecode is kept, whatever the environment says: hundreds of processes import the module.
SAMPLE ?= 4
python_tests = PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 CUPRITE_CHECKED=1 CUPRITE_BUILD=$(CURDIR)/$(BUILD) \
    PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) -m pytest -q -n $(TESTERS) --dist worksteal tests/python

test: SETUP := early
test: NEW_ARCHS := $(if $(wildcard /dev/nvidia0),90,90-virtual)
test: NEW_QUICK := $(if $(wildcard $(BUILD)/CMakeCache.txt)$(filter command environment,$(origin CUDA_ARCHS)),OFF,ON)
test: build check
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)
	@$(python_tests)
	@$(python_tests) --device late:0 --sample $(SAMPLE)

# Tests of what was changed since the branch left main, or a sample of all: three minutes at most.
quick:
	@test -f $(BUILD)/CMakeCache.txt || $(MAKE) build
	@$(call compile,$(BUILD))
	@$(PYTHON) tools/quick $(BUILD)

# Each layer links with those below it; modules include only what they may; files and lines keep to their length;
# written pages are what the sources say.
CHECKS := "check_modules.py $(BUILD)" check_lines.py check_imports.py check_code.py check_words.py check_names.py \
    "make_api.py --check" "make_speed.py --check" "make_diagram.py --check" "make_kernel_diagrams.py --check" \
    "make_lessons.py --check" "results.py --check" "make_python.py --check" "make_coverage.py --check"
check: build
	@tools/setup
	@$(call compile,$(BUILD),--target layers)
	@printf '%s\n' $(CHECKS) | BUILD=$(BUILD) PYTHONPATH=$(CURDIR)/$(BUILD)/python \
	    xargs -P $(JOBS) -I CHECK sh -c '$(PYTHON) tools/CHECK'

# The generated pages, after a row was changed or added.
pages: build
	@$(PYTHON) tools/make_api.py
	@PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) tools/make_python.py
	@PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) tools/make_coverage.py
	@$(PYTHON) tools/make_speed.py
	@$(PYTHON) tools/make_diagram.py
	@$(PYTHON) tools/make_kernel_diagrams.py

bench: build
	@CUPRITE_BUILD=$(CURDIR)/$(BUILD) PYTHONPATH=$(CURDIR)/$(BUILD)/python:$(CURDIR)/bench $(PYTHON) bench/run.py

# Kernels of the user's on the CPU: each one's times, and 41 against C++ and Numba; bench/results/kernels.md. NOTE="..."
# is said there of this run.
bench-kernels: build
	@for part in all cpu; do CUPRITE_BUILD=$(CURDIR)/$(BUILD) PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) \
	    bench/kernels_$$part.py --note "$(NOTE)" || exit 1; done
	@$(PYTHON) tools/results.py

# The site: guides, the C API and the Python API from headers and docstrings, $(BUILD)/site/index.html.
# tools/check_site looks at it, in a browser too.
docs: build
	@PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) tools/make_site.py $(BUILD)

# The source distribution, of what git holds.
DIST ?= dist
dist:
	@python3 tools/build_backend.py sdist $(DIST)

# PREFIX=dir: where to. Nothing needs LD_LIBRARY_PATH: all is found by paths relative to itself.
install:
	@test -f $(BUILD)/CMakeCache.txt || { echo "make install: nothing is built in $(BUILD); first: make build"; exit 1; }
	@cmake --install $(BUILD) --prefix "$(PREFIX)"
	@test "$(call cached,CUPRITE_CUDA_QUICK)" != ON || echo "make install: this build's GPU kernels are for tests," \
	    "slow on a GPU; for one: make build install BUILD=build-gpu CUDA_ARCHS=90"

# Takes away what the last `make install` of this build put anywhere.
uninstall:
	@test -f $(BUILD)/install_manifest.txt || { echo "nothing was installed from $(BUILD)"; exit 1; }
	@tr '\n' '\0' < $(BUILD)/install_manifest.txt | xargs -0 rm -f --
	@rm -f $(BUILD)/install_manifest.txt

# Sanitizer builds: the C tests under address + undefined, and under thread.
# GCC 13 misplaces vectors of 64 bytes on the stack that detects use after return (its bug 110027).
asan:
	@tools/setup
	@cmake -S . -B build-asan -G Ninja -DCUPRITE_SANITIZE=address,undefined -DCUPRITE_PYTHON=OFF > build-asan.log
	@$(call compile,build-asan)
	@cd build-asan && ASAN_OPTIONS=detect_stack_use_after_return=0:$$ASAN_OPTIONS ctest --output-on-failure

tsan:
	@tools/setup
	@cmake -S . -B build-tsan -G Ninja -DCUPRITE_SANITIZE=thread -DCUPRITE_PYTHON=OFF > build-tsan.log
	@$(call compile,build-tsan)
	@cd build-tsan && TSAN_OPTIONS=die_after_fork=0 ctest --output-on-failure

clean:
	rm -rf build build-demo build-asan build-tsan build-cp* build-portable* build-wheel-tools build*.log demo dist
