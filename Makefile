# The project's commands. `make demo` and `make test` do all set-up themselves, on a fresh Debian 12 or
# Ubuntu 24.04 too. Options: BUILD=dir, CUDA=OFF, CUDA_ARCHS="80;90;100" (default: one architecture), JOBS=n.
BUILD ?= build
CUDA ?= ON
CUDA_ARCHS ?= 90
JOBS ?= $(shell nproc)
# Processes that share the Python tests: a thread pool each, so no more than a few.
TESTERS ?= $(shell n=$$(nproc); echo $$((n > 8 ? 8 : n)))
PYTHON := $(CURDIR)/.venv/bin/python
PREFIX ?= /usr/local
DEMO_CUDA := $(if $(filter command environment,$(origin CUDA)),$(CUDA),$(if $(wildcard /dev/nvidia0),ON,OFF))

.PHONY: all demo test bench build docs install uninstall setup asan tsan check clean

all: build

setup:
	@tools/setup

build: setup
	@cmake -S . -B $(BUILD) -G Ninja -DPython3_EXECUTABLE=$(PYTHON) -DCUPRITE_CUDA=$(CUDA) -DCUPRITE_PYTHON=ON \
	    -DCUPRITE_TESTS=ON -DCUPRITE_CUDA_ARCHS="$(CUDA_ARCHS)" -DCMAKE_INSTALL_PREFIX=$(PREFIX) > $(BUILD).log 2>&1 || \
	    (cat $(BUILD).log; false)
	@cmake --build $(BUILD) -j $(JOBS)

# The library, what reads files and the command: no tests, no Python module; CUDA where there is a GPU to run it, or
# where CUDA=ON is said. What is compiled here `make build` finds in its place.
demo:
	@tools/setup demo
	@cmake -S . -B $(BUILD) -G Ninja -DCUPRITE_PYTHON=OFF -DCUPRITE_TESTS=OFF -DCUPRITE_CUDA=$(DEMO_CUDA) \
	    -DCUPRITE_CUDA_ARCHS="$(CUDA_ARCHS)" > $(BUILD).log 2>&1 || (cat $(BUILD).log; false)
	@cmake --build $(BUILD) -j $(JOBS) --target demo-programs
	@tools/demo $(BUILD)

test: build check
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)
	@CUPRITE_BUILD=$(CURDIR)/$(BUILD) PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) -m pytest -q \
	    -n $(TESTERS) tests/python
	@CUPRITE_BUILD=$(CURDIR)/$(BUILD) PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) -m pytest -q \
	    -n $(TESTERS) tests/python --device late:0

# The rooms include only what they may; files and lines keep to their length; written pages are what the sources say.
check: build
	@$(PYTHON) tools/check_rooms.py $(BUILD)
	@$(PYTHON) tools/check_lines.py
	@$(PYTHON) tools/check_imports.py
	@BUILD=$(BUILD) $(PYTHON) tools/check_names.py
	@$(PYTHON) tools/make_api.py --check
	@PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) tools/make_python.py --check

bench: build
	@CUPRITE_BUILD=$(CURDIR)/$(BUILD) PYTHONPATH=$(CURDIR)/$(BUILD)/python:$(CURDIR)/bench $(PYTHON) bench/run.py

# The site: guides, the C API and the Python API from headers and docstrings, $(BUILD)/site/index.html.
docs: build
	@$(PYTHON) -m pip install -q --disable-pip-version-check -r tools/requirements-docs.txt
	@PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) tools/make_site.py $(BUILD)

# PREFIX=dir: where to. Nothing needs LD_LIBRARY_PATH: all is found by paths relative to itself.
install: build
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

# Takes away what the last `make install` of this build put anywhere.
uninstall:
	@test -f $(BUILD)/install_manifest.txt || { echo "nothing was installed from $(BUILD)"; exit 1; }
	@tr '\n' '\0' < $(BUILD)/install_manifest.txt | xargs -0 rm -f --
	@rm -f $(BUILD)/install_manifest.txt

# Sanitizer builds: the C tests under address + undefined, and under thread.
asan:
	@tools/setup
	@cmake -S . -B build-asan -G Ninja -DCUPRITE_SANITIZE=address,undefined -DCUPRITE_PYTHON=OFF > build-asan.log
	@cmake --build build-asan -j $(JOBS)
	@cd build-asan && ctest --output-on-failure

tsan:
	@tools/setup
	@cmake -S . -B build-tsan -G Ninja -DCUPRITE_SANITIZE=thread -DCUPRITE_PYTHON=OFF > build-tsan.log
	@cmake --build build-tsan -j $(JOBS)
	@cd build-tsan && TSAN_OPTIONS=die_after_fork=0 ctest --output-on-failure

clean:
	rm -rf build build-asan build-tsan build*.log demo
