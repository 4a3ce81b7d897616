"""Puzzles: decisions of a reviewed match in which one action is clearly the best.

The review names candidates. The highest of several measured values is too high on average, so each
candidate is valued again in other states, and only these values count.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.games.match import Match
from arena.games.replay import steps
from arena.value.review import values
from arena.value.review.losses import Halves
from arena.value.review.model import Judged, Review
from arena.value.review.review import seed_of
from arena.value.review.values import Evaluate

FEWEST_ACTIONS: Final = 3
GAP: Final = 0.05  # of expected score: choosing another action is a mistake
INTERVAL: Final = 1.96  # standard errors of a ±
CLEAR: Final = 4.0  # least gap in multiples of its ±
CANDIDATES: Final = 6  # of a match, which are valued again
MOST: Final = 2  # puzzles of a match
SAMPLES: Final = 512  # states in each half


class Alternative(NamedTuple):
    """An action of a puzzle."""

    action: str  # in notation
    score: float  # expected at the end of the match, from 0 to 1
    behind: float  # the best action's score less this one's
    error: float  # ± of `behind`, half of its 95% interval


class Puzzle(NamedTuple):
    """A decision with one best action."""

    number: int  # of the decision in the match, from 1
    seat: int
    alternatives: tuple[Alternative, ...]  # the best first; all others are clearly behind


def candidates(review: Review) -> list[Judged]:
    """Return the decisions that may be puzzles: first those in which the seat missed the best
    action, then those with the largest gap."""

    def gap(each: Judged) -> float:
        return each.options[0].score - each.options[1].score

    found = [
        each
        for each in review.decisions
        if len(each.options) >= FEWEST_ACTIONS and gap(each) >= GAP
    ]
    found.sort(key=lambda each: (each.chosen == each.best, -gap(each)))
    return found[:CANDIDATES]


def is_clear(alternatives: Sequence[Alternative]) -> bool:
    """Return whether every action but the first is clearly behind it."""
    return len(alternatives) >= FEWEST_ACTIONS and all(
        each.behind >= max(GAP, CLEAR * each.error) for each in alternatives[1:]
    )


def puzzles_of(match: Match, review: Review, evaluate: Evaluate = values.evaluate) -> list[Puzzle]:
    """Return at most MOST puzzles of a reviewed match. Equal arguments give equal puzzles. Raises
    the errors of `evaluate`."""
    likely = candidates(review)
    if not likely:
        return []
    seen = {step.view.number: step.view for step in steps(match.game, match.setup.id)}
    views = [seen[each.number] for each in likely]
    places = [
        [view.actions.index(option.action) for option in each.options]
        for view, each in zip(views, likely, strict=True)
    ]
    found = evaluate(views, places, SAMPLES, seed_of(f"puzzles of {match.setup.id}", 0))
    every = [
        Puzzle(each.number, each.seat, alternatives(each, halves))
        for each, halves in zip(likely, found, strict=True)
    ]
    return [puzzle for puzzle in every if is_clear(puzzle.alternatives)][:MOST]


def alternatives(judged: Judged, halves: Halves) -> tuple[Alternative, ...]:
    """Return the actions of a decision, the review's best first, then by the new values. `halves`
    have the actions in the order of the review's options."""
    one, other = halves
    scores = [(a + b) / 2 for a, b in zip(one.scores, other.scores, strict=True)]
    every = [
        Alternative(
            option.action,
            scores[place],
            scores[0] - scores[place],
            INTERVAL * _error(halves, place),
        )
        for place, option in enumerate(judged.options)
    ]
    return every[0], *sorted(every[1:], key=lambda each: each.behind)


def _error(halves: Halves, place: int) -> float:
    """Return the standard error of an action's difference to the first one."""
    one, other = halves
    doubt = max(0.0, (one.doubts_apart[place] + other.doubts_apart[place]) / 2)
    return math.hypot(one.apart[place] / 2, other.apart[place] / 2, math.sqrt(doubt))
