"""Who is late, or never comes: whose matches wait, how many are forfeited, what is cancelled."""

from typing import Any

from arena.tournaments.formats import PlannedMatch
from tests.lab.faults.clock import EPOCH
from tests.unit.workers.test_schedule import GRACE_S, Driver, presence
from workers.schedule import Patience, RunOutcome
from workers.schedule.commands import Save

BOTS = ("ada", "bob", "cyd", "late")
LATE = 4  # the player
LATE_ENTRANT = 3
START_GRACE_S = 30
FORFEITS = 20


def late_world(*, matches: int = 40, **options: Any) -> Driver:
    """A tournament of 240 matches that began a moment ago without one of its bots."""
    spec: dict[str, Any] = {"bots": BOTS, "seats": 2, "matches": matches}
    spec |= {"start_grace_s": START_GRACE_S, "options": {"max_rounds": "1"}}
    patience = Patience(options.pop("began", EPOCH), START_GRACE_S, options.pop("after", FORFEITS))
    spec |= options.pop("spec", {})
    window = options.pop("window", 64)
    driver = Driver(spec=spec, window=window, slice_s=1e9, patience=patience, **options)
    del driver.present[LATE]
    driver.gone[LATE] = EPOCH
    return driver


def play_on(driver: Driver, until: float, step_s: float = 0.05) -> None:
    """Plays until so many seconds, or until all is done."""
    while driver.schedule.outcome is None and driver.now < until:
        driver.step()
        if driver.schedule.outcome is None and driver.schedule.matches.open:
            driver.answer_all()
        driver.now += step_s


def forfeits(driver: Driver) -> int:
    finished = [active for save in driver.of(Save) for active in save.finished]
    return sum(fault.forfeited for active in finished for fault in active.match.faults)


def finished(driver: Driver) -> list[int]:
    return sorted(each.planned.position for save in driver.of(Save) for each in save.finished)


def cancelled(driver: Driver) -> list[int]:
    return sorted(position for save in driver.of(Save) for position in save.cancelled)


def with_late(matches: tuple[PlannedMatch, ...]) -> list[int]:
    return [each.position for each in matches if LATE_ENTRANT in each.seats]


def test_a_late_bot_forfeits_nothing_and_the_others_do_not_wait_for_it() -> None:
    driver = late_world()
    driver.claimed(driver.planned)
    own = set(with_late(driver.planned))

    play_on(driver, START_GRACE_S - 1)

    assert finished(driver) == [p.position for p in driver.planned if p.position not in own]
    assert (driver.schedule.to_play, driver.schedule.postponed) == (0, len(own))
    driver.present[LATE] = presence(LATE)
    play_on(driver, 1e6)
    assert driver.schedule.outcome is RunOutcome.DONE
    assert finished(driver) == [planned.position for planned in driver.planned]
    assert forfeits(driver) == 0


def test_bot_that_disconnects_has_the_start_grace_from_then_on() -> None:
    driver = late_world(began=EPOCH - 1000)
    driver.present[LATE] = presence(LATE)
    driver.claimed(driver.planned)
    driver.step()
    begun = {each.planned.position for each in driver.schedule.matches.open.values()}
    del driver.present[LATE]

    play_on(driver, GRACE_S + START_GRACE_S - 1)

    assert set(finished(driver)) & set(with_late(driver.planned)) <= begun
    driver.present[LATE] = presence(LATE)
    play_on(driver, 1e6)
    assert finished(driver) == [planned.position for planned in driver.planned]
    assert driver.schedule.outcome is RunOutcome.DONE
    assert not cancelled(driver)


def test_bot_absent_before_the_start_has_the_start_grace_from_the_start() -> None:
    driver = late_world()
    driver.gone[LATE] = EPOCH - 1000
    driver.claimed(driver.planned)

    play_on(driver, START_GRACE_S - 1)

    assert not set(finished(driver)) & set(with_late(driver.planned))
    play_on(driver, START_GRACE_S + 5)
    assert set(finished(driver)) & set(with_late(driver.planned))


def test_bot_that_never_connects_forfeits_a_limited_number_of_matches() -> None:
    driver = late_world(window=512)
    driver.claimed(driver.planned)
    own = set(with_late(driver.planned))

    play_on(driver, 1e6)

    assert driver.schedule.outcome is RunOutcome.DONE
    assert forfeits(driver) == FORFEITS
    assert [entrant for save in driver.of(Save) for entrant in save.withdrawn] == [LATE_ENTRANT]
    assert len(cancelled(driver)) == len(own) - FORFEITS
    assert set(cancelled(driver)) < own
    everything = [planned.position for planned in driver.planned]
    assert sorted([*finished(driver), *cancelled(driver)]) == everything
    assert driver.of(Save)[-1].completed == [0]


def test_zero_never_withdraws() -> None:
    driver = late_world(after=0)
    driver.claimed(driver.planned)

    play_on(driver, 1e6)

    assert forfeits(driver) == len(with_late(driver.planned))
    assert not cancelled(driver)


def test_forfeits_of_a_bot_that_reconnects_are_reset() -> None:
    driver = late_world(window=8)
    driver.claimed(driver.planned)
    play_on(driver, START_GRACE_S)
    driver.now = START_GRACE_S + 1.0
    while forfeits(driver) + len(driver.schedule.matches.finished) < FORFEITS - 5:
        play_on(driver, driver.now + 0.05)
    driver.present[LATE] = presence(LATE)
    play_on(driver, driver.now + 5.0)
    before = forfeits(driver)
    assert FORFEITS > before >= FORFEITS - 5

    del driver.present[LATE]
    play_on(driver, driver.now + GRACE_S + START_GRACE_S - 1.0)
    assert not cancelled(driver)
    play_on(driver, 1e6)
    assert forfeits(driver) >= before + FORFEITS
    assert cancelled(driver)


def test_late_batch_learns_of_withdrawals() -> None:
    known = late_world()
    known.schedule.entrants_withdrawn({LATE_ENTRANT})
    known.claimed(known.planned)
    play_on(known, 1e6)
    told = late_world()
    told.claimed(told.planned)
    play_on(told, 1.0)
    told.schedule.entrants_withdrawn({LATE_ENTRANT})
    play_on(told, 1e6)

    for driver in (known, told):
        assert driver.schedule.outcome is RunOutcome.DONE
        assert cancelled(driver) == with_late(driver.planned)
        assert not forfeits(driver)
        assert not any(save.withdrawn for save in driver.of(Save)), "it is stored already"


def test_a_shared_deal_is_cancelled_as_a_whole_or_not_at_all() -> None:
    shared = {"matches": 0, "deals": 8, "trusted": True, "format_options": {"deals": "duplicate"}}
    driver = late_world(spec=shared)
    driver.schedule.entrants_withdrawn({LATE_ENTRANT})
    own = [each for each in driver.planned if LATE_ENTRANT in each.seats]
    begun, elsewhere = own[0], own[-1]
    here = [each for each in driver.planned if each != elsewhere]
    driver.claimed(here, stored={begun.position})

    play_on(driver, 1e6)

    kept = {begun.deal, elsewhere.deal}
    assert len(kept) == 2
    assert cancelled(driver) == [each.position for each in own if each.deal not in kept]
    assert forfeits(driver) == 2, "the other matches of two deals"
