"""Puts compiled modules into a wheel, if there is a C compiler and mypy; setuptools calls this."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import compile as compiling  # noqa: E402 - of this folder, which is no package


def compiles() -> bool:
    """Whether the wheel is for this machine, with compiled modules, or for any, without."""
    return importlib.util.find_spec("mypyc") is not None and compiling.has_compiler()


class BuildPy(build_py):
    """Adds what is compiled. An editable install is compiled by `make`, after each change."""

    def run(self) -> None:
        """Copies the sources, and compiles."""
        super().run()
        if not self.editable_mode and compiles():
            names, into = compiling.modules(HERE.parent), compiling.directory(Path(self.build_lib))
            compiling.compile_modules(names, HERE.parent, into)


class BdistWheel(bdist_wheel):
    """Names Python and machine in the name of a wheel that has compiled modules."""

    def finalize_options(self) -> None:
        """Also decides whether it is pure."""
        super().finalize_options()
        self.root_is_pure = not compiles()


class Sdist(sdist):
    """Adds these files: whoever builds a wheel of the sources needs them."""

    def make_distribution(self) -> None:
        """Makes the archive."""
        self.filelist.extend(["deploy/compile.py", "deploy/wheel.py"])
        super().make_distribution()
