"""Checks the free space where the arena stores data."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from arena.base.config import Settings
from arena.service.health.finding import Finding, fine, wrong

ABOUT = "disk"
LEAST_BYTES = 1_000_000_000  # as in deploy/prometheus/rules.yaml
ADVICE = "Free some space. A full disk stops all tournaments."


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
                ABOUT,
                f"The free space of {folder} cannot be read ({error.strerror}).",
                "Check its disk.",
                public=f"The free space of the {name} folder cannot be read.",
            )
            continue
        size = f"{free / 1e9:,.1f} GB" if free >= LEAST_BYTES else f"{free / 1e6:,.0f} MB"
        sentence = f"{size} are free in {folder}."
        if free < LEAST_BYTES:
            public = f"The disk of the {name} folder is almost full."
            yield wrong(ABOUT, sentence, ADVICE, public=public)
        else:
            yield fine(ABOUT, sentence)
