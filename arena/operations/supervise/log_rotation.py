"""Rotate logs while processes write to them.

Several processes share a log, and some of its lines come from libraries in C, or from Redis. So no
process of ours can rotate it by opening another file. Instead the supervisor copies a long log and
empties it. Its writers append, so they go on at its new end. Lines that are written between the two
steps are lost.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import IO

MAX_LOG_BYTES = 10_000_000


def rotate_logs(folder: Path) -> None:
    """Copy each log of more than `MAX_LOG_BYTES` to NAME.log.1 and empty it.

    Only the end of a much longer log is copied: this process was suspended. Without room on the
    disk a log is emptied all the same, so logs never take more than they may.
    """
    for log in folder.glob("*.log"):
        with suppress(OSError):  # it was removed, or belongs to another user
            if log.stat().st_size > MAX_LOG_BYTES:
                _rotate(log)


def _rotate(log: Path) -> None:
    with log.open("rb+") as file:
        # Another supervisor may rotate logs in the same folder.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        size = os.fstat(file.fileno()).st_size
        if size > MAX_LOG_BYTES:
            file.seek(size - MAX_LOG_BYTES)
            with suppress(OSError):
                _copy(file, log.with_name(log.name + ".1"))
            file.truncate(0)


def _copy(file: IO[bytes], target: Path) -> None:
    with target.open("wb") as copy:
        shutil.copyfileobj(file, copy)
