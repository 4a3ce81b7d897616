"""NumPy computes in one thread where the arena imports it, and in a bot's program as it likes."""

import os
import subprocess
import sys

import pytest

TOLD = "import os; print(os.environ.get('OPENBLAS_NUM_THREADS'), 'numpy' in sys.modules)"


def said(module: str, **extra: str) -> str:
    environ = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    code = f"import sys, {module}; {TOLD}"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**environ, **extra}
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


@pytest.mark.parametrize(
    "module",
    [
        "arena.tournaments.ratings.bradley_terry",
        "arena.tournaments.formats.uncertainty",
        "arena.store.projections",
        "tests.lab.simulations.world",
    ],
)
def test_numpy_is_told_before_it_is_imported(module: str) -> None:
    assert said(module) == "1 True"
    assert said(module, OPENBLAS_NUM_THREADS="3") == "3 True"


def test_numpy_is_not_imported_to_open_a_database() -> None:
    assert said("arena.store") == "1 False"


@pytest.mark.parametrize("module", ["arena.sdk", "arena.bots", "arena.cli.bot"])
def test_a_bot_is_left_alone(module: str) -> None:
    assert said(module) == "None False"
