"""Installs untrusted wheels in a separate sandbox, without running any of their code.

The input is an artifact of wheels, and the output an artifact of their files below site-packages/.
Scripts, headers and data are left out. So are .pth files, which Python would run, and byte code,
which cannot be reviewed.
"""

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
from arena.hosting.submission import artifact
from arena.hosting.submission.files import BUILT, File, FileCounter, FileLimits, is_byte_code, shown
from arena.hosting.submission.packages import FOLDER
from arena.hosting.submission.unpack import DAMAGE, unpack

INSTALLED = ("purelib", "platlib")  # schemes of a wheel that a bot can use
WRONG = (InstallerError, InvalidRecordEntry, AssertionError, *DAMAGE)
LONGEST_REASON = 300


def main(arguments: Mapping[str, Any]) -> None:
    """Install the wheels. `tags` are the wheel tags that fit here, the best first; `files` and
    `bytes` are limits of the output."""
    warnings.simplefilter("ignore")
    tags, most = arguments["tags"], arguments["bytes"]
    limits = FileLimits(arguments["files"], most, most)

    def work(wheels: bytes) -> Iterator[bytes]:
        found = installed(artifact.read(io.BytesIO(wheels), BUILT), tags, limits)
        return artifact.write(found.files.values(), limits)

    carry_out(arguments, work)


class Installed(WheelDestination):
    """The installed files by name, in memory only."""

    def __init__(self, limits: FileLimits) -> None:
        self.files: dict[str, File] = {}
        self.left_out: list[str] = []
        self._tally = FileCounter(limits)

    def write_script(self, name: str, module: str, attr: str, section: object) -> RecordEntry:
        """Leave the script out: a bot cannot run it."""
        return RecordEntry(name, None, None)

    def write_file(
        self, scheme: str, path: str | PathLike[str], stream: BinaryIO, is_executable: bool
    ) -> RecordEntry:
        """Keep a file. Raises InvalidRequest for too many files, or two different ones of a
        name."""
        place = fspath(path)
        if place.endswith(".pth") and "/" not in place:
            self.left_out.append(place)
        elif scheme in INSTALLED and not is_byte_code(place):
            self._add(File(f"{FOLDER}/{place}", stream.read(), is_executable))
        return RecordEntry(place, None, None)

    def finalize_installation(self, scheme: str, record_file_path: str, records: object) -> None:
        """Do nothing: only uninstalling needs RECORD."""

    def _add(self, file: File) -> None:
        there = self.files.get(file.name)
        if there is None:
            self._tally.add(file.name, len(file.content))
            self.files[file.name] = file
        elif there.content != file.content:
            raise InvalidRequest(f"another wheel has a different {file.name}. Remove one wheel.")


def installed(wheels: Iterator[File], tags: Collection[str], limits: FileLimits) -> Installed:
    """Return the files of these wheels. Raises InvalidRequest, naming the wheel and its error."""
    found, names = Installed(limits), set()
    for wheel in wheels:
        name = wheel.name.rpartition("/")[2]
        package, version = _check_name(name, tags)
        if package in names:
            raise InvalidRequest(f"There are two wheels of {package}. Remove one.")
        names.add(package)
        _install(name, wheel.content, found, limits)
        tell([f"Installed: {package} {version}."])
    tell(f"Left out: {name}, which Python would run at each start." for name in found.left_out)
    return found


def _check_name(name: str, tags: Collection[str]) -> tuple[str, str]:
    """Return the package and its version. Raises InvalidRequest for a wheel that does not fit this
    Python and machine."""
    try:
        package, version, _, of_wheel = parse_wheel_filename(name)
    except (InvalidWheelFilename, ValueError):
        raise InvalidRequest(
            f"{shown(name)} is not a valid wheel name. Use NAME-VERSION-PYTHON-ABI-PLATFORM.whl."
        ) from None
    if not {str(tag) for tag in of_wheel} & set(tags):
        raise InvalidRequest(
            f"{shown(name)} is for another Python version or platform. Use a wheel for one of"
            f" {', '.join(_examples(tags))}."
        )
    return str(package), str(version)


def _examples(tags: Collection[str]) -> list[str]:
    of_this_python = next(iter(tags), "")
    stable = next((tag for tag in tags if "-abi3-" in tag), "")
    return [tag for tag in (of_this_python, stable, "py3-none-any") if tag]


def _install(name: str, content: bytes, into: Installed, limits: FileLimits) -> None:
    try:
        unpack(content, limits)  # which checks the archive
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
        raise InvalidRequest(f"{shown(name)} is not a valid wheel: {said}.") from None


def _check_contents(wheel: WheelFile) -> None:
    """Check the hashes. Raises ValueError. The library's own check needs /dev/null, which is
    missing in a sandbox."""
    for record, stream, _ in wheel.get_contents():
        if not RecordEntry.from_elements(*record).validate(stream.read()):
            raise ValueError(f"{record[0]} does not match its hash in RECORD")


def _said(error: BaseException) -> str:
    issues = getattr(error, "issues", None)
    return str(next(iter(issues))) if issues else str(error) or type(error).__name__
