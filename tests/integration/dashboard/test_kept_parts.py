"""Large tables are rendered once for each state of what they show."""

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.store import Store
from arena.store.matches import matches
from arena.store.matches.matches import MatchRow
from arena.store.registry import bots
from arena.store.reports import fits
from arena.store.save import cancel_matches
from arena.store.tournaments import tournaments
from dashboard import create_app, layout
from dashboard.matches.highlights import latest
from tests.made_archives import archive, own_archives, played_for_months
from tests.made_luck import calculate
from tests.made_results import entered, results, save


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    return create_app(Settings(), sqlite_store, None)


@pytest.fixture
def browser(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def drawn(app: Flask) -> Callable[[], int]:
    """How many error bars and cells of a heat map were drawn since the last time."""
    count = 0
    bar, cell = app.jinja_env.globals["error_bar"], app.jinja_env.filters["score_heat"]

    def counted(made: Callable[..., str]) -> Callable[..., str]:
        def draw(*asked: object) -> str:
            nonlocal count
            count += 1
            return made(*asked)

        return draw

    app.jinja_env.globals["error_bar"] = counted(bar)  # type: ignore[arg-type]
    app.jinja_env.filters["score_heat"] = counted(cell)

    def since() -> int:
        nonlocal count
        before, count = count, 0
        return before

    return since


@pytest.mark.parametrize("path", ["/ratings", "/ratings?active_days=30000", "/ratings/pairs"])
def test_a_table_is_rendered_once_while_nothing_changes(
    browser: FlaskClient, sqlite_store: Store, drawn: Callable[[], int], path: str
) -> None:
    played = results(entered(sqlite_store))
    save(sqlite_store, played[:45])

    first = browser.get(path).text
    assert drawn() > 0
    assert browser.get(path).text == first
    assert drawn() == 0
    save(sqlite_store, played[45:])
    assert browser.get(path).text != first
    assert drawn() > 0


def test_each_order_and_each_choice_is_a_table_of_its_own(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    save(sqlite_store, results(entered(sqlite_store)))
    paths = ["/ratings", "/ratings?sort=elo", "/ratings?sort=-elo", "/ratings?all_versions=true"]

    shown = [browser.get(path).text for path in (*paths, *paths)]

    assert shown[:4] == shown[4:]
    assert len(set(shown)) == 4


def test_another_anchor_moves_what_is_shown(browser: FlaskClient, sqlite_store: Store) -> None:
    save(sqlite_store, results(entered(sqlite_store)))
    before = browser.get("/ratings").text

    with sqlite_store.write() as conn:
        fits.set_anchor(conn, "lama", "ada")

    assert "ada is the anchor" not in before
    assert "ada is the anchor" in browser.get("/ratings").text


def test_cached_fragments_depend_on_the_path_prefix(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    save(sqlite_store, results(entered(sqlite_store)))

    first = browser.get("/ratings").text
    mounted = browser.get("/ratings", base_url="http://localhost/arena").text

    assert 'href="/bots/ada"' in first
    assert 'href="/arena/bots/ada"' in mounted


# A bot's page


Change = Callable[[Store], object]


def set_anchor(store: Store) -> None:
    with store.write() as conn:
        fits.set_anchor(conn, "lama", "bob")


def new_version(store: Store) -> None:
    with store.write() as conn:
        bots.new_version(conn, "ada")


def retire(store: Store) -> None:
    with store.write() as conn:
        bots.retire(conn, "eve")


def play_the_rest(store: Store) -> None:
    with store.read() as conn:
        tournament = tournaments.get(conn, 1)
    save(store, results(tournament)[45:])


def luck(store: Store) -> None:
    calculate(store, 1)


CHANGES = [set_anchor, new_version, retire, play_the_rest, luck]


PATHS = ("/bots/ada", "/bots/bob/analysis?seats=3", "/bots/ada/status", "/tournaments/1")


@pytest.mark.parametrize("change", CHANGES)
def test_a_page_with_kept_parts_shows_what_a_new_dashboard_shows(
    browser: FlaskClient, sqlite_store: Store, change: Change
) -> None:
    save(sqlite_store, results(entered(sqlite_store))[:45])
    assert [browser.get(path).status_code for path in PATHS] == [200] * len(PATHS)

    change(sqlite_store)

    new = create_app(Settings(), sqlite_store, None).test_client()
    for path in PATHS:
        assert browser.get(path).text == new.get(path).text, path


@pytest.mark.parametrize("change", CHANGES)
def test_the_tables_of_a_bot_are_made_anew_when_they_change(
    browser: FlaskClient, sqlite_store: Store, change: Change
) -> None:
    save(sqlite_store, results(entered(sqlite_store))[:45])
    before = tables_of(browser, "/bots/ada")

    change(sqlite_store)

    assert tables_of(browser, "/bots/ada") != before


def tables_of(browser: FlaskClient, path: str) -> str:
    """A bot's numbers on all of its pages."""
    return "".join(browser.get(f"{path}{tab}").text for tab in ("", "/analysis", "/status"))


def test_the_chart_of_a_bot_is_drawn_once_while_nothing_changes(
    app: Flask, browser: FlaskClient, sqlite_store: Store
) -> None:
    played, drawn = results(entered(sqlite_store)), list[object]()
    banded: Callable[..., str] = app.jinja_env.globals["banded"]  # type: ignore[assignment]

    def counted(*asked: object) -> str:
        drawn.append(asked)
        return banded(*asked)

    app.jinja_env.globals["banded"] = counted
    save(sqlite_store, played[:45])

    first, second = browser.get("/bots/ada").text, browser.get("/bots/ada").text
    assert (first == second, len(drawn)) == (True, 1)
    save(sqlite_store, played[45:])
    browser.get("/bots/ada")
    assert len(drawn) == 2


def test_many_parts_of_one_kind_leave_those_of_another_alone(app: Flask) -> None:
    cached: Callable[..., str] = app.jinja_env.globals["cached"]  # type: ignore[assignment]
    made: list[object] = []

    def part(name: object) -> None:
        def make() -> str:
            made.append(name)
            return ""

        cached(name, 1, make)

    with app.test_request_context():
        part("ratings")
        for number in range(2 * layout.MOST):
            part(("bot", number))
        part("ratings")
        part(("bot", 0))

    assert made.count("ratings") == 1
    assert made.count(("bot", 0)) == 2  # the cache of each kind is limited


# The latest matches


def listed(store: Store, most: int = 10) -> list[MatchRow]:
    with store.read() as conn:
        return matches.list_matches(conn, limit=most)[0]


def kept(store: Store, most: int = 10) -> list[MatchRow]:
    with store.read() as conn:
        return latest(conn, most)


def test_the_latest_matches_are_read_once_while_nothing_changes(store: Store) -> None:
    played = results(entered(store))
    save(store, played[:20])

    first = kept(store)
    assert first == listed(store)
    assert kept(store) is first
    save(store, played[20:])
    assert kept(store) == listed(store) != first


def test_the_latest_matches_are_read_anew_when_they_are_rated(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament)[1:10])
    before = kept(store)

    with store.write() as conn:
        cancel_matches(conn, tournament.id, [0])

    assert kept(store) == listed(store) != before


def test_the_latest_matches_are_read_anew_when_all_are_rated_again(store: Store) -> None:
    save(store, results(entered(store)))
    before = kept(store)

    set_anchor(store)

    assert kept(store) == listed(store) != before


def test_the_latest_matches_are_read_anew_when_older_ones_are_archived(
    store: Store, tmp_path: Path
) -> None:
    played_for_months(store)
    before = kept(store, 1000)

    with own_archives(store, tmp_path):
        archive(store, 1)
        assert kept(store, 1000) == listed(store, 1000) != before
