"""The files of a submission. Their names are plain, so that they mean the same everywhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arena.base.errors import InvalidRequest

LONGEST_NAME = 200  # characters, with all folders
DEEPEST = 16  # folders and the file in them
_PART = r"[A-Za-z0-9_.+=@,()-]{1,100}"
NAME = re.compile(rf"{_PART}(/{_PART}){{0,{DEEPEST - 1}}}", re.ASCII)
MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that there may be: files, bytes of one file, bytes of all together."""

    files: int
    file_bytes: int
    total_bytes: int


NODE_MODULES = "node_modules"
LEAVE_OUT = "Leave out what the bot does not need, for example with .botignore."
NO_NODE_MODULES = (
    f"Hosted programs need no packages to talk to the host: name {NODE_MODULES} in .botignore. If"
    " the bot needs packages, put them and the program into one file with a bundler."
)

UPLOADED = Limits(files=1_000, file_bytes=16 * MB, total_bytes=32 * MB)
# Of what is stored; how much of that a build may take is the organiser's choice.
BUILT = Limits(files=20_000, file_bytes=512 * MB, total_bytes=512 * MB)


def built(megabytes: int) -> Limits:
    """What a build may come to where an organiser allows so much."""
    return Limits(BUILT.files, megabytes * MB, megabytes * MB)


@dataclass(frozen=True, slots=True)
class File:
    """A file: its name is relative to the root, with "/" between folders."""

    name: str
    content: bytes
    executable: bool = False


def check_name(name: str) -> str:
    """The name, if a file of a submission may have it. Raises InvalidRequest."""
    if len(name) > LONGEST_NAME or not NAME.fullmatch(name) or {".", ".."} & set(name.split("/")):
        raise InvalidRequest(
            f'"{shown(name)}" cannot be the name of a file in a submission: take names of letters, '
            f'digits and "_.+=@,()-", relative to the root, with at most {LONGEST_NAME} characters '
            f"in {DEEPEST} folders."
        )
    return name


def shown(name: str) -> str:
    """The beginning of a name that may be anything, to be repeated in a sentence."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name[:60])


class Tally:
    """Counts files as they come, and refuses what is too much or cannot be side by side."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._bytes = 0

    def add(self, name: str, size: int) -> None:
        """One more file, of so many bytes. Raises InvalidRequest for a name that is wrong or there
        already, for a file that is too large, for too many."""
        self._add_name(check_name(name))
        most = self._limits
        if len(self._files) > most.files:
            raise InvalidRequest(
                f"The upload has more than {most.files:,} files, which is the most."
                f" {self._advice()}"
            )
        if size > most.file_bytes:
            raise InvalidRequest(
                f"{name} is larger than {size_text(most.file_bytes)}, the most of one."
            )
        self._bytes += size
        if self._bytes > most.total_bytes:
            raise InvalidRequest(
                f"All files together are larger than {size_text(most.total_bytes)}, the most. "
                f"{self._advice()}"
            )

    @property
    def room(self) -> int:
        """How many bytes the next file may have."""
        return min(self._limits.file_bytes, self._limits.total_bytes - self._bytes)

    def _advice(self) -> str:
        """What to leave out: the folder at the root with most of the files."""
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
            raise InvalidRequest(f"There are two files {name}: leave one out.")
        if name in self._folders or self._files & folders:
            raise InvalidRequest(f"{name} cannot be both a file and a folder: rename one of them.")
        self._files.add(name)
        self._folders |= folders


def checked(files: Iterable[File], limits: Limits) -> list[File]:
    """The files in the order of their names. Raises InvalidRequest for what `Tally` refuses."""
    tally, found = Tally(limits), sorted(files, key=lambda file: file.name)
    for file in found:
        tally.add(file.name, len(file.content))
    return found


def size_text(size: int) -> str:
    """A number of bytes, e.g. "812 bytes", "3.4 kB", "32 MB"."""
    if size < 1024:
        return f"{size} bytes"
    if size < MB:
        return f"{size / 1024:.1f} kB"
    return f"{size / MB:.1f} MB" if size % MB else f"{size // MB} MB"


def _folders_of(name: str) -> Iterator[str]:
    parts = name.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))
