"""Bots' notes: what is refused, who may read them, how many are kept, and how they end."""

import pytest

from arena.base.errors import AlreadyExists, InvalidRequest, NotFound
from arena.store import Store
from arena.store.matches import bot_notes
from arena.store.matches.bot_notes import LONGEST, MOST_BYTES
from arena.store.matches.matches import StoredMatch
from arena.store.registry import accounts, bots
from arena.store.registry.bots import RegisteredBot
from arena.store.reports.own_data import own_data
from arena.store.tournaments.departure import delete_account
from tests.integration.noted import all_played, authors, decisions_of, played_match, seat_of


@pytest.fixture
def ada(store: Store) -> RegisteredBot:
    return authors(store)[0]


@pytest.fixture
def match(store: Store, ada: RegisteredBot) -> StoredMatch:
    return played_match(store)


def keep(
    store: Store, bot: RegisteredBot, match: StoredMatch, texts: dict[int, str], seat: int = -1
) -> None:
    own = seat_of(match, bot.name) if seat < 0 else seat
    with store.read() as conn:
        bot_notes.check(conn, bot, match.id, own, texts)
    with store.write() as conn:
        bot_notes.add(conn, bot.id, match.id, own, texts, 5.0)


def read(store: Store, match: StoredMatch, reader: str = "") -> dict[int, str]:
    with store.read() as conn:
        account = accounts.by_name(conn, reader).id if reader else None
        found = bot_notes.of_match(conn, match.id, account)
    return {number: note.text for number, note in found.items()}


def test_only_the_author_reads_the_notes_until_they_are_public(
    store: Store, ada: RegisteredBot, match: StoredMatch
) -> None:
    with store.write() as conn:
        accounts.sign_up(conn, "eve", "x")
    first, second, *_ = decisions_of(match, seat_of(match, "ada"))
    texts = {first: "I have a llama.\nSo I quit.", second: "ä\u202e\x1b\ud7ff\N{PILE OF POO}"}

    keep(store, ada, match, texts)

    cleaned = "ä\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"
    shown = read(store, match, "ann")
    assert shown[first] == texts[first]
    assert shown[second].startswith(cleaned)
    assert read(store, match) == read(store, match, "eve") == {}
    with store.write() as conn:
        bot_notes.set_public(conn, ada.id, public=True)
        assert bot_notes.are_public(conn, ada.id)
    assert read(store, match) == read(store, match, "eve") == shown
    with store.read() as conn:
        theirs = bot_notes.of_match(conn, match.id, accounts.by_name(conn, "eve").id)
        ours = bot_notes.of_match(conn, match.id, accounts.by_name(conn, "ann").id)
    assert {(note.bot, note.own, note.public) for note in theirs.values()} == {("ada", False, True)}
    assert {note.own for note in ours.values()} == {True}


def test_spaces_and_line_ends_of_other_systems_become_plain_ones(
    store: Store, ada: RegisteredBot, match: StoredMatch
) -> None:
    number = decisions_of(match, seat_of(match, "ada"))[0]
    keep(
        store,
        ada,
        match,
        {number: "I\u00a0quit\u202fnow\r\nok\u2028\N{WOMAN}\u200d\N{PERSONAL COMPUTER}"},
    )
    assert read(store, match, "ann") == {number: "I quit now\nok\n\N{WOMAN}\N{PERSONAL COMPUTER}"}


def test_notes_are_stored_once_for_a_match_and_seat(
    store: Store, ada: RegisteredBot, match: StoredMatch
) -> None:
    seat = seat_of(match, "ada")
    number = decisions_of(match, seat)[0]
    keep(store, ada, match, {number: "first"})

    with pytest.raises(AlreadyExists, match="already stored"):
        keep(store, ada, match, {number: "second"})
    # Two calls at once may both pass the check.
    with pytest.raises(AlreadyExists, match="already stored"), store.write() as conn:
        bot_notes.add(conn, ada.id, match.id, seat, {number: "second"}, 6.0)

    assert read(store, match, "ann") == {number: "first"}


def test_notes_of_others_and_of_other_decisions_are_refused(
    store: Store, ada: RegisteredBot, match: StoredMatch
) -> None:
    seat, other = seat_of(match, "ada"), seat_of(match, "bob")
    own, foreign = decisions_of(match, seat)[0], decisions_of(match, other)[0]
    with store.write() as conn:
        cyd = bots.register(conn, "cyd")[0]

    for bot, place in ((ada, other), (cyd, seat), (ada, 2), (ada, 4_000_000_000)):
        with pytest.raises(InvalidRequest, match=f"did not play in seat {place} of"):
            keep(store, bot, match, {own: "mine"}, place)
    for number in (0, foreign, 10_000):
        with pytest.raises(InvalidRequest, match=f"had no decision {number}"):
            keep(store, ada, match, {own: "mine", number: "theirs"})
    with pytest.raises(NotFound, match='no result of a match "nosuch'), store.read() as conn:
        bot_notes.check(conn, ada, "nosuch\x00match", 0, {1: "text"})
    assert read(store, match, "ann") == {}


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({}, "A note is empty"),
        ({1: ""}, "A note is empty"),
        ({1: "x" * (LONGEST + 1)}, "A note has 1,001 characters"),
        (dict.fromkeys(range(33), "ä" * LONGEST), f"Send at most {MOST_BYTES:,} bytes"),
    ],
)
def test_notes_that_are_empty_or_too_large_are_refused(
    store: Store, ada: RegisteredBot, match: StoredMatch, texts: dict[int, str], sentence: str
) -> None:
    with pytest.raises(InvalidRequest, match=sentence):
        keep(store, ada, match, texts)


def test_the_newest_of_a_bot_are_kept(
    store: Store, ada: RegisteredBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_notes, "KEPT", 3)
    monkeypatch.setattr(bot_notes, "KEPT_BYTES", 100)
    played = all_played(store, deals=3)
    assert len(played) == 6

    def add(match: StoredMatch, text: str) -> list[str]:
        keep(store, ada, match, {decisions_of(match, seat_of(match, "ada"))[0]: text})
        with store.read() as conn:
            return [each for each, *_ in bot_notes.of_bot(conn, ada.id)]

    ids = [match.id for match in played]
    kept = [add(match, "short") for match in played[:4]]
    assert kept[-1] == ids[1:4]
    assert add(played[4], "x" * 95) == [ids[3], ids[4]]
    assert add(played[5], "y" * 50) == [ids[5]]


def test_an_account_takes_its_notes_along_and_leaves_none(
    store: Store, ada: RegisteredBot, match: StoredMatch
) -> None:
    seat = seat_of(match, "ada")
    number = decisions_of(match, seat)[0]
    keep(store, ada, match, {number: "mine"})
    with store.write() as conn:
        bot_notes.set_public(conn, ada.id, public=True)
    with store.read() as conn:
        (told,) = own_data(conn, accounts.by_name(conn, "ann"))["bots"]
    assert told["notes_public"] is True
    (taken,) = told["notes"]
    assert (taken["match"], taken["seat"], taken["texts"]) == (match.id, seat, {number: "mine"})

    with store.write() as conn:
        bot_notes.set_public(conn, ada.id, public=True)
        delete_account(conn, accounts.by_name(conn, "ann").id, 9.0)
        assert not bot_notes.are_public(conn, ada.id)
        with pytest.raises(InvalidRequest, match="is retired"):  # checked before the deletion
            bot_notes.add(conn, ada.id, match.id, seat, {number: "mine"}, 9.0)

    assert read(store, match) == {}
    with store.read() as conn:
        assert list(bot_notes.of_bot(conn, ada.id)) == []
