"""Bots that forfeit match after match are benched, and how they come back."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, update

from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.store import Store, open_store, rebuild, tables
from arena.store.matches.columns import columns_of
from arena.store.projections.fault_streaks import continued
from arena.store.registry import accounts, bots
from arena.store.save import MatchResult, save_results
from arena.store.tournaments import bench, creation, tournaments
from arena.store.tournaments.bench import Bench, benched
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec, check_spec
from dashboard import create_app
from tests.integration.conftest import Run
from tests.integration.people import person, send
from tests.made_results import entered, results

SPEC = TournamentSpec(bots=("ada", "bob"), seats=2)


def played(store: Store, at_fault: Sequence[bool]) -> tuple[Tournament, int]:
    """A tournament of whose first matches ada forfeits these; and her number."""
    tournament = entered(store, ("ada", "bob"), seats=2, matches=10)
    ada = tournament.players[0]
    made = [
        forfeited(each, ada, whether)
        for each, whether in zip(results(tournament), at_fault, strict=False)
    ]
    with store.write() as conn:
        save_results(conn, made)
    return tournament, ada


def forfeited(result: MatchResult, player: int, whether: bool) -> MatchResult:
    by_seat = tuple([whether and each == player for each in result.players])
    return replace(result, forfeited=by_seat, faults=tuple([3 * one for one in by_seat]))


def of(store: Store, player: int, after: int = 3) -> Bench | None:
    with store.read() as conn:
        return benched(conn, [player], after).get(player)


def test_bot_with_consecutive_forfeits_is_benched(store: Store) -> None:
    _, ada = played(store, [False, True, True, True])
    found = of(store, ada)
    assert found is not None
    assert (found.player, found.game, found.matches) == (ada, "lama", 3)
    assert of(store, ada, after=4) is None
    assert of(store, ada, after=0) is None
    with store.read() as conn:
        assert benched(conn, [ada], 3, "dice") == {}
        assert benched(conn, [ada + 1], 1) == {}
        assert rebuild.compare(conn, "lama").differences == ()


def test_one_match_without_forfeiting_ends_a_streak(store: Store) -> None:
    _, ada = played(store, [True, True, False])
    assert of(store, ada, after=1) is None
    with store.read() as conn:
        assert rebuild.compare(conn, "lama").differences == ()


def test_streaks_that_are_wrong_are_found_and_mended(store: Store) -> None:
    _, ada = played(store, [True, True])
    with store.write() as conn:
        row = tables.fault_streaks
        conn.execute(update(row).where(row.c.player == ada).values(matches=7))
        assert rebuild.compare(conn, "lama").differences == (
            "the fault streaks of 1 players differ",
        )
        rebuild.rebuild(conn, "lama")
        assert conn.scalar(select(row.c.matches).where(row.c.player == ada)) == 2


def test_streaks_go_on_from_what_is_stored(store: Store) -> None:
    assert continued({7: (5, 1.0)}, columns_of([])) == {7: (5, 1.0)}
    _, ada = played(store, [True, True, True])
    _, again = played(store, [True, True])
    assert again == ada
    found = of(store, ada)
    assert found is not None
    assert found.matches == 5


def test_a_benched_bot_is_not_entered_and_its_owner_is_told_what_to_do(store: Store) -> None:
    played(store, [True] * 3)
    with store.write() as conn:
        with pytest.raises(InvalidRequest) as caught:
            creation.create(conn, check_spec(SPEC), bench_after=3)
        assert str(caught.value) == (
            "ada is benched. It forfeited its last 3 matches of lama by its own faults. Play a test"
            " match without a fault, create a new version, or clear the bench on its page or with"
            " `arena bot unbench ada`."
        )
        creation.create(conn, check_spec(replace(SPEC, game="dice")), bench_after=3)
        creation.create(conn, check_spec(SPEC), kind="test", bench_after=3)
        creation.create(conn, check_spec(SPEC), bench_after=4)


def test_a_benched_bot_does_not_join_a_ladder(store: Store) -> None:
    played(store, [True] * 3)
    spec = TournamentSpec(bots=("bob", "cyd"), seats=2, format="ladder", matches=100)
    with store.write() as conn:
        bots.register(conn, "cyd")
        ladder = creation.create(conn, check_spec(spec))
        with pytest.raises(InvalidRequest, match="is benched"):
            creation.enter(conn, ladder, "ada", bench_after=3)
        creation.enter(conn, ladder, "ada", bench_after=4)


def test_its_owners_word_begins_a_new_streak(store: Store) -> None:
    tournament, ada = played(store, [True] * 4)
    newest = max(result.finished for result in results(tournament))
    with store.write() as conn:
        bench.clear(conn, "ada", now=newest + 1)
    assert of(store, ada) is None
    with store.write() as conn:
        bench.clear(conn, "ada", now=newest - 1e6)
    assert of(store, ada) is not None  # what came after it counts


def test_a_test_match_without_a_fault_begins_a_new_streak(store: Store) -> None:
    _, ada = played(store, [True] * 3)
    for faults, back in [(1, False), (0, True)]:
        with store.write() as conn:
            test = creation.create(
                conn, check_spec(replace(SPEC, repeats=7, trusted=True)), kind="test"
            )
            (first, *_) = results(test)
            save_results(conn, [replace(first, faults=(faults, faults))])
            tournaments.set_state(conn, test.id, "finished", now=1e10)
        assert (of(store, ada) is None) is back


def test_a_new_version_is_another_player(store: Store) -> None:
    played(store, [True] * 3)
    with store.write() as conn:
        bots.new_version(conn, "ada")
        creation.create(conn, check_spec(SPEC), bench_after=3)


def test_its_page_says_why_and_lets_it_come_back(sqlite_store: Store) -> None:
    played(sqlite_store, [True] * 3)
    app = create_app(Settings(secret_key="a key", bench_after=3), sqlite_store, None)
    owner = person(app, sqlite_store, "mia")
    with sqlite_store.write() as conn:
        bots.set_owner(conn, "ada", accounts.by_name(conn, "mia").id)

    page = owner.get("/my/bots/ada").text
    assert "ada 1 forfeited its last 3 matches of L.A.M.A. through its own faults" in page
    assert "test match</a> without a fault" in page
    answer = send(owner, "/my/bots/ada/come-back", "/my/bots/ada")

    assert answer.status_code == 303
    page = owner.get(answer.location).text
    assert "ada can be entered into tournaments again" in page
    assert "Benched" not in page


def test_the_operator_lets_it_come_back(run: Run, tmp_path: Path) -> None:
    assert run("bot", "add", "ada").status == 0

    assert run("bot", "unbench", "ada").out == "ada can be entered into tournaments again.\n"
    assert 'There is no bot named "bob".' in run("bot", "unbench", "bob").err
    store = open_store(f"sqlite:///{tmp_path / 'arena.db'}")
    with store.read() as conn:
        assert conn.scalar(select(tables.bench_returns.c.player)) is not None
    store.dispose()
