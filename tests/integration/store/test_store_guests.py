"""People who play, in the store: guests, and the tables they sit at."""

from typing import Any

from sqlalchemy import Connection

from arena.store import Store
from arena.store.registry import accounts, bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import creation, departure, guests, tournaments
from arena.tournaments.formats import TournamentSpec, check_spec


def sit(conn: Connection, guest: RegisteredBot) -> Any:
    seated = guests.sit(conn, guest)
    asked = TournamentSpec(bots=(guest.name, "ada"), seats=2, format="sitting", deals=1)
    made = creation.create(conn, check_spec(asked, sitting=True), kind="table")
    assert made.players[0] == seated.player
    return made


def test_an_account_has_one_guest_which_is_none_of_its_bots(store: Store) -> None:
    with store.write() as conn:
        account = accounts.sign_up(conn, "zoe", "hashed")
        assert guests.of_account(conn, account.id, account.name) is None

        guest = guests.arrive(conn, (account.id, account.name))

        assert (guest.name, guest.kind, guest.owner) == ("guest-zoe", "guest", account.id)
        assert guests.of_account(conn, account.id, account.name) == guest
        assert guests.nameless(conn, guest.id) is None
        assert bots.owned_by(conn, account.id) == []
        assert bots.all_bots(conn) == []


def test_a_guest_gives_way_to_a_bot_of_the_same_name(store: Store) -> None:
    with store.write() as conn:
        bots.register(conn, "Guest-Zoe", kind="house")
        account = accounts.sign_up(conn, "zoe", "hashed")

        guest = guests.arrive(conn, (account.id, account.name))

        assert guest.name.startswith("guest-")
        assert guests.arrive(conn, (account.id, account.name)) == guest


def test_a_nameless_guest_is_known_by_his_number_alone(store: Store) -> None:
    with store.write() as conn:
        bot, _ = bots.register(conn, "ada")
        guest = guests.arrive(conn, None)

        assert guests.nameless(conn, guest.id) == guest
        assert guests.nameless(conn, bot.id) is None
        assert guests.nameless(conn, 10**9) is None


def test_an_account_takes_over_the_games_of_a_guest_and_plays_on_by_its_own_name(
    store: Store,
) -> None:
    with store.write() as conn:
        nameless = guests.arrive(conn, None)
        zoe, yan = (accounts.sign_up(conn, name, "hashed") for name in ("zoe", "yan"))
        guests.take_over(conn, nameless.id, zoe.id)
        guests.take_over(conn, nameless.id, yan.id)  # which is too late

        assert [guest.id for guest in guests.all_of_account(conn, zoe.id)] == [nameless.id]
        assert guests.all_of_account(conn, yan.id) == []
        assert guests.nameless(conn, nameless.id) is None
        assert guests.of_account(conn, zoe.id, "zoe") is None
        assert guests.arrive(conn, (zoe.id, "zoe")).name == "guest-zoe"


def test_every_table_of_a_guest_has_a_player_of_its_own(store: Store) -> None:
    with store.write() as conn:
        bots.register(conn, "ada")
        guest = guests.arrive(conn, None)
        first = sit(conn, guest)
        again = guests.nameless(conn, guest.id)
        assert again is not None
        second = sit(conn, again)

        assert first.players[0] != second.players[0]
        assert guests.tables(conn, [guest.id], 10) == [second.id, first.id]
        assert guests.tables(conn, [guest.id], 1) == [second.id]
        assert guests.tables(conn, [], 10) == []


def test_open_tables_are_counted_until_they_are_over(store: Store) -> None:
    with store.write() as conn:
        bots.register(conn, "ada")
        guest, other = guests.arrive(conn, None), guests.arrive(conn, None)
        made = sit(conn, guest)
        sit(conn, other)
        assert (guests.count_open(conn), guests.count_open(conn, guest.id)) == (2, 1)

        tournaments.set_state(conn, made.id, "running")
        assert guests.count_open(conn, guest.id) == 1
        tournaments.set_state(conn, made.id, "finished")

        assert (guests.count_open(conn), guests.count_open(conn, guest.id)) == (1, 0)


def test_a_deleted_account_gives_up_its_name_at_a_table_of_friends_and_no_other(
    store: Store,
) -> None:
    with store.write() as conn:
        zoe = accounts.sign_up(conn, "zoe", "hashed")
        people = [guests.arrive(conn, None), guests.arrive(conn, (zoe.id, "zoe"))]
        bots.register(conn, "ada")
        shown = [guests.shown_name(called="Mia"), guests.shown_name("zoe")]
        seated = (people[0].name, "ada", people[1].name)
        asked = TournamentSpec(guests.table_name(*shown), bots=seated, seats=3, format="sitting")
        made = creation.create(conn, check_spec(asked, sitting=True), kind="table")
        assert list(guests.shown_people(made.spec).values()) == ["Mia (guest)", "zoe (player)"]

        departure.delete_account(conn, zoe.id, 1.0)

        left = tournaments.get(conn, made.id)
        assert list(guests.shown_people(left.spec).values()) == ["Mia (guest)", "a guest"]
        assert list(guests.shown_people(left.spec)) == [left.spec.bots[0], left.spec.bots[2]]
        assert left.state == made.state  # it goes on


def test_the_longest_names_of_six_people_are_a_table_name() -> None:
    names = [guests.shown_name("W" * 40)] * 6
    asked = TournamentSpec(
        guests.table_name(*names), bots=tuple("abcdef"), seats=6, format="sitting", deals=0
    )
    assert check_spec(asked, sitting=True).name == guests.table_name(*names)
