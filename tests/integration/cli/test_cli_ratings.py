"""`arena ratings` and `arena bot version`, as a user has them."""

import json
import re
from pathlib import Path

import pytest
from sqlalchemy import update

from arena.store import Store
from arena.store.tables import ratings as ratings_table
from tests.integration.conftest import Run
from tests.integration.played import play, register
from tests.made_luck import calculate
from tests.made_results import entered, results, save


@pytest.fixture
def played(sqlite_store: Store) -> Store:
    """A store with a finished tournament of three bots at tables of two, twelve matches."""
    register(sqlite_store, "ann", "bob", "five")
    play(sqlite_store, "ann", "bob", "five", deals=2)
    return sqlite_store


def test_the_table_shows_rating_error_and_range_and_explains_its_marks(
    run: Run, played: Store
) -> None:
    shown = run("ratings")
    lines = {line["bot"]: line for line in json.loads(run("ratings", "--json").out)["ratings"]}

    header, _, *rows = shown.out.splitlines()
    assert header.split()[:5] == ["rank", "bot", "rating", "range", "Elo"]
    of_five = next(row for row in rows if " five " in row)
    assert re.search(r"five +1500 ± +0\? +\d-3 ", of_five)
    assert lines["five"]["plus_minus"] == 0
    assert lines["ann"]["plus_minus"] > 0
    assert lines["ann"]["deals"] == 4
    assert "five is the anchor" in shown.err
    assert "? provisional: fewer than 50 deals, fewer than 10 expected upsets" in shown.err


def test_the_table_says_what_it_includes_and_what_is_still_being_calculated(
    run: Run, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store, seats=2, matches=6)
    save(sqlite_store, results(tournament))
    calculate(sqlite_store, tournament.id, 48)

    shown, told = run("ratings").err, json.loads(run("ratings", "--json").out)

    assert "Ratings include 60 matches, luck-adjusted for 48 of them." in shown
    assert "The luck of 12 matches is still being calculated." in shown
    assert (told["matches"], told["corrected_matches"], told["luck_pending"]) == (60, 48, 12)


def test_a_new_version_stands_beside_the_old_one_only_if_asked_for(run: Run, played: Store) -> None:
    said = run("bot", "version", "ann", "2.1")
    assert (said.status, said.out) == (0, "ann will be version 2.1 when it connects again.\n")
    counted = json.loads(run("bot", "version", "ann", "--json").out)
    assert counted == {"name": "ann", "version": "3"}
    play(played, "ann", "bob")

    newest = json.loads(run("ratings", "--json").out)["ratings"]
    every = json.loads(run("ratings", "--all-versions", "--json").out)["ratings"]

    assert [line["version"] for line in newest if line["bot"] == "ann"] == ["3"]
    assert re.search(r"^ *\d+ +ann \(3\) ", run("ratings").out, re.MULTILINE)
    of_ann = {line["version"]: line["latest"] for line in every if line["bot"] == "ann"}
    assert of_ann == {"1": False, "3": True}


@pytest.mark.parametrize(
    ("version", "sentence"),
    [("1", "ann already has a version 1"), ("=1+1", '"=1+1" is not a valid version')],
)
def test_a_version_that_cannot_be_is_refused(
    run: Run, played: Store, version: str, sentence: str
) -> None:
    refused = run("bot", "version", "ann", version)

    assert refused.status == 2
    assert refused.err.startswith(f"Error: {sentence}")


def test_a_bot_is_compared_with_each_other_one_from_its_side(run: Run, played: Store) -> None:
    play(played, "ann", "bob", "five", deals=30)
    every = json.loads(run("ratings", "pairs", "--json").out)["pairs"]

    own = json.loads(run("ratings", "pairs", "--bot", "BOB", "--json").out)["pairs"]

    assert {pair["bot"] for pair in own} == {"bob"}
    assert sorted(pair["other"] for pair in own) == ["ann", "five"]
    for pair in own:
        (same,) = (p for p in every if {p["bot"], p["other"]} == {"bob", pair["other"]})
        turned = same["bot"] != "bob"
        assert pair["observed"] == pytest.approx(abs(turned - same["observed"]))
        assert pair["score_plus_minus"] == pytest.approx(same["score_plus_minus"])
        assert 0.05 < pair["score_plus_minus"] < 0.3
    shown = run("ratings", "pairs", "--bot", "bob").out
    for pair in own:
        numbers = f"{pair['observed']:.3f} ± {pair['score_plus_minus']:.3f}"
        assert re.search(rf"bob +{pair['other']} +\d+ +{re.escape(numbers)} ", shown)


