"""The wheel: everything of the product, whether it is built from a checkout or packed again."""

import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from arena import __version__
from arena.base.errors import Unavailable
from dashboard.sdk import wheel
from tests.authors_machine import AuthorsMachine, authors_machine, needed_by
from tests.integration.operations.test_release import release
from tests.source_tree import ROOT, copy_sources

PRODUCT = ("arena", "dashboard", "workers")


@pytest.fixture(scope="module")
def built() -> bytes:
    return wheel.built(ROOT)


@pytest.fixture(scope="module")
def released(built: bytes, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The source distribution of a release, and its wheel."""
    folder = tmp_path_factory.mktemp("release")
    copy_sources(folder / "tree")
    made: list[Path] = release.build(folder / "tree", folder / "made", int(wheel.ALWAYS_S))
    return made


@pytest.fixture(scope="module")
def machine(released: list[Path], tmp_path_factory: pytest.TempPathFactory) -> AuthorsMachine:
    """An environment in which pip has installed the wheel, and nothing else is of ours."""
    made = authors_machine(tmp_path_factory.mktemp("machine"), needed_by("server"))
    made.install("--no-index", str(released[1]))
    return made


def contents(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_it_has_every_file_of_the_product(built: bytes) -> None:
    listed = ["git", "ls-files", *PRODUCT]
    tracked = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    sources = {name for name in tracked.stdout.splitlines() if (ROOT / name).is_file()}

    names = set(contents(built))
    assert {name for name in sources - names if not name.endswith("README.md")} == set()
    assert {name.partition("/")[0] for name in names} == {*PRODUCT, wheel.ABOUT}
    assert "arena/value/nets/outcome-lama-4.npz" in names
    assert "arena/protocol/definitions/play.proto" in names


def test_a_release_has_the_same_bytes(built: bytes, released: list[Path]) -> None:
    """Though it was built from a source distribution."""
    source, made = released
    assert source.name == f"lama_arena-{__version__}.tar.gz"
    assert made.name == wheel.NAME
    assert hashlib.sha256(made.read_bytes()).digest() == hashlib.sha256(built).digest()


def test_wheel_runs_in_an_empty_environment(machine: AuthorsMachine) -> None:
    words = ("demo", "--matches", "1", "--seats", "6", "--data", "demo")
    said = machine.say("arena", *words, ARENA_DATA="")
    assert "finished" in said
    assert "rank" in said


def test_a_build_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in wheel.FOLDERS:
        (tmp_path / name).mkdir()
    for name in wheel.FILES:
        (tmp_path / name).touch()
    monkeypatch.setattr(wheel, "BUILD", "import time; time.sleep(60)")
    monkeypatch.setattr(wheel, "WITHIN_S", 0.1, raising=False)

    with pytest.raises(Unavailable, match="was not built within 0.1 s"):
        wheel.built(tmp_path)


def test_an_installation_is_packed_as_the_wheel_that_it_came_from(
    built: bytes, machine: AuthorsMachine
) -> None:
    packed, original = contents(wheel.packed(machine.packages)), contents(built)

    record = f"{wheel.ABOUT}/RECORD"
    assert sorted(packed.pop(record).splitlines()) == sorted(original.pop(record).splitlines())
    assert packed == original


def test_repacked_archive_can_be_installed(machine: AuthorsMachine, tmp_path: Path) -> None:
    (tmp_path / wheel.NAME).write_bytes(wheel.packed(machine.packages))

    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile"]
    command = [*pip, "--target", str(tmp_path / "installed"), str(tmp_path / wheel.NAME)]
    subprocess.run(command, check=True, capture_output=True)

    assert (tmp_path / "installed/arena/kit/main.py").is_file()
