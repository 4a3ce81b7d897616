"""Builds the two wheels of these sources; setuptools calls this.

`arena.distribution` says what is in which. Both contain compiled modules, if there is a C compiler
and mypy. deploy/server describes the second.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path

from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import compile as compiling  # noqa: E402 - of this folder, which is no package

from arena.distribution import is_authors  # noqa: E402 - of this tree, which `compile` has put first

BUILT = {"__pycache__", "_compiled"}  # folders that are no sources

# Gone when the process ends: building leaves nothing in the sources.
SCRATCH = tempfile.TemporaryDirectory(prefix="lama-arena-build-")


def compiles() -> bool:
    """Whether the wheel is for this machine, with compiled modules, or for any, without."""
    return importlib.util.find_spec("mypyc") is not None and compiling.has_compiler()


class BuildPy(build_py):
    """The authors' wheel. An editable install has everything, and is compiled by `make`."""

    home = "arena"  # the package that gets what is compiled

    def belongs(self, module: str) -> bool:
        """Whether a module or package is in this wheel."""
        return is_authors(module)

    def compiled_modules(self) -> list[str]:
        """The modules that are compiled for this wheel."""
        return [name for name in compiling.modules(ROOT) if self.belongs(name)]

    def run(self) -> None:
        """Copies the sources, and compiles."""
        if self.editable_mode:
            super().run()
            return
        self.packages = [name for name in self.packages if self._has_any_of(name)]
        super().run()
        self.copy_contract()
        if compiles():
            into = compiling.directory(Path(self.build_lib), self.home)
            compiling.compile_modules(self.compiled_modules(), ROOT, into)

    def copy_contract(self) -> None:
        """Copies the proto files to where `arena.protocol.contract` finds them."""
        into = Path(self.build_lib, "arena/protocol/v1")
        for file in sorted((ROOT / "proto/arena/v1").glob("*.proto")):
            shutil.copy(file, into)

    def _has_any_of(self, package: str) -> bool:
        return package == "arena" or self.belongs(package)

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """The modules of a package that are in this wheel: (package, module, file)."""
        found = super().find_package_modules(package, package_dir)
        if self.editable_mode or package != "arena":
            return found
        return [each for each in found if self.belongs(f"arena.{each[1]}")]

    def find_data_files(self, package: str, src_dir: str) -> list[str]:
        """The other files of a package; those of `arena` itself are the authors'."""
        if package == "arena" and not self.belongs("arena"):
            return []
        return list(super().find_data_files(package, src_dir))


class BuildServer(BuildPy):
    """The server's wheel. Compiled modules know each other's insides, so it has all of them."""

    home = "workers"

    def belongs(self, module: str) -> bool:
        """Whether a module or package is in this wheel."""
        return not is_authors(module)

    def compiled_modules(self) -> list[str]:
        """All that are compiled."""
        return compiling.modules(ROOT)

    def copy_contract(self) -> None:
        """The authors' wheel has it."""


class BdistWheel(bdist_wheel):
    """Names Python and machine in the name of a wheel that has compiled modules."""

    def finalize_options(self) -> None:
        """Also decides whether it is pure."""
        super().finalize_options()
        self.root_is_pure = not compiles()


class Sdist(sdist):
    """Adds what is needed to build both wheels of the sources."""

    def make_distribution(self) -> None:
        """Makes the archive."""
        files = [HERE / "compile.py", HERE / "wheels.py", *(HERE / "server").glob("*.*")]
        for folder in ("arena", "proto", "workers", "dashboard"):
            files += [file for file in (ROOT / folder).rglob("*") if file.is_file()]
        kept = [file for file in files if BUILT.isdisjoint(file.parts)]
        self.filelist.extend([str(file.relative_to(ROOT)) for file in kept])
        self.filelist.remove_duplicates()
        super().make_distribution()


class Build(build):
    """Builds elsewhere than in the sources."""

    def initialize_options(self) -> None:
        """Chooses the folder."""
        super().initialize_options()
        self.build_base = str(Path(SCRATCH.name, "build"))


class EggInfo(egg_info):
    """Notes what the package has elsewhere than in the sources."""

    def initialize_options(self) -> None:
        """Chooses the folder."""
        super().initialize_options()
        self.egg_base = SCRATCH.name
