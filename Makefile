# `make help` says what there is.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# An arena is many processes: where this is set, each of them would compile all its modules anew.
unexport PYTHONDONTWRITEBYTECODE

# Test files side by side; tests/conftest.py says in how many processes.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help setup demo compile test test-all unit pure coverage load bench-check chaos hosts-test systemd-test deploy-test lab-test bench train browser check hooks docs proto lock wheels release clean

help:  ## List these targets.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F"|" '{ printf "%-12s %s\n", $$1, $$2 }'

setup: $(VENV)/installed compile  ## Install everything that an arena needs into .venv, and compile the rules; start nothing.

demo: $(VENV)/installed compile  ## Run an arena with six bots and a tournament, and stay up. Options: ARGS="--game dice".
	@$(BIN)/arena demo $(ARGS)

compile: $(VENV)/installed  ## Compile the rules, if there is a C compiler: matches are played at a multiple of the speed.
	@! $(BIN)/python deploy/compile.py --due || { \
		echo "Compiling the rules (once)"; \
		$(PIP) install --no-deps --require-hashes -r deploy/requirements-compile.lock; \
		$(BIN)/python deploy/compile.py || true; }

# The browser first: who lacks one learns it at once. While the rules are compiled there is a core for those tests
# that are to run in pure Python anyway; they run again when something that is compiled has changed.
TRIED := $(VENV)/tried-in-pure-python
test: browser  ## Run the checks and all tests, in about 25 minutes on two cores.
	@echo "Checks and all tests, on SQLite, PostgreSQL, Redis and in the browser: about 25 minutes on two cores"
	@if [ -n "$(ARGS)" ] || { cmp -s $(TRIED) arena/_compiled/*/manifest && ! $(BIN)/python deploy/compile.py --due; }; then \
		$(MAKE) --no-print-directory compile; \
	else \
		.ci/beside "compiling" "$(MAKE) --no-print-directory compile" "$(MAKE) --no-print-directory pure" && \
		{ cp arena/_compiled/*/manifest $(TRIED) 2>/dev/null || true; }; \
	fi
	@.ci/beside "the static checks" "$(MAKE) --no-print-directory check" "$(PYTEST) $(ARGS)"

test-all:  ## Run `make test` on every supported Python that this machine has.
	@.ci/test-all "$(MAKE)"

unit: $(VENV)/installed-dev  ## Run the tests that need no Redis, database or browser, in a minute.
	$(PYTEST) -m "not long" tests/unit tests/golden tests/property $(ARGS)

