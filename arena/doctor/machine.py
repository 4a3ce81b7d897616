"""This machine: Python, the data folder, open files, ports."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from arena.config import Settings
from arena.doctor.asking import HealthReply
from arena.doctor.finding import Finding, fine, unknown, wrong
from arena.errors import Unavailable
from arena.supervise import ports

OLDEST, NEWEST = (3, 11), (3, 14)
LEAST_ROOM = 1_000_000_000  # bytes
SPARE_FILES = 200  # of a gateway: logs, Redis, the database, gRPC's own


def examine_python() -> Finding:
    """The interpreter."""
    version = sys.version_info[:2]
    if version < OLDEST:
        return wrong(
            "Python",
            f"This is Python {platform.python_version()}; the arena needs 3.11 or newer.",
            "Install lama-arena with a newer Python.",
        )
    if version > NEWEST:
        return unknown(
            "Python", f"Python {platform.python_version()} is newer than the arena was tried with."
        )
    return fine("Python", f"{platform.python_version()} is one that the arena is tried with.")


def examine_folder(data: Path) -> Iterator[Finding]:
    """Whether the data folder can be written to, and the room on its disk."""
    # Unlike Path.exists, this says no of what may not be looked at.
    nearest = next(each for each in (data, *data.resolve().parents) if os.path.exists(each))
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        yield wrong(
            "data folder",
            f"{nearest} cannot be written to.",
            "Let this user write there, or name another folder with ARENA_DATA.",
        )
        return
    made = "can be written to" if data.exists() else "is not there yet; it can be made"
    yield fine("data folder", f"{data} {made}.")
    room = shutil.disk_usage(nearest).free
    sentence = f"{room / 1e9:,.1f} GB are free where {data} is."
    if room < LEAST_ROOM:
        yield wrong("disk", sentence, "Make room: a disk that is full stops all tournaments.")
    else:
        yield fine("disk", sentence)


def examine_open_files(settings: Settings) -> Finding:
    """Whether a gateway may open as many connections as it is set to accept."""
    limit, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = settings.max_connections + SPARE_FILES
    if limit != resource.RLIM_INFINITY and limit < needed:
        return wrong(
            "open files",
            f"A process may open {limit:,} files, fewer than ARENA_MAX_CONNECTIONS "
            f"({settings.max_connections:,}) and {SPARE_FILES} others need.",
            f"Run ulimit -n {needed} before the gateway starts (LimitNOFILE= in systemd), or set "
            f"ARENA_MAX_CONNECTIONS to {max(1, limit - SPARE_FILES)}."
            + (
                ""
                if hard == resource.RLIM_INFINITY or hard >= needed
                else f" Hard limit: {hard:,}."
            ),
        )
    shown = "any number of" if limit == resource.RLIM_INFINITY else f"{limit:,}"
    return fine("open files", f"A process may open {shown} files, which is enough.")


def examine_port(host: str, port: int, what: str, answer: HealthReply) -> Finding:
    """Whether a port is free, or who holds it, by what answers there."""
    variable = f"ARENA_{'' if what == 'gateway' else 'DASHBOARD_'}PORT"
    if not port:
        return unknown("ports", f"The {what} takes any free port ({variable} is 0).")
    try:
        free = ports.is_free(host, port)
    except Unavailable as error:
        return wrong("ports", str(error), f"Correct ARENA_HOST or {variable}.")
    if free:
        return fine("ports", f"Port {port} is free for the {what}.")
    if answer.there:
        return fine("ports", f"Port {port} is held by a {what} of an arena.")
    return wrong(
        "ports",
        f"Port {port}, wanted for the {what}, is held by a program that is none, as it seems "
        f"({answer.word.rstrip('.')}).",
        f"Stop that program, or choose another port with {variable}.",
    )
