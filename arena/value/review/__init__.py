"""Reviews of matches: the value of each decision, given the knowledge of its seat.

    review = review_match(match)
    review.seats[0].accuracy, [each for each in review.decisions if each.verdict == "blunder"]

Reviews do not use a clock. A decision is judged by its view alone, so hidden cards do not matter.
The luck of cards is calculated separately and does use hidden cards.

model        the data types of a review, its verdicts, and totals of each seat
review       reviews a finished match
values       the values of actions
sampling     the number of states for each decision, and its values, added up over rounds
losses       the loss of a choice, with its error
faults       default moves of seats at fault, and their costs
chance       the luck of each card, deal and roll
situation    decisions in short, and their phases
calibration  expected scores compared with results, and verdicts with other reviews
payload      a review as JSON
puzzles      decisions with one clearly best action
"""

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
