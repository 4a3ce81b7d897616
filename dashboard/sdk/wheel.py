"""The authors' wheel, made from what runs here: so it always fits this arena."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePosixPath

import arena
from arena.distribution import is_authors
from arena.protocol.contract import NAMES, contract

PROJECT = "lama-arena"
SUFFIXES = (".py", ".md", ".typed")
TEMPLATES = "arena/kit/new/templates/*/*"
ALWAYS = (1980, 1, 1, 0, 0, 0)  # the same contents are the same bytes
RECORDED = ("METADATA", "entry_points.txt", "licenses/LICENSE")
WHEEL = "Wheel-Version: 1.0\nGenerator: lama-arena\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel: its file's name, the file, its SHA-256 in hex."""

    name: str
    content: bytes
    sha256: str

    @property
    def stem(self) -> str:
        """The name without .whl, as addresses are made of it."""
        return self.name.removesuffix(".whl")


@cache
def authors_wheel() -> Wheel:
    """The wheel of the version that runs here, in pure Python."""
    known = distribution(PROJECT)
    stem = f"lama_arena-{arena.__version__}"
    files = dict(_modules()) | _about(known, f"{stem}.dist-info")
    content = zipped(files | {f"{stem}.dist-info/RECORD": _record(files, stem)})
    return Wheel(f"{stem}-py3-none-any.whl", content, hashlib.sha256(content).hexdigest())


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of these files, by name: the same bytes whenever it is made."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, ALWAYS)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return made.getvalue()


def _modules() -> Iterator[tuple[str, bytes]]:
    package = Path(arena.__file__).parent
    for file in sorted(package.rglob("*")):
        name = f"arena/{file.relative_to(package).as_posix()}"
        module = name.removesuffix(".py").replace("/", ".")
        if file.is_file() and is_authors(module) and _is_source(file, name):
            yield name, file.read_bytes()
    yield "arena/py.typed", b""
    for name in NAMES:
        yield f"arena/protocol/v1/{name}", contract(name).encode()


def _is_source(file: Path, name: str) -> bool:
    if {"__pycache__", "_compiled"} & set(file.parts):
        return False
    # The files of first bots, but not what somebody built among them.
    return file.suffix in SUFFIXES or PurePosixPath(name).match(TEMPLATES)


def _about(known: Distribution, folder: str) -> dict[str, bytes]:
    texts = {name: known.read_text(name) for name in RECORDED} | {"WHEEL": WHEEL}
    return {f"{folder}/{name}": text.encode() for name, text in texts.items() if text}


def _record(files: Mapping[str, bytes], stem: str) -> bytes:
    """RECORD: the digest of every file (packaging.python.org, "Recording installed projects")."""
    lines = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items()]
    return "\n".join([*lines, f"{stem}.dist-info/RECORD,,", ""]).encode()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
