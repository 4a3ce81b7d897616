"""Hosted players in the schedule of a run: absent for ever, and nothing that it costs them."""

import pytest

from arena.protocol.internal.relay_pb2 import Replies, Reply
from tests.lab.faults.clock import EPOCH
from tests.unit.workers.test_absentees import (
    LATE,
    START_GRACE_S,
    finished,
    forfeits,
    late_world,
    play_on,
)
from tests.unit.workers.test_absentees import with_late as with_hosted
from tests.unit.workers.test_schedule import Driver, presence
from workers.schedule import Patience, RunOutcome
from workers.schedule.commands import Deliver, MarkGone, Save
from workers.schedule.routes import CHECK_S
from workers.schedule.schedule import HOSTLESS_S

HOSTED = LATE
LONG_AFTER = 10 * START_GRACE_S


def test_matches_of_a_hosted_player_wait_however_long_and_the_others_are_played() -> None:
    driver = late_world(hosted=[HOSTED], began=EPOCH - 1000)
    driver.claimed(driver.planned)
    waiting = with_hosted(driver.planned)

    play_on(driver, LONG_AFTER)

    assert finished(driver) == [p.position for p in driver.planned if p.position not in waiting]
    assert (driver.schedule.to_play, driver.schedule.postponed) == (0, len(waiting))
    assert not driver.of(MarkGone)

    driver.present[HOSTED] = presence(HOSTED, hosted=True)
    play_on(driver, 1e6)

    assert driver.schedule.outcome is RunOutcome.DONE
    assert finished(driver) == [planned.position for planned in driver.planned]
    assert forfeits(driver) == 0


@pytest.mark.parametrize("under_way", [True, False])
def test_interactive_match_does_not_occupy_a_worker_while_it_waits_for_a_host(
    under_way: bool,
) -> None:
    driver = Driver(matches=6, window=6, slice_s=1e9, hosted=[1])
    driver.claimed(driver.planned)
    if under_way:
        driver.step()
    vanish(driver, 1)

    play_on(driver, HOSTLESS_S - 0.2)
    assert driver.schedule.outcome is None
    play_on(driver, 2 * HOSTLESS_S)

    assert driver.schedule.outcome is RunOutcome.SUSPENDED
    (kept,) = driver.of(Save)[-1].checkpoints
    assert len(kept.matches) == (6 if under_way else 0)
    assert forfeits(driver) == 0


def test_a_host_that_is_back_in_time_finds_the_same_run() -> None:
    driver = Driver(matches=6, window=6, slice_s=1e9, hosted=[1])
    driver.claimed(driver.planned)
    driver.step()
    for absences in range(1, 4):
        vanish(driver, 1)
        play_on(driver, absences * (HOSTLESS_S - 1))
        driver.present[1] = presence(1, hosted=True)
        driver.now += CHECK_S
        driver.step()

    assert driver.play() is RunOutcome.DONE


def test_matches_that_wait_for_a_host_take_no_part_of_the_window() -> None:
    driver = late_world(window=300, hosted=[HOSTED])
    driver.present[HOSTED] = presence(HOSTED, hosted=True)
    driver.claimed(driver.planned)
    driver.step()
    vanish(driver, HOSTED)

    play_on(driver, 60.0)

    assert len(driver.schedule.matches) > 0
    assert driver.schedule.to_play == 0


def vanish(driver: Driver, player: int) -> None:
    """The player's host is gone, and the gateway gives back what it held."""
    del driver.present[player]
    held = [t for t, active in driver.schedule.matches.open.items() if active.player == player]
    bounced = [Reply(ticket=ticket, outcome=Reply.BOUNCED) for ticket in held]
    driver.schedule.replies_received(Replies(others=bounced), driver.at)


def test_a_match_under_way_waits_for_the_next_host() -> None:
    patience = Patience(EPOCH, 0.0, 0)
    driver = Driver(matches=6, window=6, slice_s=1e9, hosted=[1], patience=patience)
    driver.claimed(driver.planned)
    driver.step()
    asked = {t for t, active in driver.schedule.matches.open.items() if active.player == 1}
    vanish(driver, 1)

    play_on(driver, LONG_AFTER)
    stuck = list(driver.schedule.matches.to_send)

    assert {active.ticket for active in stuck} >= asked
    assert {active.player for active in stuck} == {1}
    assert not any(active.match.faults for active in stuck)
    driver.present[1] = presence(1, gateway="g2", hosted=True)
    driver.alive.add("g2")
    play_on(driver, 1e6)
    assert driver.schedule.outcome is RunOutcome.DONE
    assert forfeits(driver) == 0


