"""The Python that runs in sandboxes: this one, with what belongs to it."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

# No site-packages of any kind, nothing from the working directory, no bytecode, no buffers.
OPTIONS = ("-s", "-S", "-P", "-B", "-u")

# Where shared libraries are, and the loader that finds them.
SYSTEM = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/nix/store")
LOADER_CACHE = "/etc/ld.so.cache"


def interpreter() -> Path:
    """The file that is executed, not a link to it."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def standard_library() -> tuple[Path, ...]:
    """Where its modules are, those in C as well, and its shared library."""
    ours = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}  # of no virtual environment
    ours |= {"installed_base": sys.base_prefix, "installed_platbase": sys.base_exec_prefix}
    places = {sysconfig.get_path(name, vars=ours) for name in ("stdlib", "platstdlib")}
    shared = {str(sysconfig.get_config_var(name) or "") for name in ("LIBDIR", "DESTSHARED")}
    # They say where Python was built to lie, which is elsewhere if it was moved since.
    places |= {place for place in shared if Path(sys.base_prefix) in Path(place).parents}
    return tuple(sorted({Path(place) for place in places if os.path.isdir(place)}))


def needed() -> tuple[Path, ...]:
    """All that Python needs to run: files and folders as they are named, links to folders too."""
    system = [Path(place) for place in (*SYSTEM, LOADER_CACHE) if os.path.exists(place)]
    return without_nested((interpreter(), *standard_library(), *system))


def without_nested(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The same without what is in a folder that is among them."""
    unique = sorted(set(paths))
    return tuple(path for path in unique if not any(parent in unique for parent in path.parents))


def command_line() -> list[str]:
    """That of a Python which enters."""
    return plain("-c", "from arena.hosting.sandbox.enter import enter; enter()")


def plain(*arguments: str) -> list[str]:
    """The command line of a Python that imports nothing by itself."""
    return [str(interpreter()), *OPTIONS, *arguments]


def unreadable(paths: Sequence[Path]) -> Path | None:
    """The first of these that an ordinary user of this machine cannot reach; None if all can."""
    for path in paths:
        for place in (path, *path.parents):
            # The last bit lets others pass through a folder; the third last lets them read a file.
            bit = 0o001 if place.is_dir() else 0o004
            if not place.stat().st_mode & bit:
                return place
    return None
