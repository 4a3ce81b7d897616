"""A file that appears under its name when it is complete and on the disk, not before."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from arena.base.errors import AlreadyExists, Unavailable


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, readable by its owner only; a file that exists is never touched.

    Raises AlreadyExists, and Unavailable when the folder or the disk does not take it; nothing is
    left behind then.
    """
    with new_path(path) as part, part.open("wb") as file:
        yield file


@contextmanager
def new_path(path: Path) -> Iterator[Path]:
    """The same for who writes by a path: that of an empty file, which gets its name at the end."""
    if path.exists():
        raise _exists(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            yield part
            _sync(part)
            _give_name(part, path)
        finally:
            part.unlink(missing_ok=True)
        _sync(path.parent)  # puts the name on the disk, too
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be written ({error.strerror or error}): "
            "name a file in another folder, or make room there."
        ) from error


def _give_name(part: Path, path: Path) -> None:
    """Links instead of renaming, which would replace a file that came meanwhile."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without links
        if path.exists():
            raise _exists(path) from None
        part.rename(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _exists(path: Path) -> AlreadyExists:
    return AlreadyExists(f"{path} exists and is left as it is: give another name.")
