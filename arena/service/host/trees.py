"""The files of hosted versions in the host's folder, one folder for each tree, by its digest."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import secrets
import shutil
from pathlib import Path
from threading import Lock

from arena.hosting.submission import tree
from arena.hosting.submission.files import MB

FOLDER_MODE, FILE_MODE, PROGRAM_MODE = 0o755, 0o644, 0o755
MOST_UNUSED = 1024 * MB  # bytes of trees that nobody plays, which are kept in case somebody does


class Trees:
    """The folder in which they are. What is in it can be deleted while no host runs. Several hosts
    may have the same one; a tree that one of them uses is locked. Safe for several threads."""

    def __init__(self, folder: Path) -> None:
        """Makes the folder, and makes sure that bots' processes may look into it. Raises
        OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(FOLDER_MODE)
        self._folder = folder.resolve()
        self._mutex = Lock()
        self._held: dict[Path, list[int]] = {}  # descriptors, each with a lock of its own
        for begun in self._folder.glob("*.part"):
            shutil.rmtree(begun)

    def place(self, content: bytes) -> Path:
        """The folder with the files of this tree, which stays until it is released as often as it
        was placed. Raises InvalidRequest for a damaged one, OSError."""
        folder = self._folder / hashlib.sha256(content).hexdigest()[:32]
        while (descriptor := _locked(folder)) is None:
            self._extract(content, folder)
        os.utime(folder)
        with self._mutex:
            self._held.setdefault(folder, []).append(descriptor)
        return folder

    def release(self, folder: Path) -> None:
        """Whoever placed it needs it no more."""
        with self._mutex:
            os.close(self._held[folder].pop())

    def prune(self, most_unused: int = MOST_UNUSED) -> int:
        """Removes trees that nobody uses, those that were used last for so many bytes excepted;
        how many. Raises OSError."""
        unused, removed = 0, 0
        trees = [each for each in self._folder.iterdir() if not each.name.endswith(".part")]
        for folder in sorted(trees, key=lambda each: -each.stat().st_mtime):
            descriptor = _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if descriptor is None:
                continue
            try:
                unused += _size(folder)
                if unused > most_unused:
                    shutil.rmtree(folder)
                    removed += 1
            finally:
                os.close(descriptor)
        return removed

    def _extract(self, content: bytes, folder: Path) -> None:
        begun = self._folder / f"{secrets.token_hex(8)}.part"
        begun.mkdir()
        try:
            tree.extract(io.BytesIO(content), begun)
            _open_to_all(begun)
            begun.rename(folder)
        except OSError:
            if not folder.is_dir():  # else somebody was quicker
                raise
        finally:
            shutil.rmtree(begun, ignore_errors=True)


def _locked(folder: Path, how: int = fcntl.LOCK_SH) -> int | None:
    """A descriptor with a lock on the folder; None if it is not there, or is another's."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, how)
        if os.path.samestat(os.fstat(descriptor), os.stat(folder)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass  # it is in use, or was removed while this waited
    os.close(descriptor)
    return None


def _size(folder: Path) -> int:
    """The bytes of all files in it."""
    return sum(
        Path(place, name).stat().st_size for place, _, names in os.walk(folder) for name in names
    )


def _open_to_all(folder: Path) -> None:
    """A bot's process is another user's than this one."""
    for place, _, names in os.walk(folder):
        Path(place).chmod(FOLDER_MODE)
        for name in names:
            file = Path(place, name)
            file.chmod(PROGRAM_MODE if file.stat().st_mode & 0o100 else FILE_MODE)
