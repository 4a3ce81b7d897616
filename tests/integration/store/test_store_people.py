"""The ratings of people: computed after their games, and shown only if they agree."""

import pytest

from arena.games.rules import GAMES
from arena.store import Store
from arena.store.registry import accounts
from arena.store.registry.accounts import Account
from arena.store.reports import leaderboard, people
from arena.store.tournaments import creation, departure, guests, tournaments
from arena.tournaments.formats import TournamentSpec, check_spec
from arena.tournaments.ratings.performance import FEWEST
from tests.integration.store.test_store_daily import NOON, finish
from tests.made_results import entered, results
from tests.made_results import save as save_all


@pytest.fixture
def bot(store: Store) -> str:
    """A rated bot."""
    save_all(store, results(entered(store)))
    with store.read() as conn:
        return next(line.bot for line in leaderboard.table(conn, "lama") if line.rating is not None)


def play(
    store: Store, account: Account, bot: str, *points: tuple[int, int], now: float = NOON
) -> None:
    """Stores games of the account, with its points and the bot's."""
    for each in points:
        with store.write() as conn:
            guest = guests.sit(conn, guests.arrive(conn, (account.id, account.name)))
            asked = TournamentSpec(bots=(guest.name, bot), seats=2, format="sitting", deals=1)
            made = creation.create(conn, check_spec(asked, sitting=True), kind="table")
            finish(conn, made, each, now)
            people.note_played(conn, made)


def compute(store: Store) -> None:
    while True:
        with store.read() as conn:
            due = people.pending(conn)
        if due is None:
            return
        people.compute(store, due)


def person(store: Store, name: str, *, listed: bool = True) -> Account:
    with store.write() as conn:
        found = accounts.sign_up(conn, name, "hashed")
        accounts.set_listed(conn, found, listed)
        return found


def table(store: Store) -> list[people.PersonRank]:
    with store.read() as conn:
        return people.table(conn, "lama")


def test_people_are_rated_by_their_games_against_rated_bots(store: Store, bot: str) -> None:
    ann, bea = person(store, "ann"), person(store, "bea")
    play(store, ann, bot, *[(1, 5)] * 8, (5, 1), (5, 1))
    play(store, bea, bot, *[(5, 1)] * 8, (1, 5), (1, 5))
    assert table(store) == []

    compute(store)

    first, second = table(store)
    assert (first.name, first.rank, first.games, first.wins, first.score) == ("ann", 1, 10, 8, 0.8)
    assert (second.name, second.rank, second.wins, second.score) == ("bea", 2, 2, 0.2)
    with store.read() as conn:
        rating = next(line.rating for line in leaderboard.table(conn, "lama") if line.bot == bot)
    assert rating is not None
    assert second.rating < rating < first.rating
    assert first.plus_minus > 0


def test_people_with_few_games_or_hidden_names_are_not_listed(store: Store, bot: str) -> None:
    few, hidden = person(store, "few"), person(store, "hidden", listed=False)
    play(store, few, bot, *[(1, 5)] * (people.FEWEST - 1))
    play(store, hidden, bot, *[(1, 5)] * people.FEWEST)
    compute(store)
    assert people.FEWEST > FEWEST

    assert table(store) == []
    with store.write() as conn:
        assert people.games(conn, few.id, "lama") == people.FEWEST - 1
        accounts.set_listed(conn, hidden, True)
    assert [line.name for line in table(store)] == ["hidden"]


def test_games_that_end_during_the_computation_stay_pending(store: Store, bot: str) -> None:
    ann = person(store, "ann")
    play(store, ann, bot, *[(1, 5)] * 10)
    with store.read() as conn:
        seen = people.pending(conn)
    assert seen is not None
    play(store, ann, bot, (1, 5))

    people.compute(store, seen)

    with store.read() as conn:
        assert people.pending(conn) == (ann.id, "lama", 1)
    compute(store)
    with store.read() as conn:
        assert people.pending(conn) is None
    assert [line.games for line in table(store)] == [11]


def test_a_deleted_account_leaves_the_table(store: Store, bot: str) -> None:
    ann = person(store, "ann")
    play(store, ann, bot, *[(1, 5)] * 10)
    compute(store)
    with store.write() as conn:
        departure.delete_account(conn, ann.id, 0.0)

    assert table(store) == []


def test_an_account_without_games_has_no_row(store: Store) -> None:
    ann = person(store, "ann")
    with store.write() as conn:
        people.mark(conn, ann.id, GAMES)
    compute(store)

    with store.read() as conn:
        assert people.games(conn, ann.id, "lama") == 0
        assert tournaments.all_tournaments(conn, kind="table") == []


def test_games_of_several_people_do_not_count(store: Store, bot: str) -> None:
    ada, bob = person(store, "ann"), person(store, "ben")
    play(store, ada, bot, *[(1, 9)] * FEWEST)
    with store.write() as conn:
        seated = [
            guests.sit(conn, guests.arrive(conn, (each.id, each.name))).name for each in (ada, bob)
        ]
        asked = TournamentSpec(bots=tuple(seated), seats=2, format="sitting", deals=1)
        made = creation.create(conn, check_spec(asked, sitting=True), kind="table")
        finish(conn, made, (9, 1))
        people.note_played(conn, made)
    compute(store)

    with store.read() as conn:
        assert people.games(conn, ada.id, "lama") == FEWEST
        assert people.games(conn, bob.id, "lama") == 0
