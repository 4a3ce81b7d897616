"""What measurements print for programs: JSON that says what ran, and on what."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from pathlib import Path

import click

from arena import __version__
from arena.base import compiled
from arena.cli.screen import say

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def figures_of_run(**figures: object) -> dict[str, object]:
    """Figures behind the command that gave them, its options, versions and cores."""
    asked = click.get_current_context()
    # Where files lie on this machine says nothing of the run.
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
    """JSON without a line feed at the end; what JSON does not know becomes its text."""
    return json.dumps(figures, indent=2, default=str)


def print_json(**figures: object) -> None:
    """Prints figures as JSON, with the command that gave them and what it ran on."""
    say(json_text(figures_of_run(**figures)))


def stream_json(**figures: object) -> None:
    """Prints the same as `print_json`; each element of an iterator on a line of its own, once it
    is known."""
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
