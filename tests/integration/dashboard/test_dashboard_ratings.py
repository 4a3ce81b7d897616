"""Rating tables and pairs on the dashboard, as pages and as JSON."""

import html
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient

from arena.store import Store
from arena.store.registry import bots
from arena.store.reports import leaderboard
from arena.tournaments.ratings.elo import expected
from dashboard.layout.numbers import MINUS
from dashboard.ratings.table import view
from dashboard.ratings.table.query import COLUMNS
from tests.integration.api_world import browser_on, data
from tests.integration.dashboard.test_dashboard import page
from tests.made_results import NAMES, entered, results, save


@pytest.fixture
def browser(sqlite_store: Store) -> FlaskClient:
    """On an arena with a tournament of five bots at tables of three."""
    save(sqlite_store, results(entered(sqlite_store, deals=6)))
    return browser_on(sqlite_store)


CELL = re.compile(r"<td.*?</td>", re.DOTALL)


def table(store: Store, **asked: Any) -> list[leaderboard.Rating]:
    with store.read() as conn:
        return leaderboard.table(conn, "lama", **asked)


def names(text: str) -> list[str]:
    """The bots of a table on a page, from top to bottom."""
    return re.findall(r'<th scope="row">.*?<a class="bot"[^>]*>(\w+)', text)


def new_version(store: Store, name: str) -> None:
    """Gives a bot a second version, which has played a tournament too."""
    with store.write() as conn:
        bots.new_version(conn, name, "2")
    save(store, results(entered(store, repeats=8), luck=2))


def test_each_line_has_its_rating_with_interval_drawn_and_in_numbers(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    text = page(browser, "/ratings")

    lines = table(sqlite_store)
    assert names(text) == [line.bot for line in lines]
    assert text.count('<svg class="error-bar"') == len(lines)
    for line in lines:
        assert line.rating is not None
        assert f"{line.rating:.0f} <small>± {line.plus_minus:.0f}</small>" in text


def test_the_table_is_told_in_short(browser: FlaskClient, sqlite_store: Store) -> None:
    text = page(browser, "/ratings")

    first, second = (line.bot for line in table(sqlite_store)[:2])
    (told,) = re.findall(r'<ul class="takeaways">(.*?)</ul>', text, re.DOTALL)
    sentences = re.findall("<li>(.*?)</li>", told)
    assert 1 <= len(sentences) <= 4
    assert sentences[0].startswith((f"{first} is ", f"{first} and {second} cannot be told apart"))
    assert 'id="takeaways"' in page(browser, "/help/ratings")


def test_a_range_of_one_rank_is_one_number(browser: FlaskClient, sqlite_store: Store) -> None:
    shown = re.findall(r'<td class="range">([^<]+)</td>', page(browser, "/ratings"))

    assert shown == [
        str(line.rank_low) if line.rank_low == line.rank_high
        else f"{line.rank_low}\N{EN DASH}{line.rank_high}"
        for line in table(sqlite_store)
    ]  # fmt: skip
    assert any("\N{EN DASH}" in each for each in shown)


def test_marks_are_shown_and_explained(browser: FlaskClient) -> None:
    text = page(browser, "/ratings")

    assert text.count('href="/help/ratings#provisional"') == len(NAMES)
    assert "too few matches or upsets" in text
    assert "Ratings average 1500." in text


def test_the_anchor_is_marked_and_named(sqlite_store: Store) -> None:
    save(sqlite_store, results(entered(sqlite_store, ("ada", "five", "cyd"), deals=3)))
    browser = browser_on(sqlite_store)

    text = page(browser, "/ratings")

    assert text.count('href="/help/ratings#anchor"') == 1
    assert "five is the anchor" in text
    assert data(browser, "/api/ratings")["anchor"] == "five"


@pytest.mark.parametrize("column", list(COLUMNS))
def test_a_table_is_sorted_by_any_column_either_way(
    browser: FlaskClient, sqlite_store: Store, column: str
) -> None:
    key = COLUMNS[column].key
    lines = {line.bot: key(line) for line in table(sqlite_store)}

    usual = [lines[bot] for bot in names(page(browser, f"/ratings?sort={column}"))]
    turned = [lines[bot] for bot in names(page(browser, f"/ratings?sort=-{column}"))]
    told = [key(line) for line in _ratings(browser, f"/api/ratings?sort=-{column}")]

    assert usual == sorted(lines.values(), reverse=COLUMNS[column].falling)
    assert turned == usual[::-1] == told


def test_a_long_table_comes_in_pages_that_keep_order_and_ranks(
    browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = names(page(browser, "/ratings?sort=-elo"))
    monkeypatch.setattr(view, "PAGE", 2)

    pages, following = [], "/ratings?sort=-elo"
    while following:
        text = page(browser, following)
        pages.append(names(text))
        link = re.search(r'<a href="([^"]+)">Next</a>', text)
        following = html.unescape(link[1]) if link else ""

    assert [len(each) for each in pages] == [2, 2, 1]
    assert [bot for each in pages for bot in each] == whole
    assert '<a href="/ratings?sort=-elo&amp;game=lama">First</a>' in text
    assert "No more bots." in page(browser, "/ratings?after=99")


def _ratings(browser: FlaskClient, path: str) -> list[leaderboard.Rating]:
    return [leaderboard.Rating(**line) for line in data(browser, path)["ratings"]]


def test_the_sorted_column_says_so_and_turns_round_when_asked_again(browser: FlaskClient) -> None:
    text = page(browser, "/ratings?sort=elo&seats=3")

    (state,) = re.findall(r'aria-sort="(\w+)"', text)
    assert state == "descending"
    assert 'href="/ratings?sort=-elo&amp;game=lama&amp;seats=3"' in text
    assert 'href="/ratings?sort=faults&amp;game=lama&amp;seats=3"' in text


def test_every_column_leads_to_its_explanation(browser: FlaskClient) -> None:
    text, explained = page(browser, "/ratings"), page(browser, "/help/ratings")

    anchors = set(re.findall(r'href="/help/ratings#([\w-]+)"', text))
    assert {column.about for column in COLUMNS.values()} <= anchors
    for path in ("/ratings", "/ratings/pairs?a=ada&b=bob", "/tournaments/1"):
        for anchor in re.findall(r'href="/help/ratings#([\w-]+)"', page(browser, path)):
            assert f'id="{anchor}"' in explained


def test_older_versions_are_shown_when_asked_for(browser: FlaskClient, sqlite_store: Store) -> None:
    new_version(sqlite_store, "ada")

    newest, every = page(browser, "/ratings"), page(browser, "/ratings?all_versions=true")

    assert sorted(names(newest)) == sorted(NAMES)
    assert sorted(names(every)) == sorted([*NAMES, "ada"])
    assert 'href="/ratings?game=lama&amp;all_versions=true"' in newest
    assert "<small>v2</small>" in newest


def test_inactive_bots_can_be_hidden(browser: FlaskClient) -> None:
    text = page(browser, "/ratings?active_days=7")

    assert names(text) == []  # all was played in 1970
    assert "No bot has played in the last 7 days." in text
    assert data(browser, "/api/ratings?active_days=7")["ratings"] == []
    assert 'href="/ratings?game=lama"' in text  # back to all


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/ratings?sort=beauty", 400),
        ("/ratings?sort=--elo", 400),
        ("/ratings?all_versions=perhaps", 400),
        ("/ratings?active_days=0", 400),
        ("/ratings?active_days=99999999", 400),
        ("/ratings/pairs?game=chess", 400),
        ("/ratings/pairs?seats=7", 400),
    ],
)
def test_what_no_table_is_asked_by_is_said_in_a_sentence(
    browser: FlaskClient, path: str, status: int
) -> None:
    assert '<div class="notice">' in page(browser, path, status)
    assert str(data(browser, f"/api{path}", status)["error"]).endswith(".")


