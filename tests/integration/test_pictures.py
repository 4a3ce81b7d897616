"""Pictures for where links are shared: PNG of the size those sites ask for."""

from __future__ import annotations

import io
import math
import re

import pytest
from flask.testing import FlaskClient
from PIL import Image

from arena.store import Store
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.reports.standings import standings
from arena.store.tournaments.tournaments import Tournament
from dashboard.layout.face import PARTS
from dashboard.pictures import cards, drawing
from dashboard.pictures.canvas import plain
from dashboard.pictures.shapes import llama, path, symbol
from tests.integration.conftest import NAMES


def match_of(store: Store) -> matches.MatchRow:
    with store.read() as conn:
        return matches.list_matches(conn)[0][0]


def picture_in(browser: FlaskClient, page: str) -> str:
    """The address of the picture that a page names."""
    found = re.search(
        'property="og:image" content="http://localhost([^"]+)"', browser.get(page).text
    )
    assert found
    return found[1]


def test_each_page_names_the_picture_of_what_it_is_about(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store
) -> None:
    match = match_of(sqlite_store).id

    assert picture_in(browser, "/") == picture_in(browser, "/ratings") == "/preview.png"
    assert picture_in(browser, "/bots/ada") == "/bots/ada/preview.png"
    assert picture_in(browser, "/bots/ada/reviews") == "/bots/ada/preview.png"
    assert picture_in(browser, f"/matches/{match}/replay") == f"/matches/{match}/preview.png"
    assert picture_in(browser, "/tournaments/1") == "/tournaments/1/preview.png"
    assert "og:image" not in browser.get("/bots/nobody").text


def test_a_picture_is_a_png_of_the_size_that_was_said(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store
) -> None:
    match = match_of(sqlite_store).id
    sizes = {}
    for address in (
        "/preview.png",
        "/bots/ada/preview.png",
        "/tournaments/1/preview.png",
        f"/matches/{match}/preview.png",
    ):
        answer = browser.get(address)
        assert (answer.status_code, answer.mimetype) == (200, "image/png")
        assert answer.headers["Cache-Control"].startswith("public, max-age=")
        sizes[address] = Image.open(io.BytesIO(answer.data)).size

    assert set(sizes.values()) == {(1200, 630)}
    assert browser.get("/bots/nobody/preview.png").status_code == 404


def test_the_same_facts_are_drawn_once(
    browser: FlaskClient, finished: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing._kept.cache_clear()
    first = browser.get("/tournaments/1/preview.png").data
    drawn = drawing._kept.cache_info().misses

    assert browser.get("/tournaments/1/preview.png").data == first
    assert drawing._kept.cache_info().misses == drawn == 1


def test_who_would_wait_for_too_long_is_asked_to_come_again(
    browser: FlaskClient, finished: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing._kept.cache_clear()
    monkeypatch.setattr(drawing, "WAIT_S", 0.0)
    with drawing._drawing:
        assert browser.get("/bots/ada/preview.png").status_code == 503

    assert browser.get("/bots/ada/preview.png").status_code == 200


def test_a_result_says_who_won_and_with_how_many_points(
    finished: Tournament, sqlite_store: Store
) -> None:
    match = match_of(sqlite_store)
    with sqlite_store.read() as conn:
        table = cards.of_tournament(finished, standings(conn, finished.id))
        bot = cards.of_bot(bots.get(conn, "ada"), [])

    shown = cards.of_match(match, "Autumn Open")
    assert {(line.bot, line.figure.split()[0]) for line in shown.lines} == {
        (seat.bot, str(seat.points)) for seat in match.seats
    }
    assert "Autumn Open" in shown.below
    assert {line.bot for line in table.lines} == set(NAMES)
    assert bot.figures == (("no rated matches yet", "so far"),)


def test_letters_that_the_font_lacks_are_replaced() -> None:
    assert plain("Wintertürnier № 4 · 1556 ± 31 …") == "Winterturnier No 4 · 1556 ± 31 ..."
    assert plain("\u041e\u0431\x00") == "???"


def test_all_parts_of_faces_are_shapes_within_their_frame() -> None:
    for part, count in PARTS:
        for number in range(count):
            shapes = symbol(f"{part}{number}")
            assert shapes or f"{part}{number}" == "w0"  # who wears nothing
            for shape in shapes:
                assert all(-1 <= each <= 34 for point in shape.points for each in point)
    assert llama()


def test_a_path_is_read_as_svg_has_it() -> None:
    square = path("M1 2h3v3H1z")
    half, curve = path("M0 0a2 2 0 0 1-4 0z"), path("M0,0c0 4 4 4 4 0s4-4 4 0")

    assert square == [((1, 2), (4, 2), (4, 5), (1, 5), (1, 2))]
    assert all(math.isclose(math.dist(point, (-2, 0)), 2) for point in half[0])
    assert max(y for _, y in half[0]) == pytest.approx(2)
    assert curve[0][12] == (4, 0)
    assert curve[0][-1] == (8, 0)
    assert min(y for _, y in curve[0]) == pytest.approx(-3, abs=0.01), "the handle is mirrored"


def test_what_a_page_is_about_is_said_in_its_description(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store
) -> None:
    match = match_of(sqlite_store)
    pages = ["/bots/ada", "/tournaments", "/tournaments/1", f"/matches/{match.id}", "/ratings"]
    pages += [f"/matches/{match.id}/replay", "/play", "/sdk", "/rules/lama", "/"]
    found = {
        page: re.findall('(?:name="|property="og:)description" content="([^"]*)"', html)
        for page, html in ((page, browser.get(page).text) for page in pages)
    }

    assert all(len(said) == 2 and said[0] == said[1] for said in found.values())
    assert len({said[0] for said in found.values()}) == len(pages)
    assert f"{match.seats[0].points} point" in found[f"/matches/{match.id}"][0]
