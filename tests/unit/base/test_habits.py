"""What a contributor types is there, and says the same wherever it is written."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MAKEFILE = (ROOT / "Makefile").read_text()
SETS = ("", "-dev", "-compile")
LOCKS = sorted((ROOT / "deploy").glob("*.lock"))
PHONY = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)[0].split()


def recipe(target: str) -> list[str]:
    """The commands of a target."""
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert found
    return [line.strip("\t@") for line in found[1].splitlines()]


@pytest.mark.parametrize("words", [["make", "help"], ["make"]])
def test_make_lists_every_target_with_a_sentence(words: list[str]) -> None:
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    told = dict(re.findall(r"^  ([a-z-]+) +(\S.+)$", listed, re.MULTILINE))
    assert list(told) == PHONY
    assert all(sentence.endswith(".") for sentence in told.values())


def test_git_runs_what_make_check_runs() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()

    assert re.findall(r"repo: (.+)", hooks) == ["local"]  # nothing is fetched
    entries = re.findall(r"entry: (.+)", hooks)
    *checks, bench = entries
    assert checks == [line.replace("$(BIN)", ".venv/bin") for line in recipe("check")]
    assert "-m tests.load.bench_check" in bench
    assert bench.endswith("|| true'")  # it says what has become slower, and refuses nothing
    assert re.findall(r"language: (.+)", hooks) == ["system"] * len(entries)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_everything_locked_has_a_hash_and_no_address(lock: Path) -> None:
    text = lock.read_text()

    pinned = re.split(r"\n(?=\S)", text.strip())
    assert all(re.match(r"[a-z0-9.-]+(\[[a-z,]+\])?==", package) for package in pinned)
    assert all("--hash=sha256:" in package for package in pinned)
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_lock_is_made_and_looked_through(lock: Path) -> None:
    assert any(lock.name in line for line in recipe("lock"))
    assert lock.name in (ROOT / ".ci" / "wheels").read_text()


def test_the_locks_agree() -> None:
    base, dev, compiling = (pinned(ROOT / "deploy" / f"requirements{name}.lock") for name in SETS)

    assert base <= dev
    assert base <= compiling
    both = {package for package, _ in dev} & {package for package, _ in compiling}
    assert {e for e in dev if e[0] in both} == {e for e in compiling if e[0] in both}


def pinned(lock: Path) -> set[tuple[str, str]]:
    """Packages and versions, for whatever machine."""
    return set(re.findall(r"^([a-z0-9.-]+)(?:\[.+\])?==(\S+)", lock.read_text(), re.MULTILINE))


def beside(checks: str, tests: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / ".ci" / "beside"), "the checks", checks, tests]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("checks", "tests", "status", "said"),
    [
        ("true", "true", 0, "Done: the checks"),
        ("true", "false", 1, "Done: the checks"),
        ("sh -c 'echo E501; false'", "true", 1, "E501\nFailed: the checks"),
    ],
)
def test_checks_run_beside_the_tests(checks: str, tests: str, status: int, said: str) -> None:
    done = beside(checks, tests)

    assert done.returncode == status
    assert said in done.stdout


def test_tests_are_stopped_when_the_checks_fail() -> None:
    began = time.monotonic()

    assert beside("false", "sleep 300").returncode == 1
    assert time.monotonic() - began < 30


def test_a_python_without_venv_is_reported_in_one_line(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\ncase "$2" in *venv*) echo No module >&2; exit 1;; esac\n')
    python.chmod(0o755)
    target = tmp_path / "venv/bin/python"

    done = subprocess.run(
        ["make", f"VENV={tmp_path / 'venv'}", f"PYTHON={python}", str(target)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        capture_output=True,
        text=True,
    )

    said, made = done.stderr.splitlines()
    assert said.startswith(f"{python} cannot create virtual environments")
    assert "apt install python3-venv" in said
    assert made.startswith("make: ***")
    assert not target.exists()
