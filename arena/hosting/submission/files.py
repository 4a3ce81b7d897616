"""The files of a submission. Names are restricted to characters that are safe on all systems."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arena.base.errors import InvalidRequest
from arena.base.text import printable

LONGEST_NAME = 200  # characters, with all folders
DEEPEST = 16  # folders and the file in them
_PART = r"[A-Za-z0-9_.+=@,()-]{1,100}"
NAME = re.compile(rf"{_PART}(/{_PART}){{0,{DEEPEST - 1}}}", re.ASCII)
MB = 1 << 20


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Limits: number of files, bytes of one file, bytes in total."""

    files: int
    file_bytes: int
    total_bytes: int


NODE_MODULES = "node_modules"
LEAVE_OUT = "Leave out what the bot does not need, for example with .botignore."
NO_NODE_MODULES = (
    f"Hosted programs need no packages to talk to the host. Add {NODE_MODULES} to .botignore. If"
    " the bot needs packages, bundle them and the program into one file."
)

UPLOADED = FileLimits(files=1_000, file_bytes=16 * MB, total_bytes=32 * MB)
# Of stored artifacts. The operator may set a lower limit for builds.
BUILT = FileLimits(files=20_000, file_bytes=512 * MB, total_bytes=512 * MB)


def built(megabytes: int) -> FileLimits:
    """Return the limits of a build artifact of this size."""
    return FileLimits(BUILT.files, megabytes * MB, megabytes * MB)


@dataclass(frozen=True, slots=True)
class File:
    """A file. Its name is relative to the root, with "/" between folders."""

    name: str
    content: bytes
    executable: bool = False


def check_name(name: str) -> str:
    """Return the name. Raises InvalidRequest if a file of a submission cannot have it."""
    if len(name) > LONGEST_NAME or not NAME.fullmatch(name) or {".", ".."} & set(name.split("/")):
        raise InvalidRequest(
            f'"{shown(name)}" is not a valid file name in a submission. Use letters, digits and'
            f' "_.+=@,()-", relative to the root, at most {LONGEST_NAME} characters and {DEEPEST}'
            " folders."
        )
    return name


def shown(name: str) -> str:
    """Return the start of an untrusted name, safe to print."""
    return printable(name[:60])


class FileCounter:
    """Counts files, and enforces limits and consistent names."""

    def __init__(self, limits: FileLimits) -> None:
        self._limits = limits
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._bytes = 0

    def add(self, name: str, size: int) -> None:
        """Count a file of `size` bytes. Raises InvalidRequest for an invalid or duplicate name, a
        file that is too large, or too many files."""
        self._add_name(check_name(name))
        most = self._limits
        if len(self._files) > most.files:
            raise InvalidRequest(
                f"The upload has more than {most.files:,} files, the limit. {self._advice()}"
            )
        if size > most.file_bytes:
            raise InvalidRequest(
                f"{name} is larger than {size_text(most.file_bytes)}, the limit of a file."
            )
        self._bytes += size
        if self._bytes > most.total_bytes:
            raise InvalidRequest(
                f"The files together are larger than {size_text(most.total_bytes)}, the limit. "
                f"{self._advice()}"
            )

    @property
    def room(self) -> int:
        """Bytes that the next file may have."""
        return min(self._limits.file_bytes, self._limits.total_bytes - self._bytes)

    def _advice(self) -> str:
        """Suggest a folder to leave out: the one at the root with most of the files."""
        tops = Counter(name.partition("/")[0] for name in self._files if "/" in name)
        if tops[NODE_MODULES]:
            return NO_NODE_MODULES
        if not tops:
            return LEAVE_OUT
        [(folder, count)] = tops.most_common(1)
        return f"{count:,} of them are in the folder {folder}. {LEAVE_OUT}"

    def _add_name(self, name: str) -> None:
        folders = set(_folders_of(name))
        if name in self._files:
            raise InvalidRequest(f"There are two files named {name}. Remove one.")
        if name in self._folders or self._files & folders:
            raise InvalidRequest(f"{name} is both a file and a folder. Rename one of them.")
        self._files.add(name)
        self._folders |= folders


def checked(files: Iterable[File], limits: FileLimits) -> list[File]:
    """Return the files sorted by name. Raises InvalidRequest as `FileCounter` does."""
    tally, found = FileCounter(limits), sorted(files, key=lambda file: file.name)
    for file in found:
        tally.add(file.name, len(file.content))
    return found


def size_text(size: int) -> str:
    """Format a number of bytes, e.g. "812 bytes", "3.4 kB", "32 MB"."""
    if size < 1024:
        return f"{size} bytes"
    if size < MB:
        return f"{size / 1024:.1f} kB"
    return f"{size / MB:.1f} MB" if size % MB else f"{size // MB} MB"


def _folders_of(name: str) -> Iterator[str]:
    parts = name.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


# Byte code is in `__pycache__` next to its source. Only the build creates it, never the author, so
# that the bot plays as its source reads.
CACHE, ENDING = "__pycache__", ".pyc"


def is_byte_code(name: str) -> bool:
    """Return whether Python could load a file of this name as byte code."""
    return CACHE in name.split("/") or name.endswith(ENDING)


def place_of(source: str) -> str:
    """Return the name of a `.py` file's byte code in this Python. Raises InvalidRequest
    if a submission cannot have a file of that name."""
    folder, _, file = source.rpartition("/")
    stem = file.removesuffix(".py")
    within = f"{folder}/{CACHE}" if folder else CACHE
    return check_name(f"{within}/{stem}.{sys.implementation.cache_tag}{ENDING}")
