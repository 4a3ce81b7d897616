"""Reviews of matches: judged decisions, verdicts and totals."""

import json
import math
import random
from collections.abc import Callable, Sequence

import pytest

from arena.base.errors import InvalidRequest, NotNow
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import View
from arena.value.review import Judged, Option, Review, review, review_match, sampling
from arena.value.review.faults import fault_moves, not_judged
from arena.value.review.losses import Halves, loss_of
from arena.value.review.model import accuracy, seat_review, verdict
from arena.value.review.payload import from_payload, payload
from arena.value.review.situation import PHASES, Situation, phase_of
from arena.value.review.values import Reviewer, Values
from tests.valued import by_random_play

REVIEWER = Reviewer("by random play", 12)


def played(game: str = "lama", seats: int = 3, max_rounds: int | None = 1, seed: int = 5) -> Match:
    """A match of bots that play at random and rarely quit; None for the default options."""
    rng = random.Random(seed)
    setup = MatchSetup(
        "m1",
        game,
        rng.randbytes(16),
        tuple([Seat(f"bot{number}") for number in range(seats)]),
        {"max_rounds": str(max_rounds)} if max_rounds else {},
    )
    match = Match(setup)
    while match.decision:
        others = [action for action in match.decision.actions if action != "quit"]
        quits = "quit" in match.decision.actions and (not others or rng.random() < 0.1)
        match.answer("quit" if quits else rng.choice(others))
    return match


def reviewed(match: Match, again: int = 0) -> Review:
    return review_match(match, by_random_play, REVIEWER, again)


@pytest.mark.parametrize("game", ["lama", "party", "dice", "kadabra"])
def test_every_choice_is_judged_and_nothing_else(game: str) -> None:
    match = played(game)
    found = reviewed(match)
    assert [each.number for each in found.decisions] == [entry.number for entry in match.logged]
    for each in found.decisions:
        assert len(each.options) > 1
        assert each.chosen in [option.action for option in each.options]
        assert all(0 <= option.score <= 1 for option in each.options)
        assert each.phase in PHASES
        scores = [option.score for option in each.options]
        assert scores == sorted(scores, reverse=True)


def test_scores_by_the_models_are_in_their_range() -> None:
    found = review_match(played(seats=2, seed=8))
    assert all(0 <= option.score <= 1 for each in found.decisions for option in each.options)
    assert all(0 <= each.stake <= 1 for each in found.decisions)


def test_the_same_match_has_the_same_review_and_another_sample_another() -> None:
    match = played()
    assert reviewed(match) == reviewed(match)
    assert reviewed(match, again=1) != reviewed(match)


def test_default_moves_are_not_judged() -> None:
    match = Match(MatchSetup("m", "lama", bytes(16), (Seat("a"), Seat("b")), {"max_rounds": "1"}))
    match.fail("timeout", "too slow")
    while match.decision:
        match.answer(match.decision.actions[0])
    judged = {each.number for each in reviewed(match).decisions}
    assert judged == {entry.number for entry in match.logged if entry.fault is None}
    assert judged < {entry.number for entry in match.logged}


def with_faults(fault_limit: int) -> Match:
    """A match with two faults of the first seat, in which all seats draw while they may."""
    seats = tuple([Seat(name) for name in "abc"])
    match = Match(MatchSetup("m", "lama", bytes(16), seats, {"max_rounds": "1"}, fault_limit))
    while match.decision:
        if match.decision.seat == 0 and len(match.faults) < 2:
            match.fail("error", "ValueError: no card")
        else:
            match.answer("draw" if "draw" in match.decision.actions else match.decision.actions[0])
    return match


def test_fault_has_a_cost_and_does_not_change_accuracy() -> None:
    match = with_faults(fault_limit=3)
    found = reviewed(match)
    assert [(each.number, each.seat, each.fault) for each in found.faults] == [
        (fault.number, 0, "error") for fault in match.faults
    ]
    assert [each.chosen for each in found.faults] == [fault.instead for fault in match.faults]
    assert not any(each.forfeits or each.further for each in found.faults)
    quit_early = found.faults[0]
    assert quit_early.chosen == "quit"
    assert quit_early.best != "quit"
    assert quit_early.cost is not None
    assert quit_early.cost > 0.05
    assert {each.number for each in found.decisions}.isdisjoint(
        each.number for each in found.faults
    )
    assert found.seats[0].decisions == sum(each.seat == 0 for each in found.decisions)


