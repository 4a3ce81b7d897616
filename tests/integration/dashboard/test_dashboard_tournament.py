"""A tournament's page: crosstable, cards and seats, and what its format has to say."""

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape

import pytest
from flask.testing import FlaskClient

from arena.store import Store
from arena.store.reports import crosstable, standings, variance
from arena.store.reports.crosstable import Meeting
from arena.store.save import FaultNote, MatchResult
from arena.store.tournaments import format_state, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import format_of
from dashboard.tournaments.detail import crossings, sections
from tests.integration.api_world import browser_on, data
from tests.integration.dashboard.test_dashboard import page
from tests.made_results import entered, result, results, save


@pytest.fixture
def browser(sqlite_store: Store) -> FlaskClient:
    return browser_on(sqlite_store)


def play_through(store: Store, tournament: Tournament, points: Sequence[int]) -> None:
    """Plays block after block; an entrant has always the same points."""
    format_ = format_of(tournament.spec.format)
    number = 0
    while True:
        with store.write() as conn:
            so_far = format_state.fold(conn, tournament).so_far
        block = format_.block(tournament.spec, number, so_far)
        if not block:
            break
        save(store, [result(tournament, one, [points[e] for e in one.seats]) for one in block])
        number += 1
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running")
        tournaments.end(conn, tournament)


def cells(text: str) -> dict[str, list[str]]:
    """The rows of the crosstable by bot."""
    body = text.partition('<table class="matrix">')[2].partition("</table>")[0]
    found = {}
    for row in re.findall(r'<th scope="row">.*?</tr>', body, re.DOTALL):
        (bot,) = re.findall(r'href="/bots/(\w+)"', row)
        columns = re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)
        found[bot] = [re.sub(r"<[^>]+>", "", column) for column in columns]
    return found


def test_the_crosstable_is_a_heat_map_in_the_order_of_the_standings(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store)
    save(sqlite_store, results(tournament))
    with sqlite_store.read() as conn:
        order = [line.bot for line in standings.standings(conn, tournament.id)]
        met = {(line.bot, line.opponent): line for line in crosstable.crosstable(conn, 1)}

    shown = cells(page(browser, "/tournaments/1/analysis"))

    assert list(shown) == order
    for bot, row in shown.items():
        for other, cell in zip(order, row, strict=True):
            if bot == other:
                assert cell == "itself"
            else:
                assert cell.split()[0] == f"{round(100 * met[bot, other].score)}"
    alone = page(browser, "/tournaments/1/crosstable")
    assert shown == cells(alone)
    links = re.findall(r'href="(/matches[?][^"]+)"', alone)
    assert len(links) == len(order) * (len(order) - 1)
    for link in links[:3]:
        assert 'class="day"' in page(browser, unescape(link))


def test_the_crosstable_as_json_has_every_pair_from_either_side(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store)
    save(sqlite_store, results(tournament))

    told = data(browser, "/api/tournaments/1/crosstable")

    with sqlite_store.read() as conn:
        stored = crosstable.crosstable(conn, 1)
    assert [Meeting(**line) for line in told["meetings"]] == stored
    assert told["played"] == len(results(tournament))
    assert data(browser, "/api/tournaments/9/crosstable", 404)["error"].endswith(".")


