"""Tables, lists and numbers as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from arena.kit.output import encodable


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


def listed(words: Sequence[str]) -> str:
    """Join words with commas."""
    return ", ".join(words)


def with_error(value: str, plus_minus: str | None) -> str:
    """Return, for example, "31.2% ± 1.9"; without the error if it is None."""
    return value if plus_minus is None else f"{value} ± {plus_minus}"
