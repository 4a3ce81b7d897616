"""`train`: train the models of `arena.value`."""

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
    "--game", "games", type=click.Choice(list(GAMES)), multiple=True, help="Only this game."
)
@click.option(
    "--seats",
    type=click.IntRange(FEWEST_SEATS, MOST_SEATS),
    multiple=True,
    help="Only this number of seats.",
)
@click.option(
    "--size",
    type=click.FloatRange(0, 100, min_open=True),
    default=1.0,
    show_default=True,
    help="Amount of data, as a multiple of the usual.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Random seed.")
@click.option(
    "--to",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the models.  [default: arena/value/nets]",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Models trained at a time.  [default: 1; for `again` one per core]",
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
    """Train the models of arena.value, each with its model card.

    WHAT is a kind of model: outcome, styled, rounds, luck or policy. Each builds on the kinds
    before it. `measure` trains nothing and prints how many matches luck-adjusted scores save.
    `again` retrains every bundled model from its model card and reports which are bit-identical.

    The data are matches between house bots. Policies also play against themselves. The same seed
    gives the same models on the same machine.

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
        raise InvalidRequest("A policy plays at all numbers of seats. Remove --seats.")
    if what == "measure" and jobs:
        raise InvalidRequest("`measure` trains no models. Remove --jobs.")
    if what != AGAIN:
        tables = seats or range(FEWEST_SEATS, MOST_SEATS + 1)
        yield from command.made(what, games, list(tables), size, seed, to, jobs or 1)
        return
    if seats or size != 1 or seed != 1:
        raise InvalidRequest(
            "`again` takes these options from the model cards. Remove --seats, --size and --seed."
        )
    if to is None:
        raise InvalidRequest(
            "`again` needs a folder for the models. Pass one with --to, for example --to nets."
        )
    yield from command.made_again(games, to, jobs or cores())
