"""Wheels: for this machine with compiled modules, for any machine where there is no C compiler."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.compiled import SUFFIX, TAG

ROOT = Path(__file__).parents[2]
FOLDERS = ("arena", "workers", "dashboard", "deploy")
NO_COMPILER = {"CC": "/nowhere/cc"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what a wheel is built from, in which one small module is compiled."""
    ignored = shutil.ignore_patterns("_compiled", "__pycache__")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, tmp_path)
    script = tmp_path / "deploy/compile.py"
    listed = re.compile(r'^COMPILED = \(\n(    ".*",\n)+\)$', re.MULTILINE)
    text, found = listed.subn('COMPILED = ("arena/errors.py",)', script.read_text())
    assert found == 1
    script.write_text(text)
    return tmp_path


def run(tree: Path, words: Sequence[str], **environment: str) -> str:
    """What a program of Python prints in that folder, its last line."""
    command = [sys.executable, *words]
    done = subprocess.run(
        command,
        cwd=tree,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()[-1] if done.stdout else ""


def build(tree: Path, kind: str, **environment: str) -> Path:
    """A wheel or an sdist, as pip builds it."""
    code = f"from setuptools import build_meta; print(build_meta.build_{kind}('dist'))"
    return tree / "dist" / run(tree, ["-c", code], **environment)


def names(wheel: Path) -> set[str]:
    """The files in a wheel, without where installers put them."""
    with zipfile.ZipFile(wheel) as archive:
        return {name.partition("purelib/")[2] or name for name in archive.namelist()}


def test_without_a_compiler_it_is_for_any_machine(tree: Path) -> None:
    wheel = build(tree, "wheel", **NO_COMPILER)

    assert wheel.name.endswith("-py3-none-any.whl")
    assert {"arena/errors.py", "arena/compiled.py", "workers/app.py"} <= names(wheel)
    assert not [name for name in names(wheel) if "_compiled" in name or name.startswith("deploy")]


def test_with_a_compiler_it_runs_what_was_compiled(tree: Path) -> None:
    due = "import compile; print(compile.has_compiler())"
    if run(tree / "deploy", ["-c", due]) == "False":
        assert build(tree, "wheel").name.endswith("-py3-none-any.whl")
        return
    wheel = build(tree, "wheel")

    assert f"-cp{sys.version_info.major}{sys.version_info.minor}-" in wheel.name
    assert f"arena/_compiled/{TAG}/arena/errors{SUFFIX}" in names(wheel)
    installed = tree / "installed"
    run(tree, ["-m", "pip", "install", "-q", "--no-deps", "--target", str(installed), str(wheel)])
    code = "import arena.errors; print(arena.errors.__file__)"
    assert run(installed, ["-c", code]).endswith(SUFFIX)
    assert run(installed, ["-c", code], ARENA_PURE="1").endswith(".py")


def test_the_sources_can_be_built_elsewhere(tree: Path) -> None:
    with tarfile.open(build(tree, "sdist", **NO_COMPILER)) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}

    assert {
        "deploy/compile.py",
        "deploy/wheel.py",
        "pyproject.toml",
        "arena/rules/lama.py",
    } <= inside
