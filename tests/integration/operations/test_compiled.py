"""Compiled modules run in place of their sources, but never of sources that have changed."""

import os
import subprocess
import sys
from importlib.machinery import ExtensionFileLoader
from pathlib import Path

import pytest

from arena.base import compiled
from arena.base.compiled import MANIFEST, SUFFIX, TAG, CompiledFinder, source_digest

ROOT = Path(__file__).parents[3]
SOURCE = "def double(number: int) -> int:\n    return 2 * number\n"
NO_COMPILER = {"CC": "/nowhere/cc"}


def compile_(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs deploy/compile.py."""
    return subprocess.run(
        [sys.executable, str(ROOT / "deploy/compile.py"), *words],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a package of one module."""
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums/__init__.py").touch()
    (tmp_path / "sums/doubled.py").write_text(SOURCE)
    return tmp_path


def imported(root: Path) -> str:
    """Imports the module where its compiled one is looked for: its file, and the double of 21."""
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from arena.base.compiled import TAG, CompiledFinder\n"
        "root = Path(sys.argv[1])\n"
        "sys.path.insert(0, str(root))\n"
        "sys.meta_path.insert(0, CompiledFinder(root / 'arena/_compiled' / TAG, root))\n"
        "from sums import doubled\n"
        "print(Path(doubled.__file__).name, doubled.double(21))\n"
    )
    command = [sys.executable, "-c", code, str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def as_if_compiled(root: Path) -> Path:
    """A directory as the compiler leaves it."""
    directory = root / "arena/_compiled" / TAG
    (directory / "sums").mkdir(parents=True)
    (directory / f"sums/doubled{SUFFIX}").touch()
    digest = source_digest(root, "sums.doubled")
    (directory / MANIFEST).write_text(f"shared__mypyc -\nsums.doubled {digest}\n")
    return directory


def test_a_compiled_module_is_found_before_its_source(root: Path, as_if_compiled: Path) -> None:
    spec = CompiledFinder(as_if_compiled, root).find_spec("sums.doubled")
    assert spec is not None
    assert isinstance(spec.loader, ExtensionFileLoader)
    assert spec.origin == str(as_if_compiled / f"sums/doubled{SUFFIX}")


def test_other_modules_are_left_to_others(root: Path, as_if_compiled: Path) -> None:
    finder = CompiledFinder(as_if_compiled, root)
    assert [finder.find_spec(name) for name in ("sums", "sums.halved", "json")] == [None] * 3


@pytest.mark.parametrize(
    "changed", ["", SOURCE.replace("2", "3"), None], ids=["empty", "edited", "gone"]
)
def test_a_changed_source_is_not_shadowed(
    root: Path, as_if_compiled: Path, changed: str | None
) -> None:
    source = root / "sums/doubled.py"
    source.unlink() if changed is None else source.write_text(changed)
    finder = CompiledFinder(as_if_compiled, root)
    assert not finder.current
    assert finder.find_spec("sums.doubled") is None
    assert finder.find_spec("shared__mypyc") is None


def test_it_is_compiled_once_for_each_change(root: Path) -> None:
    if compile_("--due", "--root", str(root), "sums.doubled").returncode:
        # No compiler here: then nothing is compiled, and that is no failure.
        assert compile_("--root", str(root), "sums.doubled").returncode == 0
        assert not (root / "arena").exists()
        return
    done = compile_("--root", str(root), "sums.doubled")
    assert (done.returncode, done.stdout) == (0, "")
    assert imported(root) == f"doubled{SUFFIX} 42"
    assert compile_("--due", "--root", str(root), "sums.doubled").returncode == 1

    (root / "sums/doubled.py").write_text(SOURCE.replace("2", "'two'"))
    assert compile_("--due", "--root", str(root), "sums.doubled").returncode == 0
    done = compile_("--root", str(root), "sums.doubled")
    assert done.returncode == 1
    assert "sums/doubled.py:2: error: Incompatible return value type" in done.stdout
    assert imported(root) == "doubled.py " + 21 * "two"


def test_without_a_compiler_nothing_is_due_and_what_to_install_is_printed(root: Path) -> None:
    due = compile_("--due", "--root", str(root), "sums.doubled", **NO_COMPILER)
    assert due.returncode == 1
    assert due.stdout.count("\n") == 1
    assert "rules run uncompiled" in due.stdout
    assert "apt install gcc python3-dev" in due.stdout
    done = compile_("--root", str(root), "sums.doubled", **NO_COMPILER)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("pure", "said"),
    [("1", "pure Python"), ("0", compiled.description()), ("", compiled.description())],
)
def test_arena_pure_decides_what_runs(pure: str, said: str) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "arena.cli", "--version"],
        env=os.environ | {"ARENA_PURE": pure},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.endswith(f", {said}\n")


def test_tests_run_on_compiled_modules_if_there_is_a_compiler() -> None:
    """`make test` compiles before. Otherwise nobody would test what is compiled."""
    assert compile_("--due").returncode == 1, "run: make compile"
