"""Tournaments written out for spreadsheets and programs."""

import csv
import io
import json
from pathlib import Path

import pytest

from arena.cli.export import _write_csv
from arena.store import Store
from arena.store.matches.matches import get_match, list_matches
from tests.integration.conftest import Run
from tests.integration.played import play, register


@pytest.fixture
def tournament(sqlite_store: Store) -> Store:
    """A finished tournament of three bots at tables of two, twelve matches."""
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", deals=2)
    return sqlite_store


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.usefixtures("tournament")
def test_standings_are_the_standings_that_are_shown(run: Run) -> None:
    exported = rows(run("tournament", "export", "1").out)

    shown = json.loads(run("tournament", "show", "1", "--json").out)["standings"]
    assert [row["bot"] for row in exported] == [line["bot"] for line in shown]
    assert [float(row["score"]) for row in exported] == [line["score"] for line in shown]
    assert list(exported[0]) == list(shown[0])


@pytest.mark.usefixtures("tournament")
@pytest.mark.parametrize("what", ["standings", "crosstable", "matches", "faults"])
def test_json_holds_what_csv_holds(run: Run, what: str) -> None:
    as_csv = rows(run("tournament", "export", "1", "--what", what).out)

    as_json = json.loads(run("tournament", "export", "1", "--what", what, "--format", "json").out)

    if what == "matches":
        as_json = [seat for match in as_json for seat in match["seats"]]
    assert [row["bot"] for row in as_csv] == [line["bot"] for line in as_json]
    assert len(as_csv) > 2


@pytest.mark.usefixtures("tournament")
def test_the_crosstable_adds_up(run: Run) -> None:
    lines = {
        (row["bot"], row["opponent"]): row
        for row in rows(run("tournament", "export", "1", "--what", "crosstable").out)
    }

    assert len(lines) == 6
    for (one, two), line in lines.items():
        assert line["matches"] == "4"
        assert float(line["score"]) + float(lines[two, one]["score"]) == 1.0
        difference = float(line["point_difference"])
        assert difference == -float(lines[two, one]["point_difference"])


@pytest.mark.usefixtures("tournament")
def test_matches_have_a_row_for_each_seat_and_tell_their_deal(run: Run) -> None:
    exported = rows(run("tournament", "export", "1", "--what", "matches").out)

    assert len(exported) == 24
    assert {row["seat"] for row in exported} == {"0", "1"}
    by_deal = {
        row["deal"]: [r["match"] for r in exported if r["deal"] == row["deal"]] for row in exported
    }
    assert all(len(set(matches)) == 2 for matches in by_deal.values())


def test_faults_have_a_line_for_each_bot_with_its_first_one(run: Run, sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", deals=2)

    exported = rows(run("tournament", "export", "1", "--what", "faults").out)

    standings = rows(run("tournament", "export", "1").out)
    assert sum(int(row["faults"]) for row in exported) == 4  # in every third match
    assert [row["bot"] for row in exported] == [row["bot"] for row in standings]
    assert [row["faults"] for row in exported] == [row["faults"] for row in standings]
    for row in exported:
        if row["faults"] == "0":
            assert row["match"] == ""
            continue
        with sqlite_store.read() as conn:
            own, _ = list_matches(conn, bot=row["bot"], faults=True)
            first = min(own, key=lambda each: each.finished)
            (note,) = get_match(conn, first.id).notes
        assert (row["match"], float(row["finished"])) == (first.id, first.finished)
        assert (int(row["seat"]), int(row["decision"])) == (note.seat, note.number)
        assert (row["kind"], row["reason"]) == ("timeout", "No answer within 2000 ms.")
        assert row["instead"] == note.instead


def test_a_bot_without_a_fault_has_a_line_without_a_match(run: Run, sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "bob", only=0)

    (one, other) = rows(run("tournament", "export", "1", "--what", "faults").out)

    assert {one["bot"], other["bot"]} == {"ann", "bob"}
    assert {key: value for key, value in one.items() if value} == {
        "bot": one["bot"],
        "version": "1",
        "faults": "0",
        "forfeits": "0",
    }


@pytest.mark.usefixtures("tournament")
def test_it_can_go_to_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "standings.csv"

    assert run("tournament", "export", "1", "--out", str(file)).out == ""

    assert len(rows(file.read_text())) == 3


@pytest.mark.usefixtures("tournament")
@pytest.mark.parametrize("what", ["standings", "crosstable", "matches", "faults"])
@pytest.mark.parametrize("form", ["csv", "json"])
def test_an_unknown_tournament_is_an_error_and_makes_no_file(
    run: Run, tmp_path: Path, what: str, form: str
) -> None:
    file = tmp_path / "none"

    failed = run("tournament", "export", "9", "--what", what, "--format", form, "--out", str(file))

    assert (failed.status, failed.out) == (2, "")
    assert failed.err == "Error: There is no tournament 9.\n"
    assert not file.exists()


def test_before_the_first_match_only_the_columns_are_there(run: Run, sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "bob", only=0)

    assert rows(run("tournament", "export", "1", "--what", "crosstable").out) == []
    assert (
        json.loads(run("tournament", "export", "1", "--what", "matches", "--format", "json").out)
        == []
    )


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_no_text_is_a_formula_to_a_spreadsheet(text: str) -> None:
    out = io.StringIO()

    _write_csv(
        ["bot", "difference", "forfeited"],
        [{"bot": text, "difference": -1.5, "forfeited": True}],
        out,
    )

    written = list(csv.reader(io.StringIO(out.getvalue(), newline="")))
    assert written[1] == [f"'{text}", "-1.5", "1"]
