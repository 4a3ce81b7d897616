"""`bench inference`: how much others' moves say about their hands."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from arena.bots import HOUSE
from arena.cli.screen import stream_table
from tests.lab.commands.figures import json_option, stream_json

if TYPE_CHECKING:
    from tests.lab.bench.inference import Gain

GAMES = ("lama", "party", "kadabra")  # in which hands are hidden
# Players unlike any house bot, of `tests.lab.bench.unusual`.
UNUSUAL = ("draws", "often-draws", "leaves", "leaves-soon", "stays", "highest", "rich")
PLAYERS = ("house", "student", *HOUSE, *UNUSUAL)
# With the widths of what stands below.
COLUMNS = {
    "game": 7,
    "seats": 1,
    "players": 11,
    "nats ± 95%": 12,
    "hands that count": 4,
    "decisions": 6,
}


@click.command("inference")
@click.option("--game", "games", multiple=True, type=click.Choice(GAMES), help="[all]")
@click.option("--seats", multiple=True, type=click.IntRange(2, 6), help="[2, 4 and 6]")
@click.option(
    "--players",
    multiple=True,
    type=click.Choice(PLAYERS),
    metavar="NAME",
    help="Who plays: house, student, a hand-written bot, or "
    f"{', '.join(UNUSUAL[:-1])} or {UNUSUAL[-1]}.  [house and student]",
)
@click.option("--decisions", type=click.IntRange(100), default=2000, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@json_option
def inference(
    games: tuple[str, ...],
    seats: tuple[int, ...],
    players: tuple[str, ...],
    decisions: int,
    seed: int,
    as_json: bool,
) -> None:
    """How much others' moves say about their hands, as the house bot master takes them.

    In matches without an arena, between players of one name or, as `house`, between all hand-
    written bots. From "draws" on they are unlike any house bot: such a player draws or quits
    though it could play, never quits, plays the highest card, or quits with many points. "nats":
    the mean of the logarithm of how much likelier the hands that others hold become, beside all
    hands being equally likely; the error counts a match as one. "hands that count": the share of
    the hands drawn that is left when they are weighted.

    \b
      python -m tests.lab bench inference --game lama --seats 4 --decisions 5000
    """
    from tests.lab.bench.inference import measure

    found = measure(
        games or GAMES, seats or (2, 4, 6), players or ("house", "student"), decisions, seed
    )
    if as_json:
        stream_json(inference=map(asdict, found))
        return
    stream_table(COLUMNS, map(_row, found), left=["game", "players"])


def _row(one: Gain) -> tuple[object, ...]:
    return (
        one.game,
        one.seats,
        one.players,
        f"{one.nats:+.2f} ± {one.error:.2f}",
        f"{one.share:.0%}",
        f"{one.decisions:,}",
    )