@pytest.mark.parametrize("hosted", [True, False])
def test_a_disconnect_that_a_gateway_reports_is_no_fault_of_a_hosted_player(hosted: bool) -> None:
    driver = Driver(hosted=[1, 2, 3] if hosted else ())
    driver.claimed(driver.planned)
    driver.step()
    open_ = list(driver.schedule.matches.open.values())
    replies = [Reply(ticket=one.ticket, outcome=Reply.DISCONNECT) for one in open_]

    driver.schedule.replies_received(Replies(others=replies), driver.at)

    assert [len(active.match.faults) for active in open_] == [int(not hosted)] * len(open_)


def test_one_that_says_it_does_not_play_the_game_is_treated_like_any_other() -> None:
    driver = late_world(hosted=[HOSTED], began=EPOCH - 1000)
    driver.present[HOSTED] = presence(HOSTED, hosted=True, games=("dice",))
    driver.claimed(driver.planned)

    play_on(driver, LONG_AFTER)

    assert driver.schedule.outcome is RunOutcome.DONE
    assert forfeits(driver) > 0


def test_timeout_reason_of_the_host_is_the_reason_of_the_fault() -> None:
    driver = Driver(hosted=[1, 2, 3])
    driver.claimed(driver.planned)
    driver.step()
    said, plain = list(driver.schedule.matches.open.values())[:2]
    sentence = "It took 2.1 s of CPU time."
    replies = [
        Reply(ticket=said.ticket, outcome=Reply.TIMEOUT, error=sentence, latency_us=2_100_000),
        Reply(ticket=plain.ticket, outcome=Reply.TIMEOUT, latency_us=5),
    ]

    driver.schedule.replies_received(Replies(others=replies), driver.at)

    for active, reason, latency_us in (
        (said, sentence, 2_100_000),
        (plain, "No answer within 2000 ms.", 2_000_000),
    ):
        (fault,) = active.match.faults
        assert (fault.kind, fault.reason) == ("timeout", reason)
        assert active.match.logged[-1].latency_us == latency_us


@pytest.mark.parametrize("group", [0, 17])
def test_deliveries_say_the_group(group: int) -> None:
    driver = Driver(group=group)
    driver.claimed(driver.planned)
    driver.step()

    letters = [letter for one in driver.of(Deliver) for letter in one.deliveries.values()]
    assert {delivery.group for letter in letters for delivery in letter} == {group}


def test_no_more_matches_are_started_than_a_player_takes_at_once() -> None:
    driver = Driver(matches=12, window=12)
    driver.present[2] = presence(2, max_matches=3)
    driver.claimed(driver.planned)
    driver.step()

    assert len(driver.schedule.matches) == 3
    assert driver.schedule.postponed == 9
    assert driver.schedule.crowded
    assert driver.play() is RunOutcome.DONE
    assert finished(driver) == [planned.position for planned in driver.planned]


@pytest.mark.parametrize(("hosted", "most"), [([2], 12), ([1], 3)])
def test_of_matches_that_share_a_process_any_number_is_started(
    hosted: list[int], most: int
) -> None:
    driver = Driver(matches=12, window=12, group=17, hosted=hosted)
    driver.present[2] = presence(2, max_matches=3)
    driver.claimed(driver.planned)
    driver.step()

    assert len(driver.schedule.matches) == most


def test_one_that_is_hosted_from_now_on_is_waited_for_and_one_that_is_not_any_more_forfeits() -> (
    None
):
    driver = late_world(began=EPOCH - 1000)
    driver.claimed(driver.planned)
    driver.schedule.hosted_players({HOSTED})

    play_on(driver, LONG_AFTER)
    assert driver.schedule.postponed == len(with_hosted(driver.planned))

    driver.schedule.hosted_players(set())
    play_on(driver, 1e6)
    assert driver.schedule.outcome is RunOutcome.DONE
    assert forfeits(driver) > 0
