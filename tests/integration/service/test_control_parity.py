"""What the dashboard does and shows, through the Control contract as well."""

from collections.abc import Iterator

import pytest
from sqlalchemy import update

from arena.base.errors import InvalidRequest, NotFound
from arena.games.guides import guide
from arena.games.rules import GAMES, game_class
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.service import ControlService
from arena.store import Store
from arena.store.matches.matches import get_match
from arena.store.registry import accounts, audit_log, bots
from arena.store.registry.audit_log import Actor
from arena.store.tables import fault_streaks, match_seats, matches
from arena.store.tournaments import bench
from arena.tournaments.formats import FORMATS, TournamentSpec, check_spec
from tests.integration.played import play, register


@pytest.fixture
def store(sqlite_store: Store) -> Store:
    """One database: tests/integration/test_store_*.py run these statements on both."""
    return sqlite_store


@pytest.fixture
def control(store: Store) -> Iterator[ControlService]:
    """The control of an arena that does not run; olga asks."""
    register(store, "ann", "bob", "cho")
    play(store, "ann", "bob", "cho", deals=2)
    service = ControlService(store, None, actor=lambda: Actor("olga", "Control"))
    yield service
    service.close()


def noted(store: Store) -> list[str]:
    with store.read() as conn:
        entries = audit_log.entries(conn, 10)
    return [f"{each.action} {each.subject} {each.details}".strip() for each in reversed(entries)]


def ids(control: ControlService) -> list[str]:
    return [match.id for match in control.list_matches(pb.ListMatchesRequest()).matches]


# Bots


def test_a_bot_is_retired_and_brought_back(control: ControlService, store: Store) -> None:
    retired = control.retire_bot(pb.BotName(name="ANN"))
    listed = [bot.name for bot in control.list_bots(pb.ListBotsRequest()).bots]
    back = control.bring_back_bot(pb.BotName(name="ann"))

    assert (retired.name, retired.version, retired.retired > 0) == ("ann", "1", True)
    assert listed == ["bob", "cho"]
    assert (back.name, back.HasField("retired")) == ("ann", False)
    assert noted(store) == ["retired bot ann", "brought back bot ann"]


def test_a_bot_is_given_away_and_taken_back(control: ControlService, store: Store) -> None:
    with store.write() as conn:
        ada = accounts.sign_up(conn, "ada", "a hash")

    given = control.set_owner(pb.BotOwner(name="Bob", account="ADA"))
    with store.read() as conn:
        assert bots.get(conn, "bob").owner == ada.id
    taken = control.set_owner(pb.BotOwner(name="bob"))

    assert (given.name, given.account, taken.account) == ("bob", "ada", "")
    assert noted(store) == ["gave away bot bob to ada", "gave away bot bob to nobody"]


def test_a_benched_bot_is_let_back(control: ControlService, store: Store) -> None:
    with store.write() as conn:
        player = bots.get(conn, "cho").player
        conn.execute(
            update(match_seats).where(match_seats.c.player == player).values(forfeited=True)
        )
        conn.execute(update(fault_streaks).values(matches=8))
        assert player in bench.benched(conn, [player], after=8)

    assert control.unbench_bot(pb.BotName(name="cho")).name == "cho"

    with store.read() as conn:
        assert not bench.benched(conn, [player], after=8)


@pytest.mark.parametrize("call", ["retire_bot", "bring_back_bot", "unbench_bot"])
def test_unknown_bot_is_reported(control: ControlService, store: Store, call: str) -> None:
    with pytest.raises(NotFound, match='no bot named "dan"'):
        getattr(control, call)(pb.BotName(name="dan"))
    with pytest.raises(NotFound, match='no bot named "dan"'):
        control.set_owner(pb.BotOwner(name="dan"))
    with pytest.raises(NotFound, match='no account named "eve"'):
        control.set_owner(pb.BotOwner(name="ann", account="eve"))
    assert noted(store) == []


# Matches


def test_the_faults_of_a_bot_are_listed_newest_match_first(
    control: ControlService, store: Store
) -> None:
    listed = {
        name: control.list_faults(pb.ListFaultsRequest(bot=name)).faults
        for name in ("ANN", "bob", "cho")
    }

    every = [fault for found in listed.values() for fault in found]
    assert len(every) == 4  # in every third match the first to be asked
    for found in listed.values():
        assert [f.match for f in found] == sorted((f.match for f in found), key=ids(control).index)
    with store.read() as conn:
        for name, found in listed.items():
            for fault in found:
                stored = get_match(conn, fault.match)
                (note,) = stored.notes
                assert stored.seats[fault.seat].bot == name.lower()
                assert (fault.seat, fault.decision, fault.kind) == (
                    note.seat,
                    note.number,
                    "timeout",
                )
                assert (fault.reason, fault.instead) == ("No answer within 2000 ms.", note.instead)
                assert (fault.tournament, fault.finished) == (1, stored.finished)
    longest = max(listed.values(), key=len)
    name = max(listed, key=lambda each: len(listed[each]))
    assert list(control.list_faults(pb.ListFaultsRequest(bot=name, limit=1)).faults) == longest[:1]


