"""A lock: the packages that a build is to fetch, each with its version and the hashes of its files.

The format is that of pip's requirements files, of which only this is taken:

    foo==1.0 ; python_version >= "3.11" \\
        --hash=sha256:…

Nothing else can be meant by it: no address, no option, no path, no file of another name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import File, shown

NAME = "requirements.lock"
# Counts, too, if there is no other and it has hashes: without, it is for the author's own machine.
ALSO = "requirements.txt"
LARGEST = 512 * 1024
MOST_PACKAGES, MOST_HASHES, LONGEST_MARKER = 100, 500, 300
# What runs a bot has them, or needs them only to connect over the network.
PROVIDED = ("lama-arena", "grpcio", "protobuf")
HOW = "write it with uv or pip-tools and their option --generate-hashes"

_PACKAGE = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{0,99})"
    r"(\[[A-Za-z0-9,._ -]{0,100}\])?"  # extras, of which the lock has the packages as well
    r" ?== ?(?P<version>[A-Za-z0-9][A-Za-z0-9.!+_-]{0,59})",
    re.ASCII,
)
_HASH = re.compile(r"sha256:(?P<digest>[0-9a-f]{64})", re.ASCII)
_COMMENT = re.compile(r"(^|\s)#.*")
_OPTION = re.compile(r"\s--hash[= ]")


@dataclass(frozen=True, slots=True)
class Pin:
    """A package in one version; its name is normalized, the hashes are SHA-256 in hexadecimal."""

    name: str
    version: str
    marker: str  # a condition, as of PEP 508; empty: always
    hashes: Sequence[str]


def lock_of(files: Sequence[File]) -> File | None:
    """The lock among these files."""
    by_name = {file.name: file for file in files}
    also = by_name.get(ALSO)
    return by_name.get(NAME) or (also if also and b"--hash" in also.content else None)


def parse(lock: File) -> list[Pin]:
    """What is to be fetched, in the order of names. Raises InvalidRequest, with a sentence for the
    author, for anything that is not a pinned package with its hashes."""
    if len(lock.content) > LARGEST:
        raise InvalidRequest(f"{lock.name} is larger than {LARGEST // 1024} kB, which is the most.")
    try:
        text = lock.content.decode()
    except UnicodeDecodeError:
        raise InvalidRequest(f"{lock.name} is no text (UTF-8).") from None
    pins = [_pin(lock.name, line) for line in _lines(text)]
    wanted = [pin for pin in pins if pin.name not in PROVIDED]
    if len(wanted) > MOST_PACKAGES:
        raise InvalidRequest(f"{lock.name} names more than {MOST_PACKAGES} packages, the most.")
    return sorted(wanted, key=lambda pin: (pin.name, pin.version, pin.marker))


def _lines(text: str) -> Iterator[str]:
    """Without comments; a backslash at the end of a line has the next one belong to it."""
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
            f'"{shown(line)}" in {file} is not NAME==VERSION --hash=sha256:…, as each line has to '
            f"be: {HOW}, or name the file in .botignore if it is for something else."
        )
    assert found is not None
    name = re.sub(r"[-_.]+", "-", found["name"]).lower()
    known = [each["digest"] for each in digests if each is not None]
    return Pin(name, found["version"], marker.strip(), known)
