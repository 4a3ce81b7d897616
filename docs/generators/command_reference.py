"""Writes docs/reference/commands.md.

    python docs/generators/command_reference.py

The page has all commands of `arena` with their options, as each prints them with --help.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import click

from arena.cli.app import arena
from arena.kit.commands import COMMANDS as KIT
from arena.kit.commands import parser_of

PAGE = Path(__file__).parents[1] / "reference/commands.md"
WIDTH = 100  # columns
ADDRESS = "http://HOST:7421"  # the website of an arena, as the other pages write it


def reference() -> str:
    """The page."""
    with patch.dict(os.environ, ARENA_DASHBOARD=ADDRESS):
        return _page()


def _page() -> str:
    head = [
        "# Commands",
        "",
        "This page is generated from the commands. `--help` prints the same text. The package has",
        "the commands for authors of bots; the others also need the extra `server`.",
        "",
        "## For authors of bots",
        "",
    ]
    parts = ["\n".join(head)]
    parts += [_section(name, _help_of_parser(name)) for name in KIT]
    parts.append("## For organisers and operators\n")
    parts += [_section(name, text) for name, text in _of_group(arena, ()) if name not in KIT]
    return "\n".join(parts)


def _section(name: str, text: str) -> str:
    return f"### arena {name}\n\n```text\n{text.strip()}\n```\n"


def _help_of_parser(name: str) -> str:
    parser = parser_of(name)

    class Formatter(argparse.RawDescriptionHelpFormatter):
        """As wide as the page, whatever the terminal."""

        def __init__(self, prog: str, **options: object) -> None:
            super().__init__(prog, width=WIDTH)

    parser.formatter_class = Formatter
    return parser.format_help()


def _of_group(group: click.Group, above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The commands below a group, by their words, each group before what is in it."""
    context = click.Context(group)
    for word in group.list_commands(context):
        words = (*above, word)
        command = group.get_command(context, word)
        if command is None or command.hidden:
            continue
        yield " ".join(words), _help_of_command(command, words)
        if isinstance(command, click.Group):
            yield from _of_group(command, words)


def _help_of_command(command: click.Command, words: tuple[str, ...]) -> str:
    settings = arena.context_settings | command.context_settings
    name = f"arena {' '.join(words)}"
    context = click.Context(command, info_name=name, terminal_width=WIDTH, **settings)
    return command.get_help(context)


if __name__ == "__main__":
    PAGE.write_text(reference())
