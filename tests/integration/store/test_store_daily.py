"""Daily deals in the store: attempts of accounts and guests, the opening, and the ranking."""

from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import Connection, select

from arena.base.errors import AlreadyExists, NotNow
from arena.store import Store, luck
from arena.store.archiving import ready
from arena.store.matches import months
from arena.store.matches.matches import get_match
from arena.store.registry import accounts, bots
from arena.store.registry.accounts import Account
from arena.store.reports import daily as results
from arena.store.save import MatchResult, save_results
from arena.store.tables import daily_attempts, daily_deals
from arena.store.tournaments import creation, daily, departure, guests, tournaments
from arena.store.tournaments.daily import DAY_S, Deal
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import FromSecret, TournamentSpec, check_spec

TODAY = 20_000
NOON = (TODAY + 0.5) * DAY_S
OVER = (TODAY + 1) * DAY_S + 61  # a minute after the day


@pytest.fixture
def deal(store: Store) -> Deal:
    with store.write() as conn:
        bots.register(conn, "five", kind="house")
        daily.add(conn, daily.missing(conn, ["lama"], NOON))
        return today(conn)


def today(conn: Connection) -> Deal:
    found = daily.get(conn, "lama", TODAY)
    assert found is not None
    return found


def begin(
    conn: Connection, deal: Deal, account: Account | None = None, now: float = NOON
) -> Tournament:
    """Starts an attempt of an account or of a new guest."""
    guest = guests.arrive(conn, (account.id, account.name) if account else None)
    guest = guests.sit(conn, guest)
    asked = TournamentSpec(bots=(guest.name, "five"), seats=2, format="sitting", deals=1)
    made = creation.create(conn, check_spec(asked, sitting=True), kind="table", now=now)
    tournaments.set_state(conn, made.id, "running", now=now)
    daily.enter(conn, deal, made.id, guest, account.id if account else None, now)
    return made


def finish(
    conn: Connection,
    table: Tournament,
    points: tuple[int, int] = (3, 9),
    now: float = NOON,
    **changes: Any,
) -> str:
    """Stores the match of an attempt; returns its id."""
    source = tournaments.source(conn, table.id)
    ahead = points[0] < points[1]
    fields: dict[str, Any] = {
        "id": source.match_id(0),
        "tournament": table.id,
        "batch": 0,
        "position": 0,
        "deal": 0,
        "game": "lama",
        "ruleset": "lama/1",
        "options": table.spec.options,
        "seed": source.deal_seed(0),
        "players": table.players,
        "points": points,
        "ranks": (1, 2) if ahead else (2, 1),
        "faults": (0, 0),
        "forfeited": (False, False),
        "log": b"",
        "latencies": b"",
        "started": now,
        "finished": now,
        "notes": (),
    }
    save_results(conn, [MatchResult(**{**fields, **changes})])
    tournaments.set_state(conn, table.id, "finished", now=now)
    return source.match_id(0)


def account(conn: Connection, name: str) -> Account:
    return accounts.sign_up(conn, name, "hashed")


def test_deals_of_today_and_tomorrow_are_created_once(store: Store, deal: Deal) -> None:
    with store.write() as conn:
        assert daily.missing(conn, ["lama"], NOON) == []
        assert daily.missing(conn, ["lama", "dice"], NOON) == [
            ("dice", TODAY),
            ("dice", TODAY + 1),
        ]
        daily.add(conn, [("lama", TODAY)])  # by two sweeps at once
        assert today(conn) == deal
        assert conn.scalar(select(daily_deals.c.id).where(daily_deals.c.day == TODAY + 1))


def test_the_secret_proves_the_cards_once_it_is_published(store: Store, deal: Deal) -> None:
    assert (deal.secret, deal.opened) == ("", None)
    with store.write() as conn:
        tables = [begin(conn, deal, account(conn, name)) for name in ("ann", "bea")]
        for table in tables:
            finish(conn, table)
        seeds = {tournaments.source(conn, table.id).deal_seed(0) for table in tables}
        seat = daily.seat_of(conn, deal, 4)
        daily.open_deals(conn, daily.due(conn, OVER), OVER)
        opened = today(conn)

    secret = bytes.fromhex(opened.secret)
    assert sha256(secret).hexdigest() == deal.commitment
    assert seeds == {FromSecret(secret, deal.id).deal_seed(0)}
    assert seat == FromSecret(secret, deal.id).schedule_seed % 4


def test_an_account_has_one_attempt(store: Store, deal: Deal) -> None:
    with store.write() as conn:
        ann = account(conn, "ann")
        first = begin(conn, deal, ann)
    with pytest.raises(AlreadyExists, match="already played"), store.write() as conn:
        begin(conn, deal, ann)

    with store.read() as conn:
        found = daily.attempt(conn, deal.id, ann.id, None)
        assert found is not None
        assert found.tournament == first.id
        assert len(tournaments.all_tournaments(conn, kind="table")) == 1


