"""What becomes of the output when its reader leaves early, or its encoding lacks a character."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TypeAlias

import pytest

from arena.kit.output import encodable, table
from arena.store import Store
from arena.store.registry import audit_log
from arena.store.registry.audit_log import Actor
from arena.store.tournaments.tournaments import Tournament
from tests.integration.conftest import Run

Arena: TypeAlias = Callable[..., int]  # its status with these arguments

PRINTS_MUCH = [
    ("--help",),
    ("tournament", "new", "--help"),
    ("rules", "lama"),
    ("views", "lama", "--count", "200"),
    ("bot", "list"),
    ("ratings",),
    ("ratings", "--json"),
    ("match", "list"),
    ("match", "export"),
    ("tournament", "export", "1"),
    ("tournament", "show", "1"),
]


@pytest.fixture
def unread(run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arena]:
    """`arena` with an output that nothing reads any more."""

    def call(*arguments: str) -> int:
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w", encoding="utf-8") as stream:
            monkeypatch.setattr(sys, "stdout", stream)
            return run(*arguments).status

    yield call
    monkeypatch.undo()


@pytest.mark.parametrize("arguments", PRINTS_MUCH, ids=" ".join)
def test_a_reader_that_has_seen_enough_is_not_an_error(
    unread: Arena, finished: Tournament, arguments: tuple[str, ...]
) -> None:
    assert unread(*arguments) == 0


def test_a_broken_pipe_leaves_no_trace_at_exit() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stream:
        command = [sys.executable, "-m", "arena.kit", "views", "lama", "--count", "1"]
        ended = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, check=False)

    assert (ended.returncode, ended.stderr) == (0, b"")


# ASCII

CUP = "“José” \N{EN DASH} 1"


@pytest.fixture
def in_ascii(run: Run, finished: Tournament, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The output of `arena` where PYTHONIOENCODING is ascii."""

    def call(*arguments: str) -> str:
        stream = io.TextIOWrapper(io.BytesIO(), "ascii")
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", stream)
            assert run(*arguments).status == 0
        return stream.buffer.getvalue().decode("ascii")

    return call


def test_tables_have_ascii_lines_and_signs(in_ascii: Callable[..., str]) -> None:
    ratings = in_ascii("ratings")

    assert "+-" in ratings
    assert "---" in ratings
    heads, _, *lines = ratings.splitlines()
    assert {line.index("ada") for line in lines if "ada" in line} == {heads.index("bot")}
    assert in_ascii("tournament", "show", "1")


def test_json_has_escapes_instead(in_ascii: Callable[..., str], sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        audit_log.note(conn, Actor("olga", "dashboard"), "created", "tournament 1", CUP)

    told = [json.loads(line) for line in in_ascii("audit-log", "--json").splitlines()]

    assert [each["details"] for each in told] == [CUP]


def test_columns_are_measured_as_they_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))

    assert encodable(f"1 ± 2 é ½ {CUP} 🦙…") == "1 +- 2 e 1/2 'Jose' - 1 ?..."
    assert len({len(line) for line in table(("a", "b"), [("x", "1 ± 2"), ("y", "3")])}) == 1
