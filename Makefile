# `make setup` makes .venv with the package, its extras and the test tools; every other target rests on it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup test evolve lint format clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $@

test: setup
	$(BIN)/python -m pytest -n auto --dist loadfile

# The main job: one evolution on all cores. Give it again to see its table again; SEED=2 or EVOLVE='--runs 3' change it.
SEED ?= 1
evolve: setup
	$(BIN)/hebbarium evolve foraging --seed $(SEED) $(EVOLVE)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
