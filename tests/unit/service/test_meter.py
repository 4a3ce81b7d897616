"""How fast bots are, as gateways count it, without a gateway."""

import pytest

from arena.service.forecast.entrants import rate
from arena.service.gateway.sessions.load import FORGET, Meter
from arena.service.live.player_presence import AnswerCounts, Loads
from tests.simulated_arena import Simulation, Thinker


def measured(bot: Thinker, *loads: int, seconds: float = 30.0) -> Thinker:
    """A bot for which so many matches wait all the time, for about so many seconds."""
    simulation = Simulation([bot], hop_s=1e-6)
    for load in loads:
        per_second = min(load, bot.at_once) / bot.seconds if not bot.in_turn else 1 / bot.seconds
        simulation.play([(0,)] * round(per_second * seconds / 20), 20, load)
    return bot


@pytest.mark.parametrize("load", [8, 64])
def test_a_bot_that_is_full_shows_what_it_can_do(load: int) -> None:
    together = measured(Thinker(0.02, 8), load)
    in_turn = measured(Thinker(0.02, 8, in_turn=True), load)

    assert rate(together.meter.by_game["lama"], 8).per_second == pytest.approx(400, rel=0.1)  # type: ignore[union-attr]
    assert rate(in_turn.meter.by_game["lama"], 8).per_second == pytest.approx(50, rel=0.1)  # type: ignore[union-attr]


def test_a_bot_that_was_never_full_shows_whether_it_thinks_side_by_side() -> None:
    together = measured(Thinker(0.02, 64), 1, 4)
    in_turn = measured(Thinker(0.02, 64, in_turn=True), 1, 4)

    assert rate(together.meter.by_game["lama"], 64).per_second == pytest.approx(3200, rel=0.15)  # type: ignore[union-attr]
    assert rate(in_turn.meter.by_game["lama"], 64).per_second == pytest.approx(50, rel=0.15)  # type: ignore[union-attr]


def test_one_answer_takes_what_it_takes_when_nothing_else_waits() -> None:
    bot = measured(Thinker(0.02, 8, in_turn=True), 1, 8)

    assert rate(bot.meter.by_game["lama"], 8).seconds == pytest.approx(0.02, rel=0.1)  # type: ignore[union-attr]


def loads_of(message_s: float, question_s: float) -> Loads:
    """Of a bot that needs so long for each message and for each question in it."""
    return {
        held.bit_length(): AnswerCounts(seconds, held * seconds, 100.0)
        for held in (1, 4)
        for seconds in [100 / held * (message_s + question_s * held)]
    }


def test_cost_of_a_message_counts_once() -> None:
    found = rate(loads_of(message_s=0.02, question_s=0.01), 64)

    assert found is not None
    assert found.per_second == pytest.approx(64 / (0.02 + 0.64), rel=0.25)
    assert found.seconds == pytest.approx(0.03)


def test_a_quick_bot_of_which_little_was_seen_is_not_taken_for_a_slow_one() -> None:
    found = rate(loads_of(message_s=0.0, question_s=0.0015), 256)

    assert found is not None
    assert found.per_second > 10_000


def test_a_bot_that_was_hardly_asked_shows_nothing() -> None:
    meter = Meter(0.0)
    meter.asks("lama")
    for number in range(9):
        meter.holds(number, 1)
        meter.holds(number + 0.5, 0, 1)

    assert rate(meter.by_game.get("lama", {}), 8) is None


def test_time_without_questions_and_time_that_is_not_the_bots_count_for_nothing() -> None:
    meter = Meter(0.0)
    meter.asks("lama")
    now = 0.0
    for _ in range(40):
        now += 100.0  # nothing to do
        meter.holds(now, 1)
        meter.skip(7.0)  # the gateway stood still
        now += 7.5
        meter.holds(now, 0, 1)

    found = rate(meter.by_game["lama"], 1)
    assert found is not None
    assert found.per_second == pytest.approx(2)


def test_games_are_apart() -> None:
    meter = Meter(0.0)
    now = 0.0
    for game, takes in (("lama", 0.1), ("dice", 1.0)) * 2:
        meter.asks(game)
        for _ in range(40):
            meter.holds(now, 1)
            now += takes
            meter.holds(now, 0, 1)

    assert rate(meter.by_game["lama"], 1).per_second == pytest.approx(10)  # type: ignore[union-attr]
    assert rate(meter.by_game["dice"], 1).per_second == pytest.approx(1)  # type: ignore[union-attr]


def test_new_measurements_outweigh_earlier_sessions() -> None:
    meter = Meter(0.0)
    meter.recall(
        {"lama": {1: AnswerCounts(100_000.0, 100_000.0, 10_000.0)}}
    )  # ten seconds an answer
    assert rate(meter.by_game["lama"], 1).per_second == pytest.approx(0.1)  # type: ignore[union-attr]

    meter.asks("lama")
    now = 0.0
    for _ in range(10_000):  # a tenth
        meter.holds(now, 1)
        now += 0.1
        meter.holds(now, 0, 1)

    assert rate(meter.by_game["lama"], 1).per_second > 5  # type: ignore[union-attr]


def test_counts_do_not_grow_for_ever() -> None:
    bot = measured(Thinker(0.001, 1), 1, seconds=100)

    assert sum(load.answers for load in bot.meter.by_game["lama"].values()) <= FORGET


@pytest.mark.long
def test_however_a_bot_holds_questions_there_are_few_counts() -> None:
    bot = measured(Thinker(0.01, 4096), *(2**step for step in range(13)), seconds=0.1)

    assert 5 < len(bot.meter.by_game["lama"]) <= 13
