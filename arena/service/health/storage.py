"""Checks whether shared memory, the temporary folder and the data folder are writable."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.base.folder import refusal
from arena.service.health.finding import Finding, fine, wrong

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  # where Linux keeps the semaphores of workers
ROOM = 64 * 1024  # bytes

_REASONS = {
    errno.EROFS: "it is read-only",
    errno.ENOSPC: "it is full",
    errno.EDQUOT: "this user's quota is used up",
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "it is not a folder",
    errno.EACCES: "this user may not write there",
    errno.EPERM: "this user may not write there",
}


def check_storage(settings: Settings) -> Iterator[Finding]:
    """Whether an arena on this machine can write its files."""
    if sys.platform == "linux":
        yield check_shared_memory()
    yield check_temporary_folder()
    yield check_data_folder(settings.data)


def check_shared_memory() -> Finding:
    """Whether workers can create semaphores."""
    return _check("shared memory", SHARED_MEMORY, "no worker can start", "Mount it writable.")


def check_temporary_folder() -> Finding:
    """Whether gateways and metrics can create temporary files."""
    about, so = "temporary folder", "no gateway can start"
    try:
        folder = Path(tempfile.gettempdir())
    except FileNotFoundError:  # each candidate was tried: TMPDIR, /tmp, /var/tmp, this folder
        sentence = f"No temporary folder is writable, so {so}."
        return wrong(about, sentence, "Set TMPDIR to a writable folder.", public=sentence)
    return _check(about, folder, so, "Set TMPDIR to a writable folder with free space.")


def check_data_folder(data: Path) -> Finding:
    """Whether the data folder can be written to or created."""
    # Unlike Path.exists, os.path.exists is False for a folder that this user may not search.
    nearest = next(each for each in (data, *data.resolve().parents) if os.path.exists(each))
    advice = "Let this user write there, free some space, or set ARENA_DATA to another folder."
    return _check("data folder", nearest, "the arena cannot store data there", advice)


def problem(findings: Iterable[Finding]) -> str:
    """The first problem with its advice; "" without one."""
    found = next((each for each in findings if each.state == "wrong"), None)
    return f"{found.sentence} {found.advice}" if found else ""


def require(*findings: Finding) -> None:
    """Raises Unavailable for the first problem."""
    if sentence := problem(findings):
        raise Unavailable(sentence)


def _check(about: str, folder: Path, so: str, advice: str) -> Finding:
    if error := refusal(folder, ROOM):
        reason = _REASONS.get(error.errno or 0, str(error.strerror))
        sentence = f"{folder} cannot be written to ({reason}), so {so}."
        return wrong(about, sentence, advice, public=f"The {about} cannot be written to.")
    return fine(about, f"{folder} can be written to.")
