"""Tables, and output to closed pipes and to streams with a limited encoding."""

import codecs
import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

ASCII_FORM = "arena-ascii"  # the error handler of streams that cannot hold a character
SIGNS = {
    "\N{PLUS-MINUS SIGN}": "+-",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{MINUS SIGN}": "-",
    "\N{FRACTION SLASH}": "/",
    "\N{RIGHTWARDS ARROW}": "->",
    "\N{BULLET}": "*",
    "\N{MIDDLE DOT}": "-",
}
KINDS = {"Pd": "-", "Pi": "'", "Pf": "'", "Mn": ""}  # dashes, quotation marks, accents


def tolerate() -> None:
    """Replace characters that the encodings of stdout and stderr lack by ASCII."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=ASCII_FORM)


def flush() -> None:
    """Flush stdout and stderr. Raises BrokenPipeError."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()


def discard_unread() -> None:
    """Discard the rest of the output if its reader is gone, so that Python can exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def encodable(text: str) -> str:
    """Return the text as stdout will show it, to measure columns."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, ASCII_FORM).decode(encoding)


def json_text(value: Any, **style: Any) -> str:
    """Return JSON for stdout, with escapes unless its encoding is UTF-8."""
    holds_all = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return json.dumps(value, ensure_ascii=not holds_all, **style)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> Iterator[str]:
    """Yield the lines of a table. The first `left` columns are left-aligned."""
    lines = [tuple(map(encodable, line)) for line in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _ascii_form(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = unicodedata.normalize("NFKD", error.object[error.start : error.end])
    return "".join(map(_of_character, characters)), error.end


def _of_character(character: str) -> str:
    if character.isascii():
        return character
    return SIGNS.get(character) or KINDS.get(unicodedata.category(character), "?")


codecs.register_error(ASCII_FORM, _ascii_form)
