"""`bench dashboard`: the arena it makes up, and that every page of it is measured."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import Table, select

from arena.games.record import verify
from arena.service.control.results import record_of
from arena.store import Store, rebuild, tables, upgrade_store
from arena.store.matches import matches
from arena.store.reports import leaderboard
from arena.store.tournaments import tournaments
from tests.lab.bench import synthetic_arena
from tests.lab.bench.busy import stored_portion
from tests.lab.bench.visits import share
from tests.lab.commands.root import lab

pytestmark = pytest.mark.lab

BOTS, COUNT, NOW = 20, 400, 1_800_000_000.0

# What follows from results; versions of the sums are drawn at random.
FOLLOWING = (tables.ratings, tables.deal_sums, tables.table_sums)


@pytest.fixture(scope="module")
def made(module_store: Store) -> Store:
    """A synthetic arena, to be read only."""
    synthetic_arena.make(module_store, COUNT, BOTS, lambda _: None, NOW)
    return module_store


@pytest.fixture
def goes_on(sqlite_store: Store) -> Store:
    """Another one, of fewer matches, in which more are played."""
    synthetic_arena.make(sqlite_store, COUNT // 4, BOTS, lambda _: None, NOW)
    return sqlite_store


def rows(store: Store, table: Table) -> list[Any]:
    with store.read() as conn:
        return sorted(map(tuple, conn.execute(select(table))))


def seats(store: Store) -> list[Any]:
    """By the id of the match, because its number contains the month of the portion."""
    seat, match = tables.match_seats, tables.matches.c
    query = select(match.id, *(each for each in seat.c if each is not seat.c.match)).join(seat)
    with store.read() as conn:
        return sorted(map(tuple, conn.execute(query)))


def test_all_that_follows_from_the_matches_is_as_if_they_had_come_one_by_one(
    made: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthetic_arena, "PORTION", 3)

    with upgrade_store(f"sqlite:///{tmp_path / 'other.db'}") as other:
        synthetic_arena.make(other, COUNT, BOTS, lambda _: None, NOW)

        for table in (*FOLLOWING, tables.entrants, tables.tournaments):
            assert rows(made, table) == rows(other, table), table.name
        assert seats(made) == seats(other)


def test_counted_again_everything_comes_out_the_same(made: Store) -> None:
    with made.read() as conn:
        counted = rebuild.compare(conn, synthetic_arena.GAME)

    assert counted.differences == ()
    assert counted.matches > 0.9 * COUNT


def test_it_has_tournaments_of_several_sizes_of_which_the_last_one_runs(made: Store) -> None:
    with made.read() as conn:
        *running, oldest = tournaments.all_tournaments(conn)
        waiting = [t for t in running if t.state != "finished"]
        in_table = leaderboard.table(conn, synthetic_arena.GAME)
        rated = sum(line.matches for line in in_table) // synthetic_arena.SEATS

    assert oldest.played > 5 * running[0].played
    assert [t.state for t in waiting] == ["running"]
    assert waiting[0].played < waiting[0].planned
    assert rated < sum(t.played for t in running) + oldest.played  # some wait for their turn
    assert len(in_table) == BOTS


def test_its_matches_can_be_replayed(made: Store) -> None:
    with made.read() as conn:
        stored = list(matches.iterate_matches(conn, 1))[:20]

    assert any(match.notes for match in matches_of(made))
    for match in stored:
        record = record_of(match)
        verify(record)
        assert record["result"]["points"] == [seat.points for seat in match.seats]


def matches_of(store: Store) -> list[matches.StoredMatch]:
    with store.read() as conn:
        return list(matches.iterate_matches(conn))


def test_what_is_written_meanwhile_is_stored_and_rated(goes_on: Store) -> None:
    with goes_on.read() as conn:
        before = sum(line.matches for line in leaderboard.table(conn, synthetic_arena.GAME))
    names = [f"bot-{number}" for number in range(1, 9)]
    population = synthetic_arena.population_of(BOTS, seed=5)
    tournament = synthetic_arena.begin(goes_on, names, "Meanwhile", 1000, NOW)

    stored = [stored_portion(goes_on, tournament, population, 2, portion) for portion in range(3)]

    with goes_on.read() as conn:
        after = sum(line.matches for line in leaderboard.table(conn, synthetic_arena.GAME))
    assert stored == [8, 8, 8]
    assert after == before + 24 * synthetic_arena.SEATS


def test_every_page_is_asked_for_and_the_arena_is_kept(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    asked = ["bench", "dashboard", "--keep", str(kept), "--requests", "1", "--json"]

    first = CliRunner().invoke(lab, [*asked, "--matches", str(COUNT), "--bots", str(BOTS)])
    again = CliRunner().invoke(lab, [*asked, "--page", "home", "--busy", "8"])

    assert first.exit_code == again.exit_code == 0, first.output + again.output
    told, told_again = json.loads(first.stdout), json.loads(again.stdout)
    assert told["bots"] == told_again["bots"] == BOTS
    assert told_again["matches"] >= told["matches"] > 0.9 * COUNT
    assert {"leaderboard", "replay", "head to head"} <= {page["page"] for page in told["pages"]}
    assert all(0 < page["p50"] <= page["p95"] <= page["slowest"] for page in told["pages"])
    assert {page["page"] for page in told_again["pages"]} == {"home", "home, live part"}


def test_the_95th_percentile_leaves_out_the_slowest_twentieth() -> None:
    taken = [float(number) for number in range(1, 101)]

    assert share(taken, 0.95) == 96.0
    assert share(taken, 0.5) == 51.0
    assert share([7.0], 0.95) == 7.0


def test_the_database_is_measured_step_by_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.lab.bench.store.BATCHES", 2)
    monkeypatch.setattr("tests.lab.bench.store.BULKS", 1)
    asked = ["bench", "store", "--matches", "400", "--bots", "20", "--no-replays", "--json"]

    told = json.loads(CliRunner().invoke(lab, [*asked, "--keep", str(tmp_path)]).stdout)

    steps = [step["what"] for step in told["steps"]]
    assert steps[:3] == [
        "the first page after a start",
        "storing a batch of 500 results",
        "storing a batch of 4,000 results",
    ]
    assert {"rebuild", "check", "rebuild: elo", "check: elo"} <= set(steps)
    assert not any("latencies" in step for step in steps)
    assert told["matches"] > 400
    assert told["database"].startswith("SQLite 3.")
