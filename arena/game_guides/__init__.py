"""A guide to each game for bot authors: a summary of the rules, the options, the actions.

The summary is written by hand (GAME.md in this folder); the tables of options and actions are
generated from the code.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib.resources import files

from arena.rules import Game, game_class


def guide(name: str) -> str:
    """The guide to a game, in Markdown. Raises UnknownGame."""
    game = game_class(name)
    return f"# {game.title}\n\n{prose(game)}\n{options(game)}\n{actions(game)}"


def prose(game: type[Game]) -> str:
    """The summary of the rules: GAME.md, or the class's docstring if there is no such file."""
    page = files(__name__).joinpath(f"{game.name}.md")
    return page.read_text() if page.is_file() else f"{inspect.getdoc(game)}\n"


def options(game: type[Game]) -> str:
    """The table of options."""
    rows = [
        f"| `{name}` | `{option.default}` | {option.about} |"
        for name, option in game.known_options.items()
    ]
    return "\n".join(
        ["## Options", "", "| option | default | meaning |", "|---|---|---|", *rows, ""]
    )


def actions(game: type[Game]) -> str:
    """The table of actions: every action of the notation with its stable index."""
    rows = [f"| {index} | {action} |" for index, action in grouped(game.notation)]
    head = [
        "## Actions",
        "",
        f"Stable indices of ruleset `{game.ruleset}`; each decision has some of these actions.",
        "",
        "| index | action |",
        "|---|---|",
    ]
    return "\n".join([*head, *rows, ""])


def grouped(notation: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The rows of the table: consecutive actions that begin with the same word share one."""
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
