"""Turns the bytes of an upload (a Python file or a zip) into files.

A host calls this in a sandbox, since uploads are untrusted and Python's `zipfile` trusts much of
the metadata of an archive. That metadata is checked first, in bounded time and memory.
"""

import io
import stat
import struct
import zipfile
import zlib

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import UPLOADED, File, FileCounter, FileLimits, shown

PROGRAM = "bot.py"  # name of a single file
NO_ZIP = "The archive is not a valid zip. Create it with `arena bot submit`, or as a plain zip."

_BEGINNINGS = (b"PK\x03\x04", b"PK\x05\x06")  # of a zip, and of an empty one
_END = struct.Struct("<4s4H2LH")  # the end record
_END_MARK, _ZIP64_MARK = b"PK\x05\x06", b"PK\x06\x07"
_ENTRY = struct.Struct("<4s24x3H12x")  # of the directory: mark, then three lengths
_ENTRY_MARK = b"PK\x01\x02"
_ZIP64_SIZE = 20  # of the record before the end record of a zip64 archive
_LONGEST_COMMENT = 0xFFFF
_UNIX = 3
_ENCRYPTED = 0x1
DAMAGE = (  # errors that the module may raise; NotImplementedError is a RuntimeError
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError),
    *(OSError, IndexError, KeyError),
)


def unpack(content: bytes, limits: FileLimits = UPLOADED) -> list[File]:
    """Return the files of an upload, sorted by name; a single Python file is called bot.py.

    Raises InvalidRequest for other files, damaged or unusual archives, invalid names, links, and
    actual sizes beyond the limits.
    """
    if is_archive(content):
        return _unzipped(content, limits)
    return [_program(content, limits)]


def is_archive(content: bytes) -> bool:
    """Return whether an upload starts like a zip."""
    return content.startswith(_BEGINNINGS)


def _program(content: bytes, limits: FileLimits) -> File:
    if not content.strip():
        raise InvalidRequest("The upload is empty. Submit a folder, a .py file or a .zip file.")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text or not text.strip():
        raise InvalidRequest(
            "The upload is neither a zip nor a Python file in UTF-8. Submit a folder, a .py file or"
            " a .zip file."
        )
    FileCounter(limits).add(PROGRAM, len(content))
    return File(PROGRAM, content)


def _unzipped(content: bytes, limits: FileLimits) -> list[File]:
    _check_directory(content, limits.files)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            tally = FileCounter(limits)
            found = [_file(archive, info, tally) for info in _files(archive)]
    except DAMAGE:
        raise InvalidRequest(NO_ZIP) from None
    if not found:
        raise InvalidRequest("The archive is empty. Add the bot's files.")
    return sorted(found, key=lambda file: file.name)


def _check_directory(content: bytes, most: int) -> None:
    """Raises InvalidRequest unless the archive ends with one directory that has the stated number
    of entries, within the limit. `zipfile` would read all of them first. Folders count, too."""
    place = content.rfind(_END_MARK, max(0, len(content) - _END.size - _LONGEST_COMMENT))
    if place < 0 or place + _END.size > len(content):
        raise InvalidRequest(NO_ZIP)
    _, disk, first_disk, here, count, size, start, comment = _END.unpack_from(content, place)
    zip64 = content[max(0, place - _ZIP64_SIZE) : place].startswith(_ZIP64_MARK)
    at_the_end = start + size == place and place + _END.size + comment == len(content)
    if zip64 or not at_the_end or disk or first_disk or here != count:
        raise InvalidRequest(NO_ZIP)
    if count > 2 * most:
        raise InvalidRequest(
            f"The archive has {count:,} entries. The limit is {most:,} files. Leave out files that"
            " the bot does not need, such as node_modules."
        )
    if _entries(content, start, place, count) != count:
        raise InvalidRequest(NO_ZIP)


def _entries(content: bytes, start: int, end: int, most: int) -> int:
    """Return the actual number of entries; -1 for an invalid directory, or more than `most`."""
    found = 0
    while start < end:
        if found == most or start + _ENTRY.size > end:
            return -1
        mark, name, extra, comment = _ENTRY.unpack_from(content, start)
        if mark != _ENTRY_MARK:
            return -1
        start += _ENTRY.size + name + extra + comment
        found += 1
    return found if start == end else -1


def _files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    found = archive.infolist()
    return [info for info in found if not (info.filename.endswith("/") and not info.file_size)]


def _file(archive: zipfile.ZipFile, info: zipfile.ZipInfo, tally: FileCounter) -> File:
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    name = info.orig_filename
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise InvalidRequest(
            f"{shown(name)} in the archive is a link or not a regular file. Add the file itself."
        )
    if info.flag_bits & _ENCRYPTED:
        raise InvalidRequest("The archive is encrypted. Pack it without a password.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InvalidRequest("The archive has an unsupported compression. Pack it as a plain zip.")
    with archive.open(info) as stream:
        data = stream.read(tally.room + 1)
    tally.add(name, len(data))
    if len(data) != info.file_size:
        raise InvalidRequest(NO_ZIP)
    return File(name, data, bool(mode & stat.S_IXUSR))
