"""Plays simulated tournaments: the arena's own formats with drawn results."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from arena.base.errors import InvalidRequest
from arena.tournaments.formats import Format, Played, TournamentSpec
from arena.tournaments.formats.plan import NOTHING, SoFar
from arena.tournaments.ratings.deal_sums import SeatResults
from tests.lab.simulations.dealer import Dealer

# Called with the number of runs done.
Progress: TypeAlias = Callable[[int], object]


def silent(done: int) -> None:
    """Shows no progress."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block that was played, and the format's state after it."""

    played: Sequence[Played]
    so_far: SoFar


def blocks(spec: TournamentSpec, format_: Format, dealer: Dealer) -> Iterator[Block]:
    """Plays a tournament block by block, until the format plans no more."""
    so_far, number = NOTHING, 0
    while block := format_.block(spec, number, so_far):
        played = dealer.play(block)
        so_far = format_.fold(spec, so_far, played)
        yield Block(played, so_far)
        number += 1


def together(played: Iterable[Played]) -> list[list[Played]]:
    """Matches by deal, in the order of the deals."""
    deals: dict[int, list[Played]] = defaultdict(list)
    for one in played:
        deals[one.match.deal].append(one)
    return [deals[deal] for deal in sorted(deals)]


def results(deal: Iterable[Played]) -> list[SeatResults]:
    """Matches in the form ratings take; players are entrant numbers."""
    return [SeatResults(one.match.seats, one.points, one.forfeited) for one in deal]


def by_deal(played: Iterable[Played]) -> list[list[SeatResults]]:
    """The results of each deal, in the order of the deals."""
    return [results(deal) for deal in together(played)]


def generators(seed: int, runs: int) -> Iterator[np.random.Generator]:
    """An independent random generator for each run. Raises InvalidRequest."""
    if runs < 1 or seed < 0:
        raise InvalidRequest(f"There are {runs} runs and seed {seed}: at least 1 and at least 0.")
    return map(np.random.default_rng, np.random.SeedSequence(seed).spawn(runs))


def drawn_seed(chance: np.random.Generator) -> int:
    """A seed for a tournament."""
    return int(chance.integers(2**63))


def names(bots: int) -> tuple[str, ...]:
    """Names for `bots` bots, in entrant order."""
    return tuple(f"bot{number}" for number in range(bots))
