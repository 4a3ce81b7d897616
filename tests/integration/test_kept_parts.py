"""Large tables are rendered once for each state of what they show."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.config import Settings
from arena.store import Store
from arena.store.reports import fits
from dashboard import create_app
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


def test_what_is_kept_of_one_arena_is_not_shown_of_another(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    save(sqlite_store, results(entered(sqlite_store)))

    first = browser.get("/ratings").text
    mounted = browser.get("/ratings", base_url="http://localhost/arena").text

    assert 'href="/bots/ada"' in first
    assert 'href="/arena/bots/ada"' in mounted