def test_a_large_crosstable_is_counted_only_when_asked_for(
    browser: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(sqlite_store, results(entered(sqlite_store)))
    monkeypatch.setattr(sections, "AT_ONCE", 5)

    text = page(browser, "/tournaments/1/analysis")

    assert cells(text) == {}
    assert 'href="/tournaments/1/crosstable"' in text
    assert len(cells(page(browser, "/tournaments/1/crosstable"))) == 5


def test_a_crosstable_is_counted_again_only_when_matches_were_played(
    browser: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    def count(*asked: object) -> list[Meeting]:
        counted.append(1)
        return crosstable.crosstable(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(crossings, "crosstable", count)
    tournament = entered(sqlite_store)
    found = results(tournament)
    save(sqlite_store, found[:6])

    page(browser, "/tournaments/1/analysis")
    page(browser, "/tournaments/1/tables")
    assert len(counted) == 1
    save(sqlite_store, found[6:])
    assert data(browser, "/api/tournaments/1/crosstable")["played"] == len(found)
    assert len(counted) == 2


def test_versions_of_a_bot_are_one_line_of_the_crosstable() -> None:
    found = crossings.crossings(
        [Meeting("ada", "bob", 3, 1.0, -4.0), Meeting("ada", "bob", 1, 0.0, 4.0)]
    )

    assert found == {("ada", "bob"): Meeting("ada", "bob", 4, 0.75, -2.0)}


def test_a_crosstable_of_very_many_bots_shows_the_first_and_says_so(
    browser: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(sqlite_store, results(entered(sqlite_store)))
    monkeypatch.setattr(sections, "MOST", 3)

    text = page(browser, "/tournaments/1/analysis")

    assert [len(row) for row in cells(text).values()] == [3, 3, 3]
    assert "The first 3 of 5 bots" in text


def with_a_fault(result: MatchResult) -> MatchResult:
    note = FaultNote(0, 5, "error", "=KeyError: 'llama'", "quit")
    return replace(result, notes=(note,), faults=(1, *result.faults[1:]))


def test_the_first_fault_of_each_bot_is_a_table_for_organisers(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store, deals=1)
    first, *others = results(tournament)
    save(sqlite_store, [with_a_fault(first), *others])

    told = data(browser, "/api/tournaments/1/faults")["faults"]
    lines = browser.get("/api/tournaments/1/faults.csv").text.splitlines()

    table = data(browser, "/api/tournaments/1/standings")["standings"]
    assert [row["bot"] for row in told] == [row["bot"] for row in table]
    (row,) = [row for row in told if row["faults"]]
    assert (row["match"], row["seat"], row["decision"]) == (first.id, 0, 5)
    assert (row["kind"], row["reason"], row["instead"]) == ("error", "=KeyError: 'llama'", "quit")
    assert row["finished"] == first.finished
    others_ = [row for row in told if not row["faults"]]
    assert all(row["match"] is row["kind"] is row["decision"] is None for row in others_)
    assert len(lines) == 1 + len(told)
    assert any("'=KeyError" in line for line in lines)  # not a formula
    assert "/api/tournaments/1/faults?format=csv" in page(browser, "/tournaments/1")


def test_a_first_fault_in_a_sealed_match_keeps_what_tells_of_cards(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store, deals=1, format_options={"deals": "duplicate"}, trusted=True)
    first = with_a_fault(results(tournament)[0])
    save(sqlite_store, [first])

    (row,) = [r for r in data(browser, "/api/tournaments/1/faults")["faults"] if r["faults"]]
    assert (row["match"], row["kind"], row["locked"]) == (first.id, "error", True)
    assert row["reason"] is row["instead"] is None
    assert "KeyError" not in browser.get("/api/tournaments/1/faults.csv").text

    save(sqlite_store, results(tournament))
    (row,) = [r for r in data(browser, "/api/tournaments/1/faults")["faults"] if r["faults"]]
    assert (row["locked"], row["instead"]) == (False, "quit")


def test_a_tournament_without_a_fault_offers_no_table_of_faults(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    save(sqlite_store, results(entered(sqlite_store)))
    assert "faults?format=csv" not in page(browser, "/tournaments/1")


def test_saved_variance_and_points_by_seat_are_shown(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    save(sqlite_store, results(entered(sqlite_store, deals=3)))
    with sqlite_store.read() as conn:
        known = variance.luck(conn, 1)

    text, told = page(browser, "/tournaments/1/analysis"), data(browser, "/api/tournaments/1")

    assert known.saved is not None
    assert told["luck"]["saved"] == known.saved
    assert "Duplicate deals" in text
    for seat, mean in enumerate(known.mean_points, 1):
        assert re.search(rf"Seat {seat}</th><td[^>]*>{mean:.2f}</td>", text)


def test_a_tournament_without_a_match_has_neither_crosstable_nor_seats(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    entered(sqlite_store)

    text = page(browser, "/tournaments/1/analysis")

    assert "Crosstable" not in text
    assert "Points by seat" not in text
    assert data(browser, "/api/tournaments/1/crosstable")["meetings"] == []
    assert "No matches yet." in page(browser, "/tournaments/1/crosstable")


def test_the_balance_of_a_round_robin_and_options_are_told(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    entered(sqlite_store)

    text = page(browser, "/tournaments/1")

    assert "every pair of bots meets in 18 matches" in text
    assert "Tables: auto" in page(browser, "/tournaments/1/terms")
    assert data(browser, "/api/tournaments/1")["test"] is None


def test_a_knockout_shows_its_rounds_and_who_went_on(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(
        sqlite_store, ("ada", "bob", "cyd", "dan"), format="knockout", seats=2, deals=1
    )
    play_through(sqlite_store, tournament, points=(3, 2, 9, 7))

    text = page(browser, "/tournaments/1")

    bracket = text[text.index('<ol class="bracket">') : text.index("Score against the others")]
    first, _, final = bracket.partition("<h3>Final</h3>")
    through = r'<tr class="won">.*?<a class="bot"[^>]*>(\w+)</a>'
    assert "<h3>Round 1</h3>" in first
    assert sorted(re.findall(through, first, re.DOTALL)) == ["ada", "bob"]
    assert re.findall(through, final, re.DOTALL) == ["bob"]
    assert final.count(">winner</span>") == 1
    assert "bob has won" in text
    assert "Bots that are still in come first" in text
    order = [line["bot"] for line in data(browser, "/api/tournaments/1")["standings"]]
    assert order == ["bob", "ada", "dan", "cyd"]


def test_a_test_shows_its_ratio_bounds_and_verdict(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store, ("newer", "old"), format="versus", seats=2, deals=20)
    play_through(sqlite_store, tournament, points=(1, 5))

    text, told = page(browser, "/tournaments/1"), data(browser, "/api/tournaments/1")["test"]

    assert told["state"] == "accepted"
    assert told["llr"] >= told["upper"]
    assert "Accepted, newer is better than old" in text
    assert f">{told['llr']:.2f}<" in text
    assert f"{told['upper']:.2f}" in text
    assert f'aria-label="LLR {told["llr"]:.2f} between' in text


def test_the_tabs_of_a_tournament_have_addresses(browser: FlaskClient, sqlite_store: Store) -> None:
    entered(sqlite_store)
    for tab in ("", "/matches", "/analysis", "/terms"):
        text = page(browser, f"/tournaments/1{tab}")
        assert f'<a href="/tournaments/1{tab}" aria-current="page">' in text
        assert text.count("aria-current") == 2  # the other one is in the site's navigation
    assert browser.get("/tournaments/1/tables?of=nothing").status_code == 404
    assert browser.get("/tournaments/9/terms").status_code == 404


def test_a_round_names_the_bots_with_a_bye(browser: FlaskClient, sqlite_store: Store) -> None:
    names = ("ada", "bob", "cyd", "dan", "eve", "fay")
    tournament = entered(sqlite_store, names, format="knockout", seats=2, deals=1)
    play_through(sqlite_store, tournament, points=(3, 2, 9, 7, 8, 9))

    text = page(browser, "/tournaments/1")

    (first,) = re.findall(r"<h3>Round 1</h3>(.*?)<h3>", text, re.DOTALL)
    (byes,) = re.findall(r"<b>Bye</b>(.*?)</p>", text, re.DOTALL)
    seated = re.findall(r'<a class="bot"[^>]*>(\w+)</a>', first.partition("<b>Bye</b>")[0])
    assert sorted([*seated, *re.findall(r">(\w+)</a>", byes)]) == sorted(names)


def test_live_parts_of_a_running_tournament_fetch_themselves(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store)
    save(sqlite_store, results(tournament)[:4])

    # With the column of Elo, which is there until the end, and then stays as long as the page.
    for part, shown, address in (
        ("live", "", "/tournaments/1/live?elo=1"),
        ("tables", "", "/tournaments/1/tables?of=rounds"),
        ("tables", "/analysis", "/tournaments/1/tables?of=tables"),
        ("tables", "/matches", "/tournaments/1/tables?of=latest"),
    ):
        assert f'hx-get="{address}"' in page(browser, f"/tournaments/1{shown}")
        fetched = page(browser, address)
        assert fetched.count(f'id="{part}"') == 1
        assert "<html" not in fetched


def test_the_column_of_live_elo_does_not_leave_a_page_that_is_open_when_the_tournament_ends(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store)
    save(sqlite_store, results(tournament))
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, tournament.id, "finished")

    column = "<small>live</small></th>"
    assert column in page(browser, "/tournaments/1/live?elo=1")
    assert column not in page(browser, "/tournaments/1")


def test_a_note_that_goes_leaves_its_line_so_that_nothing_below_jumps(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store)
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running")
    save(sqlite_store, results(tournament)[:4])

    for note in ("No bot of it is connected.", ""):
        with sqlite_store.write() as conn:
            tournaments.set_note(conn, tournament.id, note)
        notes = re.findall(r'<p class="note">(.*?)</p>', page(browser, "/tournaments/1/live"))
        assert len(notes) == 1
    assert notes[0].startswith("Started ")