# With a C compiler all other tests run on compiled modules (deploy/compile.py lists them); these are about those.
# They are the same tests, so a few examples of each show that a module does the same uncompiled. One process runs them:
# each would collect them for itself, and `make test` has the other core compile meanwhile.
PURE := tests/golden $(foreach name,clones elo invariants sampling secrets,tests/property/test_$(name).py) \
	$(foreach name,*_rules *match* *schedule* *elo* kadabra_courses help own_deals \
	packed record replayed_views sampling sdk_decisions swing,$(wildcard tests/unit/*/test_$(name).py))
pure: $(VENV)/installed-dev  ## Run the tests of the rules, matches and schedules in pure Python, in a minute.
	@echo "Rules, matches and schedules in pure Python"
	ARENA_PURE=1 $(PYTEST) -n 0 --hypothesis-profile=pure $(PURE) tests/lab/tests/test_one_worker.py tests/integration/games/test_fifth_game.py $(ARGS)

# Without the browser, the pages' commands and the simulations, which take long and run in other processes or reach
# little that the others do not.
coverage: $(VENV)/installed-dev  ## Say which lines and branches the tests reach, in half an hour.
	ARENA_PURE=1 $(PYTEST) tests/unit tests/golden tests/property tests/integration \
		--cov --cov-report=term:skip-covered --cov-report=html $(ARGS)

load: $(VENV)/installed-dev compile  ## Attack an arena on this machine, and say what others notice, in twelve minutes.
	$(BIN)/python -m tests.load.attacks $(ARGS)
	@$(if $(ARGS),,$(BIN)/python -m tests.load.upload_flood && $(BIN)/python -m tests.load.hosted_attackers)

bench-check: $(VENV)/installed-dev compile  ## Compare the instructions of fixed workloads with the last commit's, or AGAINST's; needs valgrind or perf.
	@$(BIN)/python -m tests.load.bench_check $(AGAINST)

chaos: $(VENV)/installed-dev  ## Kill, freeze and cut off parts of a real arena, and say what that costs, in five minutes. Options: ARGS="--long".
	$(BIN)/python -m tests.chaos $(ARGS)

hosts-test: $(VENV)/installed-dev  ## Play across six hosts, as root: cut, slow and drain parts of their network, in six minutes.
	$(BIN)/python -m tests.hosts

systemd-test:  ## Install an arena in a Debian container with systemd, and play, in ten minutes. Needs podman and root.
	deploy/test/systemd.sh

# podman-compose has a place of its own: nothing else needs it.
COMPOSE_VENV := build/deploy-test
deploy-test: $(VENV)/installed  ## Bring deploy/compose.yaml up with podman, play a tournament through its proxy, exchange its images meanwhile. Options: ARGS="--engine docker".
	@[ -x $(COMPOSE_VENV)/bin/podman-compose ] || { $(PYTHON) -m venv $(COMPOSE_VENV) && \
		$(COMPOSE_VENV)/bin/python -m pip --disable-pip-version-check --quiet install -r deploy/test/requirements.txt; }
	@PATH=$(CURDIR)/$(COMPOSE_VENV)/bin:$$PATH $(BIN)/python deploy/test/run.py $(ARGS)

lab-test: $(VENV)/installed-dev compile  ## Test the laboratory, in five minutes: measurements, simulations and training, in short.
	$(PYTEST) -m lab tests/lab $(ARGS)

bench: $(VENV)/installed-dev compile  ## Measure the arena on this machine. Say what with ARGS, such as ARGS="pipeline".
	$(BIN)/python -m tests.lab bench $(ARGS)

train: $(VENV)/installed-dev compile  ## Train the nets again. Say which with ARGS, such as ARGS="again --to nets".
	$(BIN)/python -m tests.lab train $(ARGS)

browser: $(VENV)/installed-dev  ## Find Chromium for the tests, or fetch it.
	@$(BIN)/python -m tests.browser.chromium

check: $(VENV)/installed-dev  ## Run the static checks: style, types, imports, prose.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.prose

hooks: $(VENV)/installed-dev  ## Have git run the static checks before each commit.
	$(BIN)/pre-commit install

docs: $(VENV)/installed-dev  ## Generate the reference pages, and check every link of the documentation.
	$(BIN)/python docs/generators/command_reference.py
	$(BIN)/python docs/generators/proto_tables.py
	$(BIN)/python docs/generators/settings_table.py
	$(PYTEST) tests/docs/test_pages.py tests/integration/dashboard/test_docs_pages.py

proto: $(VENV)/installed-dev  ## Generate the stubs of proto/, and the tables in docs/.
	$(BIN)/python proto/generate.py
	$(BIN)/python docs/generators/proto_tables.py

# For every supported Python at once, without any registry address. Needs uv (pip install uv).
COMPILE := uv pip compile --universal --generate-hashes --no-header --no-annotate --python-version 3.11 pyproject.toml
lock:  ## Pin what pyproject.toml asks for in deploy/*.lock.
	$(COMPILE) --extra server -o deploy/requirements.lock
	$(COMPILE) --extra server --extra learn --extra trace --group dev -c deploy/requirements.lock -o deploy/requirements-dev.lock
	$(COMPILE) --extra server --group compile -c deploy/requirements-dev.lock -o deploy/requirements-compile.lock
	$(MAKE) wheels

wheels:  ## See that whatever is pinned has a wheel for every supported Python and machine.
	@.ci/wheels

release: test  ## Test, then make everything of a release but publish it, in dist.
	$(BIN)/python deploy/release.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "lama-arena needs Python 3.11 or newer; name one with: make demo PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "$(PYTHON) cannot make virtual environments: its module venv is missing. Install it (Debian: apt install python3-venv)." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/installed: $(VENV)/bin/python deploy/requirements.lock pyproject.toml
	@echo "Installing the pinned dependencies into $(VENV) (once)"
	@$(PIP) install --no-deps --require-hashes -r deploy/requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed deploy/requirements-dev.lock
	@echo "Installing the pinned test tools into $(VENV) (once)"
	@$(PIP) install --no-deps --require-hashes -r deploy/requirements-dev.lock
	@touch $@

clean:  ## Remove the virtual environments, the data of `make demo` and whatever was built.
	rm -rf .venv .venv-3.* .arena build dist arena/_compiled *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
