"""`bench strength`: how strong house bots are against each other."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from arena.bots import HOUSE
from arena.cli.screen import stream_table
from arena.games.rules import GAMES
from tests.lab.commands.figures import json_option, stream_json

if TYPE_CHECKING:
    from tests.lab.bench.strength import Measured

BOTS = ("student", "master", "naive", "newcomer", "clairvoyant", *HOUSE)
# With the widths of what stands below.
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
@click.option("--game", "games", multiple=True, type=click.Choice(list(GAMES)), help="[all]")
@click.option("--seats", multiple=True, type=click.IntRange(2, 6), help="[2, 4 and 6]")
@click.option("--bot", "bots", multiple=True, type=click.Choice(BOTS), help="[student and master]")
@click.option(
    "--against",
    type=click.Choice(("best", *BOTS)),
    default="best",
    show_default=True,
    help="best: the strongest hand-written bot at that table.",
)
@click.option(
    "--rounds",
    multiple=True,
    type=click.IntRange(2),
    help="That searching bots play on for a decision; several for a curve.  [512]",
)
@click.option("--matches", type=click.IntRange(12), default=3000, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
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
    """How strong bots are against another one, in matches without an arena.

    Each of both has half of the seats (the first one more, where their number is odd), in all
    rotations of each deal. The score counts pairs of the one and the other. Many matches are
    played at once, so that a decision costs less than it does alone. Each row is printed once it is
    known, with --json as a line of the list. `naive` is `master` without
    inference from what others did; `newcomer` is the example /docs/examples/search_bot.py.
    `clairvoyant` sees all hands and plays rounds on as `sharp`: what could be won at most.

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
