"""`bench strength`: compare house bots with each other."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from arena.bots import HOUSE
from arena.games.rules import GAMES
from tests.lab.commands.figures import json_option, stream_json, stream_table

if TYPE_CHECKING:
    from tests.lab.bench.strength import Measured

BOTS = ("student", "master", "naive", "newcomer", "clairvoyant", *HOUSE)
# Columns, with the widths of their cells.
COLUMNS = {
    "game": 7,
    "seats": 1,
    "bot": 12,
    "rounds": 4,
    "against": 12,
    "score": 5,
    "Elo ± 95%": 11,
    "matches": 6,
    "CPU ms": 6,
}


@click.command("strength")
@click.option(
    "--game",
    "games",
    multiple=True,
    type=click.Choice(list(GAMES)),
    help="Games to measure.  [all]",
)
@click.option(
    "--seats", multiple=True, type=click.IntRange(2, 6), help="Seats at a table.  [2, 4 and 6]"
)
@click.option(
    "--bot",
    "bots",
    multiple=True,
    type=click.Choice(BOTS),
    help="Bots to measure.  [student and master]",
)
@click.option(
    "--against",
    type=click.Choice(("best", *BOTS)),
    default="best",
    show_default=True,
    help="Opponent. best is the strongest hand-written bot at that table.",
)
@click.option(
    "--rounds",
    multiple=True,
    type=click.IntRange(2),
    help="Rounds that searching bots play out for a decision; repeatable.  [512]",
)
@click.option(
    "--matches",
    type=click.IntRange(12),
    default=3000,
    show_default=True,
    help="Matches of each comparison.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Random seed.")
@json_option
def strength(
    games: tuple[str, ...],
    seats: tuple[int, ...],
    bots: tuple[str, ...],
    against: str,
    rounds: tuple[int, ...],
    matches: int,
    seed: int,
    as_json: bool,
) -> None:
    """Measure the strength of bots against an opponent, in matches without an arena.

    Each side has half of the seats, in all rotations of each deal. With an odd number the bot has
    one seat more. The score counts pairs of both sides. Many matches are played at once, so a
    decision costs less than it does alone. `naive` is `master` without inference. `newcomer` is the
    example /docs/examples/search_bot.py. `clairvoyant` sees all hands and plays rounds out as
    `sharp`, which gives an upper bound.

    \b
      python -m tests.lab bench strength --bot student
      python -m tests.lab bench strength --game lama --seats 4 --bot master --rounds 64 --rounds 512
      python -m tests.lab bench strength --bot master --against naive --rounds 128
      python -m tests.lab bench strength --bot newcomer --against master --matches 600
    """
    from tests.lab.bench.strength import measure

    found = measure(
        games or tuple(GAMES),
        seats or (2, 4, 6),
        bots or ("student", "master"),
        against,
        rounds or (512,),
        matches,
        seed,
    )
    if as_json:
        stream_json(strength=({**asdict(one), "elo": one.found.elo} for one in found))
        return
    stream_table(COLUMNS, map(_row, found), left=["game", "bot", "against"])


def _row(one: Measured) -> tuple[object, ...]:
    found = one.found
    return (
        one.game,
        one.seats,
        one.bot,
        one.rounds or "",
        one.against,
        f"{found.score:.1%}",
        f"{found.elo:+.0f} ± {found.elo_error:.0f}",
        f"{found.matches:,}",
        f"{one.ms:.2g}",
    )
