"""Compiles Python files to byte code in a separate sandbox, since they may exploit the compiler.

The input is an artifact of Python files, and the output an artifact of their byte code. It is sent
file by file, so that a crash of the compiler loses only the remaining files.
"""

import importlib.util
import io
import marshal
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.inside.step import carry_out, tell
from arena.hosting.submission import artifact
from arena.hosting.submission.files import BUILT, File, place_of

# Hash-based byte code that Python does not compare with its source: an artifact never changes.
UNCHECKED_HASH = 0b01
# Errors that the compiler may raise for a file.
REFUSALS = (SyntaxError, ValueError, TypeError, OverflowError, RecursionError, MemoryError)


def main(arguments: Mapping[str, Any]) -> None:
    warnings.simplefilter("ignore")  # warnings about the author's code
    carry_out(arguments, _work)


def _work(sources: bytes) -> Iterator[bytes]:
    yield artifact.HEAD
    notes: list[str] = []
    found = {}
    for source in artifact.read(io.BytesIO(sources), BUILT):
        with suppress(InvalidRequest):  # the name would be too long: compiled at import
            found[place_of(source.name)] = source
    for place, source in sorted(found.items()):
        try:
            code = byte_code(source)
        except REFUSALS as error:
            notes.append(f"{source.name} has no byte code: {_said(error)}")
            continue
        yield artifact.entry(File(place, code))
    yield artifact.END
    tell(notes)


def byte_code(source: File) -> bytes:
    """Return the .pyc file of this source. Raises the errors in REFUSALS."""
    code = compile(source.content, source.name, "exec", dont_inherit=True)
    flags = UNCHECKED_HASH.to_bytes(4, "little")
    hashed = importlib.util.source_hash(source.content)
    return importlib.util.MAGIC_NUMBER + flags + hashed + marshal.dumps(code)


def _said(error: BaseException) -> str:
    line = f"line {error.lineno}, " if isinstance(error, SyntaxError) and error.lineno else ""
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{line}{type(error).__name__}: {said}" if said else f"{line}{type(error).__name__}"
