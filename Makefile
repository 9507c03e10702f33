# Every target sets up what it needs in .venv; PYTHON may name any interpreter from 3.11 on.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
SETUP := setup.cfg pyproject.toml constraints.txt

.PHONY: demo test long coverage bench bench-evaluation bench-all ledger ledger-check lint format clean

demo: $(VENV)/.core
	$(BIN)/seprank bound --L 4 --dx 128

test: $(VENV)/.test
	$(BIN)/python -m pytest

# The cases that the default run reduces or leaves out.
long: $(VENV)/.test
	SEPRANK_LONG=1 $(BIN)/python -m pytest

coverage: $(VENV)/.test
	rm -f .coverage .coverage.*
	$(BIN)/python -m pytest --cov=seprank --cov-report=
	$(BIN)/python -m coverage report --fail-under=95

# Ratios inside one run, on a quiet machine; the numbers also go to .benchmarks/rank.json.
bench: $(VENV)/.core
	$(BIN)/python benchmarks/rank_against_peers.py

# The same for evaluation, which needs torch; the numbers also go to .benchmarks/evaluation.json.
bench-evaluation: $(VENV)/.test
	mkdir -p .benchmarks
	$(BIN)/python benchmarks/evaluation_against_torch.py --json .benchmarks/evaluation.json

# Every benchmark, one after the other, about half an hour; each prints its ratios and writes .benchmarks/NAME.json.
bench-all: $(VENV)/.test bench bench-evaluation
	for name in frontier hop shaped_sde shaped_finite signal_depth signal_probe; do \
		$(BIN)/python benchmarks/$$name.py --json .benchmarks/$$name.json || exit 1; done

# Every case of every statement; the page holds no times, so it changes only when a result does.
ledger: $(VENV)/.test
	$(BIN)/seprank verify --level full --format markdown --output docs/ledger.md

ledger-check: $(VENV)/.test
	$(BIN)/seprank verify --level full --format markdown --output $(VENV)/ledger.md
	diff docs/ledger.md $(VENV)/ledger.md

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, found " + sys.version if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(VENV)/bin/python $(SETUP)
	$(PIP) -e .
	touch $@

$(VENV)/.test: $(VENV)/bin/python $(SETUP)
	$(PIP) -e '.[test]'
	touch $@ $(VENV)/.core

# mypy reads the types of torch and networkx, so the linters need what the tests need.
$(VENV)/.lint: $(VENV)/.test
	$(PIP) -e '.[lint]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.*
