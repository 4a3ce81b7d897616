"""Guides to the games for bot authors: rules summary, options, actions.

The summary is written by hand (GAME.md in this folder). The tables of options, actions and packed
decisions are generated from the code.
"""

import inspect
from collections.abc import Iterator
from importlib.resources import files

from arena.games.rules import Game, game_class
from arena.games.rules.packed import Layout


def guide(name: str) -> str:
    """Returns the guide to a game in Markdown. Raises UnknownGame."""
    game = game_class(name)
    tables = (options(game), actions(game), packed_rows(game))
    return f"# {game.title}\n\n{prose(game)}\n" + "\n".join(table for table in tables if table)


def prose(game: type[Game]) -> str:
    """Returns the summary of the rules: GAME.md, or else the class's docstring."""
    page = files(__name__).joinpath(f"{game.name}.md")
    return page.read_text() if page.is_file() else f"{inspect.getdoc(game)}\n"


def options(game: type[Game]) -> str:
    """Returns the table of options."""
    rows = [
        f"| `{name}` | `{option.default}` | {option.about} |"
        for name, option in game.known_options.items()
    ]
    return "\n".join(
        ["## Options", "", "| option | default | meaning |", "|---|---|---|", *rows, ""]
    )


def actions(game: type[Game]) -> str:
    """Returns the table of all actions with their indices."""
    rows = [f"| {index} | {action} |" for index, action in grouped(game.notation)]
    head = [
        "## Actions",
        "",
        f"Indices of ruleset `{game.ruleset}`. Each decision offers some of these actions.",
        "",
        "| index | action |",
        "|---|---|",
    ]
    return "\n".join([*head, *rows, ""])


def packed_rows(game: type[Game]) -> str:
    """Returns the table of a packed decision's bytes; empty if the game has none."""
    if not game.most_legal:
        return ""
    few, more = Layout(game, 2).columns, Layout(game, 3).columns
    rows = [f"| `{name}` | {_bytes(few[name], more[name])} |" for name in few]
    return "\n".join(
        [
            "## Packed decisions",
            "",
            f"A row's bytes; S is the number of seats. A move has {game.move_bytes} bytes.",
            f"Cards are numbered from 0: {_numbered(game.kinds)}.",
            f"Kinds of decisions are numbered from 0: {_numbered(game.phases)}.",
            "",
            "| field | bytes |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def _bytes(at_two: slice, at_three: slice) -> str:
    """Returns the width of a column in terms of S, given its widths at two and three seats."""
    width, wider = at_two.stop - at_two.start, at_three.stop - at_three.start
    each = wider - width
    return f"{width}" if not each else "S" if each == 1 else f"{each}·S"


def _numbered(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def grouped(notation: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yields rows of the table. Consecutive actions with the same first word share one."""
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
