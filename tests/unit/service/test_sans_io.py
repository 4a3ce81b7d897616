"""Code that is given the time and chance reads neither, and does no IO."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SANS_IO = (
    "workers/schedule/*.py",
    "arena/service/gateway/sessions/*.py",
    "arena/service/gateway/throttle.py",
)
FILES = [file for pattern in SANS_IO for file in sorted(ROOT.glob(pattern))]
SIMULATED = sorted((ROOT / "tests/lab/faults").glob("*.py"))

# Modules that read a clock, draw chance, wait, or talk to anybody.
IMPURE = {
    "asyncio", "datetime", "grpc", "os", "random", "redis", "secrets", "selectors", "signal",
    "socket", "sqlalchemy", "subprocess", "threading", "time", "uuid",
}  # fmt: skip


def imported(source: str) -> Iterator[str]:
    """The top-level packages that are imported anywhere in a file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def coroutines(source: str) -> list[str]:
    return [
        node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.AsyncFunctionDef)
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_sans_io_modules_read_no_clock_and_wait_for_nothing(file: Path) -> None:
    source = file.read_text()
    assert not IMPURE.intersection(imported(source))
    assert not coroutines(source)


@pytest.mark.parametrize("file", SIMULATED, ids=lambda file: file.name)
def test_simulations_draw_from_their_seed_only(file: Path) -> None:
    source = file.read_text()
    assert not (IMPURE - {"random"}).intersection(imported(source))
    assert "random." not in source.replace("_rng.random()", "")
    assert not coroutines(source)


def test_a_clock_would_be_noticed_wherever_it_is_imported() -> None:
    assert "time" in imported("def f():\n    from time import monotonic\n")
    assert "os" in imported("import os.path\n")
    assert coroutines("async def f(): pass") == ["f"]
    assert len(FILES) > 5
    assert len(SIMULATED) > 5
