"""Leaks: situations in which a player loses score, over many reviews.

The losses of a player are added up by *spot*: the kind of choice, the action played, the best
action, the points and cards in hand, and the seats at the table. They are shown with the choices of
other players in the same decisions (`arena.value.review.peers`).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.value.review.model import SURE, Judged, Review
from arena.value.review.situation import Situation
from arena.value.review.summary import DOING, doing

POINTS: Final = ((0, 4), (5, 9), (10, 14), (15, 19), (20, None))
CARDS: Final = ((1, 1), (2, 2), (3, 3), (4, 5), (6, None))
FEWEST: Final = 3  # decisions of a leak
TO: Final = "\N{EN DASH}"
LEAST: Final = 0.005  # expected score lost per decision; noise alone can cause that much


class Spot(NamedTuple):
    """A kind of situation with the action played and the best action."""

    phase: str  # a key of `situation.PHASES`
    chosen: str  # such as "quit" or "play the next card"
    best: str
    points: str  # in hand, such as "20+"
    cards: str  # in hand
    seats: int  # at the table


class Answers(NamedTuple):
    """The choices of another player in the decisions of a spot."""

    asked: int
    same: int  # times it chooses the action played
    better: int  # times it chooses the best action


class Part(NamedTuple):
    """The decisions of one seat of one match in a spot."""

    spot: Spot
    times: int
    lost: float
    variance: float  # of `lost`, from the samples of the review
    number: int  # the decision with the largest loss
    others: Mapping[str, Answers]


class Leak(NamedTuple):
    """A spot over many matches."""

    spot: Spot
    times: int
    matches: int
    lost: float  # in total
    error: float  # standard error of `each`, clustered by match
    match: str  # the match with the largest loss per decision
    number: int  # the decision of that match with the largest loss
    others: Mapping[str, Answers]

    @property
    def each(self) -> float:
        """The mean loss of a decision."""
        return self.lost / self.times

    @property
    def sentence(self) -> str:
        """ "quitting with 20+ points in 3 cards at 4 seats, where drawing is better" """
        spot = self.spot
        held = f"{_counted(spot.points, 'point')} in {_counted(spot.cards, 'card')}"
        played, better = said(spot.chosen), said(spot.best)
        return f"{played} with {held} at {spot.seats} seats, where {better} is better"


Others = Mapping[int, Mapping[str, str]]  # by decision, then by name: the choices of other players


def decisions_of_leaks(review: Review, seat: int | None = None) -> list[Judged]:
    """Return the decisions of a seat, or of all for None, in which another action was better."""
    return [
        each for each in review.decisions if seat in (None, each.seat) and each.chosen != each.best
    ]


def parts(review: Review, seat: int, others: Others) -> list[Part]:
    """Return the parts of one seat of a review, one for each spot."""
    by_spot: dict[Spot, list[Judged]] = defaultdict(list)
    for each in decisions_of_leaks(review, seat):
        by_spot[spot_of(each, each.situation)].append(each)
    return [
        Part(
            spot,
            len(found),
            sum(each.loss for each in found),
            sum(each.error**2 for each in found),
            max(found, key=lambda each: each.loss).number,
            answers_of(found, [others.get(each.number, {}) for each in found]),
        )
        for spot, found in by_spot.items()
    ]


def leaks(found: Iterable[tuple[str, Part]]) -> list[Leak]:
    """Combine parts, with the ids of their matches, into leaks, the largest loss first. Rare spots
    and insignificant losses are left out."""
    by_spot: dict[Spot, list[tuple[str, Part]]] = defaultdict(list)
    for match, part in found:
        by_spot[part.spot].append((match, part))
    every = [_leak(spot, of_spot) for spot, of_spot in by_spot.items()]
    return sorted(filter(_is_sure, every), key=lambda each: -each.lost)


def _is_sure(leak: Leak) -> bool:
    return leak.times >= FEWEST and leak.each >= max(LEAST, SURE * leak.error)


def _leak(spot: Spot, found: Sequence[tuple[str, Part]]) -> Leak:
    times, lost = sum(part.times for _, part in found), sum(part.lost for _, part in found)
    by_match: dict[str, float] = defaultdict(float)
    for match, part in found:
        by_match[match] += part.lost - part.times * lost / times
    clusters = sum(residual**2 for residual in by_match.values())
    count = len(by_match)
    between = clusters * count / (count - 1) if count > 1 else 0.0
    # A few matches may agree by chance, so the variance of the samples is a lower bound.
    variance = max(between, sum(part.variance for _, part in found))
    match, worst = max(found, key=lambda each: each[1].lost / each[1].times)
    names = {name for _, part in found for name in part.others}
    others = {
        name: _added([part.others[name] for _, part in found if name in part.others])
        for name in sorted(names)
    }
    return Leak(spot, times, count, lost, math.sqrt(variance) / times, match, worst.number, others)


def _added(found: Sequence[Answers]) -> Answers:
    return Answers(*(sum(column) for column in zip(*found, strict=True)))


def answers_of(found: Sequence[Judged], chosen: Sequence[Mapping[str, str]]) -> dict[str, Answers]:
    """Count the answers of others in these decisions, given their choices in each, by name."""
    return {
        name: Answers(
            len(
                own := [
                    (one[name], each)
                    for one, each in zip(chosen, found, strict=True)
                    if name in one
                ]
            ),
            sum(action == each.chosen for action, each in own),
            sum(action == each.best for action, each in own),
        )
        for name in sorted({name for one in chosen for name in one})
    }


# Spots


def spot_of(each: Judged, situation: Situation) -> Spot:
    """Return the spot of a decision."""
    chosen, best = kind_of(each.chosen, situation), kind_of(each.best, situation)
    return Spot(
        each.phase,
        chosen,
        f"{best} (another)" if best == chosen else best,
        _bin(situation.penalty, POINTS),
        _bin(len(situation.hand), CARDS),
        len(situation.points),
    )


def kind_of(action: str, situation: Situation) -> str:
    """Return the kind of an action. A card played counts only as the same or the next one."""
    verb, _, what = action.partition(" ")
    if verb == "play":
        if not what[0].isdigit():
            return action
        return "play the same card" if what[0] == situation.top[:1] else "play the next card"
    if verb == "discard":
        return f"discard {len(what.split())}"
    return verb if verb == "take" else action


def said(kind: str) -> str:
    """Return a kind of action as a gerund."""
    return doing(kind) if kind.partition(" ")[0] in DOING else kind


def _bin(value: int, bins: Sequence[tuple[int, int | None]]) -> str:
    first, last = next(each for each in bins if each[1] is None or value <= each[1])
    if last is None:
        return f"{first}+"
    return str(first) if first == last else f"{first}{TO}{last}"


def _counted(number: str, word: str) -> str:
    return f"{number} {word}" if number == "1" else f"{number} {word}s"


# As JSON


def part_payload(part: Part) -> list[Any]:
    """Return the compact stored form of a part."""
    spot = part.spot
    head = [spot.phase, spot.chosen, spot.best, spot.points, spot.cards, spot.seats]
    lost, variance = round(part.lost, 4), round(part.variance, 8)
    others = {name: list(answers) for name, answers in part.others.items()}
    return [*head, part.times, lost, variance, part.number, others]


def part_from(stored: Sequence[Any]) -> Part:
    """Invert `part_payload`."""
    spot, (times, lost, variance, number, others) = Spot(*stored[:6]), stored[6:]
    answers = {name: Answers(*each) for name, each in others.items()}
    return Part(spot, times, lost, variance, number, answers)


def leak_payload(leak: Leak) -> dict[str, Any]:
    """Return a leak as JSON."""
    return {
        **leak.spot._asdict(),
        "times": leak.times,
        "matches": leak.matches,
        "lost": round(leak.lost, 4),
        "each": round(leak.each, 4),
        "error": round(leak.error, 4),
        "match": leak.match,
        "number": leak.number,
        "others": {name: answers._asdict() for name, answers in leak.others.items()},
    }
