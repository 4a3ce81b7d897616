"""Values refreshed in the background use a separate connection and contain no secrets."""

import time
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Connection

from arena.service.forecast import measured
from arena.store import Store, cache, open_store
from arena.store.cache import DatabaseCache
from arena.store.engine import CONNECTIONS, WAIT_S
from arena.store.reports import fits, leaderboard, standings, variance
from arena.store.reports.variance import score_errors
from arena.store.tournaments import tournaments
from dashboard.tournaments.detail.crossings import meetings
from dashboard.tournaments.race.course import names, race
from tests.captured_logs import captured_logs
from tests.made_results import entered, results, save

LIMIT_S = 10.0
SECRET = "hidden-from-all"  # any password will do at the tests' server


def opened(store: Store, connections: int = CONNECTIONS, wait_s: float = WAIT_S) -> Store:
    """The same database once more, with a password where it takes one."""
    url = store.url
    if url.get_backend_name() == "postgresql":
        url = url.set(password=SECRET)
    secret_url = url.render_as_string(hide_password=False)
    return open_store(secret_url, connections=connections, wait_s=wait_s)


@pytest.fixture
def narrow(store: Store) -> Iterator[Store]:
    """The database with a single connection."""
    found = opened(store, connections=1, wait_s=1.0)
    yield found
    found.dispose()


@pytest.fixture
def _slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is made counts as having taken long, and has rested."""
    monkeypatch.setattr(cache, "QUICK_S", -1.0)
    monkeypatch.setattr(cache, "REST", -1)
    monkeypatch.setattr(cache, "AGAIN_S", 0.5)


def shown(store: Store, number: int) -> list[object]:
    """All that is cached of a tournament."""
    with store.read() as conn:
        tournament = tournaments.get(conn, number)
        return [
            fits.fitted(conn, "lama").fit.ratings.tolist(),
            leaderboard.table(conn, "lama"),
            variance.luck(conn, number),
            score_errors(conn, number),
            meetings(conn, tournament).played,
            race(conn, tournament, names(standings.standings(conn, number))),
        ]


def comes_to(ask: Callable[[], object], expected: object) -> bool:
    """Whether it comes to be so, asked again and again."""
    end = time.monotonic() + LIMIT_S
    while ask() != expected:
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.usefixtures("_slowly")
def test_the_old_is_given_while_the_new_is_made(store: Store) -> None:
    tournament = entered(store, deals=4)
    found = results(tournament)
    save(store, found[:60])
    before = shown(store, tournament.id)
    save(store, found[60:])
    fresh = opened(store)
    new = shown(fresh, tournament.id)
    fresh.dispose()

    with captured_logs(cache) as told:
        old = shown(store, tournament.id)
        arrived = comes_to(lambda: shown(store, tournament.id), new)

    assert old[0] == before[0] != new[0]
    assert old[2:5] == before[2:5] != new[2:5]
    assert arrived
    assert told == []


@pytest.mark.usefixtures("_slowly")
def test_without_a_connection_the_old_stays_and_the_log_says_so(narrow: Store) -> None:
    tournament = entered(narrow)
    found = results(tournament)
    save(narrow, found[:45])
    before = shown(narrow, tournament.id)
    save(narrow, found[45:])

    with captured_logs(cache) as told, narrow.read() as conn:
        # This one has the only connection.
        assert fits.fitted(conn, "lama").fit.ratings.tolist() == before[0]
        assert comes_to(lambda: bool(told), True)
        for _ in range(20):  # does not begin again at once
            fits.fitted(conn, "lama")

    assert len(told) == 1
    assert told[0]["log_level"] == "warning"
    assert "All connections to the database are in use" in told[0]["error"]
    assert "exc_info" not in told[0]
    assert SECRET not in repr(told)
    assert comes_to(lambda: shown(narrow, tournament.id)[0] != before[0], True)


def test_no_key_of_any_cache_holds_a_password(narrow: Store) -> None:
    tournament = entered(narrow)
    save(narrow, results(tournament))
    shown(narrow, tournament.id)
    with narrow.read() as conn:
        measured(conn, tournament.spec, tournament.players)

    keys = [repr(key) for each in cache._all for key in (*each._made, *each._making)]

    assert len([key for key in keys if narrow.identity in key]) >= 7
    assert not [key for key in keys if SECRET in key or str(narrow.url.database) in key]


@pytest.mark.usefixtures("_slowly")
def test_a_connection_is_returned_before_a_slow_computation(narrow: Store) -> None:
    values, calculated = DatabaseCache[int](2), []

    def finish(loaded: int) -> int:
        if loaded == 2:  # in the background, where the only connection is free again
            with narrow.read() as conn:
                calculated.append(_first(conn))
        return loaded

    def get(version: int) -> int:
        with narrow.read() as conn:
            return values.get(conn, (), lambda _: version, lambda _: version, finish)

    assert get(1) == 1
    get(2)

    assert comes_to(lambda: get(2), 2)
    assert calculated


def _first(conn: Connection) -> int:
    return len(tournaments.all_tournaments(conn))


def test_stores_of_one_process_do_not_share_cached_values(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament)[:45])
    shown(store, tournament.id)
    other = opened(store)

    assert other.identity != store.identity
    assert shown(other, tournament.id) == shown(store, tournament.id)
    other.dispose()
