"""Entrants who are withdrawn: what becomes of their matches, of the ratings and of the others."""

import time
from collections.abc import Sequence
from typing import Any

import pytest

from arena.base.errors import NotNow
from arena.cli.tournament_text import print_tournament
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control import audit
from arena.service.control.service import ControlService
from arena.service.health.facts import stored
from arena.store import Store, rebuild, save
from arena.store.matches import matches
from arena.store.reports import standings
from arena.store.tournaments import tournaments, withdrawals
from arena.store.tournaments.tournaments import Tournament
from dashboard.tournaments.race import course as race
from tests.integration.api_world import browser_on, data
from tests.integration.dashboard.test_dashboard import page
from tests.integration.worker_world import FakeGateway, World
from tests.made_results import entered, results, schedule
from tests.made_results import save as save_all
from workers.advancing.advance import cut, cut_at_deals
from workers.schedule import RunOutcome

LATE = "late"


# In the store


def cancel(store: Store, tournament: Tournament, positions: Sequence[int]) -> int:
    with store.write() as conn:
        return save.cancel_matches(conn, tournament.id, positions)


def rated(store: Store, tournament: Tournament) -> int | None:
    """The position of the next match to be rated."""
    with store.write() as conn:
        return tournaments.lock_row(conn, tournament.id)


def waiting_to_be_rated(store: Store) -> int:
    with store.read() as conn:
        return int(stored(conn, time.time()).numbers["unrated"])


def recounted(store: Store) -> tuple[int, Sequence[str]]:
    """How many matches are rated, and what a rebuild would change."""
    with store.read() as conn:
        found = rebuild.compare(conn, "lama")
    return found.matches, found.differences


def test_matches_behind_cancelled_ones_are_rated_in_schedule_order(store: Store) -> None:
    tournament = entered(store, matches=3)
    played = results(tournament)
    save_all(store, [*played[:2], *played[4:7], *played[9:]])
    assert (rated(store, tournament), waiting_to_be_rated(store)) == (2, len(played) - 6)

    assert cancel(store, tournament, [2, 3]) == 2
    assert (rated(store, tournament), waiting_to_be_rated(store)) == (7, len(played) - 9)
    assert cancel(store, tournament, [2, 3, 8]) == 1, "two of them again"
    assert save_all(store, [played[7], played[8]]) == 1, "one is cancelled"

    assert rated(store, tournament) == len(played)
    assert recounted(store) == (len(played) - 3, ())
    with store.read() as conn:
        now = tournaments.get(conn, tournament.id)
        order = [match.position for match in matches.iterate_matches(conn, tournament.id)]
    assert (now.planned, now.played) == (len(played) - 3, len(played) - 3)
    assert order == [place for place in range(len(played)) if place not in (2, 3, 8)]


def test_a_match_that_was_stored_meanwhile_is_not_cancelled(store: Store) -> None:
    tournament = entered(store, matches=3)
    save_all(store, results(tournament)[:2])

    assert cancel(store, tournament, [1, 2]) == 1

    with store.read() as conn:
        assert withdrawals.cancelled(conn, tournament.id, 0, 10) == {2}
    assert rated(store, tournament) == 3


def test_of_a_shared_deal_nothing_is_cancelled_once_a_match_is_stored(store: Store) -> None:
    tournament = entered(store, deals=2)
    played = results(tournament)
    one_deal = [each.position for each in played if each.deal == played[0].deal]
    save_all(store, played[:1])

    with pytest.raises(NotNow, match="its deal is played to the end"):
        cancel(store, tournament, one_deal)

    with store.read() as conn:
        assert not withdrawals.cancelled(conn, tournament.id, 0, len(played))


def test_withdrawn_bot_keeps_the_first_time(store: Store) -> None:
    tournament = entered(store)
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running")
        withdrawals.withdraw(conn, tournament.id, [1], 5.0)
        withdrawals.withdraw(conn, tournament.id, [1, 3], 6.0)

    with store.read() as conn:
        assert withdrawals.times(conn, tournament.id) == {1: 5.0, 3: 6.0}
        assert withdrawals.of_all(conn, [tournament.id]) == {tournament.id: {1, 3}}
        note = tournaments.get(conn, tournament.id).note
    assert note == "Withdrawn because they were not connected: bob, dan."


def test_batches_end_where_shared_deals_do(store: Store) -> None:
    for tournament, batches in ((entered(store, deals=2), 1), (entered(store, matches=6), 4)):
        planned = tuple(schedule(tournament))
        whole = cut_at_deals(cut(planned, len(planned)))
        assert len(whole) == batches
        assert tuple(match for batch in whole for match in batch) == planned


