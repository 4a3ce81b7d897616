"""The cases that `simulate all` simulates."""

from collections.abc import Iterator

from tests.lab.simulations.intervals import Case
from tests.lab.simulations.schedules import chain, unequal

MATCHES = (10, 25, 100, 1000)  # for each bot
SEATS = (2, 3, 4, 5, 6)


def intervals() -> Iterator[Case]:
    """Ordinary tables at every number of seats, then harder cases."""
    for matches in MATCHES:
        for seats in SEATS:
            yield Case("8 bots over 300 Elo", seats, matches)
        for seats in (2, 4):
            yield Case("many ties", seats, matches, step=1.2)
            yield Case("a seat worth 100 Elo", seats, matches, advantage=100.0)
            yield Case("skewed: 8 bots over 800 Elo", seats, matches, spread=800.0)
            yield Case("others sit 20 times as often as two", seats, matches, schedule=unequal)
        yield Case("two bots alone", 2, matches, bots=2)
        yield Case("a chain of 8, 50 Elo apart", 2, matches, spread=350.0, schedule=chain)
        for seats in (2, 4):
            yield Case("duplicate deals", seats, matches, shared=True)


def far_off() -> Iterator[Case]:
    """One bot far above or below five others."""
    for seats in (2, 4):
        for far in (-700.0, -400.0, 400.0, 700.0):
            for matches in (60, 200, 1000):
                name = f"{abs(far):.0f} Elo {'above' if far > 0 else 'below'}"
                yield Case(name, seats, matches, bots=6, spread=200.0, far=far)


def tables() -> Iterator[Case]:
    """Leaderboards of few and of many bots, to check rank ranges."""
    for bots in (8, 20, 40):
        for matches in (100, 400):
            yield Case(f"{bots} bots over 300 Elo", 4, matches, bots=bots)
