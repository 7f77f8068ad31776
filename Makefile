# `make setup` makes .venv with the package, its extras and the test tools; every other target rests on it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup test quick evolve watch reproduce bench docs lint format clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[all,docs]" --group dev
	touch $@
	@echo "Ready. Run \"source $(BIN)/activate\" once in each terminal, then try: hebbarium --help"

test: setup
	$(BIN)/python -m pytest -n auto --dist loadfile

# For the loop while coding: within a minute, once kernels are compiled.
quick: setup
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not slow and not browser and not cluster" tests

# The main job: one search for rules on all cores; given again it prints its table again. The paper's
# genetic algorithm: make evolve EVOLVE="--search genetic" SEED=2.
SEED ?= 1
evolve: setup
	$(BIN)/hebbarium evolve foraging --seed $(SEED) $(EVOLVE)

# A page in the browser: see an agent learn, and change its rule while it lives.
watch: setup
	$(BIN)/hebbarium watch $(WATCH)

# Speed beside other ways to write the same, JAX among them: hence an environment of its own.
BENCH_BIN := .venv-bench/bin
.venv-bench/.installed: pyproject.toml benchmarks/requirements.txt
	test -x $(BENCH_BIN)/python || $(PYTHON) -m venv .venv-bench
	$(BENCH_BIN)/python -m pip install --quiet --editable . --requirement benchmarks/requirements.txt
	touch $@

# make bench COMPARE=REV measures this tree beside that commit instead, and says what became slower. Both keep every
# number with the commit's in benchmarks/results.
COMPARE ?=
bench: .venv-bench/.installed
	$(BENCH_BIN)/python benchmarks/$(if $(COMPARE),beside.py $(COMPARE),run.py) $(BENCH)

# The paper's tables and figures beside ours; SCALE=paper takes about a quarter of an hour.
SCALE ?= quick
reproduce: setup
	$(BIN)/hebbarium reproduce --scale $(SCALE) --seed $(SEED)

# The site, in build/site: a warning or a dead link is an error.
docs: setup
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env docs build/site
	$(BIN)/python docs/links.py build/site

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file benchmarks/mypy.ini

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .venv-bench build dist .pytest_cache .mypy_cache .ruff_cache
