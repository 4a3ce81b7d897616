"""Synthetic deals for tests of ratings, between players of known strength."""

import random
from collections.abc import Iterable, Sequence

from arena.tournaments.ratings.deal_sums import SeatResults
from tests.tallies import DealTally

Deal = list[SeatResults]


def deal(players: Sequence[int], *points: Sequence[int]) -> Deal:
    """A deal whose matches ended with these points, in player order."""
    return [SeatResults(players, each, (False,) * len(players)) for each in points]


def duel(score: int, players: tuple[int, int] = (1, 2)) -> Deal:
    """Two matches of two players; `score` is the first one's half-points."""
    ends = {0: [1, 1], 1: [1, 2], 2: [2, 2], 3: [0, 2], 4: [0, 0]}[score]
    return deal(players, *[{0: (0, 9), 1: (9, 0), 2: (5, 5)}[end] for end in ends])


def drawn(
    strengths: Sequence[float], seats: int, deals: int, seed: int = 1, luck: float = 6.0
) -> list[Deal]:
    """Rotations of random tables. All matches of a deal share the luck of its cards."""
    chance = random.Random(seed)
    found = []
    for _ in range(deals):
        table = chance.sample(range(len(strengths)), seats)
        cards = [chance.gauss(0, luck) for _ in table]
        found.append([_match(table, turn, strengths, cards, chance) for turn in range(seats)])
    return found


def _match(
    table: list[int],
    turn: int,
    strengths: Sequence[float],
    cards: list[float],
    chance: random.Random,
) -> SeatResults:
    seated = table[turn:] + table[:turn]
    points = [
        max(0, round((20 - strengths[player] + card + chance.gauss(0, 5)) / 4))
        for player, card in zip(seated, cards, strict=True)
    ]
    return SeatResults(seated, points, [chance.random() < 0.02 for _ in seated])


def tallied(deals: Iterable[Deal]) -> DealTally:
    tally = DealTally()
    for each in deals:
        tally.add(each)
    return tally
