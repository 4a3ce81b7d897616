"""The Python that runs in sandboxes: this interpreter and its files."""

import os
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

# No site-packages of any kind, nothing from the working directory, no bytecode, no buffers.
OPTIONS = ("-s", "-S", "-P", "-B", "-u")

# Folders of shared libraries and of their loader.
SYSTEM = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/nix/store")
LOADER_CACHE = "/etc/ld.so.cache"


def interpreter() -> Path:
    """Return the file of the interpreter, not a link to it."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def standard_library() -> tuple[Path, ...]:
    """Return the folders of its modules, including C extensions, and of its shared library."""
    # Without a virtualenv.
    ours = dict.fromkeys(("base", "installed_base"), sys.base_prefix)
    ours |= dict.fromkeys(("platbase", "installed_platbase"), sys.base_exec_prefix)
    places = {sysconfig.get_path(name, vars=ours) for name in ("stdlib", "platstdlib")}
    shared = {str(sysconfig.get_config_var(name) or "") for name in ("LIBDIR", "DESTSHARED")}
    # These are paths at build time, which are wrong if Python was moved.
    places |= {place for place in shared if Path(sys.base_prefix) in Path(place).parents}
    return tuple(sorted({Path(place) for place in places if os.path.isdir(place)}))


def needed() -> tuple[Path, ...]:
    """Return the files and folders that Python needs, including links to folders."""
    system = [Path(place) for place in (*SYSTEM, LOADER_CACHE) if os.path.exists(place)]
    return without_nested((interpreter(), *standard_library(), *system))


def without_nested(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Return the paths without those inside another of them."""
    unique = sorted(set(paths))
    return tuple(path for path in unique if not any(parent in unique for parent in path.parents))


def command_line() -> list[str]:
    """Return the command line of a Python that enters the sandbox."""
    return plain("-c", "from arena.hosting.sandbox.enter import enter; enter()")


def plain(*arguments: str) -> list[str]:
    """Return the command line of a Python without site-packages and buffers."""
    return [str(interpreter()), *OPTIONS, *arguments]


def unreadable(paths: Sequence[Path]) -> Path | None:
    """Return the first path or parent that is not world-readable, if any."""
    for path in paths:
        for place in (path, *path.parents):
            # Others need the x bit of folders and the r bit of files.
            bit = 0o001 if place.is_dir() else 0o004
            if not place.stat().st_mode & bit:
                return place
    return None
