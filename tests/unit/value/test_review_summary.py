"""The first sentence of a review, which names the main cause of the result."""

import pytest

from arena.games.match import Match, MatchSetup, Seat
from arena.value.review import Chance, FaultMove, Judged, Option, Review
from arena.value.review.model import by_seat
from arena.value.review.situation import Situation
from arena.value.review.summary import doing, summary


@pytest.fixture(scope="module")
def match() -> Match:
    """The first of some matches that ann wins, with cleo last."""
    return next(found for found in map(played, range(50)) if found.result.ranks == (1, 2, 3))


SITUATION = Situation(("2", "4", "6"), "4", (), 12, (19, 28), (3, 2), (True, True))


def played(seed: int) -> Match:
    """A match in which all seats play the first legal action."""
    seats = (Seat("ann"), Seat("ben"), Seat("cleo"))
    found = Match(MatchSetup("m1", "lama", bytes([seed] * 16), seats, {"max_rounds": "2"}))
    while view := found.decision:
        found.answer(view.actions[0])
    return found


def chance(*luck: float) -> Chance:
    return Chance(1, 1, "draw", 0, luck)


def mistake(seat: int, loss: float, number: int = 9) -> Judged:
    options = (Option("draw", 0.5, 3.0, 0.0), Option("quit", 0.5 - loss, 3.0, 0.0))
    return Judged(number, seat, 2, "quit", "quit", options, loss, 0.01, loss, "blunder", SITUATION)


def review(
    decisions: tuple[Judged, ...] = (),
    chances: tuple[Chance, ...] = (),
    faults: tuple[FaultMove, ...] = (),
) -> Review:
    return Review("m1", "lama", "x", decisions, by_seat(decisions, 3), chances, faults)


FORFEIT = FaultMove(4, 2, 2, "timeout", True, 3, "quit", SITUATION, "draw", 0.4, 0.01)
FAULT = FaultMove(4, 1, 2, "illegal", False, 0, "quit", SITUATION, "draw", 0.12, 0.01)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            review(chances=(chance(0.31, -0.15, -0.16),)),
            "ann won mostly by luck: the cards were worth 31% of expected score.",
        ),
        (
            review(chances=(chance(0.12, -0.06, -0.06),)),
            "ann won partly by luck: the cards were worth 12% of expected score.",
        ),
        (
            review((mistake(1, 0.22),), (chance(0.1, -0.05, -0.05),)),
            "ben lost it with one mistake: quitting in round 2 cost 22% of expected score.",
        ),
        (
            review((mistake(2, 0.1), mistake(2, 0.11, 11), mistake(2, 0.09, 13))),
            "cleo lost it with 3 mistakes that cost 30% together.",
        ),
        (
            review((mistake(2, 0.2), mistake(2, 0.1, 11))),
            "cleo lost it with 2 mistakes that cost 30% together. The worst: quitting in round 2"
            " cost 20% of expected score.",
        ),
        (
            review((mistake(1, 0.2),), faults=(FORFEIT,)),
            "cleo forfeited in round 2, which cost 40% of expected score.",
        ),
        (review(faults=(FORFEIT._replace(cost=None),)), "cleo forfeited in round 2."),
        (review(faults=(FORFEIT._replace(cost=0.002),)), "cleo forfeited in round 2."),
        (review(faults=(FAULT,)), "ben lost it with one fault: the moves by default cost 12%."),
        (
            review((mistake(0, 0.4),), (chance(0.01, 0.0, -0.01),)),  # of the winner
            "The match was close: neither luck nor mistakes nor faults were worth 5% to a seat.",
        ),
        (review(), "No mistake or fault cost 5% or more. The luck in this match is unknown."),
    ],
)
def test_summary_names_the_main_cause(match: Match, found: Review, said: str) -> None:
    assert summary(found, match) == said


def test_summary_of_one_seat_ignores_other_seats(match: Match) -> None:
    found = review((mistake(1, 0.22),), (chance(0.31, -0.03, -0.28),))
    assert summary(found, match, 0).startswith("ann won mostly by luck")
    assert summary(found, match, 1).startswith("ben lost it with one mistake")
    assert summary(found, match, 2) == (
        "cleo lost mostly by bad luck: the cards cost 28% of expected score."
    )


def test_every_verb_of_the_notation_can_be_said() -> None:
    from arena.games.rules import GAMES

    verbs = {action.partition(" ")[0] for game in GAMES.values() for action in game.notation}
    assert [verb for verb in verbs if not doing(verb).endswith("ing")] == []
    assert doing("play 4") == "playing 4"
