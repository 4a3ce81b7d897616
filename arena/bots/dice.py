"""Strategies for LAMA Dice, which differ in when they stop rolling."""

from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import product

from arena.bots.house import Random, Strategy
from arena.games.rules.dice_rolls import FACES
from arena.games.rules.view import View
from arena.value.cards import worth

ROLL, QUIT = "roll", "quit"
LLAMAS = ("llama",) * 3


class Stubborn:
    """Never quits, and discards as much as it can."""

    def choose(self, view: View) -> str:
        """Rolls or quits; discards the most, takes the cheapest, returns the highest token."""
        if view.ask == "turn":
            return QUIT if self.has_enough(view) else ROLL
        if view.ask == "discard":
            return max(view.actions, key=lambda action: discarded(view, action))
        return view.actions[0] if view.ask == "take" else view.actions[-1]

    def has_enough(self, view: View) -> bool:
        """Whether to quit."""
        return False


class PointLimit(Stubborn):
    """Quits at `points` points or fewer."""

    def __init__(self, points: int) -> None:
        self.points = points

    def has_enough(self, view: View) -> bool:
        """A row with few points is not worth a risk."""
        return view.penalty <= self.points


class Careful(Stubborn):
    """Looks one roll ahead: quits when it expects the next roll to cost points."""

    def has_enough(self, view: View) -> bool:
        """Compares its points with the expected points after a roll."""
        return expected(view) >= view.penalty


class Sharp(Careful):
    """Looks one roll ahead, and considers later rolls and the return of a token."""

    def has_enough(self, view: View) -> bool:
        """Takes more risk with a short row, which may soon earn a return, and with ten points."""
        reward = 10 if view.points[view.seat] >= 10 else 1 if view.points[view.seat] else 0
        hope = (1 + reward / 4) / max(1, len(view.hand))
        return expected(view) >= view.penalty + 2 * hope


def discarded(view: View, action: str) -> tuple[int, int]:
    """Returns the points that a discard saves, and the number of its cards."""
    cards = action.split()[1:]
    return view.penalty - score(Counter(view.hand) - Counter(cards)), len(cards)


def score(cards: Iterable[str]) -> int:
    """Returns the points of a row; each value counts once."""
    return sum(worth(card) for card in set(cards))


def expected(view: View) -> float:
    """Returns the expected points of the bot's row after another roll."""
    faces = view.options.get("dice.faces", FACES.default)
    return mean_after(faces, view.hand, view.llama_row, view.alone)


@lru_cache(maxsize=1 << 14)
def mean_after(faces: str, hand: tuple[str, ...], llama_row: tuple[str, ...], alone: bool) -> float:
    """Returns the mean points of a row after another roll of dice with these faces."""
    row, middle = Counter(hand), set(llama_row)
    rolls = all_rolls(faces).items()
    return sum(count * after(row, middle, alone, dice) for dice, count in rolls) / 216


def after(row: Counter[str], middle: set[str], alone: bool, dice: tuple[str, ...]) -> int:
    """Returns the points of the row after the best use of this roll."""
    if dice == LLAMAS:
        return score(row)
    if matching := [value for value in dice if value in row]:
        return score(row - Counter(matching))
    takeable = [value for value in dice if value in middle]
    if takeable and not alone:
        return score(row) + min(worth(value) for value in takeable)
    return score({*row, *middle})


@cache
def all_rolls(faces: str) -> Counter[tuple[str, ...]]:
    """Counts how many of the 216 outcomes give each sorted roll."""
    dice = [die.split() for die in faces.split(" / ")]
    return Counter(tuple(sorted(roll)) for roll in product(*dice))


STRATEGIES: dict[str, Strategy] = {
    "random": Random(),
    "timid": PointLimit(20),
    "stubborn": Stubborn(),
    "five": PointLimit(5),
    "careful": Careful(),
    "sharp": Sharp(),
}
