"""The job that calculates the luck of matches after they were played."""

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import delete

from arena.base.errors import InvalidRequest
from arena.store import Store, rebuild
from arena.store import luck as lucks
from arena.store.matches import luck as match_luck
from arena.store.matches.rows import StoredMatch
from arena.store.tables import match_luck as match_luck_table
from arena.store.tables import match_seats, matches
from arena.tournaments.ratings import luck_units
from arena.tournaments.ratings.match_luck import MatchLuck
from tests.made_luck import MODEL, luck_of
from tests.made_results import entered, results, save
from workers.analysis import luck as module
from workers.analysis.luck import catch_up


@pytest.fixture
def store(sqlite_store: Store) -> Store:
    """One database: tests/integration/test_store_*.py run these statements on both."""
    return sqlite_store


def made_up(found: Sequence[StoredMatch]) -> tuple[str, Sequence[MatchLuck]]:
    return MODEL, [luck_of(match.id, len(match.seats)) for match in found]


def soon() -> float:
    return time.monotonic() + 60


def known(store: Store, tournament: int) -> int:
    with store.write() as conn:
        lucks.look_again(conn, tournament)
        found = lucks.next_matches(conn, tournament, 10_000)
        return len(match_luck.known(conn, [match.number for match in found]))


def test_it_calculates_all_that_is_stored_and_then_has_nothing_to_do(store: Store) -> None:
    tournaments = [entered(store, matches=12), entered(store, matches=3, repeats=8)]
    for each in tournaments:
        save(store, results(each))

    more = catch_up(store, made_up, soon())

    assert not more
    with store.read() as conn:
        assert lucks.pending(conn, 9) == []
        assert [lucks.progress(conn, each.id).model for each in tournaments] == [MODEL, MODEL]
        assert rebuild.compare(conn, "lama").differences == ()
    assert known(store, tournaments[0].id) == 120


def test_it_stops_when_its_time_is_over_and_goes_on_from_there(store: Store) -> None:
    tournament = entered(store, matches=3)
    save(store, results(tournament))

    assert catch_up(store, made_up, time.monotonic() - 1)
    assert not catch_up(store, made_up, soon())
    assert known(store, tournament.id) == 30


def test_new_matches_wait_while_workers_are_busy(store: Store) -> None:
    tournament = entered(store, matches=3)
    old, *new = results(tournament)
    save(store, [replace(old, finished=1000.0), *[replace(each, finished=2000.0) for each in new]])

    assert catch_up(store, made_up, soon(), finished_by=1999.0)
    with store.read() as conn:
        assert lucks.progress(conn, tournament.id).seen == 1
    assert not catch_up(store, made_up, soon(), finished_by=2000.0)
    assert known(store, tournament.id) == 30


def test_match_that_was_stored_with_a_wrong_clock_delays_no_others(store: Store) -> None:
    tournament = entered(store, matches=3)
    first, *others = results(tournament)
    year = 365 * 86_400
    save(store, [replace(first, finished=time.time() + 5 * year), *others])

    assert not catch_up(store, made_up, soon(), finished_by=time.time())
    assert known(store, tournament.id) == 30


def test_luck_that_explains_nothing_is_no_longer_calculated(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in (luck_units, module):
        monkeypatch.setattr(each, "SAMPLE", 80)
    monkeypatch.setattr(module, "CHUNK", 100)
    tournament = entered(store, matches=100, repeats=1)
    save(store, results(tournament))
    asked = []

    def noise(found: Sequence[StoredMatch]) -> tuple[str, Sequence[MatchLuck]]:
        asked.append(len(found))
        return made_up(found)

    assert not catch_up(store, noise, soon())

    assert asked == [100]  # of 1,020
    with store.read() as conn:
        assert lucks.pending(conn, 9) == []
        assert lucks.progress(conn, tournament.id).seen == tournament.planned
        assert rebuild.compare(conn, "lama").differences == ()


def test_a_process_that_dies_before_it_has_stored_costs_nothing(store: Store) -> None:
    tournament = entered(store, matches=3)
    save(store, results(tournament))

    def dies(found: Sequence[StoredMatch]) -> tuple[str, Sequence[MatchLuck]]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        catch_up(store, dies, soon())
    catch_up(store, made_up, soon())

    assert known(store, tournament.id) == 30


def test_where_there_is_no_model_matches_are_looked_at_once_and_again_when_there_is_one(
    store: Store,
) -> None:
    tournament = entered(store, matches=3)
    save(store, results(tournament))
    asked = []

    def nothing(found: Sequence[StoredMatch]) -> None:
        asked.append(len(found))

    assert not catch_up(store, nothing, soon())
    assert not catch_up(store, nothing, soon())
    assert asked == [30]

    with store.write() as conn:
        lucks.look_again(conn)
    assert not catch_up(store, made_up, soon())
    assert known(store, tournament.id) == 30


def test_a_match_whose_record_is_damaged_keeps_its_plain_score(store: Store) -> None:
    tournament = entered(store, matches=3)
    played = results(tournament)
    save(store, played)
    broken = played[4].id

    def refuses(found: Sequence[StoredMatch]) -> tuple[str, Sequence[MatchLuck]]:
        if any(match.id == broken for match in found):
            raise InvalidRequest("The log is damaged.")
        return made_up(found)

    assert not catch_up(store, refuses, soon())

    assert known(store, tournament.id) == 29
    with store.read() as conn:
        assert rebuild.compare(conn, "lama").differences == ()


def test_matches_that_were_archived_before_it_was_their_turn_are_not_waited_for(
    store: Store,
) -> None:
    tournament = entered(store, matches=3)
    save(store, results(tournament))
    with store.write() as conn:
        conn.execute(delete(match_seats))
        conn.execute(delete(matches))

    assert not catch_up(store, made_up, soon())

    with store.read() as conn:
        assert lucks.pending(conn, 9) == []
        assert conn.execute(match_luck_table.select()).all() == []
