"""Forecasts against arenas in which only time passes."""

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from arena.service.forecast import (
    NOBODY,
    Forecast,
    LivePace,
    Measured,
    Slow,
    forecast,
    schedule,
    typical,
)
from arena.service.forecast import left as left_module
from arena.service.forecast.left import WINDOW_S, Left, estimate, lately
from arena.service.forecast.measured import Answers
from arena.service.forecast.sentences import reservations, slowness, summary
from arena.service.live.player_presence import AnswerCounts, Paces, Presence
from arena.store.reports.runs import MatchRun
from arena.tournaments.formats import TournamentSpec, check_spec, format_of
from tests.simulated_arena import Simulation, Thinker, sat

QUICK = Thinker(0.0002)
LAMA = typical.decisions("lama", 4)


def league(bots: int, matches: int, seats: int = 4, format_: str = "round-robin") -> TournamentSpec:
    names = tuple(f"bot-{number}" for number in range(bots))
    return check_spec(TournamentSpec(bots=names, seats=seats, matches=matches, format=format_))


def seats_of(spec: TournamentSpec) -> list[tuple[int, ...]]:
    format_, number, found = format_of(spec.format), 0, []
    while block := format_.block(spec, number):
        found += [match.seats for match in block]
        number += 1
    return found


def told(spec: TournamentSpec) -> Measured:
    of = tuple(enumerate(spec.bots, 1))
    return Measured("lama", spec.seats, typical.decisions("lama", spec.seats), of)


def played(spec: TournamentSpec, bots: list[Thinker], in_flight: int = 512) -> Simulation:
    simulation = Simulation(bots)
    simulation.play(seats_of(spec), typical.decisions("lama", spec.seats), in_flight)
    return simulation


def foreseen(spec: TournamentSpec, live: LivePace) -> Forecast:
    plan = schedule(spec, format_of(spec.format).count(spec))
    return forecast(plan, told(spec), live, 512)


def measured_alone(bots: list[Thinker], spec: TournamentSpec) -> LivePace:
    """What gateways have counted after a small tournament of the same bots."""
    small = played(replace(spec, matches=spec.seats), bots)
    return LivePace(known=True, paces=small.paces())


FIELDS = {
    "20 ms, 4 at once": [Thinker(0.02, 4)],
    "20 ms, 4 at once, in turn": [Thinker(0.02, 4, in_turn=True)],
    "5 ms, 256 at once, in turn": [Thinker(0.005, 256, in_turn=True)],
    "200 ms, 4 at once": [Thinker(0.2, 4)],
    "20 ms, one at a time": [Thinker(0.02, 1)],
    "two slow ones": [Thinker(0.05, 16), Thinker(0.02, 1)],
    "one of them slow in turn, one together": [Thinker(0.01, 8, in_turn=True), Thinker(0.1, 8)],
    "2 s, 64 at once": [Thinker(2.0, 64)],
}


@pytest.mark.long
@pytest.mark.parametrize("slow", FIELDS.values(), ids=list(FIELDS))
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_a_tournament_with_slow_bots_takes_as_long_as_was_foreseen(
    slow: list[Thinker], seats: int
) -> None:
    spec = league(7, {2: 12, 4: 12, 6: 42}[seats], seats)
    fresh = [Thinker(bot.seconds, bot.at_once, bot.in_turn) for bot in slow]
    bots = [*fresh, *(replace(QUICK, meter=Thinker(0).meter) for _ in range(7 - len(slow)))]
    live = measured_alone(bots, spec)

    found = foreseen(spec, live)

    took = played(spec, [Thinker(b.seconds, b.at_once, b.in_turn) for b in bots]).now
    assert 0.7 < found.seconds / took < 1.35
    assert found.waits
    assert found.slowest is not None
    slowest = max(range(len(slow)), key=lambda bot: slow[bot].seconds / slow[bot].at_once)
    if len(slow) == 1:
        assert found.slowest.bot == f"bot-{slowest}"
        assert found.without_slowest < found.seconds / 2
    assert found.alone < took / 3, "the arena's speed alone would have promised far too little"


