"""Reviews of matches: what each decision was worth, given what the seat knew.

    review = review_match(match)
    review.seats[0].accuracy, [each for each in review.decisions if each.verdict == "blunder"]

Pure: no IO and no clock. A decision is judged by its view alone, so no hidden card can matter; the
luck of cards is calculated apart, from all that lay hidden.

model        what a review says
review       makes one of a finished match
values       where the values of actions come from
sampling     how many states each decision is given
tallies      the values of a decision, added up over rounds
losses       from values to the loss of a choice, with its error
faults       the moves that the arena made for seats at fault, and what they cost
chance       the luck of each card, deal and roll
verdicts     inaccuracy, mistake, blunder
phases       the kind of choice that a decision was
seats        a seat's accuracy, and where it lost
agreement    whether other samples give the same marks
calibration  whether what reviews expect comes true
payload      a review as JSON
"""

from __future__ import annotations

from arena.value.review.chance import Chance
from arena.value.review.model import (
    FaultMove,
    Judged,
    Option,
    PhaseTotals,
    Review,
    SeatReview,
)
from arena.value.review.review import review_match

__all__ = [
    "Chance",
    "FaultMove",
    "Judged",
    "Option",
    "PhaseTotals",
    "Review",
    "SeatReview",
    "review_match",
]
