"""Accounts, their passwords, and whose bots are."""

import pytest
from sqlalchemy import select

from arena.base.errors import AlreadyExists, InvalidRequest, NotFound
from arena.store import Store
from arena.store.registry import accounts, bots, passwords
from arena.store.tables import accounts as accounts_table
from arena.store.tables import bots as bots_table
from arena.store.tournaments import creation
from arena.tournaments.formats import TournamentSpec, check_spec
from dashboard.bots.manage.own import latest_tests

PASSWORD = "correct horse battery"


def test_an_account_is_found_by_number_and_by_name_in_any_capitals(store: Store) -> None:
    with store.write() as conn:
        ada = accounts.sign_up(conn, "Ada", "hash", now=5.0)

    with store.read() as conn:
        assert accounts.get(conn, ada.id) == accounts.by_name(conn, "aDA") == ada
        assert accounts.find(conn, "bob") is None
    assert (ada.name, ada.organiser, ada.created) == ("Ada", False, 5.0)


def test_a_name_is_given_once_and_the_transaction_goes_on(store: Store) -> None:
    with store.write() as conn:
        accounts.sign_up(conn, "Ada", "hash")
        with pytest.raises(AlreadyExists, match='"ADA"'):
            accounts.sign_up(conn, "ADA", "hash")
        accounts.sign_up(conn, "bob", "hash")

    with store.read() as conn:
        assert [account.name for account in accounts.all_accounts(conn)] == ["Ada", "bob"]


@pytest.mark.parametrize(
    "name", ["", " ada", "a" * 41, "<script>", "ada\u202e", "\u200fada", "äda", "a/b", "ada\n"]
)
def test_names_that_accounts_cannot_have(store: Store, name: str) -> None:
    with store.write() as conn, pytest.raises(InvalidRequest) as refused:
        accounts.sign_up(conn, name, "hash")

    assert "1 to 40 letters" in str(refused.value)
    assert str(refused.value).isprintable()


def test_organisers_are_appointed_and_dismissed(store: Store) -> None:
    with store.write() as conn:
        accounts.sign_up(conn, "ada", "hash")
        assert accounts.set_organiser(conn, "ADA", True).organiser
        assert accounts.by_name(conn, "ada").organiser
        assert not accounts.set_organiser(conn, "ada", False).organiser
        with pytest.raises(NotFound, match='"bob"'):
            accounts.set_organiser(conn, "bob", True)


@pytest.mark.parametrize("name", ["admin", "API", "arena", "guest-ada"])
def test_reserved_names_are_not_given_to_new_accounts_and_bots(store: Store, name: str) -> None:
    with store.write() as conn:
        with pytest.raises(InvalidRequest, match="reserved"):
            accounts.sign_up(conn, name, "hash")
        with pytest.raises(InvalidRequest, match="reserved"):
            bots.register(conn, name)


def test_an_existing_account_keeps_its_reserved_name(store: Store) -> None:
    with store.write() as conn:
        row = {"password": "hash", "organiser": False, "created": 0.0}
        conn.execute(accounts_table.insert().values(name="Admin", name_key="admin", **row))
        bots.register(conn, "arena", kind="house")
        conn.execute(bots_table.update().values(kind="bot"))

        assert accounts.set_organiser(conn, "admin", True).name == "Admin"
        assert bots.rotate_token(conn, "arena")
        assert bots.new_version(conn, "arena").version == "2"


def test_of_a_password_only_a_hash_is_stored(store: Store) -> None:
    with store.write() as conn:
        accounts.sign_up(conn, "ada", passwords.hashed(PASSWORD))
        row = conn.execute(select(accounts_table)).one()

    assert row.password.startswith("$argon2id$")
    assert not any(PASSWORD in str(field) for field in row)
    assert passwords.is_right(PASSWORD, row.password)
    assert not passwords.is_right(PASSWORD + "!", row.password)
    assert not passwords.is_right(PASSWORD, None)


def test_a_bot_has_an_owner_or_none(store: Store) -> None:
    with store.write() as conn:
        ada = accounts.sign_up(conn, "ada", "hash")
        mine, _ = bots.register(conn, "mine", owner=ada.id)
        bots.register(conn, "free")

        assert bots.owned_by(conn, ada.id) == [mine]
        given = bots.set_owner(conn, "FREE", ada.id)
        assert bots.owned_by(conn, ada.id) == [given, mine]
        assert bots.get(conn, "free") == given
        bots.set_owner(conn, "mine", None)
        assert bots.owned_by(conn, ada.id) == [given]


def test_a_bot_cannot_belong_to_an_account_that_is_not_there(sqlite_store: Store) -> None:
    with pytest.raises(Exception, match="FOREIGN KEY"), sqlite_store.write() as conn:
        bots.register(conn, "mine", owner=99)


def test_the_versions_of_a_bot_are_told_newest_first(store: Store) -> None:
    with store.write() as conn:
        first, _ = bots.register(conn, "mine")
        bots.register(conn, "other")
        second = bots.new_version(conn, "mine")

        assert bots.versions(conn, first.id) == [second, first]


def test_an_accounts_tests_are_told_by_bot_newest_first(store: Store) -> None:
    with store.write() as conn:
        ada, bob = (accounts.sign_up(conn, name, "hash") for name in ("ada", "bob"))
        mine, _ = bots.register(conn, "mine", owner=ada.id)
        second, _ = bots.register(conn, "second", owner=ada.id)
        bots.register(conn, "five", kind="house")
        spec = check_spec(TournamentSpec(seats=2, matches=2, bots=("mine", "five")))
        made = [creation.create(conn, spec, owner=ada.id, kind="test").id for _ in range(3)]
        creation.create(conn, spec, owner=ada.id)  # no test
        creation.create(conn, spec, owner=bob.id, kind="test")

        assert [each.id for each in latest_tests(conn, ada.id, mine.id, 2)] == made[:0:-1]
        assert latest_tests(conn, ada.id, second.id, 2) == []