def test_pages_json_contract_and_command_line_say_who_was_withdrawn(
    sqlite_store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    tournament = entered(sqlite_store, matches=3)
    save_all(sqlite_store, results(tournament)[:3])
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running")
        withdrawals.withdraw(conn, tournament.id, [1], 5.0)
        save.cancel_matches(conn, tournament.id, [3, 4])
    browser = browser_on(sqlite_store)
    item = ControlService(sqlite_store, None).get_tournament(pb.TournamentId(id=tournament.id))
    print_tournament(item, json_=False)

    shown = page(browser, f"/tournaments/{tournament.id}")
    lines = data(browser, f"/api/tournaments/{tournament.id}")["standings"]
    assert {line["bot"]: line["withdrawn"] for line in lines if line["withdrawn"]} == {"bob": 5.0}
    assert shown.count(">withdrawn</span>") == 1
    told = "bob was withdrawn: it was not connected and forfeited too many matches in a row."
    assert told in shown
    assert told in " ".join(capsys.readouterr().out.split())
    assert [each.bot for each in item.entrants if each.HasField("withdrawn")] == ["bob"]
    assert data(browser, "/api/health")["unrated"] == 0
    with sqlite_store.read() as conn:
        racing = race.names(standings.standings(conn, tournament.id))
        steps = race.race(conn, tournaments.get(conn, tournament.id), racing)
    assert [step.played for step in steps] == [0, 1, 2, 3], "those that are cancelled do not count"
    exported = list(audit.lines(item, []))
    assert [each.get("withdrawn") for each in exported[0]["entrants"]] == [
        None,
        5,
        None,
        None,
        None,
    ]


# In a worker


def large(world: World, **spec: Any) -> Tournament:
    """A tournament of 72 matches in which one bot has 36; it is not there."""
    names = ("a", "b", "c", LATE)
    return world.tournament(names, 6, seats=2, options={"max_rounds": "1"}, **spec)


def test_a_bot_that_never_comes_forfeits_a_few_matches_and_is_withdrawn(
    world: World, gateway: FakeGateway
) -> None:
    world.withdraw_after, world.grace_s = 5, 0.1
    tournament = large(world)
    late = tournament.players[3]
    gateway.connect(*tournament.players[:3])

    ended = world.play_all(tournament)

    with world.store.read() as conn:
        played = list(matches.iterate_matches(conn, tournament.id))
        withdrawn = withdrawals.times(conn, tournament.id)
    of_late = [match for match in played if late in {seat.player for seat in match.seats}]
    others = [match for match in played if match not in of_late]
    assert ended.state == "finished"
    assert withdrawn.keys() == {3}
    assert withdrawn[3] == pytest.approx(time.time(), abs=60)
    assert len(others) == 36
    assert not any(seat.faults for match in others for seat in match.seats)
    # Each run of a batch counts for itself, until it hears of the other's.
    assert 5 <= len(of_late) <= 10
    assert (ended.planned, ended.played) == (len(played), len(played))
    assert recounted(world.store) == (len(played), ())
    assert rated(world.store, tournament) == 72


def test_a_late_bot_finds_its_matches_waiting(world: World, gateway: FakeGateway) -> None:
    world.withdraw_after, world.grace_s = 5, 0.1
    tournament = large(world, start_grace_s=60)
    with world.store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running")
    gateway.connect(*tournament.players[:3])
    numbers = world.queue(tournament)
    run = world.shared_run()
    while world.read(tournament).played < 36:
        world.step(run)
    own = run.schedule.schedules[tournament.id]
    assert own.postponed == 36

    gateway.connect(tournament.players[3])
    run.play()

    assert numbers
    with world.store.read() as conn:
        played = list(matches.iterate_matches(conn, tournament.id))
    assert len(played) == 72
    assert not any(seat.faults for match in played for seat in match.seats)


def test_a_tournament_that_was_stopped_goes_on_without_who_was_withdrawn(
    world: World, gateway: FakeGateway
) -> None:
    world.withdraw_after, world.grace_s = 5, 0.1
    tournament = large(world)
    gateway.connect(*tournament.players[:3])
    first = world.advance(tournament)
    run = world.run(tournament, first[0])
    with world.store.write() as conn:
        withdrawals.withdraw(conn, tournament.id, [3], 5.0)
        tournaments.set_state(conn, tournament.id, "cancelled")
    run._renew([first[0]])
    assert run.play() is RunOutcome.SUSPENDED
    run.release()
    with world.store.write() as conn:
        tournaments.set_state(conn, tournament.id, "waiting")

    gateway.connect(tournament.players[3])
    world.advance(tournament)
    for number in first:
        run = world.run(tournament, number)
        assert run.play() is RunOutcome.DONE
        run.release()
    world.advance(tournament)

    ended = world.read(tournament)
    assert (ended.state, ended.played, ended.planned) == ("finished", 36, 36)
    assert rated(world.store, tournament) == 72
