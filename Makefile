# Needs git, make and Python 3.11; everything else goes into .venv.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test check lint e2e clean

# The main job: real questions, a real (small) model on the CPU, real scores.
run: $(VENV)/run.stamp
	$(BIN)/python run_lighteval.py --task "ifhard:all|0" --model embedded --max-samples 4

# Every test but those that start a vLLM or a browser.
test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m "not vllm and not browser" --cov --cov-report=term --cov-fail-under=90

# What a change must pass before it is proposed.
check: lint test

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# A real vLLM on the CPU, in an environment of its own that the tests make, and a real browser (Debian's chromium).
e2e: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m "vllm or browser"

$(VENV)/run.stamp: requirements.txt requirements-data.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-data.txt -e .
	touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-build.txt requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-build.txt -r requirements-dev.txt
	touch $@

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
