"""The data folder of an arena that runs on one machine.

DATA/arena.db    the embedded database
DATA/logs/       one log per process
DATA/lock        held while any process of the arena is alive
DATA/arena.json  how to reach the running arena; readable only by its owner
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

from arena.errors import Unavailable


@dataclass(frozen=True)
class Running:
    """How to reach the parts of a running arena."""

    pid: int
    gateway: str
    dashboard: str
    database_url: str = field(repr=False)
    redis_url: str = field(repr=False)
    admin_token: str = field(repr=False)


def logs(data: Path) -> Path:
    """The folder of the processes' logs."""
    return data / "logs"


@contextmanager
def lock(data: Path) -> Iterator[int]:
    """Locks the folder for one arena; yields the lock's file descriptor.

    Raises Unavailable when another arena holds it, or when the folder is not writable."""
    with _open_lock(data) as file:
        if not _try_lock(file):
            raise Unavailable(
                f"An arena is already running in {data}{_by_whom(data)}. "
                "Stop it first, or choose another folder with --data."
            )
        yield file.fileno()


def announce(data: Path, running: Running) -> None:
    """Writes DATA/arena.json, which holds secrets, so only its owner may read it.

    Whoever reads it meanwhile finds all of it or none."""
    path, new = data / "arena.json", data / "arena.json.new"
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(running), file, indent=1)
    new.replace(path)


def retract(data: Path) -> None:
    """Removes what `announce` wrote."""
    (data / "arena.json").unlink(missing_ok=True)


def find_running(data: Path) -> Running | None:
    """The arena running in this folder, if any.

    A running arena holds the lock, so a file left by one that was killed is ignored.
    """
    path, lock_file = data / "arena.json", data / "lock"
    if not path.exists() or not lock_file.exists():
        return None
    with lock_file.open("r") as file:
        if _try_lock(file):
            return None
    return _read(path)


def _read(path: Path) -> Running | None:
    try:
        return Running(**json.loads(path.read_text()))
    except FileNotFoundError:
        return None  # it stopped just now
    except (ValueError, TypeError, OSError) as error:
        raise Unavailable(f"{path} cannot be read ({error}); restart the arena.") from error


def _open_lock(data: Path) -> TextIO:
    try:
        data.mkdir(parents=True, exist_ok=True)
        return (data / "lock").open("a")
    except OSError as error:
        raise Unavailable(
            f"The data folder {data} cannot be used ({error.strerror}). "
            "Choose a writable one with --data."
        ) from error


def _try_lock(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _by_whom(data: Path) -> str:
    running = _read(data / "arena.json")
    return f" (process {running.pid})" if running else ""
