"""The main cause of a result in one sentence: luck, mistakes or faults."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from arena.games.match import Match
from arena.value.review.calibration import scores
from arena.value.review.model import Judged, Review

LEAST: Final = 0.05  # expected score of a cause worth naming
EVEN: Final = 0.5  # the score of an average seat
MOSTLY: Final = 0.5  # the share of a result that counts as most of it

DOING: Final = {
    "quit": "quitting",
    "draw": "drawing",
    "roll": "rolling",
    "play": "playing",
    "take": "taking",
    "discard": "discarding",
    "return": "returning",
    "keep": "keeping",
    "give": "giving",
    "swap": "swapping",
    "collect": "collecting",
}


class Cause(NamedTuple):
    """A gain or cost of a seat, in expected score, and a sentence about it."""

    worth: float
    sentence: str


def summary(review: Review, match: Match, seat: int | None = None) -> str:
    """Return the main cause of a match's result, or of one seat's result, by its review."""
    seats = range(match.game.seats) if seat is None else (seat,)
    found = max([cause for each in seats for cause in _causes(review, match, each)], default=None)
    if found is None or found.worth < LEAST:
        return _close(review, seat)
    return found.sentence


def doing(action: str) -> str:
    """Return an action in notation as a gerund: "playing 4"."""
    verb, _, what = action.partition(" ")
    return f"{DOING.get(verb, verb)} {what}".rstrip()


def _close(review: Review, seat: int | None) -> str:
    least = f"{LEAST:.0%}"
    if not review.chances:
        return f"No mistake or fault cost {least} or more. The luck in this match is unknown."
    if seat is not None:
        return f"Neither luck nor mistakes nor faults were worth {least} to this seat."
    return (
        f"The match was close: neither luck nor mistakes nor faults were worth {least} to a seat."
    )


def _causes(review: Review, match: Match, seat: int) -> Iterator[Cause]:
    """Yield a winner's good luck, or the bad luck, mistakes and faults of another seat."""
    name, won = match.setup.seats[seat].bot, seat in match.result.winners
    above = scores(match.result)[seat] - EVEN
    luck = sum(each.luck[seat] for each in review.chances)
    if won:
        result = "won" if len(match.result.winners) == 1 else "shared the win"
        yield Cause(
            luck,
            f"{name} {result}{_share(luck, above)} by luck: the {match.game.chance} were worth"
            f" {luck:.0%} of expected score.",
        )
        return
    yield Cause(
        -luck,
        f"{name} lost{_share(-luck, -above)} by bad luck: the {match.game.chance} cost {-luck:.0%}"
        " of expected score.",
    )
    yield from _mistakes(review, seat, name)
    yield from _faults(review, seat, name)


def _share(worth: float, distance: float) -> str:
    """Return how far a cause explains a result at this distance from an average one."""
    return " mostly" if worth >= MOSTLY * distance > 0 else " partly"


def _mistakes(review: Review, seat: int, name: str) -> Iterator[Cause]:
    own = [each for each in review.decisions if each.seat == seat and each.verdict]
    if not own:
        return
    lost, worst = sum(each.loss for each in own), max(own, key=lambda each: each.loss)
    if len(own) == 1:
        sentence = f"{name} lost it with one mistake: {_mistake(worst)}."
    else:
        sentence = f"{name} lost it with {len(own)} mistakes that cost {lost:.0%} together."
        if worst.loss >= MOSTLY * lost:
            sentence += f" The worst: {_mistake(worst)}."
    yield Cause(lost, sentence)


def _mistake(each: Judged) -> str:
    return f"{doing(each.chosen)} in round {each.round} cost {each.loss:.0%} of expected score"


def _faults(review: Review, seat: int, name: str) -> Iterator[Cause]:
    own = [each for each in review.faults if each.seat == seat]
    cost = sum(each.cost or 0.0 for each in own)
    for each in own:
        if each.forfeits:
            yield Cause(
                max(cost, LEAST),
                f"{name} forfeited in round {each.round}, which cost {cost:.0%} of expected score."
                if round(cost, 2) > 0
                else f"{name} forfeited in round {each.round}.",
            )
            return
    if own:
        count = "one fault" if len(own) == 1 else f"{len(own)} faults"
        yield Cause(cost, f"{name} lost it with {count}: the moves by default cost {cost:.0%}.")
