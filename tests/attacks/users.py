"""Runs a module of the tests as an ordinary user, or as root."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from arena.hosting.sandbox import python

ORDINARY = 60_999  # no user has this number

ROOT = Path(__file__).parent.parent.parent


def users() -> Sequence[str]:
    """Return the users that this process can run programs as."""
    return ("ordinary",) if os.geteuid() else ("ordinary", "root")


def output_of(module: str, arguments: Sequence[str], user: str, folder: Path) -> str:
    """Return the output of a module of this project, run as one of `users`. `folder` is for a copy
    of Python, if only root can read the current one. Raises AssertionError if it fails."""
    become: dict[str, Any] = {}
    if user == "ordinary" and not os.geteuid():
        become = {"user": ORDINARY, "group": ORDINARY, "extra_groups": []}
    packages = str(Path(sysconfig.get_path("purelib")))
    done = subprocess.run(
        [str(_readable_python(folder)), "-s", "-m", module, *arguments],
        env={"PYTHONPATH": os.pathsep.join((str(ROOT), packages)), "PATH": os.environ["PATH"]},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=120,
        **become,
    )
    assert not done.returncode, done.stderr
    return str(done.stdout)


@cache
def _readable_python(folder: Path) -> Path:
    needed = (python.interpreter(), *python.standard_library())
    if os.geteuid() or python.unreadable(needed) is None:
        return python.interpreter()
    left_out = shutil.ignore_patterns("site-packages", "test", "idlelib", "*.a")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (folder / "bin").mkdir(parents=True)
    copy = folder / "bin" / version
    shutil.copy2(python.interpreter(), copy)
    library = Path(sysconfig.get_path("stdlib"))
    shutil.copytree(library, folder / "lib" / version, ignore=left_out, symlinks=True)
    for shared in library.parent.glob("libpython*.so*"):
        shutil.copy2(shared, folder / "lib")
    return copy
