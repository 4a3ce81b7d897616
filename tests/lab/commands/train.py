"""`train`: makes nets from matches between the house's bots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

import arena.base.blas_threads  # noqa: F401 - before NumPy: more threads cost more than they give
from arena.base.errors import InvalidRequest
from arena.games.rules import GAMES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.kit.play.pool import cores
from tests.lab.training import command

AGAIN = "again"
WHAT = ("outcome", "styled", "rounds", "luck", "policy", "measure", AGAIN)


@click.command()
@click.argument("what", type=click.Choice(WHAT))
@click.option(
    "--game", "games", type=click.Choice(list(GAMES)), multiple=True, help="Only of this game."
)
@click.option(
    "--seats",
    type=click.IntRange(FEWEST_SEATS, MOST_SEATS),
    multiple=True,
    help="Only for so many.",
)
@click.option(
    "--size",
    type=click.FloatRange(0, 100, min_open=True),
    default=1.0,
    show_default=True,
    help="How much data, as a multiple of the usual.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option(
    "--to",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the nets. Default: arena/value/nets.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Nets made at a time, each by a process. Default: 1; for `again` one for each core.",
)
def train(
    what: str,
    games: tuple[str, ...],
    seats: tuple[int, ...],
    size: float,
    seed: int,
    to: Path | None,
    jobs: int | None,
) -> None:
    """Train the nets of arena.value again, each with its card beside it.

    WHAT is a kind of net: outcome, styled, rounds, luck or policy, in the order in which they need
    each other. `measure` trains none: it says how many matches the correction for luck saves.
    `again` trains every net of the package as its card says, and says which come out the same.

    The data are matches between house bots and, for policies, of nets with themselves. The same
    seed gives the same nets on the same machine.

    \b
      python -m tests.lab train outcome
      python -m tests.lab train outcome --game lama --game dice --seats 4 --size 0.1 --to nets
      python -m tests.lab train again --to nets
    """
    for line in _lines(what, games or tuple(GAMES), seats, size, seed, to, jobs):
        click.echo(line)


def _lines(
    what: str,
    games: tuple[str, ...],
    seats: tuple[int, ...],
    size: float,
    seed: int,
    to: Path | None,
    jobs: int | None,
) -> Iterator[str]:
    if what == "policy" and seats:
        raise InvalidRequest("One policy net plays at all numbers of seats: leave --seats out.")
    if what == "measure" and jobs:
        raise InvalidRequest("`measure` makes no nets: leave --jobs out.")
    if what != AGAIN:
        tables = seats or range(FEWEST_SEATS, MOST_SEATS + 1)
        yield from command.made(what, games, list(tables), size, seed, to, jobs or 1)
        return
    if seats or size != 1 or seed != 1:
        raise InvalidRequest("The cards say how each net is made: leave out what they say.")
    if to is None:
        raise InvalidRequest("Name a folder for the nets with --to, such as --to nets.")
    yield from command.made_again(games, to, jobs or cores())
