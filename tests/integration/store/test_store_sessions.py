"""Sessions as records, and tokens that wait in them to be shown once."""

import pytest
from sqlalchemy import func, select

from arena.store import Store
from arena.store.registry import accounts, bots, sessions, tokens
from arena.store.registry.accounts import Account
from arena.store.registry.sessions import LASTS_S, MOST
from arena.store.tables import sessions as session_rows
from arena.store.tables import unread_tokens

TOKEN = "lama_of-32-random-characters------"


@pytest.fixture
def ada(store: Store) -> Account:
    with store.write() as conn:
        return accounts.sign_up(conn, "ada", "hash")


def begin(store: Store, account: Account, now: float | None = None) -> str:
    with store.write() as conn:
        return sessions.begin(conn, account.id, "Firefox on Linux", now=now)


def test_a_session_is_found_by_its_secret_of_which_only_a_digest_is_stored(
    store: Store, ada: Account
) -> None:
    secret = begin(store, ada, now=1000.0)

    with store.read() as conn:
        found = sessions.find(conn, secret, now=1001.0)
        assert sessions.find(conn, secret + "x", now=1001.0) is None
        row = conn.execute(select(session_rows)).one()
    assert found is not None
    assert (found.account, found.browser, found.created, found.seen) == (
        ada.id, "Firefox on Linux", 1000.0, 1000.0,
    )  # fmt: skip
    assert len(secret) >= 43
    assert not any(secret in str(field) for field in row)


def test_a_session_ends_by_itself_and_is_deleted_when_another_begins(
    store: Store, ada: Account
) -> None:
    old = begin(store, ada, now=1000.0)
    with store.read() as conn:
        assert sessions.find(conn, old, now=1000.0 + LASTS_S - 1) is not None
        assert sessions.find(conn, old, now=1000.0 + LASTS_S) is None
        assert sessions.of_account(conn, ada.id, now=1000.0 + LASTS_S) == []

    begin(store, ada, now=1000.0 + LASTS_S)

    with store.read() as conn:
        assert conn.scalar(select(func.count()).select_from(session_rows)) == 1


def test_ending_one_session_leaves_the_others(store: Store, ada: Account) -> None:
    one, two = begin(store, ada), begin(store, ada)

    with store.write() as conn:
        sessions.end(conn, one)
        sessions.end(conn, "none")

    with store.read() as conn:
        assert sessions.find(conn, one) is None
        assert sessions.find(conn, two) is not None


def test_ending_all_is_of_one_account(store: Store, ada: Account) -> None:
    with store.write() as conn:
        bob = accounts.sign_up(conn, "bob", "hash")
    mine, his = [begin(store, ada), begin(store, ada)], begin(store, bob)

    with store.write() as conn:
        sessions.end_all(conn, ada.id)

    with store.read() as conn:
        assert [sessions.find(conn, secret) for secret in mine] == [None, None]
        assert sessions.find(conn, his) is not None


def test_a_new_session_beyond_the_limit_ends_the_one_seen_longest_ago(
    store: Store, ada: Account
) -> None:
    with store.write() as conn:
        bob = accounts.sign_up(conn, "bob", "hash")
    his = begin(store, bob, now=1.0)
    secrets = [begin(store, ada, now=1000.0 + place) for place in range(MOST)]
    with store.write() as conn:
        first = sessions.find(conn, secrets[0], now=2000.0)
        assert first is not None
        sessions.touch(conn, first.id, now=2000.0)

    begin(store, ada, now=2001.0)

    with store.read() as conn:
        left = [sessions.find(conn, secret, now=2001.0) is not None for secret in secrets]
        assert left == [True, False] + [True] * (MOST - 2)
        assert len(sessions.of_account(conn, ada.id, now=2001.0)) == MOST
        assert sessions.find(conn, his, now=2001.0) is not None


def test_sessions_are_sorted_by_last_use_which_is_stored_only_now_and_then(
    store: Store, ada: Account
) -> None:
    one = begin(store, ada, now=1000.0)
    begin(store, ada, now=1100.0)
    with store.write() as conn:
        found = sessions.find(conn, one, now=1200.0)
        assert found is not None
        assert not sessions.is_stale(found, now=1200.0)
        assert sessions.is_stale(found, now=1700.0)
        sessions.touch(conn, found.id, now=1700.0)

        assert [each.seen for each in sessions.of_account(conn, ada.id, now=1700.0)] == [
            1700.0,
            1100.0,
        ]


def test_a_new_password_ends_all_sessions(store: Store, ada: Account) -> None:
    secret = begin(store, ada)

    with store.write() as conn:
        accounts.set_password(conn, "ADA", "another hash")

    with store.read() as conn:
        assert sessions.find(conn, secret) is None


# Tokens on their way to a page


def waiting(store: Store, ada: Account, now: float = 1000.0) -> tuple[int, str, int]:
    """A session, its secret, and a bot whose token waits in it."""
    secret = begin(store, ada, now=now)
    with store.write() as conn:
        found = sessions.find(conn, secret, now=now)
        assert found is not None
        bot, _ = bots.register(conn, "nora", owner=ada.id)
        tokens.keep_unread(conn, found.id, secret, bot.id, TOKEN, now=now)
    return found.id, secret, bot.id


def test_a_token_is_taken_once_and_by_its_session_only(store: Store, ada: Account) -> None:
    session, secret, bot = waiting(store, ada)

    with store.write() as conn:
        assert tokens.has_unread(conn, session, bot)
        assert tokens.take_unread(conn, session + 1, secret, bot, now=1001.0) is None
        assert tokens.take_unread(conn, session, secret, bot + 1, now=1001.0) is None
        assert tokens.take_unread(conn, session, secret, bot, now=1001.0) == TOKEN
        assert tokens.take_unread(conn, session, secret, bot, now=1001.0) is None
        assert not tokens.has_unread(conn, session, bot)


def test_the_database_alone_does_not_give_it_away(store: Store, ada: Account) -> None:
    _, secret, bot = waiting(store, ada)
    again = waiting_row = None
    with store.write() as conn:
        waiting_row = conn.execute(select(unread_tokens)).one()
        tokens.keep_unread(conn, waiting_row.session, secret, bot, TOKEN, now=1001.0)
        again = conn.execute(select(unread_tokens)).one()

    assert TOKEN.encode() not in waiting_row.masked
    assert waiting_row.masked != again.masked, "never masked twice with the same"


def test_it_does_not_wait_for_long(store: Store, ada: Account) -> None:
    session, secret, bot = waiting(store, ada)

    with store.write() as conn:
        assert tokens.take_unread(conn, session, secret, bot, now=1000.0 + tokens.LASTS_S) is None


def test_an_expired_token_is_deleted_when_another_is_stored(store: Store, ada: Account) -> None:
    session, secret, _ = waiting(store, ada)

    with store.write() as conn:
        other, _ = bots.register(conn, "other", owner=ada.id)
        tokens.keep_unread(conn, session, secret, other.id, TOKEN, now=1000.0 + tokens.LASTS_S)

        assert conn.scalars(select(unread_tokens.c.bot)).all() == [other.id]


def test_it_is_gone_with_its_session(store: Store, ada: Account) -> None:
    _, secret, _ = waiting(store, ada)

    with store.write() as conn:
        sessions.end(conn, secret)

        assert conn.scalar(select(func.count()).select_from(unread_tokens)) == 0