def test_forfeit_costs_the_expected_score_and_counts_later_default_moves() -> None:
    match = with_faults(fault_limit=1)
    found = reviewed(match)
    (forfeit,) = [each for each in found.faults if each.seat == 0]
    assert forfeit.forfeits
    assert match.result.ranks[0] == 3
    assert forfeit.best is not None
    assert forfeit.cost is not None
    assert forfeit.cost > 0.2
    # With its default the seat quits, so it has one more move only in a game that goes on.
    moves = [seat for log in match.game.rounds for seat, _ in log.moves]
    assert forfeit.further <= moves[forfeit.number :].count(0)


def test_forfeit_costs_nothing_if_all_seats_forfeit() -> None:
    setup = MatchSetup("m", "lama", bytes(16), (Seat("a"), Seat("b")), {"max_rounds": "1"}, 1)
    match = Match(setup)
    while match.decision:
        match.fail("disconnect", "gone")
    first, last = reviewed(match).faults
    assert first.forfeits
    assert last.forfeits
    assert first.cost is not None
    assert last.cost is not None
    assert min(first.cost, last.cost) == 0


def test_moves_after_a_forfeit_are_counted_where_there_was_a_choice() -> None:
    setup = MatchSetup("m", "lama", bytes(16), (Seat("a"), Seat("b")), {"max_rounds": "3"}, 1)
    match = Match(setup)
    while match.decision:
        if match.decision.seat == 0:
            match.fail("disconnect", "gone")
        else:
            match.answer(match.decision.actions[0])
    (forfeit,) = fault_moves(match)
    assert forfeit.further == 2  # one in each round that follows: it quits
    assert not_judged([forfeit]) == 3
    assert forfeit.cost is None  # nobody has valued it yet


def test_a_match_without_faults_has_the_same_review_as_before() -> None:
    assert reviewed(played()).faults == ()


def test_a_match_in_play_is_not_reviewed() -> None:
    match = Match(MatchSetup("m", "lama", bytes(16), (Seat("a"), Seat("b"))))
    with pytest.raises(NotNow, match="when it is over"):
        reviewed(match)


def test_a_match_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "MOST_DECISIONS", 3)
    with pytest.raises(InvalidRequest, match=r"decisions\. Reviews allow at most 3"):
        reviewed(played())


def test_many_decisions_are_evaluated_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "AT_ONCE", 4)
    sizes = []

    def counting(
        views: Sequence[View], places: Sequence[Sequence[int]], samples: int, seed: int
    ) -> list[Halves]:
        sizes.append(len(views))
        return by_random_play(views, places, samples, seed)

    match = played()
    found = review_match(match, counting, REVIEWER)
    assert max(sizes) == 4
    assert sum(sizes) == len(found.decisions)


# Losses


def values(*scores: float, chosen: int, error: float = 0.01, doubt: float = 0.0) -> Values:
    """The values of a sample, with differences to the chosen action."""
    zeros, errors = (0.0,) * len(scores), (error,) * len(scores)
    others = [float(place != chosen) for place in range(len(scores))]
    apart = tuple([error * other for other in others])
    return Values(64, scores, zeros, errors, apart, zeros, tuple([doubt * one for one in others]))


def test_a_loss_is_measured_in_the_sample_that_did_not_choose_the_best() -> None:
    # Action 0 is the best in the first sample, action 1 in the second.
    halves = values(0.6, 0.5, 0.2, chosen=2), values(0.5, 0.6, 0.3, chosen=2)
    loss = loss_of(halves, chosen=2)
    assert loss.loss == pytest.approx(((0.5 - 0.3) + (0.5 - 0.2)) / 2)
    assert loss.error == pytest.approx(math.sqrt(2 * 0.01**2) / 2)
    assert loss.stake == loss.loss


def test_the_error_of_end_values_is_not_averaged_away() -> None:
    one = values(0.6, 0.5, chosen=1, error=0.004, doubt=0.03**2)
    assert loss_of((one, one), chosen=1).error == pytest.approx(math.hypot(0.004 / 2**0.5, 0.03))
    best = values(0.6, 0.5, chosen=0, error=0.004, doubt=0.03**2)
    assert loss_of((best, best), chosen=0).error == 0


