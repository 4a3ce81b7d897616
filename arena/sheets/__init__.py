"""A page on each game for authors of bots: the rules in short, options, notation.

The prose is written by hand (GAME.md beside this file); what the code knows better, the options
and the table of actions, is taken from the code.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib.resources import files

from arena.rules import Game, game_class


def sheet(name: str) -> str:
    """The page on a game, in Markdown. Raises UnknownGame."""
    game = game_class(name)
    return f"# {game.title}\n\n{prose(game)}\n{options(game)}\n{actions(game)}"


def prose(game: type[Game]) -> str:
    """The rules in short; a variant without a page of its own has its class's docstring."""
    page = files(__name__).joinpath(f"{game.name}.md")
    return page.read_text() if page.is_file() else f"{inspect.getdoc(game)}\n"


def options(game: type[Game]) -> str:
    """The section on options."""
    rows = [
        f"| `{name}` | `{option.default}` | {option.about} |"
        for name, option in game.known_options.items()
    ]
    return "\n".join(
        ["## Options", "", "| option | default | meaning |", "|---|---|---|", *rows, ""]
    )


def actions(game: type[Game]) -> str:
    """The section on actions: every action of the notation with its stable index."""
    rows = [f"| {index} | {action} |" for index, action in grouped(game.notation)]
    head = [
        "## Actions",
        "",
        f"Stable indices of ruleset `{game.ruleset}`; a decision offers some of these.",
        "",
        "| index | action |",
        "|---|---|",
    ]
    return "\n".join([*head, *rows, ""])


def grouped(notation: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Actions that begin with the same word and follow one another share a line."""
    start = 0
    while start < len(notation):
        word = notation[start].partition(" ")[0]
        end = start
        while end < len(notation) and notation[end].partition(" ")[0] == word:
            end += 1
        names = [f"`{action}`" for action in notation[start:end]]
        span = f"{start}" if end - start == 1 else f"{start} … {end - 1}"
        yield (
            span,
            ", ".join(names) if len(names) <= 30 else ", ".join([*names[:9], "…", names[-1]]),
        )
        start = end
