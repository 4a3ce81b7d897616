"""Checks whether shared memory, the temporary folder and the data folder are writable, and the free
space where the arena stores data."""

import errno
import os
import shutil
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
LEAST_BYTES = 1_000_000_000  # as in deploy/prometheus/rules.yaml
FREE_SPACE = "Free some space. A full disk stops all tournaments."

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
    advice = "Let this user write there, free some space, or set ARENA_DATA to another folder."
    return _check("data folder", _nearest(data), "the arena cannot store data there", advice)


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


def free_bytes(folder: Path) -> int:
    """The free space on the disk of a folder, which need not exist yet. Raises OSError."""
    return shutil.disk_usage(_nearest(folder)).free


def disk_of(folder: Path) -> int:
    """The number of the disk of a folder, which need not exist yet. Raises OSError."""
    return os.stat(_nearest(folder)).st_dev


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    # Unlike Path.exists, os.path.exists is False for a folder that this user may not search.
    return next(each for each in (folder, *folder.resolve().parents) if os.path.exists(each))


def folders(settings: Settings) -> dict[str, Path]:
    """The folders in which the arena stores data, by name."""
    return {"data": settings.data, "archive": settings.archive_folder}


def check_disk(settings: Settings) -> Iterator[Finding]:
    """Whether there is space in the data folder and, if it is on another disk, in the archive."""
    checked = set()
    for name, folder in folders(settings).items():
        try:
            disk = disk_of(folder)
            if disk in checked:
                continue
            checked.add(disk)
            free = free_bytes(folder)
        except OSError as error:
            yield wrong(
                "disk",
                f"The free space of {folder} cannot be read ({error.strerror}).",
                "Check its disk.",
                public=f"The free space of the {name} folder cannot be read.",
            )
            continue
        size = f"{free / 1e9:,.1f} GB" if free >= LEAST_BYTES else f"{free / 1e6:,.0f} MB"
        sentence = f"{size} are free in {folder}."
        if free < LEAST_BYTES:
            public = f"The disk of the {name} folder is almost full."
            yield wrong("disk", sentence, FREE_SPACE, public=public)
        else:
            yield fine("disk", sentence)
