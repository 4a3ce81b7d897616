"""Draws the results of planned matches, deal by deal."""

from collections.abc import Iterable, Sequence

import numpy as np

from arena.tournaments.formats import PlannedMatch, Played
from tests.lab.simulations.world import BotPopulation, Floats


class Dealer:
    """Plays matches in a world. Draws the luck of a deal once and reuses it for its rotations."""

    def __init__(self, world: BotPopulation, chance: np.random.Generator) -> None:
        self._world = world
        self._chance = chance
        # Nested scales: each level plus the luck of the next is again Gumbel distributed.
        self._without_cards = np.sqrt(1.0 - world.cards)
        self._without_style = np.sqrt(1.0 - world.style / (1.0 - world.cards))
        self._cards: dict[int, Floats] = {}
        self._styles: dict[int, Floats] = {}

    def play(self, matches: Sequence[PlannedMatch]) -> list[Played]:
        """Return results of matches of one number of seats, without forfeits."""
        if not matches:
            return []
        self._deal({match.deal for match in matches}, len(matches[0].seats))
        seated = np.array([match.seats for match in matches])
        form = self._world.strengths[seated] + self._world.by_seat(seated.shape[1])
        points = self._world.points(form + self._luck(matches, seated))
        ranks = 1 + (points[:, :, None] > points[:, None, :]).sum(axis=2)
        nobody = (False,) * seated.shape[1]
        return [
            Played(match, tuple(mine), tuple(places), nobody)
            for match, mine, places in zip(matches, points.tolist(), ranks.tolist(), strict=True)
        ]

    def cards(self, deal: int) -> Floats:
        """Return how much the cards of a played deal add to the form of each seat (seats,)."""
        return self._cards[deal]

    def _luck(self, matches: Sequence[PlannedMatch], seated: np.ndarray) -> Floats:
        """The luck of each seat (matches, seats): Gumbel, its parts nested."""
        cards = np.array([self._cards[match.deal] for match in matches])
        styles = np.array([self._styles[match.deal] for match in matches])
        style = np.take_along_axis(styles, seated, axis=1)
        chance = -np.log(self._chance.exponential(size=seated.shape))
        return np.asarray(self._without_cards * (cards + self._without_style * (style + chance)))

    def _deal(self, deals: Iterable[int], seats: int) -> None:
        new = sorted(deal for deal in deals if deal not in self._cards)
        entrants = len(self._world.elo)
        cards = log_stable(self._chance, self._without_cards, (len(new), seats))
        styles = log_stable(self._chance, self._without_style, (len(new), entrants))
        self._cards.update(zip(new, cards, strict=True))
        self._styles.update(zip(new, styles, strict=True))


def log_stable(chance: np.random.Generator, alpha: float, size: tuple[int, int]) -> Floats:
    """Logarithms of positive alpha-stable numbers, 0 < alpha <= 1.

    Their sum with a Gumbel number, multiplied by alpha, is a Gumbel number again. Source of the
    generator: Kanter 1975, "Stable densities under change of scale".
    """
    if alpha == 1.0:
        return np.zeros(size)
    angle = chance.uniform(0.0, np.pi, size)
    wait = chance.exponential(size=size)
    rest = 1.0 - alpha
    return np.asarray(
        np.log(np.sin(alpha * angle))
        - np.log(np.sin(angle)) / alpha
        + rest / alpha * (np.log(np.sin(rest * angle)) - np.log(wait))
    )
