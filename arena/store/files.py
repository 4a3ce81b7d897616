"""Files that appear under their name only when they are complete and on disk."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from arena.base.errors import AlreadyExists, Unavailable


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file to write, readable by its owner only. Existing files are never changed. Raises
    AlreadyExists, and Unavailable if the file cannot be written. Leaves nothing behind then."""
    with new_path(path) as part, part.open("wb") as file:
        yield file


@contextmanager
def new_path(path: Path) -> Iterator[Path]:
    """Like `new_file`, but gives the path of an empty file, which is renamed at the end."""
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
        _sync(path.parent)  # writes the name to disk, too
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be written ({error.strerror or error}). "
            "Choose a file in another folder, or make room there."
        ) from error


def _give_name(part: Path, path: Path) -> None:
    """Links instead of renaming, because that would replace a file created in the meantime."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without hard links
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
    return AlreadyExists(f"{path} cannot be written. It already exists. Choose another name.")
