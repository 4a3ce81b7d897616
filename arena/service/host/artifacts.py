"""The cache of build artifacts in the host's folder: one folder each, named by digest."""

import errno
import fcntl
import hashlib
import io
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from arena.base.errors import Unavailable
from arena.hosting.submission import artifact
from arena.hosting.submission.files import MB

FOLDER_MODE = 0o755  # processes of bots run as another user
FULL = errno.ENOSPC, errno.EDQUOT
ALONE = fcntl.LOCK_EX | fcntl.LOCK_NB
MOST_UNUSED = 1024 * MB  # bytes of unused artifacts to keep


class ArtifactCache:
    """The cache. It can be deleted while no host runs. Several hosts may share it: artifacts in use
    are locked. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Create the folder, readable by processes of bots. Raises Unavailable."""
        with usable(folder):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(FOLDER_MODE)
        self._folder = folder.resolve()
        self._mutex = Lock()
        self._held: dict[Path, list[int]] = {}  # descriptors, each with a lock
        for unfinished in self._folder.glob("*.part"):
            if (descriptor := _locked(unfinished, ALONE)) is not None:  # of a host that died
                shutil.rmtree(unfinished, ignore_errors=True)
                os.close(descriptor)

    def place(self, content: bytes) -> Path:
        """Return the folder with the files of this artifact. It stays until each `place` has its
        `release`. If the disk is full, all unused artifacts are removed. Raises InvalidRequest for
        a damaged artifact, and OSError."""
        folder = self._folder / hashlib.sha256(content).hexdigest()[:32]
        while (descriptor := _locked(folder)) is None:
            try:
                self._extract(content, folder)
            except OSError as error:
                if error.errno not in FULL or not self.prune(0):
                    raise
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
        found = list[tuple[float, Path]]()
        for folder in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another host has just removed it
                found.append((folder.stat().st_mtime, folder))
        for _, folder in sorted(found, reverse=True):
            if folder.name.endswith(".part"):
                continue
            descriptor = _locked(folder, ALONE)
            if descriptor is None:
                continue
            try:
                unused += _size(folder)
                if unused > most_unused:
                    # An interruption must not leave some of the files under the artifact's name.
                    shutil.rmtree(folder.rename(self._unfinished()))
                    removed += 1
            finally:
                os.close(descriptor)
        return removed

    def _extract(self, content: bytes, folder: Path) -> None:
        begun = self._unfinished()
        begun.mkdir()
        descriptor = _locked(begun)
        if descriptor is None:
            return  # another host that starts has just removed it
        try:
            begun.chmod(FOLDER_MODE)
            artifact.extract(io.BytesIO(content), begun)
            os.sync()  # else a power failure can leave empty files under the artifact's name
            begun.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another host was faster
                raise
        finally:
            shutil.rmtree(begun, ignore_errors=True)
            os.close(descriptor)

    def _unfinished(self) -> Path:
        return self._folder / f"{secrets.token_hex(8)}.part"


@contextmanager
def usable(folder: Path) -> Iterator[None]:
    """Raise Unavailable if the host's folder cannot be created or changed."""
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"The folder {folder} cannot be used for hosted bots ({error.strerror}). Let this user"
            " write there, or set ARENA_DATA to another folder."
        ) from error


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
    return sum(
        Path(place, name).stat().st_size for place, _, names in os.walk(folder) for name in names
    )
