"""Prints the help of every installed command; runs on the author's machine.

The output is a line of JSON with the help text by command, such as {"bot submit": "Usage: ..."}.
"""

import io
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout

from arena.base import extras
from arena.kit.commands import COMMANDS
from arena.kit.main import main


def said(words: Sequence[str]) -> str:
    """The output of `arena WORDS --help`. Raises RuntimeError if it fails."""
    out = io.StringIO()
    sys.argv = ["arena", *words, "--help"]
    with redirect_stdout(out), redirect_stderr(out):
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{sys.argv}: {out.getvalue()}") from None
    return out.getvalue()


def names() -> Iterator[list[str]]:
    """The words of every installed command."""
    yield []
    yield from (name.split() for name in COMMANDS)
    if extras.has_server():
        import click

        from arena.cli.app import arena

        def below(group: click.Group, path: list[str]) -> Iterator[list[str]]:
            for name in group.list_commands(click.Context(group)):
                command = group.get_command(click.Context(group), name)
                yield [*path, name]
                if isinstance(command, click.Group):
                    yield from below(command, [*path, name])

        yield from below(arena, [])
    else:
        yield from ([name] for name in {words.split()[0] for words in COMMANDS if " " in words})


if __name__ == "__main__":
    print(json.dumps({" ".join(words): said(words) for words in names()}))
