# make app    creates .venv on its first call, installs, serves the app
# make test   the same, and the tests' own needs (Chromium included); then runs every test
# make lint   ruff and mypy        make bench  the benchmarks, as ratios against a peer in the same run
# make bench-scale  embedding, search, training, metrics, map and users up to a million images, three hours; writes the tables of docs/scale.md
# make notebooks  runs the notebooks in full and writes their outputs into them
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: app test lint bench bench-scale notebooks clean

app: .venv/.app
	$(BIN)/likeness app

test: .venv/.test
	@sh tests/chromium.sh
	$(BIN)/pytest -n 2

lint: .venv/.test
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: .venv/.test
	for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

bench-scale: .venv/.test
	@sh tests/chromium.sh
	for file in $(filter-out %/vectors.py %/map_pages.py %/million_server.py,$(wildcard benchmarks/scale/*.py)); do echo "== $$file"; $(BIN)/python $$file || exit 1; done
	$(BIN)/python benchmarks/scale_report.py

notebooks: .venv/.test
	@sh tests/chromium.sh
	$(BIN)/python notebooks/execute.py

clean:
	rm -rf .venv dist

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Likeness needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.app: pyproject.toml constraints.txt | .venv/bin/python
	@echo "Installing (once, about 3 GB to download)"
	$(INSTALL) --editable '.[language]'
	@touch $@

.venv/.test: .venv/.app
	$(INSTALL) --editable '.[test]'
	@touch $@