def test_bot_without_matches_is_reported(run: Run, played: Store) -> None:
    register(played, "newcomer")

    assert run("ratings", "pairs", "--bot", "newcomer").err == ("newcomer has no matches here.\n")
    assert 'no bot named "nobody"' in run("ratings", "pairs", "--bot", "nobody").err


def test_inactive_bots_are_hidden(run: Run, played: Store) -> None:
    assert len(json.loads(run("ratings", "--active-days", "99999", "--json").out)["ratings"]) == 3
    with played.write() as conn:
        conn.execute(update(ratings_table).values(last_played=0.0))

    hidden = run("ratings", "--active-days", "1")

    assert hidden.out == ""
    assert hidden.err == "No bot has played in the last 1 days.\n"


def test_pairs_are_listed_for_people_and_for_programs(run: Run, played: Store) -> None:
    for_people = run("ratings", "pairs").out
    for_programs = json.loads(run("ratings", "pairs", "--json").out)["pairs"]

    assert len(for_people.splitlines()[2:]) == len(for_programs) == 3
    for pair in for_programs:
        assert pair["deals"] == 2
        assert pair["difference"] >= 0
        assert 0.5 <= pair["stronger"] < 1
    assert run("ratings", "pairs", "--seats", "3").out == ""


def test_the_anchor_is_shown_and_chosen(run: Run, played: Store) -> None:
    assert run("ratings", "anchor").out == "five is 1500 in lama.\n"
    chosen = run("ratings", "anchor", "ANN")
    assert chosen.out == "ann is 1500 in lama.\n"
    assert re.search(r"Recomputed the Elo of 12 matches in \d+\.\d s", chosen.err)
    assert run("ratings", "anchor", "ann").err == ""  # it was already
    lines = json.loads(run("ratings", "--json").out)
    assert lines["anchor"] == "ann"
    assert [line["elo"] for line in lines["ratings"] if line["bot"] == "ann"] == [1500]
    assert run("ratings", "rebuild", "--check").status == 0
    assert [line["rating"] for line in lines["ratings"] if line["bot"] == "ann"] == [1500]

    assert run("ratings", "anchor", "--mean").out == "The mean of all is 1500 in lama.\n"
    lines = json.loads(run("ratings", "--json").out)["ratings"]
    assert sum(line["rating"] for line in lines) == pytest.approx(4500)
    assert "no bot named" in run("ratings", "anchor", "zoe").err
    assert run("ratings", "anchor", "ann", "--mean").status == 2


def test_a_rebuild_repairs_and_a_check_tells(run: Run, played: Store) -> None:
    same = run("ratings", "rebuild", "--check")
    assert (same.status, same.err) == (0, "")
    assert same.out == "lama: 12 matches, 6 deals recomputed, bit-identical\n"

    with played.write() as conn:
        conn.execute(update(ratings_table).where(ratings_table.c.seats == 2).values(elo=1.0))
    damaged = run("ratings", "rebuild", "--check")
    assert damaged.status == 1
    assert "different from the stored values" in damaged.out
    assert "the line of ann (version 1) differs in the leaderboard for 2 seats" in damaged.out
    as_json = json.loads(run("ratings", "rebuild", "--check", "--json").out)
    assert len(as_json[0]["differences"]) == 3

    assert run("ratings", "rebuild").out == "lama: 12 matches, 6 deals recomputed\n"
    assert run("ratings", "rebuild", "--check", "--game", "lama").status == 0


def test_a_rebuild_wants_the_database(run: Run, tmp_path: Path) -> None:
    assert "No such option '--url'" in run("ratings", "rebuild", "--url", "127.0.0.1:1").err
    missing = run("ratings", "rebuild", "--data", str(tmp_path / "none"))
    assert missing.status == 2
    assert "There is no arena in the folder" in missing.err


def test_an_arena_without_matches_has_nothing_to_rebuild(run: Run, sqlite_store: Store) -> None:
    assert run("ratings", "rebuild").err == "There are no matches yet.\n"
    assert "arena tournament new" in run("ratings", "pairs").err
