"""Output of measurements: tables, and JSON with the command and the environment."""

import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from arena import __version__
from arena.base import compiled
from arena.cli.screen import say
from arena.kit.output import encodable

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def figures_of_run(**figures: object) -> dict[str, object]:
    """Return figures with the command that measured them, its options, versions and cores."""
    asked = click.get_current_context()
    # Paths on this machine do not describe the run.
    options = {name: value for name, value in asked.params.items() if not isinstance(value, Path)}
    options.pop("as_json", None)
    ran = {
        "command": asked.command_path,
        "options": options,
        "arena": __version__,
        "python": platform.python_version(),
        "rules": compiled.description(),
        "cores": os.cpu_count(),
    }
    return {**ran, **figures}


def json_text(figures: dict[str, object]) -> str:
    """Return JSON without a final line feed; values of other types become strings."""
    return json.dumps(figures, indent=2, default=str)


def print_json(**figures: object) -> None:
    """Print `figures_of_run` as JSON."""
    say(json_text(figures_of_run(**figures)))


def stream_json(**figures: object) -> None:
    """Print the same as `print_json`, with each element of an iterator on its own line as soon as
    it is known."""
    say(json_text(figures_of_run()).removesuffix("\n}") + ",")
    last = list(figures)[-1]
    for name, value in figures.items():
        comma = "" if name == last else ","
        if isinstance(value, Iterator):
            say(f'  "{name}": [')
            for number, one in enumerate(value):
                # The comma comes first, so that a line is whole without the next one.
                say(f"    {',' if number else ''}{json.dumps(one, default=str)}")
            say(f"  ]{comma}")
        else:
            say(f'  "{name}": {json.dumps(value, default=str)}{comma}')
    say("}")


def stream_table(
    columns: Mapping[str, int], rows: Iterable[Sequence[object]], *, left: Sequence[str] = ()
) -> None:
    """Print a table like `print_table`, but each row as soon as it is known.

    `columns` gives the minimum width of each column."""
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