def test_guests_play_only_what_is_open_and_accounts_only_today(store: Store, deal: Deal) -> None:
    with pytest.raises(NotNow), store.write() as conn:
        begin(conn, deal)
    with store.write() as conn:
        daily.open_deals(conn, daily.due(conn, OVER), OVER)
        opened = daily.newest_open(conn, "lama")
        assert opened is not None
        finish(conn, begin(conn, opened, now=OVER), now=OVER)
        assert results.ranking(conn, deal.id, 10) == []
        ann = account(conn, "ann")
    with pytest.raises(NotNow), store.write() as conn:
        begin(conn, opened, ann, now=OVER)


def test_a_deal_is_opened_when_its_last_game_has_ended(store: Store, deal: Deal) -> None:
    with store.write() as conn:
        assert daily.due(conn, NOON) == []
        table = begin(conn, deal, account(conn, "ann"), now=OVER - 120)
        assert daily.due(conn, OVER) == []
        finish(conn, table, now=OVER)

        assert daily.due(conn, OVER) == [deal.id]
        assert daily.due(conn, OVER - 61) == []


def test_a_game_that_never_ends_seals_a_deal_for_one_more_day_and_then_does_not_count(
    store: Store, deal: Deal
) -> None:
    with store.write() as conn:
        table = begin(conn, deal, account(conn, "ann"))
        late = OVER + DAY_S
        assert deal.id in daily.due(conn, late)
        daily.open_deals(conn, [deal.id], late)
        finish(conn, table, now=late + 5)

        assert results.ranking(conn, deal.id, 10) == []


def test_matches_are_locked_and_without_luck_until_the_deal_is_opened(
    store: Store, deal: Deal
) -> None:
    with store.write() as conn:
        ann = account(conn, "ann")
        match = finish(conn, begin(conn, deal, ann))
        assert get_match(conn, match).locked
        assert luck.pending(conn, 10) == []
        departure.delete_account(conn, ann.id, NOON)
        assert get_match(conn, match).locked
        assert conn.scalars(select(daily_attempts.c.account)).all() == [None]

        daily.open_deals(conn, daily.due(conn, OVER), OVER)

        assert not get_match(conn, match).locked
        assert luck.pending(conn, 10) != []


def test_the_ranking_is_by_points_then_by_opponents_and_forfeits_come_last(
    store: Store, deal: Deal
) -> None:
    with store.write() as conn:
        people = {name: account(conn, name) for name in ("ann", "bea", "cat", "dee", "eve")}
        accounts.set_listed(conn, people["ann"], True)
        finish(conn, begin(conn, deal, people["ann"]), (5, 3))
        finish(conn, begin(conn, deal, people["bea"]), (5, 9))
        finish(conn, begin(conn, deal, people["cat"]), (1, 9))
        finish(conn, begin(conn, deal, people["dee"]), (5, 8))
        left: dict[str, Any] = {"ranks": (2, 1), "forfeited": (True, False)}
        finish(conn, begin(conn, deal, people["eve"]), (0, 9), **left)

        lines = results.ranking(conn, deal.id, 10)
        names = {each.id: name for name, each in people.items()}

        assert [(names[line.account], line.rank) for line in lines] == [
            ("cat", 1),
            ("bea", 2),
            ("dee", 2),
            ("ann", 4),
            ("eve", 5),
        ]
        assert [line.name for line in lines] == ["", "", "", "ann", ""]
        assert [line.forfeited for line in lines] == [False] * 4 + [True]
        assert results.count(conn, deal.id) == 5
        mine = results.ranking(conn, deal.id, 1, people["ann"].id)
        assert [line.rank for line in mine] == [1, 4]
        assert results.streak(conn, people["ann"].id, TODAY + 1) == 1
        assert results.streak(conn, people["eve"].id, TODAY) == 0


def test_a_month_with_a_sealed_deal_is_not_archived(store: Store, deal: Deal) -> None:
    later = NOON + 60 * DAY_S
    with store.write() as conn:
        finish(conn, begin(conn, deal, account(conn, "ann")))
        daily.add(conn, [("lama", TODAY + 60)])
        other = daily.get(conn, "lama", TODAY + 60)
        assert other is not None
        finish(conn, begin(conn, other, account(conn, "bea"), later), now=later)
        month = months.at(NOON)
        with pytest.raises(NotNow, match=f"daily deal of {deal.date} is still sealed"):
            ready.check(conn, month)

        daily.open_deals(conn, [deal.id], OVER)

        assert [each.matches for each in ready.check(conn, month)] == [1]
