"""Leaks: a player's losses by situation, and the choices of house bots there."""

import json
import math

import pytest

from arena.bots import HOUSE
from arena.value.review import Judged, Option, Review
from arena.value.review.leaks import (
    Answers,
    Part,
    Spot,
    kind_of,
    leak_payload,
    leaks,
    part_from,
    part_payload,
    parts,
)
from arena.value.review.model import by_seat
from arena.value.review.payload import judged_from, judged_payload
from arena.value.review.peers import choices, others, views_of
from arena.value.review.situation import Situation, situation_of, situations
from tests.unit.value.test_review import played, reviewed

EN_DASH = "\N{EN DASH}"
SITUATION = Situation(("2", "4", "6"), "4", (), 12, (19, 28), (3, 2), (True, True))
QUITS = Spot("quit", "quit", "draw", f"10{EN_DASH}14", "3", 2)


def decision(number: int, loss: float, seat: int = 0, best: str = "draw") -> Judged:
    options = (Option(best, 0.5, 3.0, 0.0), Option("quit", 0.5 - loss, 3.0, 0.0))
    return Judged(number, seat, 2, "quit", "quit", options, loss, 0.01, loss, "mistake", SITUATION)


def review(*decisions: Judged) -> Review:
    return Review("m1", "lama", "x", decisions, by_seat(decisions, 2))


def test_a_seats_decisions_of_one_kind_are_one_part() -> None:
    found = review(
        decision(3, 0.02),
        decision(5, 0.06),
        decision(7, 0.5, seat=1),
        decision(9, 0.0, best="quit"),
    )
    known = {3: {"sharp": "draw"}, 5: {"sharp": "quit", "student": "play 4"}}

    (part,) = parts(found, 0, known)

    assert (part.spot, part.times, part.number) == (QUITS, 2, 5)
    assert part.lost == pytest.approx(0.08)
    assert part.variance == pytest.approx(2 * 0.01**2)
    assert part.others == {"sharp": Answers(2, 1, 1), "student": Answers(1, 0, 0)}
    assert part_from(json.loads(json.dumps(part_payload(part)))) == replace_rounded(part)


def replace_rounded(part: Part) -> Part:
    return part._replace(lost=round(part.lost, 4), variance=round(part.variance, 8))


def part(times: int, lost: float, spot: Spot = QUITS, variance: float = 0.0) -> Part:
    return Part(spot, times, lost, variance, 5, {"sharp": Answers(times, 0, times)})


def test_leaks_add_up_over_matches_with_an_error_by_match_the_greatest_first() -> None:
    late = QUITS._replace(cards="1")
    found = leaks(
        [("a", part(2, 0.1)), ("b", part(1, 0.06)), ("c", part(1, 0.02)), ("a", part(9, 0.9, late))]
    )
    assert [leak.spot for leak in found] == [late, QUITS]
    leak = found[1]
    assert (leak.times, leak.matches) == (4, 3)
    assert leak.each == pytest.approx(0.045)
    residuals = (0.1 - 0.09) ** 2 + (0.06 - 0.045) ** 2 + (0.02 - 0.045) ** 2
    assert leak.error == pytest.approx(math.sqrt(residuals * 3 / 2) / 4)
    assert leak.match == "b"  # where one decision lost most
    assert leak.others == {"sharp": Answers(4, 0, 4)}
    told = leak_payload(leak)
    assert (told["phase"], told["each"], told["others"]["sharp"]["better"]) == ("quit", 0.045, 4)
    assert leak.sentence == (
        f"quitting with 10{EN_DASH}14 points in 3 cards at 2 seats, where drawing is better"
    )


@pytest.mark.parametrize(
    "found",
    [
        [("a", part(4, 0.16, variance=0.12**2))],  # the sample explains it
        [("a", part(2, 0.4)), ("b", part(2, -0.2))],  # matches differ
        [("a", part(1, 0.2)), ("b", part(1, 0.2))],  # two decisions are no habit
        [("a", part(10, 0.04)), ("b", part(10, 0.04))],  # less than the best of noisy values gains
    ],
)
def test_losses_that_may_be_chance_are_no_leak(found: list[tuple[str, Part]]) -> None:
    assert leaks(found) == []


@pytest.mark.parametrize(
    ("action", "top", "kind"),
    [
        ("quit", "4", "quit"),
        ("play 4", "4", "play the same card"),
        ("play 5+", "4", "play the next card"),
        ("play 3#", "3*", "play the same card"),
        ("play llama", "6", "play llama"),
        ("discard 1 1 llama", "", "discard 3"),
        ("take 5", "", "take"),
        ("return 10", "", "return 10"),
    ],
)
def test_cards_count_only_relative_to_the_top_card(action: str, top: str, kind: str) -> None:
    assert kind_of(action, SITUATION._replace(top=top)) == kind


def test_another_action_of_the_same_kind_is_named_so() -> None:
    options = (Option("take 5", 0.5, 3.0, 0.0), Option("take 3", 0.4, 3.0, 0.0))
    take = decision(3, 0.1)._replace(phase="take", chosen="take 3", options=options)
    (found,) = parts(review(take), 0, {})
    assert (found.spot.chosen, found.spot.best) == ("take", "take (another)")


@pytest.mark.parametrize("game", ["lama", "party", "dice", "kadabra"])
def test_every_decision_of_a_review_has_a_spot(game: str) -> None:
    found = reviewed(played(game))
    count = sum(part.times for seat in range(3) for part in parts(found, seat, {}))
    assert count == sum(each.chosen != each.best for each in found.decisions) > 0


@pytest.mark.parametrize("game", ["lama", "party", "dice", "kadabra"])
def test_sharp_chooses_as_the_house_bot_does(game: str) -> None:
    match = played(game)
    views = views_of(match, [entry.number for entry in match.logged])
    bot = HOUSE["sharp"]()
    assert [each["sharp"] for each in choices(views)] == [bot.choose(view) for view in views]
    assert all(
        each["student"] in view.actions for view, each in zip(views, choices(views), strict=True)
    )


def test_choices_of_others_are_by_decision_and_include_master() -> None:
    match = played()
    numbers = [entry.number for entry in match.logged][:3]
    assert list(others(match, numbers)) == numbers
    views = views_of(match, numbers)
    asked = choices(views, ("master",))
    assert all(each["master"] in view.actions for view, each in zip(views, asked, strict=True))


# Situations


@pytest.mark.parametrize("game", ["lama", "party", "dice", "kadabra"])
def test_review_has_the_situation_of_each_decision(game: str) -> None:
    match = played(game)
    found, known = reviewed(match), situations(match)
    for each in found.decisions:
        assert each.situation == known[each.number]
        assert judged_from(json.loads(json.dumps(judged_payload(each)))).situation == each.situation
    (view,) = views_of(match, [found.decisions[0].number])
    seen = situation_of(view)
    assert (seen.hand, seen.top, seen.points) == (view.hand, view.top, view.points)
    assert bool(seen.top) == (game != "dice")


def test_a_situation_in_words_has_the_seat_first_and_the_others_in_turn() -> None:
    seen = Situation(("4",), "3", (), 4, (19, 28, 30), (1, 5, 2), (True, True, False))
    assert seen.points_in_words(1) == "28 : 30, 19"
    assert seen.sizes_in_words(1) == "out, 1"
    assert seen.open_card == "3"
    assert seen._replace(top="", dice=("1", "llama")).open_card == "1 llama"
