"""Tournaments that authors enter until the start: who gets a place, and how they begin."""

import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest
import redis

from arena.base import instant
from arena.base.errors import AlreadyExists, InvalidRequest, LimitReached, NotFound, NotNow
from arena.store import Store
from arena.store.registry import accounts, bots
from arena.store.reports import standings
from arena.store.tournaments import creation, departure, format_state, sign_up, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec
from arena.tournaments.formats.sign_up import SignUp, check_open
from tests.integration.people import HASHED
from workers.advancing import advance as advancing

NOW = time.time()
START = NOW + 3600


BOTH = pytest.mark.parametrize("store", ["sqlite_store", "postgres_store"], indirect=True)


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Store:
    """SQLite, except where a test is about what the database does: those are marked BOTH."""
    found = request.getfixturevalue(getattr(request, "param", "sqlite_store"))
    assert isinstance(found, Store)
    return found


def authors(store: Store, **owned: Sequence[str]) -> dict[str, int]:
    """Accounts, each with its bots."""
    keys = {}
    with store.write() as conn:
        for name, names in owned.items():
            keys[name] = accounts.sign_up(conn, name, HASHED).id
            for bot in names:
                bots.register(conn, bot, owner=keys[name])
    return keys


def opened(store: Store, *named: str, most: int = 4, each: int = 2, **spec: Any) -> Tournament:
    """A tournament that is open for sign-up for an hour, with the bots named in it."""
    asked = TournamentSpec(bots=named, **{"seats": 2, "matches": 2, **spec})
    places = SignUp(most, each)
    with store.write() as conn:
        return creation.create(conn, check_open(asked, places), starts_at=START, sign_up=places)


def enter(store: Store, made: Tournament, bot: str, author: int | None = None) -> Tournament:
    with store.write() as conn:
        sign_up.enter(conn, tournaments.lock(conn, made.id), bot, author=author)
        return tournaments.get(conn, made.id)


def withdraw(store: Store, made: Tournament, bot: str) -> Tournament:
    with store.write() as conn:
        sign_up.withdraw(conn, tournaments.lock(conn, made.id), bot)
        return tournaments.get(conn, made.id)


def read(store: Store, made: Tournament) -> Tournament:
    with store.read() as conn:
        return tournaments.get(conn, made.id)


def benched(store: Store, patch: pytest.MonkeyPatch, name: str) -> None:
    """Has a bot benched from now on."""
    with store.read() as conn:
        player = bots.get(conn, name).player
    patch.setattr(
        "arena.store.tournaments.bench.benched",
        lambda conn, players, after, game: {player: "forfeits"},
    )


def begin(
    store: Store, client: redis.Redis, made: Tournament, patch: pytest.MonkeyPatch
) -> Tournament:
    """Sweeps after the start time and its grace; returns the tournament."""
    patch.setattr(instant, "now", lambda: START + 60)
    if advancing.due(store, client, [made.id]):
        advancing.advance(store, client, made.id)
    return read(store, made)


@BOTH
def test_bots_enter_withdraw_and_enter_again(store: Store) -> None:
    authors(store, ada=["ann", "amy"], bob=["ben"])
    made = opened(store)
    assert (made.spec.bots, made.planned, made.sign_up) == ((), 0, SignUp(4, 2))

    enter(store, made, "ANN")
    enter(store, made, "ben")
    assert withdraw(store, made, "Ann").spec.bots == ("ben",)
    now = enter(store, made, "ann")

    assert now.spec.bots == ("ben", "ann")
    assert len(now.players) == 2
    with store.read() as conn:
        assert [line.bot for line in standings.standings(conn, made.id)] == ["ann", "ben"]
        assert format_state.report(now, {}) == format_state.FormatReport()


def test_entering_without_a_free_place_is_refused(store: Store) -> None:
    keys = authors(store, ada=["ann", "amy", "ava"], bob=["ben", "bea"])
    made = opened(store, most=3)
    enter(store, made, "ann", keys["ada"])
    enter(store, made, "amy", keys["ada"])

    with pytest.raises(LimitReached, match="may enter 2 bots here"):
        enter(store, made, "ava", keys["ada"])
    with pytest.raises(AlreadyExists, match="ann is already in tournament 1"):
        enter(store, made, "ann", keys["ada"])
    with pytest.raises(NotFound, match='"ben" is not entered'):
        withdraw(store, made, "ben")
    enter(store, made, "ben", keys["bob"])
    with pytest.raises(LimitReached, match="All 3 places"):
        enter(store, made, "bea", keys["bob"])


def test_a_retired_bot_does_not_enter(store: Store) -> None:
    authors(store, ada=["ann"])
    made = opened(store)
    with store.write() as conn:
        bots.retire(conn, "ann")
    with pytest.raises(InvalidRequest, match="ann cannot enter"):
        enter(store, made, "ann")


def test_an_organiser_may_enter_more_than_an_author(store: Store) -> None:
    authors(store, ada=["ann", "amy", "ava"])
    made = opened(store, "ann", "amy", each=1)
    assert enter(store, made, "ava").spec.bots == ("ann", "amy", "ava")


def test_entering_at_the_start_time_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    authors(store, ada=["ann"])
    made = opened(store)
    monkeypatch.setattr(instant, "now", lambda: START)
    with pytest.raises(NotNow, match="not open for sign-up"):
        enter(store, made, "ann")
    with pytest.raises(NotNow):
        withdraw(store, made, "ann")


