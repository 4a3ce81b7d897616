"""Compiles Python files to byte code, in a sandbox of its own: they may be made to harm the
compiler.

What comes is a tree of Python files; what goes out is the tree of their byte code, file by file, so
that what is done is there if the compiler does not survive the next one.
"""

from __future__ import annotations

import importlib.util
import io
import marshal
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.inside.step import carry_out, tell
from arena.hosting.submission import tree
from arena.hosting.submission.byte_code import place_of
from arena.hosting.submission.files import BUILT, File

# That the file has the hash of its source, and that nobody is to compare them: a tree never
# changes, and to look at each source would take the time that is to be saved.
UNCHECKED_HASH = 0b01
# Whatever the compiler is known to say of a file that it does not take.
REFUSALS = (SyntaxError, ValueError, TypeError, OverflowError, RecursionError, MemoryError)


def main(arguments: Mapping[str, Any]) -> None:
    """Compiles what comes."""
    warnings.simplefilter("ignore")  # of an author's text, which is theirs to look at
    carry_out(arguments, _work)


def _work(sources: bytes) -> Iterator[bytes]:
    yield tree.HEAD
    notes: list[str] = []
    for place, source in in_order(list(tree.read(io.BytesIO(sources), BUILT))):
        try:
            code = byte_code(source)
        except REFUSALS as error:
            notes.append(f"{source.name} has no byte code: {_said(error)}")
            continue
        yield tree.entry(File(place, code))
    yield tree.END
    tell(notes)


def in_order(sources: Sequence[File]) -> Iterator[tuple[str, File]]:
    """Where the byte code of each is to be, and the source; in the order of a tree."""
    found = {}
    for source in sources:
        try:
            found[place_of(source.name)] = source
        except InvalidRequest:
            continue  # the name would be too long: it is compiled when it is imported
    return iter(sorted(found.items()))


def byte_code(source: File) -> bytes:
    """What Python finds in __pycache__ of this file. Raises SyntaxError and others of REFUSALS."""
    code = compile(source.content, source.name, "exec", dont_inherit=True)
    flags = UNCHECKED_HASH.to_bytes(4, "little")
    hashed = importlib.util.source_hash(source.content)
    return importlib.util.MAGIC_NUMBER + flags + hashed + marshal.dumps(code)


def _said(error: BaseException) -> str:
    line = f"line {error.lineno}, " if isinstance(error, SyntaxError) and error.lineno else ""
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{line}{type(error).__name__}: {said}" if said else f"{line}{type(error).__name__}"
