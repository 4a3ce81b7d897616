# Two targets do everything: `make demo` and `make test`. See README.md.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check unit lock proto clean

demo: $(VENV)/installed
	@$(BIN)/arena demo $(ARGS)

# Side by side, a file at a time; tests/conftest.py says in how many processes.
test: check
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder $(ARGS)

unit: $(VENV)/installed-dev
	$(BIN)/python -m pytest tests/unit tests/golden tests/property $(ARGS)

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

proto: $(VENV)/installed-dev
	$(BIN)/python proto/generate.py

# The lock files are made for every supported Python at once, without any registry address.
lock:
	uv pip compile --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		pyproject.toml -o deploy/requirements.lock
	uv pip compile --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--extra dev -c deploy/requirements.lock pyproject.toml -o deploy/requirements-dev.lock

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "lama-arena needs Python 3.11 or newer; name one with: make demo PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

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
	rm -rf $(VENV) .arena build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
