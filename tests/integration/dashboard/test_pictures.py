"""Pictures for where links are shared: PNG of the size those sites ask for."""

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
from dashboard.layout.avatar import PARTS
from dashboard.pictures import cards, drawing
from dashboard.pictures.drawing import plain
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
    drawn = counting(monkeypatch)
    first = browser.get("/tournaments/1/preview.png").data

    assert browser.get("/tournaments/1/preview.png").data == first
    assert len(drawn) == 1


def counting(monkeypatch: pytest.MonkeyPatch) -> list[cards.Picture]:
    """Redraws all pictures, each as one pixel; returns the drawn ones."""
    drawn: list[cards.Picture] = []

    def pixel(picture: cards.Picture) -> bytes:
        drawn.append(picture)
        return b"PNG of " + str(len(drawn)).encode()

    monkeypatch.setattr(drawing, "_drawn", pixel)
    monkeypatch.setattr(drawing, "pen", drawing.Pen())
    return drawn


def test_one_address_has_few_pictures_drawn_however_many_people_share_it(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit covers all kinds; cached pictures do not count."""
    drawn = counting(monkeypatch)
    match = match_of(sqlite_store).id
    few = ["/preview.png", "/tournaments/1/preview.png", f"/matches/{match}/preview.png"]
    many = [f"/bots/bot-{number}/preview.png" for number in range(25)]
    with sqlite_store.write() as conn:
        for number in range(25):
            bots.register(conn, f"bot-{number}")
    for _ in range(30):
        assert {browser.get(page).status_code for page in few} == {200}

    statuses = [browser.get(page).status_code for page in many]

    assert statuses == [200] * 17 + [429] * 8
    assert len(drawn) == 20
    other = {"REMOTE_ADDR": "192.0.2.7"}
    assert browser.get(many[-1], environ_overrides=other).status_code == 200


def test_all_visitors_together_have_no_more_drawn_than_a_small_part_of_a_processor_can(
    browser: FlaskClient, finished: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = counting(monkeypatch)
    for number in range(60):
        drawing.pen.draw(cards.Welcome(str(number), ()))

    refused = browser.get("/tournaments/1/preview.png")

    assert (refused.status_code, len(drawn)) == (503, 60)
    assert "Try again" in refused.text
    assert drawing.pen.kept(cards.Welcome("59", ())) == b"PNG of 60"


def test_no_more_pictures_are_kept_than_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    counting(monkeypatch)
    monkeypatch.setattr(drawing, "KEPT", 3)
    shown = [cards.Welcome(str(number), ()) for number in range(5)]
    for each in shown:
        drawing.pen.draw(each)

    assert [drawing.pen.kept(each) is not None for each in shown] == [False] * 2 + [True] * 3


def test_who_would_wait_for_too_long_is_asked_to_come_again(
    browser: FlaskClient, finished: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting(monkeypatch)
    monkeypatch.setattr(drawing, "WAIT_S", 0.0)
    with drawing.pen.busy:
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


def test_pages_have_descriptions(
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
