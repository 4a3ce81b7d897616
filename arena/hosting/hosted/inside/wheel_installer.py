"""Installs wheels, in a sandbox of its own: they are a stranger's, and nothing of them is run.

What comes is a tree of wheels; what goes out is the tree of what is in them, below site-packages/.
Scripts, headers and data are left out, and so are .pth files, which Python would run, and byte
code, which nobody could read.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Collection, Iterator, Mapping
from os import PathLike, fspath
from typing import Any, BinaryIO

import installer
from installer.destinations import WheelDestination
from installer.exceptions import InstallerError
from installer.records import InvalidRecordEntry, RecordEntry
from installer.sources import WheelFile
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.inside.step import carry_out, tell
from arena.hosting.submission import tree
from arena.hosting.submission.byte_code import is_byte_code
from arena.hosting.submission.files import BUILT, File, Limits, Tally, shown
from arena.hosting.submission.packages import FOLDER
from arena.hosting.submission.unpack import DAMAGE, unpack

INSTALLED = ("purelib", "platlib")  # of what a wheel may have; the rest is of no use to a bot
WRONG = (InstallerError, InvalidRecordEntry, AssertionError, *DAMAGE)
LONGEST_REASON = 300


def main(arguments: Mapping[str, Any]) -> None:
    """Installs what comes. `tags` are those of wheels that fit here, the best first; `files` and
    `bytes` the most that there may be."""
    warnings.simplefilter("ignore")
    tags, most = arguments["tags"], arguments["bytes"]
    limits = Limits(arguments["files"], most, most)

    def work(wheels: bytes) -> Iterator[bytes]:
        found = installed(tree.read(io.BytesIO(wheels), BUILT), tags, limits)
        return tree.write(found.files.values(), limits)

    carry_out(arguments, work)


class Installed(WheelDestination):
    """What was installed so far, by name. Nothing is written anywhere."""

    def __init__(self, limits: Limits) -> None:
        self.files: dict[str, File] = {}
        self.left_out: list[str] = []
        self._tally = Tally(limits)

    def write_script(self, name: str, module: str, attr: str, section: object) -> RecordEntry:
        """Leaves it out: nobody would start it."""
        return RecordEntry(name, None, None)

    def write_file(
        self,
        scheme: str,
        path: str | PathLike[str],
        stream: BinaryIO,
        is_executable: bool,
    ) -> RecordEntry:
        """Keeps a file. Raises InvalidRequest for what is too much, or there already."""
        place = fspath(path)
        if place.endswith(".pth") and "/" not in place:
            self.left_out.append(place)
        elif scheme in INSTALLED and not is_byte_code(place):
            self._add(File(f"{FOLDER}/{place}", stream.read(), is_executable))
        return RecordEntry(place, None, None)

    def finalize_installation(self, scheme: str, record_file_path: str, records: object) -> None:
        """There is nothing to be done: RECORD is for whoever uninstalls."""

    def _add(self, file: File) -> None:
        there = self.files.get(file.name)
        if there is None:
            self._tally.add(file.name, len(file.content))
            self.files[file.name] = file
        elif there.content != file.content:
            raise InvalidRequest(f"another wheel has {file.name} too, and not the same: take one.")


def installed(wheels: Iterator[File], tags: Collection[str], limits: Limits) -> Installed:
    """What is in these wheels. Raises InvalidRequest, naming the wheel and what is wrong."""
    found, names = Installed(limits), set()
    for wheel in wheels:
        name = wheel.name.rpartition("/")[2]
        package, version = _check_name(name, tags)
        if package in names:
            raise InvalidRequest(f"There are two wheels of {package}: leave one out.")
        names.add(package)
        _install(name, wheel.content, found, limits)
        tell([f"Installed: {package} {version}."])
    tell(f"Left out: {name}, which would be run at each start." for name in found.left_out)
    return found


def _check_name(name: str, tags: Collection[str]) -> tuple[str, str]:
    """The package and its version. Raises InvalidRequest unless it fits this Python and machine."""
    try:
        package, version, _, of_wheel = parse_wheel_filename(name)
    except (InvalidWheelFilename, ValueError):
        raise InvalidRequest(
            f"{shown(name)} is no name of a wheel: it is NAME-VERSION-PYTHON-ABI-PLATFORM.whl."
        ) from None
    if not {str(tag) for tag in of_wheel} & set(tags):
        raise InvalidRequest(
            f"{shown(name)} is for another Python or machine; what fits here are wheels such as "
            f"{', '.join(_examples(tags))}."
        )
    return str(package), str(version)


def _examples(tags: Collection[str]) -> list[str]:
    """The best tag of each kind."""
    of_this_python = next(iter(tags), "")
    stable = next((tag for tag in tags if "-abi3-" in tag), "")
    return [tag for tag in (of_this_python, stable, "py3-none-any") if tag]


def _install(name: str, content: bytes, into: Installed, limits: Limits) -> None:
    try:
        unpack(content, limits)  # which looks at all that an archive may be wrong in
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.filename = name
            wheel = WheelFile(archive)
            wheel.validate_record(validate_contents=False)
            _check_contents(wheel)
            installer.install(wheel, into, {})
    except InvalidRequest as error:
        raise InvalidRequest(f"{shown(name)} cannot be installed: {error}") from None
    except WRONG as error:
        said = _said(error)[:LONGEST_REASON]
        raise InvalidRequest(f"{shown(name)} is no wheel that can be installed: {said}.") from None


def _check_contents(wheel: WheelFile) -> None:
    """Raises ValueError. The library's own check would open /dev/null, which is not there."""
    for record, stream, _ in wheel.get_contents():
        if not RecordEntry.from_elements(*record).validate(stream.read()):
            raise ValueError(f"{record[0]} is not what its RECORD says")


def _said(error: BaseException) -> str:
    issues = getattr(error, "issues", None)
    return str(next(iter(issues))) if issues else str(error) or type(error).__name__
