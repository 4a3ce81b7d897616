"""What the commands print: tables for people, JSON for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn

import click
from google.protobuf.message import Message
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.kit.output import encodable, json_text

# Where the output is not a terminal there is no edge to wrap at.
WIDE = 200


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leaves it to `arena.kit.main.leave`; rich would end with status 1."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """A console that prints texts as they are: no markup, no emoji, no guessed colours."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDE
    return _Console(stderr=stderr, markup=False, emoji=False, highlight=False, width=width)


def say(text: str = "") -> None:
    """One line on stdout."""
    click.echo(text)


def note(text: str) -> None:
    """One line on stderr, beside the output proper. A live bar on the terminal makes room for
    it, because rich has put its own in the place of `sys.stderr`."""
    print(click.style(text, dim=True) if sys.stderr.isatty() else text, file=sys.stderr)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    left: Sequence[str] = (),
    tight: bool = False,
) -> None:
    """A table; numbers stand at the right, the columns named in `left` at the left.

    A `tight` one has its columns closer together, for many of them; where the terminal is still
    too narrow, headings of several words are broken first.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    table.collapse_padding = tight
    for column in columns:
        whole = tight and " " not in column
        table.add_column(column, justify="left" if column in left else "right", no_wrap=whole)
    for row in rows:
        table.add_row(*(Text(encodable(str(cell))) for cell in row))
    console().print(table)


def stream_table(
    columns: Mapping[str, int], rows: Iterable[Sequence[object]], *, left: Sequence[str] = ()
) -> None:
    """A table as of `print_table` whose rows are printed once each is known: `columns` are as wide
    as given, or as their headings."""
    widths = [max(len(column), width) for column, width in columns.items()]

    def line(cells: Iterable[object]) -> str:
        placed = zip(columns, widths, map(str, cells), strict=True)
        return "  ".join(
            [
                cell.ljust(width) if name in left else cell.rjust(width)
                for name, width, cell in placed
            ]
        )

    say(line(columns).rstrip())
    say("-" * len(line(columns)))
    for row in rows:
        say(encodable(line(row).rstrip()))


def visible(text: str) -> str:
    """A text that somebody else wrote, without characters that would steer the terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def when(seconds: float) -> str:
    """A time in the reader's zone, to the minute."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def print_json(message: Message) -> None:
    """A message of the control contract as JSON, its field names as in control.proto."""
    print(json_text(as_json(message), indent=2))


def as_json(message: Message) -> dict[str, Any]:
    """All fields of a message, also those at their default; absent optional ones are null.

    Unlike protobuf's own mapping, 64-bit numbers stay numbers.
    """
    return {name: _value(message, name) for name in message.DESCRIPTOR.fields_by_name}


def _value(message: Message, name: str) -> Any:
    field, value = message.DESCRIPTOR.fields_by_name[name], getattr(message, name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return dict(sorted(value.items()))
    if field.is_repeated:
        return [as_json(item) if isinstance(item, Message) else item for item in value]
    if field.has_presence and not message.HasField(name):
        return None
    return as_json(value) if isinstance(value, Message) else value