def test_the_first_fault_of_each_bot_is_that_of_the_match_that_ended_first(
    control: ControlService,
) -> None:
    table = control.get_first_faults(pb.TournamentId(id=1)).faults

    standings = control.get_tournament(pb.TournamentId(id=1)).standings
    assert [(row.bot, row.faults) for row in table] == [(s.bot, s.faults) for s in standings]
    for row in table:
        own = control.list_faults(pb.ListFaultsRequest(bot=row.bot)).faults
        first = min(own, key=lambda fault: fault.finished, default=None)
        assert row.HasField("finished") == (first is not None)
        if first is not None:
            for field in "match", "finished", "seat", "decision", "kind", "reason", "instead":
                assert getattr(row, field) == getattr(first, field)
    with pytest.raises(NotFound, match="no tournament 9"):
        control.get_first_faults(pb.TournamentId(id=9))


def test_faults_have_limits(control: ControlService) -> None:
    with pytest.raises(InvalidRequest, match="limit is 1001"):
        control.list_faults(pb.ListFaultsRequest(bot="ann", limit=1001))
    with pytest.raises(NotFound):
        control.list_faults(pb.ListFaultsRequest(bot="dan"))


def test_stored_matches_are_verified(control: ControlService) -> None:
    for match in ids(control):
        assert control.verify_match(pb.MatchId(id=match)) == pb.MatchVerification(
            id=match, right=True
        )
    with pytest.raises(NotFound, match="no match"):
        control.verify_match(pb.MatchId(id="none"))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"points": 99}, "The stored points are "),
        ({"rank": 7}, "The stored ranks are "),
        ({"forfeited": True}, "The stored forfeits do not match"),
    ],
)
def test_a_match_that_was_tampered_with_is_found(
    control: ControlService, store: Store, change: dict[str, int], sentence: str
) -> None:
    match = ids(control)[0]
    with store.write() as conn:
        number = get_match(conn, match).number
        row = update(match_seats).where(match_seats.c.match == number, match_seats.c.seat == 1)
        conn.execute(row.values(**change))

    found = control.verify_match(pb.MatchId(id=match))

    assert not found.right
    assert found.problem.startswith(sentence)


def test_a_damaged_log_is_found(control: ControlService, store: Store) -> None:
    match = ids(control)[0]
    with store.write() as conn:
        conn.execute(update(matches).where(matches.c.id == match).values(log=b"nonsense"))

    assert "damaged" in control.verify_match(pb.MatchId(id=match)).problem


# Games and formats


def test_all_games_are_listed_with_their_options(control: ControlService) -> None:
    games = control.list_games(pb.ListGamesRequest()).games

    assert [game.name for game in games] == list(GAMES)
    for game in games:
        kind = game_class(game.name)
        assert (game.title, game.ruleset) == (kind.title, kind.ruleset)
        assert (game.min_seats, game.max_seats) == (2, 6)
        assert {o.name: o.default_value for o in game.options} == {
            name: option.default for name, option in kind.known_options.items()
        }
        chosen = {option.name: option.default_value for option in game.options}
        assert kind.check_options(chosen) == chosen


def test_the_rules_are_those_of_the_guide(control: ControlService) -> None:
    assert control.get_rules(pb.GameName(name="dice")).markdown == guide("dice")
    with pytest.raises(InvalidRequest, match="chess"):
        control.get_rules(pb.GameName(name="chess"))


def test_all_formats_are_listed_with_options_that_can_be_chosen(control: ControlService) -> None:
    formats = control.list_formats(pb.ListFormatsRequest()).formats

    assert [each.name for each in formats] == list(FORMATS)
    for each in formats:
        assert each.about.endswith(".")
        assert all(option.about for option in each.options)
        chosen = {option.name: option.default_value for option in each.options}
        spec = TournamentSpec(
            game="lama",
            seats=2,
            bots=("a", "b"),
            format=each.name,
            matches=2,
            format_options=chosen,
        )
        assert check_spec(spec).format_options == chosen
