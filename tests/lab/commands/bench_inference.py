"""`bench inference`: how much moves reveal about hidden hands."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from arena.bots import HOUSE
from tests.lab.commands.figures import json_option, stream_json, stream_table

if TYPE_CHECKING:
    from tests.lab.bench.inference import Gain

GAMES = ("lama", "party", "kadabra")  # in which hands are hidden
# Players unlike any house bot, of `tests.lab.bench.unusual`.
UNUSUAL = ("draws", "often-draws", "leaves", "leaves-soon", "stays", "highest", "rich")
PLAYERS = ("house", "student", *HOUSE, *UNUSUAL)
# Columns, with the widths of their cells.
COLUMNS = {
    "game": 7,
    "seats": 1,
    "players": 11,
    "nats ± 95%": 12,
    "hands that count": 4,
    "decisions": 6,
}


@click.command("inference")
@click.option(
    "--game", "games", multiple=True, type=click.Choice(GAMES), help="Games to measure.  [all]"
)
@click.option(
    "--seats", multiple=True, type=click.IntRange(2, 6), help="Seats at a table.  [2, 4 and 6]"
)
@click.option(
    "--players",
    multiple=True,
    type=click.Choice(PLAYERS),
    metavar="NAME",
    help="Bots that play: house, student, a hand-written bot, or "
    f"{', '.join(UNUSUAL[:-1])} or {UNUSUAL[-1]}.  [house and student]",
)
@click.option(
    "--decisions",
    type=click.IntRange(100),
    default=2000,
    show_default=True,
    help="Decisions to look at.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Random seed.")
@json_option
def inference(
    games: tuple[str, ...],
    seats: tuple[int, ...],
    players: tuple[str, ...],
    decisions: int,
    seed: int,
    as_json: bool,
) -> None:
    """Measure how much moves reveal about hidden hands, as the house bot master infers them.

    Matches are played without an arena, between bots of one name, or with `house` between all
    hand-written bots. The bots from "draws" on are unlike any house bot. They draw or quit although
    they could play, never quit, play the highest card, or quit with many points. "nats" is the mean
    log-likelihood ratio of the true hands, compared with equally likely hands. Its error is
    clustered by match. "hands that count" is the effective share of the sampled hands.

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
