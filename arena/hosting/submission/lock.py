"""The lockfile: packages that a build downloads, with their versions and the hashes of their files.

The format is the following subset of pip's requirements files:

    foo==1.0 ; python_version >= "3.11" \\
        --hash=sha256:…

URLs, options, paths and other files are not allowed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import File, shown

NAME = "requirements.lock"
# Used if there is no requirements.lock. Without hashes it is for the author's own machine.
ALSO = "requirements.txt"
LARGEST = 512 * 1024
MOST_PACKAGES, MOST_HASHES, LONGEST_MARKER = 100, 500, 300
# Hosts have these, or a bot needs them only to connect over the network.
PROVIDED = ("lama-arena", "grpcio", "protobuf")
HOW = "Create it with uv or pip-tools and their option --generate-hashes"

_PACKAGE = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{0,99})"
    r"(\[[A-Za-z0-9,._ -]{0,100}\])?"  # extras: their packages are in the lockfile, too
    r" ?== ?(?P<version>[A-Za-z0-9][A-Za-z0-9.!+_-]{0,59})",
    re.ASCII,
)
_HASH = re.compile(r"sha256:(?P<digest>[0-9a-f]{64})", re.ASCII)
_COMMENT = re.compile(r"(^|\s)#.*")
_OPTION = re.compile(r"\s--hash[= ]")


@dataclass(frozen=True, slots=True)
class Pin:
    """A package with its version. The name is normalized; hashes are SHA-256 in hexadecimal."""

    name: str
    version: str
    marker: str  # environment marker of PEP 508; empty: always
    hashes: Sequence[str]


def lock_of(files: Sequence[File]) -> File | None:
    """Return the lockfile among these files."""
    by_name = {file.name: file for file in files}
    also = by_name.get(ALSO)
    return by_name.get(NAME) or (also if also and b"--hash" in also.content else None)


def parse(lock: File) -> list[Pin]:
    """Return the packages to download, sorted by name. Raises InvalidRequest, with a sentence for
    the author, for anything that is not a pinned package with hashes."""
    if len(lock.content) > LARGEST:
        raise InvalidRequest(f"{lock.name} is larger than {LARGEST // 1024} kB, the limit.")
    try:
        text = lock.content.decode()
    except UnicodeDecodeError:
        raise InvalidRequest(f"{lock.name} is not valid UTF-8.") from None
    pins = [_pin(lock.name, line) for line in _lines(text)]
    wanted = [pin for pin in pins if pin.name not in PROVIDED]
    if len(wanted) > MOST_PACKAGES:
        raise InvalidRequest(f"{lock.name} has more than {MOST_PACKAGES} packages, the limit.")
    return sorted(wanted, key=lambda pin: (pin.name, pin.version, pin.marker))


def _lines(text: str) -> Iterator[str]:
    """Yield the lines without comments. A backslash at the end of a line continues it."""
    for line in text.replace("\r\n", "\n").replace("\\\n", " ").split("\n"):
        if said := _COMMENT.sub("", line).strip():
            yield said


def _pin(file: str, line: str) -> Pin:
    wanted, *hashes = _OPTION.split(line)
    package, _, marker = wanted.partition(";")
    found = _PACKAGE.fullmatch(package.strip())
    digests = [_HASH.fullmatch(each.strip()) for each in hashes]
    fits = found and digests and len(digests) <= MOST_HASHES and len(marker) <= LONGEST_MARKER
    if not fits or not all(digests):
        raise InvalidRequest(
            f'"{shown(line)}" in {file} is not of the form NAME==VERSION --hash=sha256:HASH. {HOW}.'
            " If the file is for something else, add it to .botignore."
        )
    assert found is not None
    name = re.sub(r"[-_.]+", "-", found["name"]).lower()
    known = [each["digest"] for each in digests if each is not None]
    return Pin(name, found["version"], marker.strip(), known)
