"""`bench luck`: how many matches it saves to take luck out, by sort of bots."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from arena.games.rules import GAMES
from tests.lab.commands.figures import json_option, stream_json, stream_table

if TYPE_CHECKING:
    from arena.tournaments.ratings.luck_saved import Saved
    from tests.lab.bench.luck import Measured

FIELDS = (
    "house",
    "beginners",
    "always quit",
    "never quit",
    "quit and stay",
    "random",
    "student",
    "mixed",
    "master",
)
# Columns, with the widths of their cells.
COLUMNS = {
    "game": 7,
    "seats": 1,
    "bots": 13,
    "factor": 4,
    "95%": 12,
    "coefficient": 4,
    "factor with 1": 4,
    "matches": 6,
}


@click.command("luck")
@click.option(
    "--game",
    "games",
    multiple=True,
    type=click.Choice(list(GAMES)),
    help="Games to measure.  [all]",
)
@click.option(
    "--seats", multiple=True, type=click.IntRange(2, 6), help="Seats at a table.  [2, 3, 4 and 6]"
)
@click.option(
    "--bots", multiple=True, type=click.Choice(FIELDS), help="Fields of bots.  [all but master]"
)
@click.option(
    "--rounds",
    type=click.IntRange(2),
    default=16,
    show_default=True,
    help="Rounds that master plays out for a decision.",
)
@click.option(
    "--matches",
    type=click.IntRange(64),
    default=1000,
    show_default=True,
    help="Matches of each field at each table.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Random seed.")
@json_option
def luck(
    games: tuple[str, ...],
    seats: tuple[int, ...],
    bots: tuple[str, ...],
    rounds: int,
    matches: int,
    seed: int,
    as_json: bool,
) -> None:
    """Measure how many matches luck correction saves.

    Fields of six or seven bots play without an arena. "house" are the six hand-written bots,
    "beginners" are bots like the README's, "mixed" has one of each sort. A factor of 1.5
    means that 100 luck-adjusted matches tell as much as 150 unadjusted ones. The coefficient is
    fitted to the matches, as in a tournament. "factor with 1" has the coefficient 1.

    \b
      python -m tests.lab bench luck --matches 250
      python -m tests.lab bench luck --game lama --seats 4 --bots house --bots beginners
    """
    from tests.lab.bench.luck import measure

    found = measure(
        games or tuple(GAMES), seats or (2, 3, 4, 6), bots or FIELDS[:-1], rounds, matches, seed
    )
    if as_json:
        stream_json(luck=map(asdict, found))
        return
    stream_table(COLUMNS, map(_row, found), left=["game", "bots"])


def _row(one: Measured) -> tuple[object, ...]:
    found = one.found
    interval = "" if found.factor is None else f"{found.low:.2f} to {found.high:.2f}"
    coefficient = "" if found.coefficient is None else f"{found.coefficient:.2f}"
    columns = _factor(found), interval, coefficient, _factor(one.fixed), f"{one.matches:,}"
    return one.game, one.seats, one.field, *columns


def _factor(saved: Saved) -> str:
    return "?" if saved.factor is None else f"{saved.factor:.2f}"
