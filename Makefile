# Every target sets up what it needs: Python >= 3.11, gcc and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Tests start the command many times: without its bytecode each start would compile it anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-long check dist format bench accuracy docs lint rewrite clean

help:  ## show the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

venv: $(READY)  ## set up .venv with hlspart (editable) and what its tests need

$(READY): setup.cfg pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python >= 3.11 is needed: make PYTHON=python3.11 ..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -e '.[exact,test]'
	@touch $@

DEVELOP := $(VENV)/.develop
$(DEVELOP): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(READY)  ## one sample end to end: II before, partition, banked C, II after, verified equal
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh samples/demo.sh

test: $(READY)  ## all tests
	$(BIN)/python -m pytest -n auto

test-long: export HLSPART_TESTS = long
test-long: test  ## all tests, the random ones on more programs and the tables with all their rows

check: $(DEVELOP) dist  ## style, types, generated docs up to date, the packages fit to publish
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m hlspart.cli.docs --check docs

dist: $(DEVELOP)  ## wheel and source archive in build/dist, checked
	rm -rf build/lib build/bdist.* build/dist
	$(BIN)/python -m build --no-isolation --outdir build/dist . >/dev/null
	$(BIN)/twine check --strict build/dist/*

docs: $(READY) $(VENV)/.docs  ## regenerate docs/rules, build the site in build/site
	$(BIN)/python -m hlspart.cli.docs docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

$(VENV)/.docs: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

format: $(DEVELOP)  ## format the Python code
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .

bench: $(DEVELOP)  ## ratios: cost against trip counts, file sizes; BASE=REVISION: against an older one
	$(if $(BASE),$(BIN)/python tests/bench_commands.py $(BASE),$(BIN)/python tests/bench.py $(BENCH))

accuracy: $(READY)  ## predicted against published synthesis reports
	$(BIN)/python tests/accuracy/run.py

lint: $(READY)  ## lint the samples
	$(BIN)/hlspart lint samples --fail-on error

rewrite: $(READY)  ## banked C of every sample into demo-out/
	$(BIN)/hlspart rewrite $(sort $(wildcard samples/*.c)) --infer --out-dir demo-out

clean:  ## remove what the targets made (not .venv)
	rm -rf demo-out build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
