"""`arena rules`: a short guide to each game for authors of bots."""

import argparse
import sys
from contextlib import suppress

from arena.games.guides import guide
from arena.games.rules import GAMES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Explain a game, its options and its notation."
    parser.epilog = "Example:\n  arena rules lama"
    parser.add_argument("game", nargs="?", help="game to explain; without it, a list of the games")


def run(args: argparse.Namespace) -> int:
    """Print the guide, with colours on a terminal if rich is installed."""
    if args.game is None:
        for name, kind in GAMES.items():
            print(f"{name:<10} {kind.title}")
    else:
        _print(guide(args.game))
    return 0


def _print(text: str) -> None:
    if sys.stdout.isatty():
        with suppress(ImportError):
            from rich.console import Console
            from rich.markdown import Markdown

            Console(markup=False, emoji=False, highlight=False).print(Markdown(text))
            return
    print(text)
