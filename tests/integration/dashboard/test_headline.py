"""One headline number everywhere: rating ± 95%, and one sentence on how live Elo differs."""

import csv
import io
import json
import re
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from arena.cli.ratings_text import NONE
from arena.cli.ratings_text import chance as chance_told
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.sentences import TWO_NUMBERS, UNRATED
from arena.service.control.service import ControlService
from arena.store import Store
from arena.store.reports import leaderboard
from arena.store.reports.leaderboard import Rating
from dashboard.layout.numbers import chance
from tests.integration.api_world import browser_on, data
from tests.integration.conftest import Run
from tests.made_results import entered, result, results, save, schedule

DOC = Path(__file__).parents[3] / "docs" / "ratings.md"
NAMES = ("ada", "five", "cyd", "dan")


@pytest.fixture
def browser(sqlite_store: Store) -> FlaskClient:
    """On an arena with a tournament of four bots at tables of three; five is the anchor."""
    save(sqlite_store, results(entered(sqlite_store, names=NAMES, deals=6)))
    return browser_on(sqlite_store)


def table(store: Store) -> dict[str, Rating]:
    with store.read() as conn:
        return {line.bot: line for line in leaderboard.table(conn, "lama")}


def words(html: str) -> str:
    """The text of a page, without markup, with single spaces."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def section(html: str, id_: str) -> str:
    """The part of a page with this heading."""
    return html.partition(f'aria-labelledby="{id_}"')[2].partition("</section>")[0]


@pytest.mark.parametrize("path", ["/ratings", "/bots/ada", "/tournaments/1", "/help/ratings"])
def test_every_page_with_both_numbers_says_how_they_differ(browser: FlaskClient, path: str) -> None:
    assert words(browser.get(path).text).count(TWO_NUMBERS) == 1


def test_the_documentation_and_the_command_line_say_it_in_the_same_words(
    run: Run, browser: FlaskClient
) -> None:
    flat = " ".join(DOC.read_text().replace("*", "").split())
    assert TWO_NUMBERS in flat
    help_ = " ".join(run("ratings", "--help").out.split())
    assert TWO_NUMBERS in help_.replace("RATING (± 95%)", "rating ± 95%").replace("ELO", "Elo")
    assert TWO_NUMBERS in run("ratings").err
    assert TWO_NUMBERS in run("tournament", "show", "1").err


def test_the_rating_stands_first_on_a_bots_page(browser: FlaskClient, sqlite_store: Store) -> None:
    html, line = browser.get("/bots/ada").text, table(sqlite_store)["ada"]

    versions = section(browser.get("/bots/ada/status").text, "versions")
    assert html.index('id="strength"') < html.index('id="rivals"') < html.index('id="history"')
    assert f"{line.rating:.0f} ± {line.plus_minus:.0f}" in words(section(html, "strength"))
    assert f"{line.rating:.0f} ± {line.plus_minus:.0f}" in words(versions)
    assert "chart-plot" in section(html, "history")


def test_the_anchors_page_says_that_it_is_1500_by_definition(browser: FlaskClient) -> None:
    html = browser.get("/bots/five").text

    assert "five is the anchor : 1500 by definition." in words(section(html, "history"))
    assert "chart-plot" not in section(html, "history")
    (row,) = re.findall(r"<tr>(?:(?!<tr>).)*/bots/five.*?</tr>", browser.get("/ratings").text, re.S)
    assert "by definition" in row
    points = data(browser, "/api/bots/five/history")["points"]
    assert {(point["elo"], point["low"], point["high"]) for point in points} == {(1500, 1500, 1500)}


def test_the_first_page_has_ratings_only(browser: FlaskClient) -> None:
    best = section(browser.get("/").text, "best")

    assert "Rating ± 95%" in words(best)
    assert "Elo" not in words(best)


def test_standings_have_the_ratings_of_the_game(
    run: Run, browser: FlaskClient, sqlite_store: Store
) -> None:
    known = table(sqlite_store)

    lines = data(browser, "/api/tournaments/1")["standings"]
    assert lines == data(browser, "/api/tournaments/1/standings")["standings"]
    shown = json.loads(run("tournament", "show", "1", "--json").out)["standings"]
    exported = list(csv.DictReader(io.StringIO(run("tournament", "export", "1").out)))
    html = words(section(browser.get("/tournaments/1").text, "standings"))
    printed = run("tournament", "show", "1").out

    assert len(lines) == len(shown) == len(exported) == 4
    for told in (*lines, *shown, *exported):
        line = known[told["bot"]]
        assert float(told["rating"]) == pytest.approx(line.rating)
        assert float(told["rating_plus_minus"]) == pytest.approx(line.plus_minus)
        assert float(told["elo"]) == pytest.approx(line.elo)
    for line in known.values():
        assert f"{line.rating:.0f} ± {line.plus_minus:.0f}" in html
        assert re.search(rf"{line.bot} +{line.rating:.0f} ± +{line.plus_minus:.0f}\?", printed)
    assert html.index("Rating ± 95%") < html.index("Score")


def test_ratings_are_told_where_they_are_asked_for(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    """Not to who watches: a fit at every look would be too dear."""
    control = ControlService(sqlite_store, None)

    plain = control.get_tournament(pb.TournamentId(id=1)).standings
    asked = control.get_tournament(pb.TournamentId(id=1, ratings=True)).standings

    assert {line.HasField("rating") for line in plain} == {False}
    assert {line.HasField("rating") for line in asked} == {True}
    assert all(line.rating_provisional for line in asked)  # 36 matches each


def test_bots_without_a_rating_show_what_is_missing(run: Run, sqlite_store: Store) -> None:
    browser = browser_on(sqlite_store)
    tournament = entered(sqlite_store, names=NAMES, deals=6)
    (only,) = results(tournament)[:1]
    save(sqlite_store, [only])
    player = NAMES[tournament.players.index(only.players[0])]

    for path in ("/ratings", "/", "/tournaments/1", f"/bots/{player}"):
        assert f"{NONE} {UNRATED}" in words(browser.get(path).text), path
    assert f"{NONE} no rated match yet" in words(browser.get("/tournaments/1").text)
    assert f"{NONE} {UNRATED}." in run("ratings").err
    assert f"{NONE} {UNRATED}." in run("tournament", "show", "1").err
    lines = data(browser, "/api/tournaments/1")["standings"]
    assert {line["rating"] for line in lines} == {None}


PROBABILITIES = (1e-6, 4e-4, 9.999e-4, 0.001, 0.5, 0.9985, 0.999, 0.9996, 0.99994, 1 - 1e-6)


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_probability_of_being_stronger_is_never_certain(probability: float) -> None:
    """Neither 100 nor 0 percent, however it is rounded."""
    for said in (chance(probability), chance_told(probability)):
        number = said.strip("%")
        assert re.fullmatch(r">99\.9|<0\.1|\d\d?(\.\d)?", number)
        assert number not in ("0", "0.0")
        if number[0] not in "<>":
            assert 0 < float(number) < 100


def test_pairs_that_one_bot_always_won_are_told_so_everywhere(
    run: Run, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store, names=("ada", "bob", "cyd"), seats=2, matches=2000)
    save(
        sqlite_store,
        [result(tournament, one, [9 * e for e in one.seats]) for one in schedule(tournament)],
    )
    browser = browser_on(sqlite_store)

    printed, exported = run("ratings", "pairs").out, browser.get("/api/ratings/pairs.csv").text
    heat = browser.get("/ratings/pairs?show=stronger").text
    duel = words(browser.get("/ratings/pairs?a=ada&b=cyd").text)
    told = data(browser, "/api/ratings/pairs")["pairs"]

    assert ">99.9%" in printed
    assert {line["stronger"] for line in told} == {1 - 1e-6}
    assert {float(line["stronger"]) for line in csv.DictReader(io.StringIO(exported))} == {1 - 1e-6}
    assert {"&gt;99.9", "&lt;0.1"} <= set(re.findall(r"&[gl]t;[\d.]+", heat))
    assert "Probability that ada is stronger >99.9%" in duel


def test_help_page_and_command_line_say_how_often_all_ranges_hold_at_once(
    run: Run, browser: FlaskClient
) -> None:
    assert "the ranks a bot could hold given the uncertainty" in words(browser.get("/ratings").text)
    explained = words(browser.get("/help/ratings").text)
    assert "With 40 bots, all ranges are right at once in about 70 of 100." in explained
    assert "With 40 bots, all ranges are right in about 70." in " ".join(
        run("ratings", "--help").out.split()
    )
