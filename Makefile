# Run `make help` for a list of targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# If this is set, each process of an arena would compile its modules again.
unexport PYTHONDONTWRITEBYTECODE

# Test files run in parallel. tests/conftest.py sets the number of processes.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help setup demo compile test test-all unit pure coverage load bench-check chaos hosts-test systemd-test deploy-test lab-test bench train browser check hooks docs proto lock wheels release clean

help:  ## List these targets.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F"|" '{ printf "%-12s %s\n", $$1, $$2 }'

setup: $(VENV)/installed compile  ## Install an arena into .venv and compile the rules.

demo: $(VENV)/installed compile  ## Run a demo tournament of six bots. Options: ARGS="--game dice".
	@$(BIN)/arena demo $(ARGS)

compile: $(VENV)/installed  ## Compile the rules for speed, if there is a C compiler.
	@! $(BIN)/python deploy/compile.py --due || { \
		echo "Compiling the rules (once)"; \
		$(MAKE) --no-print-directory $(VENV)/installed-compiler; \
		$(BIN)/python deploy/compile.py || true; }

# The tests in pure Python run only after a change of a compiled module.
TRIED := $(VENV)/tried-in-pure-python
test: $(VENV)/installed-compiler  ## Run the checks and all tests (10 to 25 minutes on two cores).
	@echo "Checks and all tests, on SQLite, PostgreSQL, Redis and in the browser: 10 to 25 minutes on two cores"
	@.ci/beside "compiling" "$(MAKE) --no-print-directory compile" "$(MAKE) --no-print-directory browser"
	@if [ -n "$(ARGS)" ] || cmp -s $(TRIED) arena/_compiled/*/manifest; then pure=; else pure=pure; fi; \
	.ci/beside "the static checks$${pure:+ and tests in pure Python}" \
		"$(MAKE) --no-print-directory check $$pure" "$(PYTEST) $(ARGS)" && \
	if [ "$$pure" ]; then cp arena/_compiled/*/manifest $(TRIED) 2>/dev/null || true; fi

test-all:  ## Run `make test` on every installed Python version.
	@.ci/test-all "$(MAKE)"

unit: $(VENV)/installed-dev  ## Run the fast tests without Redis, database or browser (a minute).
	$(PYTEST) -m "not long" tests/unit tests/golden tests/property $(ARGS)