def test_a_slow_bot_is_the_forty_two_seconds_that_took_five_minutes() -> None:
    spec = league(6, 336)  # 5,040 matches
    bots = [Thinker(0.04, 8, in_turn=True), *(Thinker(0.0002) for _ in range(5))]

    found = foreseen(spec, measured_alone(bots, spec))

    assert 30 < found.alone < 60
    assert summary(found) == (
        "About 1 h 0 min: bot-0 takes 8 decisions at once, about 25 a second; "
        "without waiting for it 35 s."
    )


def test_quick_bots_cause_no_waiting() -> None:
    spec = league(6, 40)
    bots = [Thinker(0.0002) for _ in range(6)]

    found = foreseen(spec, measured_alone(bots, spec))

    assert not found.waits
    assert found.seconds == found.without_slowest == found.alone
    assert summary(found) == "About 5 s: no bot slows it down."


# What is known of bots


SLOW = {1: Paces(4, {"lama": {1: AnswerCounts(20.0, 20.0, 100.0)}})}  # 5 a second


def known(told_: Measured, live: LivePace = NOBODY) -> Forecast:
    spec = league(4, 400)
    return forecast(schedule(spec, 400), told_, live, 512)


def test_of_bots_that_were_never_measured_it_says_so() -> None:
    found = known(told(league(4, 400)))

    assert found.slowest is None
    assert not found.waits
    assert summary(found) == "About 4 s."
    (reservation,) = reservations(found)
    assert reservation == (
        "Not counted, because they were never measured: bot-0, bot-1, bot-2, bot-3."
    )


def test_disconnected_bot_counts_with_its_last_speed_and_is_named() -> None:
    found = known(told(league(4, 400)), LivePace(known=True, paces=SLOW))

    assert found.slowest is not None
    assert (found.slowest.bot, found.slowest.at_once) == ("bot-0", 4)
    assert found.slowest.seconds == pytest.approx(400 * LAMA / 4 / 5, rel=0.02)
    assert reservations(found)[1] == "Not connected, counted at their latest speed: bot-0."
    unknown = known(told(league(4, 400)), LivePace(known=False, paces=SLOW))
    assert unknown.away == (), "nobody knows"


def test_without_counts_of_gateways_the_mean_time_and_the_limit_tell() -> None:
    answers = {1: Answers(mean_us=40_000.0, p50_us=39_000)}
    facts = replace(told(league(4, 400)), answers=answers)

    here = LivePace(known=True, here={1: connected(1, max_in_flight=8)})
    assert slowest(known(facts, here)).per_second == pytest.approx(8 / 0.04)
    assert slowest(known(facts)).per_second == pytest.approx(1 / 0.04), "as the contract has it"
    assert summary(known(facts)).startswith(
        "About 7 min 10 s: bot-0 answers in 39 ms and takes one decision at a time, about 25 a"
    )


@pytest.mark.parametrize(
    ("p50_us", "said"),
    [
        (39_000, "answers in 39 ms and takes 8 decisions at once, about 150 a second"),
        (500, "takes 8 decisions at once, about 150 a second"),  # not the cause of this rate
        (0, "takes 8 decisions at once, about 150 a second"),
        (None, "takes 8 decisions at once, about 150 a second"),
    ],
)
def test_an_answer_time_that_contradicts_the_rate_is_left_out(
    p50_us: int | None, said: str
) -> None:
    assert slowness(Slow("a", 1.0, 150.0, p50_us, 8)) == said


def test_another_game_tells_something_where_this_one_was_never_played() -> None:
    dice = {1: Paces(4, {"dice": {1: AnswerCounts(20.0, 20.0, 100.0)}})}

    assert slowest(known(told(league(4, 400)), LivePace(paces=dice))).per_second == pytest.approx(
        5, rel=0.02
    )


