"""The cache of build artifacts in the host's folder: one folder each, named by digest."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import secrets
import shutil
from pathlib import Path
from threading import Lock

from arena.hosting.submission import artifact
from arena.hosting.submission.files import MB

FOLDER_MODE, FILE_MODE, PROGRAM_MODE = 0o755, 0o644, 0o755
MOST_UNUSED = 1024 * MB  # bytes of unused artifacts to keep


class ArtifactCache:
    """The cache. It can be deleted while no host runs. Several hosts may share it: artifacts in use
    are locked. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Create the folder, readable by processes of bots. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(FOLDER_MODE)
        self._folder = folder.resolve()
        self._mutex = Lock()
        self._held: dict[Path, list[int]] = {}  # descriptors, each with a lock
        for begun in self._folder.glob("*.part"):
            shutil.rmtree(begun)

    def place(self, content: bytes) -> Path:
        """Return the folder with the files of this artifact. It stays until each `place` has its
        `release`. Raises InvalidRequest for a damaged artifact, and OSError."""
        folder = self._folder / hashlib.sha256(content).hexdigest()[:32]
        while (descriptor := _locked(folder)) is None:
            self._extract(content, folder)
        os.utime(folder)
        with self._mutex:
            self._held.setdefault(folder, []).append(descriptor)
        return folder

    def release(self, folder: Path) -> None:
        """Release a folder returned by `place`."""
        with self._mutex:
            os.close(self._held[folder].pop())

    def prune(self, most_unused: int = MOST_UNUSED) -> int:
        """Remove unused artifacts beyond `most_unused` bytes, the least recently used first. Return
        how many were removed. Raises OSError."""
        unused, removed = 0, 0
        found = [each for each in self._folder.iterdir() if not each.name.endswith(".part")]
        for folder in sorted(found, key=lambda each: -each.stat().st_mtime):
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
            artifact.extract(io.BytesIO(content), begun)
            _open_to_all(begun)
            begun.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another host was faster
                raise
        finally:
            shutil.rmtree(begun, ignore_errors=True)


def _locked(folder: Path, how: int = fcntl.LOCK_SH) -> int | None:
    """Return a descriptor with a lock on the folder; None if it is missing or in use."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, how)
        if os.path.samestat(os.fstat(descriptor), os.stat(folder)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass  # it is in use, or was removed meanwhile
    os.close(descriptor)
    return None


def _size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(
        Path(place, name).stat().st_size for place, _, names in os.walk(folder) for name in names
    )


def _open_to_all(folder: Path) -> None:
    """Make the files readable by processes of bots, which run as another user."""
    for place, _, names in os.walk(folder):
        Path(place).chmod(FOLDER_MODE)
        for name in names:
            file = Path(place, name)
            file.chmod(PROGRAM_MODE if file.stat().st_mode & 0o100 else FILE_MODE)
