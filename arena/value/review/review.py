"""Reviews of finished matches."""

import hashlib
import math
from collections.abc import Container, Iterator, Sequence
from typing import Final, NamedTuple

from arena.base.errors import InvalidRequest, NotNow
from arena.games.match import Match
from arena.games.replay import steps
from arena.games.rules import View, game_class
from arena.value.review import values
from arena.value.review.chance import chances
from arena.value.review.faults import fault_moves, with_costs
from arena.value.review.losses import Halves, loss_of
from arena.value.review.model import FaultMove, Judged, Option, Review, by_seat, verdict
from arena.value.review.sampling import Sampled, sampled
from arena.value.review.situation import phase_of, situation_of
from arena.value.review.values import Evaluate, Reviewer

MOST_DECISIONS: Final = 2000  # ten times a usual match; longer ones would delay other reviews
MOST_TRIALS: Final = 110_000  # for each half; longer matches get fewer samples
FEWEST_SAMPLES: Final = 16


class Choice(NamedTuple):
    """The view of a decision, and the action played."""

    view: View
    action: str  # in notation


def review_match(
    match: Match,
    evaluate: Evaluate = values.evaluate,
    reviewer: Reviewer | None = None,
    again: int = 0,
) -> Review:
    """Review a finished match. Equal arguments give equal reviews; `again` varies the samples.

    Forced decisions are left out. Default moves for a bot at fault have a cost (`faults`), but no
    verdict. Raises NotNow for an unfinished match, and InvalidRequest for one that is too long or
    has older rules.
    """
    game = match.game
    if not match.finished:
        raise NotNow("This match is not finished. Review it when it is over.")
    if game_class(game.name) is not type(game):
        raise InvalidRequest(
            f"This match has the rules {game.ruleset}. Only the newest rules can be reviewed."
        )
    found = list(choices(match))
    if len(match.logged) > MOST_DECISIONS:
        raise InvalidRequest(
            f"This match has {len(match.logged)} decisions. Reviews allow at most {MOST_DECISIONS}."
        )
    reviewer = reviewer or values.reviewer()
    decisions = tuple(judged(found, evaluate, reviewer, seed_of(match.setup.id, again)))
    seats, faults = by_seat(decisions, game.seats), costed(match, evaluate, reviewer, again)
    return Review(
        match.setup.id, game.name, reviewer.name, decisions, seats, chances(match), faults
    )


def choices(match: Match) -> Iterator[Choice]:
    """Yield the decisions of bots and people, without default moves."""
    return _seen(match, {entry.number for entry in match.logged if entry.fault is None})


def costed(
    match: Match, evaluate: Evaluate, reviewer: Reviewer, again: int
) -> tuple[FaultMove, ...]:
    """Return the default moves for seats at fault, with their costs."""
    found = fault_moves(match)
    if not found:
        return ()
    # Evaluated separately, so that faults do not change the values of decisions.
    seen = list(_seen(match, {each.number for each in found}))
    seed = seed_of(f"faults of {match.setup.id}", again)
    return with_costs(found, judged(seen, evaluate, reviewer, seed), match)


def _seen(match: Match, numbers: Container[int]) -> Iterator[Choice]:
    for step in steps(match.game, match.setup.id):
        if step.view.number in numbers:
            yield Choice(step.view, step.action)


def judged(
    found: Sequence[Choice], evaluate: Evaluate, reviewer: Reviewer, seed: int
) -> Iterator[Judged]:
    """Judge decisions of one game by their views alone."""
    actions = sum(len(choice.view.actions) for choice in found)
    samples = min(reviewer.samples, max(FEWEST_SAMPLES, MOST_TRIALS // max(actions, 1)))
    places = [(choice.view, choice.view.actions.index(choice.action)) for choice in found]
    return map(judge, found, sampled(places, evaluate, samples, seed))


def judge(choice: Choice, values: Sampled) -> Judged:
    """Judge one decision, from two independent samples of its values."""
    view, action = choice
    loss = loss_of(values.halves, view.actions.index(action), values.rivals)
    options = both(view.actions, values.halves)
    return Judged(
        number=view.number,
        seat=view.seat,
        round=view.round,
        phase=phase_of(view.ask, options[0].action, action),
        chosen=action,
        options=options,
        loss=loss.loss,
        error=loss.error,
        stake=loss.stake,
        verdict=verdict(loss.loss, loss.error) if options[0].action != action else "",
        situation=situation_of(view),
    )


def both(actions: Sequence[str], halves: Halves) -> tuple[Option, ...]:
    """Return the actions with the means of both samples, the best first. Errors combine the
    sampling error and the error of end values."""
    one, other = halves
    doubts = [max(0.0, (a + b) / 2) for a, b in zip(one.doubts, other.doubts, strict=True)]
    options = [
        Option(
            action=action,
            score=(one.scores[place] + other.scores[place]) / 2,
            points=(one.points[place] + other.points[place]) / 2,
            error=math.hypot(one.errors[place] / 2, other.errors[place] / 2, doubts[place] ** 0.5),
        )
        for place, action in enumerate(actions)
    ]
    return tuple(sorted(options, key=lambda option: -option.score))


def seed_of(match: str, again: int) -> int:
    """Return the seed of a match's samples, below 2⁶² and the same on every machine."""
    digest = hashlib.sha256(f"review {match} {again}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 2
