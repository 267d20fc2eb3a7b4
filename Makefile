# Needs git, make and Python 3.11, 3.12 or 3.13; everything else goes into .venv.
VENV := .venv
BIN := $(VENV)/bin
# The newest of them that starts and can make environments (a name on PATH may do neither) and is not of version $(1).
newest = $(shell for p in python3.13 python3.12 python3.11 python3 python; do $$p -c 'import ensurepip, sys, venv; \
	v = sys.version_info[:2]; sys.exit(not (3, 11) <= v <= (3, 13) or "%d.%d" % v == "$(1)")' \
	2>/dev/null && echo $$p && break; done)
PYTHON ?= $(call newest)
# Processes that run the tests, a file in one of them (0: this process alone).
JOBS ?= 2
OTHER = $(call newest,$(shell $(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'))

.PHONY: run test check lint e2e faults same other ready fuzz differential mutate clean

# The main job: real questions, a real (small) model on the CPU, real scores.
run: $(VENV)/run.stamp
	$(BIN)/python run_lighteval.py --task "ifhard:all|0" --model embedded --max-samples 4

# Every test but those that start a vLLM or a browser.
test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder \
		-m "not vllm and not browser" --cov --cov-report=term --cov-fail-under=90

# What a change must pass before it is proposed.
check: lint test

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# A real vLLM on the CPU, in an environment of its own that the tests make, and a real browser (Debian's chromium).
e2e: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m "vllm or browser"

# Runs that are killed at drawn moments, and every other fault of a machine: nothing may be lost or asked twice.
KILLS ?= 40
SEED ?= 15
faults: $(VENV)/dev.stamp
	$(BIN)/python -m proofs.faults --kills $(KILLS) --seed $(SEED)

# Drawn inputs for every parser and verifier: none may raise or take over a second. Prints what each has had in all runs.
MINUTES ?= 10
fuzz: $(VENV)/dev.stamp
	$(BIN)/python -m proofs.fuzz --minutes $(MINUTES) --keep

# Second readings of verdicts and operations, from the contracts and from the builders, over generated answers.
differential: $(VENV)/dev.stamp
	$(BIN)/python -m proofs.differential

# Verdicts and the bytes of built datasets are the same under every Python.
same: $(VENV)/dev.stamp
	$(BIN)/python -m pytest tests/metrics/ifhard/test_ifhard_vectors.py tests/metrics/ifhard/test_ifhard_cases.py \
		tests/metrics/sobhard/test_sobhard_vectors.py tests/metrics/ifbench/test_ifbench_fixtures.py \
		tests/builders/ifhard/test_build_again.py tests/builders/sobhard/test_sobhard_small_set.py

# The same in an environment of another version, where one is installed.
other: $(VENV)/run.stamp
	$(if $(OTHER),$(MAKE) same VENV=$(VENV)-other PYTHON=$(OTHER),@echo "no other Python from 3.11 to 3.13 here")

# Faults put into the code one at a time: how many of a recorded sample do the tests see? Under an hour on two free cores.
mutate: $(VENV)/dev.stamp
	$(BIN)/python -m proofs.mutation --jobs $(JOBS)

# What `other` and `e2e` would otherwise install and fetch themselves; it waits for networks and disks.
ready: $(VENV)/dev.stamp
	$(BIN)/python tests/e2e/vllm_server.py
	$(if $(OTHER),$(MAKE) $(VENV)-other/dev.stamp VENV=$(VENV)-other PYTHON=$(OTHER))

$(VENV)/run.stamp: requirements.txt requirements-data.txt pyproject.toml
	test -x $(BIN)/python || $(if $(PYTHON),$(PYTHON) -m venv $(VENV),{ echo "no Python from 3.11 to 3.13 that has \
	venv was found; install one (Debian: python3-venv), or name one: make PYTHON=PATH" >&2; exit 1; })
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-data.txt -e .
	touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-build.txt requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-build.txt -r requirements-dev.txt
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-other build .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
