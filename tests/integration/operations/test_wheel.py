"""The wheel: everything of the product, whether it is built from a checkout or packed again."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from arena.base.errors import Unavailable
from dashboard.sdk import wheel
from tests.source_tree import ROOT

PRODUCT = ("arena", "dashboard", "workers")


@pytest.fixture(scope="module")
def built() -> bytes:
    return wheel.built(ROOT)


@pytest.fixture(scope="module")
def site_packages(built: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, installed by pip."""
    folder = tmp_path_factory.mktemp("installed")
    (folder / wheel.NAME).write_bytes(built)
    return installed(folder / wheel.NAME)


def installed(file: Path) -> Path:
    """The folder in which pip installs this wheel."""
    folder = file.with_name("site-packages")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, "--target", str(folder), str(file)], check=True, capture_output=True)
    return folder


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


def test_building_it_again_gives_the_same_bytes(built: bytes) -> None:
    assert hashlib.sha256(wheel.built(ROOT)).digest() == hashlib.sha256(built).digest()


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
    built: bytes, site_packages: Path
) -> None:
    packed, original = contents(wheel.packed(site_packages)), contents(built)

    record = f"{wheel.ABOUT}/RECORD"
    assert sorted(packed.pop(record).splitlines()) == sorted(original.pop(record).splitlines())
    assert packed == original


def test_what_is_packed_again_can_be_installed(site_packages: Path, tmp_path: Path) -> None:
    (tmp_path / wheel.NAME).write_bytes(wheel.packed(site_packages))

    assert (installed(tmp_path / wheel.NAME) / "arena/kit/main.py").is_file()
