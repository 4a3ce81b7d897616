"""The demo's folder, which is emptied at each start. Other folders are never emptied."""

from __future__ import annotations

import shutil
from pathlib import Path

from arena.base.errors import InvalidRequest

MARKER = "made-by-arena-demo"
KEPT = {"lock", MARKER}


def check(data: Path) -> None:
    """Raise InvalidRequest unless the folder is new, empty or a demo's."""
    if not data.exists() or (data / MARKER).is_file():
        return
    if not data.is_dir() or {entry.name for entry in data.iterdir()} - KEPT:
        raise InvalidRequest(
            f"{data} contains files that are not from `arena demo`, which would delete them. "
            "Choose another folder with --data."
        )


def prepare(data: Path, *, keep: bool) -> None:
    """Mark the folder as a demo's and empty it unless `keep`. The caller holds its lock."""
    check(data)
    (data / MARKER).write_text("This folder is emptied when `arena demo` starts.\n")
    if keep:
        return
    for entry in data.iterdir():
        if entry.name in KEPT:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