# With a C compiler, all other tests run on compiled modules (listed in deploy/compile.py). These show with a few
# examples that the modules do the same uncompiled. They use one process, because `make test` runs other tests, too.
PURE := tests/golden $(foreach name,clones elo invariants sampling secrets,tests/property/test_$(name).py) \
	$(foreach name,games/*_rules games/kadabra_courses games/match games/packed games/record games/replayed_views games/sampling \
	sdk/help sdk/sdk_decisions tournaments/elo tournaments/own_deals tournaments/swing workers/*schedule*, \
	$(wildcard tests/unit/$(dir $(name))test_$(notdir $(name)).py))
pure: $(VENV)/installed-dev  ## Run the tests of compiled modules in pure Python (a minute).
	@echo "Rules, matches and schedules in pure Python"
	ARENA_PURE=1 $(PYTEST) -n 0 --hypothesis-profile=pure $(PURE) tests/lab/tests/test_one_worker.py tests/integration/games/test_fifth_game.py $(ARGS)

# Without tests that are slow and add little: the browser, the commands of the documentation, and simulations.
coverage: $(VENV)/installed-dev  ## Measure line and branch coverage (half an hour).
	ARENA_PURE=1 $(PYTEST) tests/unit tests/golden tests/property tests/integration \
		--cov --cov-report=term:skip-covered --cov-report=html $(ARGS)

load: $(VENV)/installed-dev compile  ## Attack a local arena and measure the impact (12 minutes).
	$(BIN)/python -m tests.load.attacks $(ARGS)
	@$(if $(ARGS),,$(BIN)/python -m tests.load.upload_flood && $(BIN)/python -m tests.load.hosted_attackers)

bench-check: $(VENV)/installed-dev compile  ## Compare instruction counts with the last commit or AGAINST. Needs valgrind or perf.
	@$(BIN)/python -m tests.load.bench_check $(AGAINST)

chaos: $(VENV)/installed-dev  ## Kill, freeze and cut off parts of an arena (5 minutes). Options: ARGS="--long".
	$(BIN)/python -m tests.chaos $(ARGS)

hosts-test: $(VENV)/installed-dev  ## Play across six simulated machines and disturb their network, as root (6 minutes).
	$(BIN)/python -m tests.hosts

systemd-test:  ## Test the systemd units in a Debian container (10 minutes). Needs podman and root.
	deploy/test/systemd.sh

# A separate environment for podman-compose.
COMPOSE_VENV := build/deploy-test
deploy-test: $(VENV)/installed  ## Test deploy/compose.yaml with a tournament and a rolling update. Options: ARGS="--engine docker".
	@[ -x $(COMPOSE_VENV)/bin/podman-compose ] || { $(PYTHON) -m venv $(COMPOSE_VENV) && \
		$(COMPOSE_VENV)/bin/python -m pip --disable-pip-version-check --quiet install -r deploy/test/requirements.txt; }
	@PATH=$(CURDIR)/$(COMPOSE_VENV)/bin:$$PATH $(BIN)/python deploy/test/run.py $(ARGS)

lab-test: $(VENV)/installed-dev compile  ## Test measurements, simulations and training (5 minutes).
	$(PYTEST) -m lab tests/lab $(ARGS)

bench: $(VENV)/installed-dev compile  ## Run benchmarks. Options: ARGS="pipeline".
	$(BIN)/python -m tests.lab bench $(ARGS)

train: $(VENV)/installed-dev compile  ## Train models. Options: ARGS="again --to nets".
	$(BIN)/python -m tests.lab train $(ARGS)

browser: $(VENV)/installed-dev  ## Find or download Chromium for the tests.
	@$(BIN)/python -m tests.browser.chromium

check: $(VENV)/installed-dev  ## Run the static checks: style, types, imports and prose.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.prose

hooks: $(VENV)/installed-dev  ## Install the static checks as a git hook.
	$(BIN)/pre-commit install

docs: $(VENV)/installed-dev  ## Generate the reference pages and check all links.
	$(BIN)/python docs/generators/command_reference.py
	$(BIN)/python docs/generators/proto_tables.py
	$(BIN)/python docs/generators/settings_table.py
	$(PYTEST) tests/docs/test_pages.py tests/integration/dashboard/test_docs_pages.py

proto: $(VENV)/installed-dev  ## Regenerate the gRPC stubs and the tables in docs/.
	$(BIN)/python proto/generate.py
	$(BIN)/python docs/generators/proto_tables.py

# For all supported Python versions, without registry addresses. Needs uv (pip install uv).
COMPILE := uv pip compile --universal --generate-hashes --no-header --no-annotate --python-version 3.11
lock:  ## Pin the dependencies of pyproject.toml in deploy/*.lock.
	echo pip | $(COMPILE) - -o deploy/requirements-pip.lock
	$(COMPILE) pyproject.toml --extra server -o deploy/requirements.lock
	$(COMPILE) pyproject.toml --extra server --extra learn --extra trace --group dev -c deploy/requirements.lock -o deploy/requirements-dev.lock
	$(COMPILE) pyproject.toml --extra server --group compile -c deploy/requirements-dev.lock -o deploy/requirements-compile.lock
	$(MAKE) wheels

wheels:  ## Check that all pinned packages have wheels for all platforms.
	@.ci/wheels

release: test  ## Test, then build a release in dist, without publishing it.
	$(BIN)/python deploy/release.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "lama-arena needs Python 3.11 or newer. Choose one, for example: make demo PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "$(PYTHON) cannot create virtual environments, because its module venv is missing. Install it (Debian: apt install python3-venv)." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# The pip of a new environment can be old, and takes twice as long. pip compiles on one core, compileall on all of them.
# The second --quiet hides a long warning of setuptools about folders that only contain data. With editable_mode=compat,
# the packages are found by a line in a .pth file. Without it, each start of Python imports setuptools' finder (20 ms).
$(VENV)/installed: $(VENV)/bin/python deploy/requirements-pip.lock deploy/requirements.lock pyproject.toml
	@echo "Installing the pinned dependencies into $(VENV) (once)"
	@$(PIP) install --no-deps --require-hashes -r deploy/requirements-pip.lock
	@$(PIP) install --no-compile --no-deps --require-hashes -r deploy/requirements.lock
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@$(PIP) install --quiet --no-deps --no-build-isolation --config-settings editable_mode=compat --editable .
	@touch $@

# `make test` installs these before the test tools, which include them: two pips must not install the same package.
$(VENV)/installed-compiler: $(VENV)/installed deploy/requirements-compile.lock
	@$(PIP) install --no-compile --no-deps --require-hashes -r deploy/requirements-compile.lock
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed deploy/requirements-dev.lock
	@echo "Installing the pinned test tools into $(VENV) (once)"
	@$(PIP) install --no-compile --no-deps --require-hashes -r deploy/requirements-dev.lock
	@touch $@

clean:  ## Remove virtual environments, builds and the data of `make demo`.
	rm -rf .venv .venv-3.* .arena build dist arena/_compiled *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