# Pair by pair


def pairs(browser: FlaskClient, query: str = "") -> dict[tuple[str, str], dict[str, Any]]:
    found = data(browser, f"/api/ratings/pairs{query}")["pairs"]
    return {(pair["bot"], pair["other"]): pair for pair in found}


def cells(text: str) -> list[list[str]]:
    """The numbers of the heat map, row by row."""
    body = text.partition('<table class="matrix">')[2]
    rows = re.findall(r'<th scope="row">.*?</tr>', body, re.DOTALL)
    return [
        [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in CELL.findall(row)]
        for row in rows
    ]


def test_the_pairs_are_those_of_the_store(browser: FlaskClient, sqlite_store: Store) -> None:
    with sqlite_store.read() as conn:
        lines = {line.player: line.bot for line in leaderboard.table(conn, "lama")}
        stored = leaderboard.pairs(conn, "lama", 0, list(lines))

    told = pairs(browser)

    assert len(told) == len(stored) == 10
    for pair in stored:
        same = told[lines[pair.player], lines[pair.other]]
        assert same["observed"] == pair.observed
        assert same["stronger"] == pair.stronger
        assert same["deals"] == pair.deals


def test_the_heat_map_tells_a_pair_from_either_side(browser: FlaskClient) -> None:
    shown = cells(page(browser, "/ratings/pairs"))
    residuals = cells(page(browser, "/ratings/pairs?show=residual"))

    for row in range(5):
        assert shown[row][row] == "itself"
        for column in range(5):
            if row != column:
                mine, theirs = shown[row][column].split(), shown[column][row].split()
                assert abs(int(mine[0]) + int(theirs[0]) - 100) <= 1
                other = residuals[column][row].translate(str.maketrans(f"+{MINUS}", f"{MINUS}+"))
                assert residuals[row][column] in (other, "+0.0", f"{MINUS}0.0", "\N{EN DASH}")


def test_any_two_bots_are_compared_head_to_head(browser: FlaskClient) -> None:
    every = pairs(browser)
    (one, other), pair = next(iter(every.items()))

    text = page(browser, f"/ratings/pairs?a={other}&b={one.upper()}")

    assert f"Score of {other}" in text
    assert f"{100 * (1 - pair['observed']):.1f}" in text
    assert f"± {pair['plus_minus']:.1f}" in text
    assert re.search(rf'<option value="{other}" selected>', text)


def test_versions_of_a_bot_can_be_compared(browser: FlaskClient, sqlite_store: Store) -> None:
    new_version(sqlite_store, "ada")
    query = urlencode({"all_versions": "true", "a": "ada", "b": "ada@1"})

    text = page(browser, f"/ratings/pairs?{query}")

    first, second = sorted(
        (line for line in table(sqlite_store, all_versions=True) if line.bot == "ada"),
        key=lambda line: line.player,
    )
    assert first.rating is not None
    assert second.rating is not None
    assert "have not met in a complete deal" in text
    assert f"{100 * expected(second.rating, first.rating):.1f}" in text


@pytest.mark.parametrize(
    ("query", "status"),
    [("a=ada&b=nobody", 404), ("a=ada&b=ADA", 400), ("show=everything", 400)],
)
def test_incomparable_bots_get_a_sentence(browser: FlaskClient, query: str, status: int) -> None:
    assert '<div class="notice">' in page(browser, f"/ratings/pairs?{query}", status)


def test_one_bot_alone_has_nobody_to_compare_with(sqlite_store: Store) -> None:
    text = page(browser_on(sqlite_store), "/ratings/pairs")

    assert "At least two rated bots" in text
    assert "<table" not in text