def test_a_bot_that_is_asked_more_takes_longer() -> None:
    facts = told(league(4, 400))
    usual = known(facts, LivePace(paces=SLOW)).seconds
    asked_more = replace(facts, asks={1: 2 * LAMA / 4})

    assert known(asked_more, LivePace(paces=SLOW)).seconds == pytest.approx(2 * usual, rel=0.01)


def test_bots_that_think_long_about_many_at_once_take_all_the_room_there_is() -> None:
    loads = {
        1: AnswerCounts(200.0, 200.0, 100.0),
        12: AnswerCounts(4.0, 8192.0, 4096.0),
    }  # 2 s, side by side
    patient = {player: Paces(4096, {"lama": loads}) for player in range(1, 5)}

    found = known(told(league(4, 400)), LivePace(paces=patient))
    crowded = forecast(
        schedule(league(4, 400), 400), told(league(4, 400)), LivePace(paces=patient), in_flight=20
    )

    assert crowded.seconds > 4 * found.seconds


def slowest(found: Forecast) -> Slow:
    assert found.slowest is not None
    return found.slowest


def connected(player: int, max_in_flight: int) -> Presence:
    return Presence(
        player=player, bot="bot", version="1", gateway="g1", session="1", since=0.0,
        games=("lama",), min_seats=2, max_seats=6, max_in_flight=max_in_flight, sdk="sdk",
    )  # fmt: skip


# The arena's own speed


def run(matches: int, seconds: float, newest: float = 0.0, **changed: Any) -> MatchRun:
    sat = {player: float(matches) for player in range(1, 5)}
    return replace(MatchRun("lama", 4, matches, seconds, newest, sat), **changed)


def test_the_arena_is_as_fast_as_in_its_latest_matches() -> None:
    facts = replace(told(league(4, 400)), runs=(run(1000, 10.0, newest=7.0),))

    speed = known(facts).speed

    assert speed.per_second == pytest.approx((1000 + typical.LAST) / 10)
    assert (speed.matches, speed.newest) == (1000, 7.0)


def test_matches_that_waited_for_a_bot_tell_nothing_of_the_arena() -> None:
    facts = replace(told(league(4, 400)), runs=(run(100, 600.0), run(300, 10.0)))

    assert known(facts, LivePace(paces=SLOW)).speed.matches == 0, "all waited for bot-0"
    without = replace(facts, runs=(facts.runs[0], replace(facts.runs[1], sat={2: 300.0})))
    assert known(without, LivePace(paces=SLOW)).speed.matches == 300


def test_a_handful_of_matches_is_not_taken_for_the_speed_of_many() -> None:
    facts = replace(told(league(4, 400)), runs=(run(20, 1.0), run(2000, 40.0)))

    assert known(facts).speed.matches == 2000


def test_another_kind_of_matches_tells_by_its_decisions() -> None:
    facts = replace(told(league(4, 400)), runs=(run(1000, 10.0, game="dice", seats=2),))

    speed = known(facts).speed

    assert speed.per_second == pytest.approx(117 * typical.decisions("dice", 2) / LAMA)
    assert not speed.own


# What is left


@pytest.mark.long
@pytest.mark.parametrize(
    ("slow", "matches", "in_flight"),
    [
        ([Thinker(0.02, 4)], 12, 512),  # all in flight at once
        ([Thinker(0.02, 4)], 40, 64),
        ([Thinker(0.02, 4, in_turn=True)], 24, 64),
        ([Thinker(0.05, 16), Thinker(0.02, 1)], 12, 128),
        ([], 60, 512),
    ],
)
def test_the_end_that_is_told_meanwhile_comes_closer_than_extrapolation(
    slow: list[Thinker], matches: int, in_flight: int
) -> None:
    spec = league(6, matches)
    bots = [*slow, *(Thinker(0.0002) for _ in range(6 - len(slow)))]
    bots = [Thinker(bot.seconds, bot.at_once, bot.in_turn) for bot in bots]
    simulation = played(spec, bots, in_flight)
    live, took = LivePace(known=True, paces=simulation.paces()), simulation.now
    told_off, extrapolated_off = [], []
    for step in range(1, 20):
        now = took * step / 20
        left_ = left_at(spec, simulation, now)
        told_off.append(abs(estimate(left_, live, in_flight).seconds - (took - now)) / took)
        if left_.speed:
            extrapolated = left_.plan.matches / left_.speed
            extrapolated_off.append(abs(extrapolated - (took - now)) / took)

    assert sum(told_off) / len(told_off) < 0.12
    if slow:
        assert sum(told_off) / len(told_off) < sum(extrapolated_off) / len(extrapolated_off)


