"""Test matches and tables with a human: stored and shown, but counted nowhere."""

from dataclasses import replace

import pytest

from arena.base.errors import InvalidRequest
from arena.store import Store, rebuild
from arena.store.matches import matches
from arena.store.projections import table_sums
from arena.store.registry import bot_lists, bots
from arena.store.reports import faults, leaderboard, standings, variance
from arena.store.save import FaultNote
from arena.store.tournaments import creation, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import check_spec
from tests.made_results import entered, result, results, save, schedule


@pytest.fixture
def rated(store: Store) -> Tournament:
    """A rated tournament that is played."""
    tournament = entered(store)
    save(store, results(tournament))
    return tournament


@pytest.fixture(params=["test", "table"])
def unrated(store: Store, rated: Tournament, request: pytest.FixtureRequest) -> Tournament:
    """The same once more, of another kind, every match with a fault."""
    with store.write() as conn:
        spec = check_spec(rated.spec)
        tournament = creation.create(conn, spec, kind=request.param)
    note = FaultNote(0, 1, "timeout", "No answer.", "quit")
    found = [result(tournament, planned, (0, 5, 9)) for planned in schedule(tournament)]
    save(store, [replace(each, notes=(note,), faults=(1, 0, 0)) for each in found])
    return tournament


def test_its_matches_count_in_its_own_standings_only(
    store: Store, rated: Tournament, unrated: Tournament
) -> None:
    with store.read() as conn:
        lines = standings.standings(conn, unrated.id)
        table = leaderboard.table(conn, "lama")
        counts = bot_lists.match_counts(conn, {bot.id for bot in bots.all_bots(conn)})
        assert variance.luck(conn, unrated.id).deals == 0

    assert sum(line.matches for line in lines) == 3 * unrated.planned
    assert sum(line.matches for line in table) == 3 * rated.planned
    assert sum(counts.values()) == 3 * rated.planned
    assert sum(line.faults for line in table) == 0


def test_counting_all_again_leaves_it_out_as_well(
    store: Store, rated: Tournament, unrated: Tournament
) -> None:
    with store.write() as conn:
        assert rebuild.compare(conn, "lama").differences == ()
        rebuild.rebuild(conn, "lama")
        assert rebuild.compare(conn, "lama").differences == ()
        assert table_sums.SUMMED.stored(conn, unrated.id) == {}


def test_it_is_listed_only_where_it_is_asked_for(
    store: Store, rated: Tournament, unrated: Tournament
) -> None:
    with store.read() as conn:
        assert [each.id for each in tournaments.all_tournaments(conn)] == [rated.id]
        listed = tournaments.all_tournaments(conn, kind=unrated.kind)
        assert [each.id for each in listed] == [unrated.id]
        assert tournaments.under_way(conn) == {rated.id: "waiting", unrated.id: "waiting"}

        every = matches.list_matches(conn, limit=1000)[0]
        of_ada = matches.list_matches(conn, bot="ada", limit=1000)[0]
        its = matches.list_matches(conn, tournament=unrated.id, limit=1000)[0]
        exported = list(matches.iterate_matches(conn))
        assert faults.recent_faults(conn, "ada") == []

    for found in (every, of_ada, exported):
        assert {match.tournament for match in found} == {rated.id}
    assert len(every) == len(exported) == rated.planned
    assert len(its) == unrated.planned
    assert not any(match.locked for match in its)
    assert its[0].seats[0].elo_before is None


def test_retired_bots_are_listed_only_if_asked_for_and_enter_nothing(
    store: Store, rated: Tournament
) -> None:
    with store.write() as conn:
        bots.retire(conn, "ADA", now=9.0)

        assert "ada" not in {bot.name for bot in bots.all_bots(conn)}
        assert "ada" in {bot.name for bot in bots.all_bots(conn, retired=True)}
        assert bots.get(conn, "ada").retired == 9.0
        assert matches.list_matches(conn, bot="ada")[0]
        with pytest.raises(InvalidRequest, match="ada cannot enter. Retired"):
            creation.create(conn, check_spec(rated.spec))

        bots.reinstate(conn, "ada")
        assert "ada" in {bot.name for bot in bots.all_bots(conn)}
        creation.create(conn, check_spec(rated.spec))


def test_a_retired_bot_has_its_line_only_in_the_table_of_all_versions(
    store: Store, rated: Tournament
) -> None:
    with store.write() as conn:
        before = {line.bot: line for line in leaderboard.table(conn, "lama")}
        bots.retire(conn, "ada")
    with store.read() as conn:
        now = leaderboard.table(conn, "lama")
        every = leaderboard.table(conn, "lama", all_versions=True)

    assert {line.bot for line in now} == before.keys() - {"ada"}
    (line,) = [line for line in every if line.bot == "ada"]
    assert line.retired
    assert line.elo == before["ada"].elo
    with store.write() as conn:
        bots.reinstate(conn, "ada")
    with store.read() as conn:
        assert {line.bot for line in leaderboard.table(conn, "lama")} == before.keys()


def test_a_guest_sits_at_tables_only_and_is_never_listed(store: Store, rated: Tournament) -> None:
    with store.write() as conn:
        bots.register(conn, "somebody", kind="guest")
        spec = check_spec(replace(rated.spec, bots=("somebody", "ada", "bob")))

        assert "somebody" not in {bot.name for bot in bots.all_bots(conn, retired=True)}
        for kind in ("tournament", "test"):
            with pytest.raises(InvalidRequest, match="somebody cannot enter. People"):
                creation.create(conn, spec, kind=kind)
        assert creation.create(conn, spec, kind="table").kind == "table"
