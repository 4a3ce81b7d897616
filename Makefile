# Two targets do everything: `make demo` and `make test`. See README.md.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Test files side by side; tests/conftest.py says in how many processes.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

.PHONY: demo test test-all unit browser check lock wheels proto clean

demo: $(VENV)/installed
	@$(BIN)/arena demo $(ARGS)

# The browser first: who lacks one learns it at once.
test: browser check
	@echo "All tests, on SQLite, PostgreSQL, Redis and in the browser: some ten minutes on two cores"
	$(PYTEST) $(ARGS)

# The whole suite on every supported Python that this machine has.
test-all:
	@.ci/test-all "$(MAKE)"

# What needs neither Redis nor a database nor a browser.
unit: $(VENV)/installed-dev
	$(PYTEST) tests/unit tests/golden tests/property $(ARGS)

browser: $(VENV)/installed-dev
	@$(BIN)/python -m tests.browser.chromium

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

proto: $(VENV)/installed-dev
	$(BIN)/python proto/generate.py

# The lock files are made for every supported Python at once, without any registry address.
# Needs uv (pip install uv).
COMPILE := uv pip compile --universal --generate-hashes --no-header --no-annotate --python-version 3.11
lock:
	$(COMPILE) pyproject.toml -o deploy/requirements.lock
	$(COMPILE) --extra dev -c deploy/requirements.lock pyproject.toml -o deploy/requirements-dev.lock
	$(MAKE) wheels

# Whether everything in the lock files has a wheel for every supported Python and machine.
wheels:
	@.ci/wheels

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "lama-arena needs Python 3.11 or newer; name one with: make demo PYTHON=python3.12" >&2; exit 1; }
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

clean:
	rm -rf .venv .venv-3.* .arena build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
