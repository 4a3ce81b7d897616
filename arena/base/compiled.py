"""Imports compiled modules instead of their sources while the sources are unchanged.

deploy/compile.py writes the extension modules to arena/_compiled/TAG/, where TAG names the Python
version and platform, with a manifest of the source digests. If a source differs, or with
ARENA_PURE=1, all modules run as pure Python.
"""

import os
import sys
from collections.abc import Sequence, Set
from functools import cached_property
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

SUFFIX = EXTENSION_SUFFIXES[0]  # ".cpython-311-x86_64-linux-gnu.so"
TAG = SUFFIX.split(".")[1]
MANIFEST = "manifest"  # a line per file: its module, and the SHA-256 of its source or "-"
NO_SOURCE = "-"  # for the file that the compiled modules share

ROOT = Path(__file__).parents[2]


class CompiledFinder:
    """Finds the compiled modules in a directory; for `sys.meta_path`."""

    def __init__(self, directory: Path, root: Path = ROOT) -> None:
        """`root` contains the packages. Raises FileNotFoundError without a manifest."""
        self._directory, self._root = directory, root
        lines = (directory / MANIFEST).read_text().splitlines()
        self._digests = dict(line.split() for line in lines)

    @property
    def modules(self) -> Set[str]:
        """The names of all compiled modules."""
        return self._digests.keys()

    @cached_property
    def current(self) -> bool:
        """Whether all sources are unchanged since they were compiled."""
        return all(
            digest == NO_SOURCE or digest == source_digest(self._root, module)
            for module, digest in self._digests.items()
        )

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a compiled module; None for any other module."""
        if name not in self._digests or not self.current:
            return None
        file = str(self._directory / f"{name.replace('.', '/')}{SUFFIX}")
        return spec_from_file_location(name, file, loader=ExtensionFileLoader(name, file))


def source_file(root: Path, module: str) -> Path:
    """The source file of a module that is not a package."""
    return root / f"{module.replace('.', '/')}.py"


def source_digest(root: Path, module: str) -> str:
    """The SHA-256 of a module's source, in hex; "" if it is missing."""
    import hashlib  # slow, and not every command needs a compiled module

    try:
        return hashlib.sha256(source_file(root, module).read_bytes()).hexdigest()
    except OSError:
        return ""


def _installed_finder() -> CompiledFinder | None:
    """Installs and returns the finder of the modules compiled for this Python, if any."""
    if os.environ.get("ARENA_PURE", "0") not in ("", "0"):
        return None
    try:
        finder = CompiledFinder(ROOT / "arena/_compiled" / TAG)
    except FileNotFoundError:
        return None
    sys.meta_path.insert(0, finder)
    return finder


FINDER = _installed_finder()


def in_use() -> bool:
    """Whether compiled modules are used here."""
    return FINDER is not None and FINDER.current


def description() -> str:
    """A description of how the rules run in this process."""
    if FINDER is None:
        return "pure Python"
    if FINDER.current:
        return "compiled"
    return "pure Python: the sources have changed since they were compiled"
