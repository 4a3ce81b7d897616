"""The two wheels: for this machine with compiled modules, for any where there is no C compiler;
what authors of bots get stands alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena import __version__
from arena.compiled import SUFFIX, TAG
from tests.authors_machine import authors_machine
from tests.source_tree import FOLDERS, ROOT, copy_sources

NO_COMPILER = {"CC": "/nowhere/cc"}
MY_BOT = """
from arena.bots import HOUSE
from arena.sdk import Bot, play

class MyBot(Bot):
    def choose(self, view):
        return view.actions[0]

if __name__ == "__main__":
    record = play([MyBot(), HOUSE["sharp"]()], seed=1)
    print(record["game"], len(record["result"]["ranks"]))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what a wheel is built from, in which one small module is compiled."""
    copy_sources(tmp_path)
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


def build(tree: Path, kind: str, folder: str = ".", **environment: str) -> Path:
    """A wheel or an sdist, as pip builds it."""
    made = tree / "dist"
    code = f"from setuptools import build_meta; print(build_meta.build_{kind}({str(made)!r}))"
    return made / run(tree / folder, ["-c", code], **environment)


def names(wheel: Path) -> set[str]:
    """The files in a wheel, without where installers put them."""
    with zipfile.ZipFile(wheel) as archive:
        return {name.partition("purelib/")[2] or name for name in archive.namelist()}


def test_without_a_compiler_it_is_for_any_machine(tree: Path) -> None:
    before = set(tree.iterdir())
    wheel = build(tree, "wheel", **NO_COMPILER)

    assert set(tree.iterdir()) - before == {tree / "dist"}, "it leaves nothing in the sources"
    assert wheel.name.endswith("-py3-none-any.whl")
    assert {"arena/errors.py", "arena/compiled.py", "arena/kit/main.py"} <= names(wheel)
    assert {"arena/value/nets/outcome-lama-4.npz"} <= names(wheel)
    assert not [name for name in names(wheel) if "_compiled" in name or name.startswith("deploy")]


def test_both_wheels_together_are_the_sources(tree: Path) -> None:
    authors = names(build(tree, "wheel", **NO_COMPILER))
    server = names(build(tree, "wheel", "deploy/server", **NO_COMPILER))

    folders = {name.partition("/")[0] for name in authors}
    assert {name for name in folders if not name.endswith(".dist-info")} == {"arena"}
    assert authors.isdisjoint(server)
    files = [file for folder in FOLDERS[:3] for file in (ROOT / folder).rglob("*")]
    sources = {str(file.relative_to(ROOT)) for file in files if file.is_file()}
    unpacked = {name for name in sources if "__pycache__" in name or "/_compiled/" in name}
    readme = {name for name in sources if name.endswith("README.md")}
    assert sources - unpacked - readme - authors - server == set()


def test_both_wheels_are_of_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    server = tomllib.loads((ROOT / "deploy/server/pyproject.toml").read_text())["project"]

    assert server["dependencies"] == [f"lama-arena[server]=={__version__}"]
    assert f"lama-arena-server=={__version__}" in project["optional-dependencies"]["server"]


def test_the_authors_wheel_stands_alone(tree: Path, tmp_path: Path) -> None:
    machine = authors_machine(tmp_path)
    machine.install("--no-index", str(build(tree, "wheel", **NO_COMPILER)))
    (machine.folder / "mybot.py").write_text(MY_BOT)

    assert machine.say("python", "mybot.py") == "lama 2\n"
    assert "bot connect" in machine.say("arena", "--help")
    assert machine.say("arena", "rules").startswith("lama       L.A.M.A.\n")
    assert machine.say("arena", "up").endswith(
        'with the server: pip install "lama-arena[server]"\n'
    )
    machine.say("python", "-m", "compileall", "-q", str(machine.packages))
    size = sum(file.stat().st_size for file in machine.packages.rglob("*") if file.is_file())
    assert size < 30e6


def test_with_a_compiler_it_runs_what_was_compiled(tree: Path) -> None:
    due = "import compile; print(compile.has_compiler())"
    if run(tree / "deploy", ["-c", due]) == "False":
        assert build(tree, "wheel").name.endswith("-py3-none-any.whl")
        return
    wheel = build(tree, "wheel")

    assert f"-cp{sys.version_info.major}{sys.version_info.minor}-" in wheel.name
    assert f"arena/_compiled/{TAG}/arena/errors{SUFFIX}" in names(wheel)
    installed = tree / "installed"
    into = ["-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", str(installed)]
    run(tree, [*into, str(wheel)])
    code = "import arena.errors; print(arena.errors.__file__)"
    assert run(installed, ["-c", code]).endswith(SUFFIX)
    assert run(installed, ["-c", code], ARENA_PURE="1").endswith(".py")

    # The server's has its own of everything that is compiled, also of what is the authors'.
    server = build(tree, "wheel", "deploy/server")
    assert f"workers/_compiled/{TAG}/arena/errors{SUFFIX}" in names(server)
    run(tree, [*into, str(server)])
    assert "workers/_compiled" in run(installed, ["-c", code])


def test_the_sources_can_be_built_elsewhere(tree: Path) -> None:
    with tarfile.open(build(tree, "sdist", **NO_COMPILER)) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}

    assert {
        "deploy/compile.py",
        "deploy/wheels.py",
        "deploy/server/setup.py",
        "workers/app.py",
        "arena/bootstrap.py",
        "proto/arena/v1/play.proto",
        "pyproject.toml",
        "arena/rules/lama.py",
    } <= inside
