"""Conversion of reviews to and from JSON, for storage, /api and `arena analyse`.

Numbers are rounded to digits that are not noise.
"""

from collections.abc import Mapping
from typing import Any, Final

from arena.value.review.chance import Chance
from arena.value.review.model import FaultMove, Judged, Option, PhaseTotals, Review, by_seat
from arena.value.review.situation import situation_from

FORMAT: Final = "lama-arena/review/1"
DIGITS: Final = 4


def payload(review: Review) -> dict[str, Any]:
    """Return the review as JSON, including totals that follow from its decisions."""
    return {
        "format": FORMAT,
        "match": review.match,
        "game": review.game,
        "reviewer": review.reviewer,
        "decisions": [judged_payload(each) for each in review.decisions],
        "seats": [
            {
                "decisions": seat.decisions,
                "accuracy": rounded(seat.accuracy),
                "lost": rounded(seat.lost),
                "error": rounded(seat.error),
                "stake": rounded(seat.stake),
                "verdicts": dict(seat.verdicts),
                "phases": phases_payload(seat.phases),
            }
            for seat in review.seats
        ],
        "chances": [
            {**each._asdict(), "luck": [rounded(luck) for luck in each.luck]}
            for each in review.chances
        ],
        "faults": [
            {
                **each._asdict(),
                "cost": rounded(each.cost),
                "error": rounded(each.error),
                "situation": each.situation._asdict(),
            }
            for each in review.faults
        ],
    }


def from_payload(stored: Mapping[str, Any]) -> Review:
    """Invert `payload`."""
    decisions = tuple([judged_from(each) for each in stored["decisions"]])
    seats = by_seat(decisions, len(stored["seats"]))
    chances = tuple([Chance(**{**each, "luck": tuple(each["luck"])}) for each in stored["chances"]])
    faults = tuple([FaultMove(**_with_situation(each)) for each in stored["faults"]])
    head = stored["match"], stored["game"], stored["reviewer"]
    return Review(*head, decisions, seats, chances, faults)


def judged_from(stored: Mapping[str, Any]) -> Judged:
    """Invert `judged_payload`."""
    options = tuple([Option(**option) for option in stored["options"]])
    return Judged(**{**_with_situation(stored), "options": options})


def _with_situation(stored: Mapping[str, Any]) -> dict[str, Any]:
    return {**stored, "situation": situation_from(stored["situation"])}


def judged_payload(each: Judged) -> dict[str, Any]:
    """Return a decision as JSON."""
    return {
        **each._asdict(),
        "loss": rounded(each.loss),
        "error": rounded(each.error),
        "stake": rounded(each.stake),
        "options": [
            {
                "action": option.action,
                "score": rounded(option.score),
                "points": round(option.points, 2),
                "error": rounded(option.error),
            }
            for option in each.options
        ],
        "situation": each.situation._asdict(),
    }


def phases_payload(phases: Mapping[str, PhaseTotals]) -> dict[str, Any]:
    """Return the totals of each phase as JSON."""
    return {
        phase: {
            "decisions": totals.decisions,
            "lost": rounded(totals.lost),
            "stake": rounded(totals.stake),
        }
        for phase, totals in phases.items()
    }


def rounded(number: float | None) -> float | None:
    """Round a score, or None, to DIGITS digits."""
    return None if number is None else round(number, DIGITS)