@BOTH
def test_two_authors_do_not_both_take_the_last_place(store: Store) -> None:
    keys = authors(store, ada=["ann"], bob=["ben"], cyd=["cat"])
    made = opened(store, "cat", most=2)
    went: list[object] = []
    together = threading.Barrier(2)

    def go(bot: str, author: int) -> None:
        together.wait()
        try:
            went.append(enter(store, made, bot, author).spec.bots)
        except LimitReached as error:
            went.append(error)

    threads = [
        threading.Thread(target=go, args=pair)
        for pair in (("ann", keys["ada"]), ("ben", keys["bob"]))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(isinstance(each, LimitReached) for each in went) == 1
    assert len(read(store, made).spec.bots) == 2


def test_it_begins_with_those_who_entered_in_their_newest_versions(
    store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    authors(store, ada=["ann", "amy"], bob=["ben"])
    made = opened(store, start_grace_s=0)
    for bot in ("ann", "amy", "ben"):
        enter(store, made, bot)
    with store.write() as conn:
        newer = bots.new_version(conn, "ben")

    begun = begin(store, redis_client, made, monkeypatch)

    assert (begun.state, begun.sign_up, begun.planned) == ("running", None, 4)
    assert newer.player in begun.players
    assert begun.spec.authors == (0, 0, 1)  # siblings are kept apart
    assert begun.spec.seed == made.spec.seed
    assert advancing.advance(store, redis_client, made.id)  # its batches
    assert read(store, made) == begun


def test_bot_that_is_gone_by_the_start_does_not_play(
    store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = authors(store, ada=["ann"], bob=["ben"], cyd=["cat", "cow"])
    made = opened(store, "ann", "ben", "cat", "cow", start_grace_s=0)
    with store.write() as conn:
        departure.delete_account(conn, keys["bob"], NOW)
    assert read(store, made).spec.bots == ("ann", "cat", "cow")  # whose place is free again
    with store.write() as conn:
        bots.retire(conn, "cow")  # at the same moment as the start

    begun = begin(store, redis_client, made, monkeypatch)

    assert begun.spec.bots == ("ann", "cat")
    assert len(begun.players) == 2
    assert begun.left_out == {"cow": "retired"}


def test_bots_left_out_at_the_start_are_stored_with_the_reason(
    store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    authors(store, ada=["ann", "amy"], bob=["ben"])
    made = opened(store, "ann", "amy", "ben", start_grace_s=0)
    benched(store, monkeypatch, "amy")

    begun = begin(store, redis_client, made, monkeypatch)

    assert begun.spec.bots == ("ann", "ben")
    assert begun.left_out == {"amy": "benched"}


def test_who_was_left_out_of_a_tournament_that_was_cancelled_stays_left_out(
    store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    authors(store, ada=["ann", "amy"], bob=["ben"])
    made = opened(store, "ann", "amy", "ben", seats=3, start_grace_s=0)
    benched(store, monkeypatch, "amy")
    over = begin(store, redis_client, made, monkeypatch)
    assert (over.state, over.left_out) == ("cancelled", {"amy": "benched"})

    with store.write() as conn:
        tournaments.set_state(conn, made.id, "waiting")
    again = begin(store, redis_client, made, monkeypatch)

    assert (again.state, again.left_out) == ("cancelled", {"amy": "benched"})


def test_with_too_few_bots_it_is_cancelled_and_says_so(
    store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    authors(store, ada=["ann"])
    made = opened(store, "ann", seats=4, most=8)

    over = begin(store, redis_client, made, monkeypatch)

    assert over.state == "cancelled"
    assert over.note == ("Cancelled at the start. A table has 4 seats, and only 1 bot has entered.")
    with store.read() as conn, pytest.raises(NotNow, match="cannot start. A table has 4 seats"):
        sign_up.check_begins(conn, over, 20)


@pytest.mark.parametrize("format_", ["round-robin", "knockout", "swiss", "ladder"])
def test_every_open_format_is_shown_and_begins(
    sqlite_store: Store, redis_client: redis.Redis, format_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    authors(sqlite_store, ada=["ann"], bob=["ben"], cyd=["cat"])
    options = {"seeding": "elo"} if format_ == "knockout" else {}
    made = opened(sqlite_store, format=format_, format_options=options, start_grace_s=0)
    with sqlite_store.read() as conn:
        assert standings.standings(conn, made.id) == []
    for bot in ("ann", "ben", "cat"):
        enter(sqlite_store, made, bot)

    begun = begin(sqlite_store, redis_client, made, monkeypatch)

    assert begun.state == "running"
    assert begun.planned
    assert advancing.advance(sqlite_store, redis_client, made.id)


@pytest.mark.parametrize(
    ("spec", "places", "sentence"),
    [
        ({"format": "versus"}, SignUp(), "A versus cannot be open for sign-up"),
        ({"format": "gauntlet"}, SignUp(), "Choose round-robin, knockout, swiss, ladder"),
        ({"trusted": True}, SignUp(), "cannot be trusted"),
        ({"repeats": 3}, SignUp(), "cannot be trusted"),
        ({"format_options": {"deals": "duplicate"}}, SignUp(), "cannot be trusted"),
        ({"seats": 4}, SignUp(3), "Choose a number from 4"),
        ({"bots": ("a", "b", "c", "d", "e")}, SignUp(4), "Choose a number from 5"),
        ({}, SignUp(1001), "to 1,000"),
        ({}, SignUp(8, 0), "Choose a number from 1"),
        ({"matches": 10**9}, SignUp(200), "Choose fewer"),
        ({"bots": ("a", "A")}, SignUp(), "entered twice"),
    ],
)
def test_spec_that_cannot_be_open_is_refused(
    spec: dict[str, Any], places: SignUp, sentence: str
) -> None:
    with pytest.raises(InvalidRequest, match=sentence):
        check_open(TournamentSpec(**spec), places)
