"""Output of the commands: tables for people, JSON for programs."""

import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, NoReturn, TypeVar

import click
from google.protobuf.message import Message
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.kit.output import encodable, json_text

F = TypeVar("F", bound=Callable[..., Any])

WIDE = 200  # columns, if the output is not a terminal

json_option = click.option("--json", "json_", is_flag=True, help="JSON output.")


def limit_option(entries: str, usual: int, most: int = 1000) -> Callable[[F], F]:
    """Return --limit, the maximum number of `entries`."""
    return click.option(
        "--limit",
        type=click.IntRange(1, most),
        default=usual,
        show_default=True,
        help=f"Maximum number of {entries}.",
    )


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leave it to `arena.kit.main.leave`; rich would exit with status 1."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """Return a console that prints text unchanged: no markup, emoji or highlighting."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDE
    return _Console(stderr=stderr, markup=False, emoji=False, highlight=False, width=width)


def say(text: str = "") -> None:
    """Print a line on stdout."""
    click.echo(text)


def note(text: str) -> None:
    """Print a line on stderr. It appears above a live bar, because rich replaces `sys.stderr`. If
    stderr is a log on a full disk, the line is lost: an arena must not end because of that."""
    try:
        print(click.style(text, dim=True) if sys.stderr.isatty() else text, file=sys.stderr)
    except BrokenPipeError:
        raise
    except OSError:
        pass


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    left: Sequence[str] = (),
    tight: bool = False,
) -> None:
    """Print a table, right-aligned except for the columns in `left`. `tight` reduces the padding,
    for many columns. On a narrow terminal, headings of several words then wrap first."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    table.collapse_padding = tight
    for column in columns:
        whole = tight and " " not in column
        table.add_column(column, justify="left" if column in left else "right", no_wrap=whole)
    for row in rows:
        table.add_row(*(Text(encodable(str(cell))) for cell in row))
    console().print(table)


def when(seconds: float) -> str:
    """Return a local time, to the minute."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def print_json(message: Message) -> None:
    """A message of the control contract as JSON, its field names as in control.proto."""
    print(json_text(as_json(message), indent=2))


def as_json(message: Message) -> dict[str, Any]:
    """Return all fields of a message, including defaults; absent optional ones are None. Unlike in
    protobuf's mapping, 64-bit numbers stay numbers."""
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
