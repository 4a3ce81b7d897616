"""The package at /sdk: the wheel of the running version.

Installations do not keep their wheel, so it is packed again from the installed files, or built from
the checkout of an editable installation. The same files always give the same bytes.
"""

import base64
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackagePath
from pathlib import Path
from threading import Lock

import arena
from arena.base import website
from arena.base.errors import Unavailable

NAME = website.WHEEL
STEM = NAME.removesuffix(".whl")
ABOUT = f"lama_arena-{arena.__version__}.dist-info"
PROJECT = website.DISTRIBUTION
REQUIRES_PYTHON = ">=3.11"
ROOT = Path(arena.__file__).parents[1]  # a checkout, or site-packages
# Folders needed to build the wheel.
FOLDERS = ("arena", "dashboard", "docs", "proto", "workers")
FILES = ("LICENSE", "README.md", "pyproject.toml")
NOT_PACKAGED = ("__pycache__", "_compiled", "*.png")
ALWAYS = (1980, 1, 1, 0, 0, 0)  # fixed timestamp for reproducible archives
ALWAYS_S = "315532800"  # the same in seconds since 1970
# Files written by the installer, not part of the wheel.
INSTALLERS = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}
BUILD = "from setuptools import build_meta; build_meta.build_wheel({!r})"

WITHIN_S = 300.0  # for the build, while other requests wait

_one_at_a_time = Lock()


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel file, and its SHA-256 in hex."""

    content: bytes
    sha256: str


def served() -> Wheel:
    """Return the wheel, made once per process. Raises Unavailable if it cannot be built."""
    with _one_at_a_time:
        return _wheel()


@cache
def _wheel() -> Wheel:
    content = built(ROOT) if (ROOT / "pyproject.toml").is_file() else packed(ROOT)
    return Wheel(content, hashlib.sha256(content).hexdigest())


def built(tree: Path) -> bytes:
    """Build the wheel of a checkout, in a copy of it. Raises Unavailable."""
    with tempfile.TemporaryDirectory(prefix="lama-arena-wheel-") as folder:
        copy, made = Path(folder, "tree"), Path(folder, "made")
        for name in FOLDERS:
            ignored = shutil.ignore_patterns(*NOT_PACKAGED)
            shutil.copytree(tree / name, copy / name, symlinks=True, ignore=ignored)
        for name in FILES:
            shutil.copy(tree / name, copy)
        try:
            done = subprocess.run(  # noqa: S603 - our own interpreter
                [sys.executable, "-c", BUILD.format(str(made))],
                cwd=copy,
                env=os.environ | {"SOURCE_DATE_EPOCH": ALWAYS_S},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=WITHIN_S,
            )
        except subprocess.TimeoutExpired:
            raise Unavailable(f"The package was not built within {WITHIN_S:g} s.") from None
        if done.returncode:
            raise Unavailable(f"The package cannot be built. {done.stderr.strip()[-500:]}")
        return (made / NAME).read_bytes()


def packed(site_packages: Path) -> bytes:
    distribution = Distribution.at(site_packages / ABOUT)
    recorded = sorted(_of_the_wheel(distribution.files or ()), key=str)
    files = {str(file): file.read_binary() for file in recorded}
    record = f"{ABOUT}/RECORD"
    lines = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items()]
    return zipped(files | {record: "\n".join([*lines, f"{record},,", ""]).encode()})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a reproducible ZIP of these files, by name."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, ALWAYS)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return made.getvalue()


def _of_the_wheel(files: Iterable[PackagePath]) -> Iterator[PackagePath]:
    """Yield the installed files without bytecode, scripts and the installer's files."""
    for file in files:
        in_package = ".." not in file.parts and "__pycache__" not in file.parts
        if in_package and file.name not in INSTALLERS and Path(str(file.locate())).is_file():
            yield file


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
