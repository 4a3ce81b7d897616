#!/usr/bin/env python3
"""Compiles the performance-critical modules with mypyc.

    python deploy/compile.py                         # in this checkout, for this Python
    python deploy/compile.py --root SITE_PACKAGES    # in an installation
    python deploy/compile.py --due                   # exit status 0 if there is anything to do

Without a C compiler, the modules stay pure Python, which is slower but plays the same matches.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from arena.base import compiled  # noqa: E402 - of this folder, installed or not

# Packages themselves stay pure: each has to be found as a directory.
COMPILED = (
    "arena/games/rules/*.py",
    "arena/games/match.py",
    "arena/games/packed_log.py",
    "arena/games/record.py",
    "arena/protocol/codec.py",
    "arena/protocol/decisions.py",
    "arena/tournaments/ratings/elo.py",
    "arena/tournaments/ratings/swing.py",
    "arena/store/projections/elo_tables.py",
    "workers/schedule/*.py",
)
UNCOMPILED = (
    "The rules run uncompiled, several times slower than compiled. To compile them, install a C "
    "compiler and Python's headers (Debian: apt install gcc python3-dev) and run this again."
)
BUILD = """
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from mypyc.build import mypycify
from setuptools import setup
from distutils.ccompiler import CCompiler  # of setuptools

compile_all = CCompiler.compile


def compile_in_parallel(compiler, sources, **options):
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        found = threads.map(lambda source: compile_all(compiler, [source], **options), sources)
        return [file for files in found for file in files]


CCompiler.compile = compile_in_parallel

# Packages that they import need not be installed here. Reading their types takes half a minute.
options = ["--config-file=", "--no-site-packages", "--ignore-missing-imports",
           "--follow-imports=silent"]
sources = sys.argv[1:]
# A C file for each module, to compile them in parallel; mypyc cannot do that with a single module.
extensions = mypycify([*options, *sources], opt_level="1", debug_level="0", target_dir="c",
                       multi_file=len(sources) > 1)
setup(name="compiled", packages=[], ext_modules=extensions,
      script_args=["build_ext", "--build-lib", "lib", "--build-temp", "obj"])
"""


class NotCompiled(Exception):
    """The modules cannot be compiled; says all that the compilers have said."""


def modules(root: Path) -> list[str]:
    """The modules that are compiled, by name."""
    files = {file for pattern in COMPILED for file in root.glob(pattern)}
    paths = [file.relative_to(root) for file in sorted(files) if file.name != "__init__.py"]
    return [".".join(path.with_suffix("").parts) for path in paths]


def directory(root: Path) -> Path:
    """Where arena/base/compiled.py looks for the modules compiled for this Python."""
    return root / "arena/_compiled" / compiled.TAG


def has_compiler() -> bool:
    """Whether there is a C compiler that finds the headers of this Python."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "trial.c")
        source.write_text("#include <Python.h>\nint trial(void) { return PY_MAJOR_VERSION; }\n")
        trial = (
            "import sys\n"
            "from setuptools._distutils.ccompiler import new_compiler\n"
            "from setuptools._distutils.sysconfig import customize_compiler, get_python_inc\n"
            "compiler = new_compiler()\n"
            "customize_compiler(compiler)\n"
            "compiler.compile(sys.argv[1:], include_dirs=[get_python_inc()])\n"
        )
        command = [sys.executable, "-c", trial, "trial.c"]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)  # noqa: S603
    return done.returncode == 0


def is_current(names: list[str], root: Path, into: Path) -> bool:
    """Whether what is in the directory was compiled from just these sources."""
    try:
        finder = compiled.CompiledFinder(into, root)
    except FileNotFoundError:
        return False
    return finder.current and finder.modules >= set(names)


def compile_modules(names: list[str], root: Path, into: Path) -> None:
    """Compiles modules together and puts them into a directory, which is replaced as a whole.

    Raises NotCompiled if that fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        ignored = shutil.ignore_patterns("_compiled", "__pycache__")
        for package in {name.partition(".")[0] for name in names}:
            shutil.copytree(root / package, work / package, ignore=ignored)
        sources = [f"{name.replace('.', '/')}.py" for name in names]
        command = [sys.executable, "-c", BUILD, *sources]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise NotCompiled(f"{done.stdout}\n{done.stderr}\nCompiling failed, as said above.")
        digests = {name: compiled.source_digest(work, name) for name in names}
        made = modules_in(work / "lib")
        lines = [f"{name} {digests.get(name, compiled.NO_SOURCE)}\n" for name in made]
        (work / "lib" / compiled.MANIFEST).write_text("".join(lines))
        replace(work / "lib", into)


def modules_in(directory: Path) -> list[str]:
    """The names of the extension modules in a directory."""
    files = [file.relative_to(directory) for file in sorted(directory.rglob(f"*{compiled.SUFFIX}"))]
    return [".".join(file.parts).removesuffix(compiled.SUFFIX) for file in files]


def replace(made: Path, into: Path) -> None:
    """Replaces a directory, so that no process finds a partial copy."""
    into.parent.mkdir(parents=True, exist_ok=True)
    new = into.with_name(f"{into.name}.{os.getpid()}")
    shutil.copytree(made, new)
    shutil.rmtree(into, ignore_errors=True)
    new.rename(into)


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--due", action="store_true", help="check only: exit status 0 if compilation is due"
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="folder of the packages")
    parser.add_argument("modules", nargs="*", help="modules to compile instead of the default ones")
    asked = parser.parse_args()
    root = asked.root
    names, into = asked.modules or modules(root), directory(root)
    if is_current(names, root, into):
        return 1 if asked.due else 0
    if not has_compiler():
        if asked.due:
            print(UNCOMPILED)
        return 1 if asked.due else 0
    if asked.due:
        return 0
    try:
        compile_modules(names, root, into)
    except NotCompiled as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
