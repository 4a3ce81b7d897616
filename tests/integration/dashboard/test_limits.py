"""Limits of storage and lists, and their error messages (docs/limits.md)."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.base.config import Settings
from arena.base.errors import InvalidRequest, LimitReached
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import every_bot, every_tournament
from arena.service.control.service import ControlService
from arena.store import Store
from arena.store.registry import accounts, bots
from arena.store.tournaments import creation, guests, tournaments
from arena.tournaments.formats import TournamentSpec, check_spec

DOC = Path(__file__).parents[3] / "docs" / "limits.md"
SPEC = check_spec(TournamentSpec(bots=("a", "b"), seats=2))


def filled(store: Store) -> Store:
    with store.write() as conn:
        for name in ("a", "b"):
            bots.register(conn, name)
    return store


def test_a_tournament_has_so_many_bots() -> None:
    names = tuple(f"bot-{number}" for number in range(1001))
    spec = TournamentSpec(bots=names, seats=2)
    with pytest.raises(InvalidRequest, match="1,001 bots are entered. .* at most 1,000"):
        check_spec(spec)
    assert len(check_spec(replace(spec, bots=names[1:])).bots) == 1000


def test_a_bot_has_so_many_versions_and_a_person_sits_down_however_often(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "MOST_VERSIONS", 3)
    with filled(store).write() as conn:
        for _ in range(2):
            bots.new_version(conn, "a")
        with pytest.raises(LimitReached, match="a already has 3 versions, the maximum"):
            bots.new_version(conn, "a")
        bots.new_version(conn, "b")
        guest = guests.arrive(conn, None)
        for _ in range(4):
            guest = bots.new_version(conn, guest.name)


def test_there_are_so_many_accounts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "MOST_ACCOUNTS", 2)
    with store.write() as conn:
        accounts.sign_up(conn, "ada", "hash")
        accounts.sign_up(conn, "bob", "hash")
        with pytest.raises(LimitReached, match="already has 2 accounts, the maximum"):
            accounts.sign_up(conn, "cho", "hash")


@pytest.mark.parametrize(
    ("kind", "called"), [("tournament", "tournaments"), ("test", "test matches")]
)
def test_so_many_tournaments_are_under_way_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, kind: tournaments.Kind, called: str
) -> None:
    monkeypatch.setitem(creation.MOST_UNDER_WAY, kind, 2)
    with filled(store).write() as conn:
        first = creation.create(conn, SPEC, kind=kind)
        creation.create(conn, SPEC, kind=kind)
        with pytest.raises(LimitReached, match=f"2 {called} are under way, the maximum"):
            creation.create(conn, SPEC, kind=kind)
        creation.create(conn, SPEC, kind="tournament" if kind == "test" else "test")
        tournaments.set_state(conn, first.id, "cancelled")
        creation.create(conn, SPEC, kind=kind)


# Lists of the Control service


def test_bots_are_listed_a_page_at_a_time(store: Store) -> None:
    names = ["Ann", "b-1", "b.2", "b_3", "Bob", "cho"]
    with store.write() as conn:
        for name in names:
            bots.register(conn, name)
        bots.retire(conn, "cho")
    control = ControlService(store, None)
    whole = [bot.name for bot in every_bot(control).bots]
    assert sorted(whole) == sorted(names[:-1])
    found: list[str] = []
    request = pb.ListBotsRequest(limit=2)
    while True:
        page = control.list_bots(request)
        assert len(page.bots) <= 2
        found += [bot.name for bot in page.bots]
        if not page.next:
            break
        request.after = page.next
    assert found == whole


def test_tournaments_are_listed_a_page_at_a_time(store: Store) -> None:
    with filled(store).write() as conn:
        made = [creation.create(conn, SPEC).id for _ in range(5)]
    control = ControlService(store, None)
    page = control.list_tournaments(pb.ListTournamentsRequest(limit=2))
    assert [one.id for one in page.tournaments] == made[:2:-1]
    page = control.list_tournaments(pb.ListTournamentsRequest(limit=3, after=page.next))
    assert ([one.id for one in page.tournaments], page.next) == (made[2::-1], 0)


@pytest.mark.parametrize("every", [every_bot, every_tournament])
def test_whoever_wants_the_whole_list_asks_for_all_pages(
    store: Store, monkeypatch: pytest.MonkeyPatch, every: Callable[[Any], Any]
) -> None:
    monkeypatch.setattr("arena.service.control.service.MOST", 1)
    monkeypatch.setattr("arena.service.control.service.LISTED_TOURNAMENTS", 1)
    with filled(store).write() as conn:
        creation.create(conn, SPEC)
        creation.create(conn, SPEC)
    found = every(ControlService(store, None))
    assert len(found.bots if every is every_bot else found.tournaments) == 2
    assert not found.next


def test_a_page_has_so_many_lines(sqlite_store: Store) -> None:
    control = ControlService(sqlite_store, None)
    with pytest.raises(InvalidRequest, match="limit is 1001; it must be from 1 to 1000"):
        control.list_bots(pb.ListBotsRequest(limit=1001))
    with pytest.raises(InvalidRequest, match="0 for the default \\(200\\)"):
        control.list_tournaments(pb.ListTournamentsRequest(limit=1001))
    with pytest.raises(InvalidRequest, match="from 1 to 1000"):
        control.list_matches(pb.ListMatchesRequest(limit=1001))


# HTTP


def test_the_table_names_every_setting_that_is_a_limit() -> None:
    table = DOC.read_text()
    named = [f"ARENA_{name.upper()}" for name in Settings.model_fields if "max_" in name]
    assert [name for name in [*named, "ARENA_BOTS_PER_ACCOUNT"] if name not in table] == []