def test_only_rivals_are_better_than_the_choice() -> None:
    one = values(0.5, 0.6, 0.4, chosen=0)
    assert loss_of((one, one), chosen=0, rivals=(2,)).loss == 0
    assert loss_of((one, one), chosen=0, rivals=(1, 2)).loss == pytest.approx(0.1)


def test_among_equal_actions_nothing_is_lost_on_average() -> None:
    rng = random.Random(3)
    losses = []
    for _ in range(4000):
        halves = [values(*[0.5 + rng.gauss(0, 0.05) for _ in range(5)], chosen=0) for _ in "12"]
        losses.append(loss_of((halves[0], halves[1]), chosen=0).loss)
    assert sum(losses) / len(losses) == pytest.approx(0, abs=0.003)


def test_the_best_action_loses_nothing() -> None:
    loss = loss_of((values(0.6, 0.5, chosen=0), values(0.7, 0.4, chosen=0)), chosen=0)
    assert (loss.loss, loss.error) == (0.0, 0.0)
    assert loss.stake == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("loss", "error", "named"),
    [
        (0.029, 0.001, ""),
        (0.03, 0.001, "inaccuracy"),
        (0.05, 0.001, "mistake"),
        (0.10, 0.001, "blunder"),
        (0.30, 0.001, "blunder"),
        (0.30, 0.151, ""),  # that may be chance
        (-0.30, 0.001, ""),
    ],
)
def test_a_loss_has_a_name_by_its_size_if_it_is_no_chance(
    loss: float, error: float, named: str
) -> None:
    assert verdict(loss, error) == named


# Phases and accuracy


@pytest.mark.parametrize(
    ("ask", "best", "chosen", "phase"),
    [
        ("turn", "play 3", "quit", "quit"),
        ("turn", "quit", "draw", "quit"),
        ("turn", "play 3", "draw", "draw"),
        ("turn", "play 3", "play 4", "play"),
        ("turn", "roll", "quit", "quit"),
        ("turn", "swap", "play 3", "magic"),
        ("return", "keep", "return 1", "keep"),
        ("discard", "discard 1 1", "discard 1", "discard"),
        ("take", "take 1", "take 2", "take"),
        ("show", "collect", "play llama", "show"),
        ("give", "give +1", "give +2", "give"),
    ],
)
def test_decision_has_the_phase_of_its_choice(ask: str, best: str, chosen: str, phase: str) -> None:
    assert phase_of(ask, best, chosen) == phase


def judged(loss: float, stake: float = 0.4, phase: str = "play", error: float = 0.01) -> Judged:
    options = (Option("play 1", 0.5, 3.0, error), Option("quit", 0.5 - stake, 9.0, error))
    chosen = "quit" if loss else "play 1"
    seen = Situation(("1",), "1", (), 1, (0, 0), (1, 1), (True, True))
    return Judged(1, 0, 1, phase, chosen, options, loss, error, stake, verdict(loss, error), seen)


def test_accuracy_is_the_share_of_the_stake_that_was_kept() -> None:
    seat = seat_review([judged(0.4), judged(0.0), judged(0.0), judged(0.0, phase="quit")])
    assert seat.accuracy == pytest.approx(0.75)
    assert seat.verdicts == {"blunder": 1, "mistake": 0, "inaccuracy": 0}
    assert seat.error == pytest.approx(0.02)
    assert seat.phases.keys() == {"quit", "play"}
    assert seat.phases["play"].decisions == 3
    assert sum(totals.lost for totals in seat.phases.values()) == pytest.approx(seat.lost)


def test_seat_without_choices_has_no_accuracy() -> None:
    assert seat_review([]).accuracy is None
    assert accuracy(-0.1, 0.5) == 1.0  # a loss below none is noise
    assert accuracy(0.6, 0.5) == 0.0


@pytest.mark.parametrize("match", [lambda: played("dice"), lambda: with_faults(2)])
def test_a_review_is_the_same_after_json(match: Callable[[], Match]) -> None:
    found = reviewed(match())
    once = payload(found)
    again = payload(from_payload(json.loads(json.dumps(once))))
    for told in once, again:  # sums of rounded losses differ in the last digit
        for seat in told["seats"]:
            for name in ("accuracy", "lost", "error", "stake", "phases"):
                seat.pop(name)
    assert again == once
