"""Forecasts that were wrong: who is blamed, and what is promised, next to what happens."""

from dataclasses import replace

import pytest

from arena.service.forecast import Forecast, LivePace, forecast, schedule, typical
from arena.service.forecast.left import Left, estimate
from arena.service.forecast.measured import Answers
from arena.service.forecast.sentences import summary
from arena.service.live.player_presence import AnswerCounts, Paces
from arena.store.reports.runs import MatchRun
from arena.tournaments.formats import TournamentSpec
from tests.simulated_arena import Simulation, Thinker
from tests.unit.service.test_forecast import league, left_at, played, seats_of, told

QUICK_S = 0.0002
OVERLOADED_S = 1 / 1300  # of the arena for each decision: 12 matches a second


def quick(bots: int) -> list[Thinker]:
    return [Thinker(QUICK_S) for _ in range(bots)]


def halfway(bots: list[Thinker], hop_s: float = 1 / 16_000) -> tuple[LivePace, Left, float]:
    """What is known of a tournament after ten of its seconds, and its seconds in all."""
    spec = league(len(bots), 60 if len(bots) < 6 else 16)
    whole = Simulation([Thinker(b.seconds, b.at_once, b.in_turn) for b in bots], hop_s)
    whole.play(seats_of(spec), typical.decisions("lama", spec.seats), 64)
    now = Simulation(bots, hop_s)
    now.play(seats_of(spec), typical.decisions("lama", spec.seats), 64, until=whole.now / 2)
    live = LivePace(known=True, here=now.here(), paces=now.paces())
    return live, left_at(spec, now, now.now), whole.now


@pytest.mark.parametrize(
    "slow",
    [
        Thinker(0.005, 256, in_turn=True),
        Thinker(0.02, 1),  # one question at a time: the others wait in the gateway
        Thinker(0.2, 8),
    ],
    ids=["in turn", "single connection", "side by side"],
)
def test_the_bot_is_named_at_which_decisions_queue(slow: Thinker) -> None:
    live, left, took = halfway([*quick(3), slow, *quick(2)])

    found = estimate(left, live, 64)

    assert found.waits
    assert found.slowest is not None
    assert found.slowest.bot == "bot-3"
    assert found.seconds == pytest.approx(took / 2, rel=0.2)


def test_on_an_overloaded_worker_no_bot_is_blamed() -> None:
    live, left, took = halfway(quick(6), OVERLOADED_S)
    # One of them answers late now and then, as bots do on a machine that is overloaded.
    slow_looking = Paces(64, {"lama": {1: AnswerCounts(20.0, 20.0, 900.0)}})
    live = replace(live, paces={**live.paces, 2: slow_looking})

    found = estimate(left, live, 64)

    assert not found.waits
    assert "bot-" not in summary(found, left=True)
    assert found.seconds == pytest.approx(took / 2, rel=0.2)


def test_a_bot_that_answers_quickly_is_not_blamed_for_what_another_takes() -> None:
    """`careful` answered in 322 µs, but 22 ms on average: it waited for the processor."""
    careful = Paces(64, {"lama": {1: AnswerCounts(20.0, 20.0, 900.0)}})
    master = Paces(256, {"lama": {8: AnswerCounts(20.0, 3000.0, 6000.0)}})
    facts = replace(
        told(league(4, 400)),
        answers={1: Answers(22_000.0, 322), 2: Answers(500_000.0, 480_000)},
    )

    found = forecast(
        schedule(league(4, 400), 400), facts, LivePace(paces={1: careful, 2: master}), 512
    )

    assert found.slowest is not None
    assert found.slowest.bot == "bot-1"


def test_a_bot_that_takes_one_at_a_time_is_as_slow_as_it_was_seen() -> None:
    single = Paces(1, {"lama": {1: AnswerCounts(20.0, 20.0, 900.0)}})
    facts = replace(told(league(4, 400)), answers={1: Answers(22_000.0, 322)})

    found = forecast(schedule(league(4, 400), 400), facts, LivePace(paces={1: single}), 512)

    assert found.slowest is not None
    assert found.slowest.per_second == pytest.approx(45)


@pytest.mark.parametrize("wrong", [0.2, 5.0])
def test_the_rate_of_stored_matches_corrects_a_wrong_forecast(wrong: float) -> None:
    spec = league(6, 16)
    bots = [Thinker(0.02, 4), *quick(5)]
    simulation = played(spec, bots, 64)
    paces = {player: distorted(each, wrong) for player, each in simulation.paces().items()}

    left = left_at(spec, simulation, 0.6 * simulation.now)

    found = estimate(left, LivePace(known=True, paces=paces), 64)
    assert found.seconds == pytest.approx(0.4 * simulation.now, abs=0.1 * simulation.now)


def distorted(paces: Paces, factor: float) -> Paces:
    """As if each answer had taken so many times as long."""
    by_game = {
        game: {
            step: AnswerCounts(factor * load.seconds, factor * load.held, load.answers)
            for step, load in loads.items()
        }
        for game, loads in paces.by_game.items()
    }
    return replace(paces, by_game=by_game)


# What the same bots did before


def after(matches: int, seconds: float, spec: TournamentSpec, players: int = 4) -> Forecast:
    sat = {player: float(matches) for player in range(1, players + 1)}
    run = MatchRun("lama", 4, matches, seconds, 7.0, sat)
    fast = MatchRun("lama", 4, 5000, 2.8, 6.0, dict.fromkeys(range(11, 15), 5000.0))
    facts = replace(told(spec), runs=(run, fast))
    return forecast(schedule(spec, 2640), facts, LivePace(known=True), 512)


def test_forecast_uses_the_rate_of_the_same_bots_only() -> None:
    found = after(2640, 220.0, league(4, 2640))

    assert found.seconds == pytest.approx(220.0)
    assert found.rate is not None
    assert found.rate.per_second == pytest.approx(12)
    assert not found.waits
    assert (
        summary(found) == "About 3 min 40 s, as in the latest 2,640 matches of these bots (12/s)."
    )


def test_matches_among_other_bots_are_not_theirs() -> None:
    found = after(2640, 220.0, league(4, 2640), players=3)

    assert found.rate is None


def test_a_few_matches_do_not_tell_of_many() -> None:
    assert after(50, 4.0, league(4, 2640)).rate is None


# What is not shorter


def test_an_alternative_that_is_not_shorter_is_not_named() -> None:
    spec = league(4, 400)
    slow = {p: Paces(4, {"lama": {1: AnswerCounts(20.0, 20.0, 100.0)}}) for p in (1, 2)}

    found = forecast(schedule(spec, 400), told(spec), LivePace(paces=slow), 512)

    assert found.waits
    assert found.alternative is None
    assert "without" not in summary(found)


def test_an_alternative_stays_shorter_when_the_time_is_corrected() -> None:
    spec = league(4, 400)
    slow = {1: Paces(4, {"lama": {1: AnswerCounts(20.0, 20.0, 100.0)}})}
    found = forecast(schedule(spec, 400), told(spec), LivePace(paces=slow), 512)

    corrected = found.taking(found.seconds / 3)

    assert corrected.alternative is not None
    assert corrected.alternative < corrected.seconds
