"""`arena rules`: a page on each game for authors of bots."""

from __future__ import annotations

import sys

import click
from rich.markdown import Markdown

from arena.cli.screen import console, say
from arena.game_guides import guide
from arena.rules import GAMES


@click.command()
@click.argument("game", required=False)
def rules(game: str | None) -> None:
    """Explain a game in short: its rules, its options, the notation of its actions.

    \b
    Example:
      arena rules lama
    """
    if game is None:
        for name, kind in GAMES.items():
            say(f"{name:<10} {kind.title}")
    elif sys.stdout.isatty():
        console().print(Markdown(guide(game)))
    else:
        say(guide(game))
