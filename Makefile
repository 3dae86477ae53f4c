# Everything runs in $(VENV): the active virtual environment, or .venv, made on first use.
PYTHON ?= python3
VENV ?= $(or $(VIRTUAL_ENV),.venv)
BIN := $(VENV)/bin
DEV := $(VENV)/.pararecover-dev
PYTEST_ARGS ?= -n auto --maxprocesses 4

.PHONY: help install check lint types contracts test quick format docs quickstart clean

help:
	@echo 'make quickstart  install, then build LEVEL-2 rows of up to three rounds (OUT=folder)'
	@echo 'make check       install, then lint, types, import contracts and tests'
	@echo 'make quick       the tests that take less than ten seconds each'
	@echo 'make format      write what `make lint` asks for'
	@echo 'make docs        write docs/taxonomy.md from the kinds, and the README's tour'
	@echo 'make clean       remove caches and build leftovers'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	    "Python 3.11 or later is needed, found " + sys.version.split()[0] + \
	    ": make PYTHON=python3.11 …")'
	$(PYTHON) -m venv $(VENV)

$(DEV): setup.cfg pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@

install: $(DEV)

check: lint types contracts test

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

contracts: $(DEV)
	$(BIN)/lint-imports

test: $(DEV)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

quick: $(DEV)
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m 'not slow'

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(DEV)
	$(BIN)/python -m scripts.taxonomy_page docs/taxonomy.md
	$(BIN)/python -m scripts.readme_tour README.md

quickstart: | $(BIN)/python
	$(BIN)/python -m pip install --quiet .
	$(BIN)/build-level2 --rounds 3 $(if $(OUT),--out $(OUT))

clean:
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