def left_at(spec: TournamentSpec, simulation: Simulation, now: float) -> Left:
    """What the database would know at this moment of a simulation."""
    total = format_of(spec.format).count(spec)
    over = [(when, seats) for when, seats in simulation.ended if when <= now]
    window = max(min(10.0, now), 1.0)
    lately = sum(when >= now - window for when, _ in over) / window
    by_player = {bot + 1: count for bot, count in sat(seats for _, seats in over).items()}
    return Left(
        schedule(spec, total - len(over)), schedule(spec, total), told(spec), len(over),
        by_player, True, lately, now,
    )  # fmt: skip


def test_one_that_was_paused_is_told_by_its_speed() -> None:
    spec = league(4, 400)
    left_ = Left(schedule(spec, 300), schedule(spec, 400), told(spec), 100, {}, True, 10.0, None)

    assert 20 < estimate(left_, NOBODY, 64).seconds <= 30


def test_the_end_of_a_slow_match_is_not_taken_for_a_rate() -> None:
    """A match of language models takes minutes, so rarely one ends in the last ten seconds."""
    spec = league(4, 40)

    def left_s(speed: float) -> float:
        left_ = Left(
            schedule(spec, 20), schedule(spec, 40), told(spec), 20, {}, True, speed, 3000.0
        )
        return estimate(left_, NOBODY, 4).seconds

    assert left_s(1 / WINDOW_S) == left_s(0.0) > 1000


def test_nothing_is_left_of_nothing() -> None:
    spec = league(4, 400)
    left_ = Left(schedule(spec, 0), schedule(spec, 400), told(spec), 400, {}, True, 10.0, 40.0)

    assert estimate(left_, NOBODY, 64).seconds == 0


def test_a_test_that_is_likely_to_end_early_is_told_so() -> None:
    spec = league(2, 400, 2, "versus")
    left_ = Left(schedule(spec, 300), schedule(spec, 400), told(spec), 100, {}, True, 10.0, None)
    likely = estimate(replace(left_, likely=75), NOBODY, 64)

    whole = estimate(left_, NOBODY, 64)

    assert (whole.likely, whole.likely_seconds) == (None, None)
    assert likely.seconds == whole.seconds
    assert likely.likely_seconds == pytest.approx(whole.seconds / 4)
    assert re.match(
        r"At most .* left, about .* if results go on as so far[.;:]",
        summary(likely, at_most=True, left=True),
    )


@pytest.mark.parametrize(("played_s", "window_s"), [(1000.0, WINDOW_S), (4.0, 4.0), (0.1, 1.0)])
def test_the_pace_of_late_is_of_the_time_that_it_has_run(
    monkeypatch: pytest.MonkeyPatch, played_s: float, window_s: float
) -> None:
    monkeypatch.setattr(left_module, "finished_since", lambda _, number, since: 500.0 - since)
    running: Any = SimpleNamespace(id=7, state="running", started=500.0 - played_s)
    conn: Any = None

    # The stand-in finishes one match each second, so the pace is 1 over any window.
    assert lately(conn, running, 500.0) == pytest.approx(1.0)
    monkeypatch.setattr(left_module, "finished_since", lambda *_: 12)
    assert lately(conn, running, 500.0) == pytest.approx(12 / window_s)
