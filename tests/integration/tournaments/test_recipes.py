"""Follows each recipe of docs/architecture.md once, to show that its steps are enough.

A game is in test_fifth_game.py, a projection in test_projections.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import redis
from flask import Blueprint, render_template_string
from pydantic import Field

from arena.base.config import Settings
from arena.service.bootstrap import environment, load_settings
from arena.store import Store
from arena.store.reports import standings
from arena.tournaments.formats import FORMATS, TournamentSpec
from arena.tournaments.formats.cycles import cycles
from arena.tournaments.formats.plan import NOTHING, Format, PlannedMatch, SoFar
from dashboard import app as dashboard
from dashboard.pages import PAGES
from tests.integration.people import person
from tests.integration.worker_world import FakeGateway, World

RECIPES = Path(__file__).parents[3] / "docs" / "architecture.md"


@pytest.mark.parametrize(
    ("to_add", "touched"),
    [
        (
            "a game",
            "one file in `arena/games/rules/`, one entry in `arena/games/rules/__init__.py`",
        ),
        (
            "a tournament format",
            "one file in `arena/tournaments/formats/`, one entry in its `formats.py`, specs in "
            "`tests/formats.py` for its contract",
        ),
        (
            "a setting",
            "one field in `arena/base/config.py`, then `make docs` for its row in "
            "[configuration.md](configuration.md)",
        ),
    ],
)
def test_the_recipe_says_so(to_add: str, touched: str) -> None:
    assert f"| {to_add} | {touched} |" in RECIPES.read_text()


# A tournament format


class Neighbours(Format):
    """Two seats; each block follows from the spec alone."""

    title = "Neighbours"
    about = "Each bot meets the next one entered, in both seats."

    def count(self, spec: TournamentSpec) -> int:
        """Two matches a cycle for each pair of neighbours."""
        return 2 * (len(spec.bots) - 1) * cycles(spec)

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """All of them in the first block."""
        pairs = [(i, i + 1) for i in range(len(spec.bots) - 1)] if not number else []
        seats = [seats for i, j in pairs for seats in ((i, j), (j, i))] * cycles(spec)
        return tuple(PlannedMatch(at, at, each) for at, each in enumerate(seats))


@pytest.fixture
def neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "neighbours", Neighbours())


@pytest.mark.usefixtures("neighbours")
def test_a_format_is_planned_played_and_ranked(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(("ann", "bob", "cid"), format="neighbours", seats=2, cycles=3)
    gateway.connect(*tournament.players)

    ended = world.play_all(tournament)

    assert (ended.state, ended.played) == ("finished", 12)
    with world.store.read() as conn:
        matches = {line.bot: line.matches for line in standings.standings(conn, tournament.id)}
    assert matches == {"ann": 6, "bob": 12, "cid": 6}


@pytest.mark.usefixtures("neighbours")
def test_a_format_is_offered_with_its_title_and_sentence(
    sqlite_store: Store, redis_client: redis.Redis
) -> None:
    app = dashboard.create_app(Settings(), sqlite_store, redis_client)
    form = person(app, sqlite_store, "olga", organiser=True).get("/tournaments/new").text

    assert 'value="neighbours"' in form
    assert "Each bot meets the next one entered" in form


# A page

hello = Blueprint("hello", __name__)
PAGE = """{% extends "layout/frame.html" %}
{% block title %}Hello{% endblock %}
{% block content %}<h1>Hello, {{ name }}</h1>{% endblock %}"""


@hello.get("/hello/<name>")
def greet(name: str) -> str:
    return render_template_string(PAGE, name=name)


def test_a_page_has_the_frame_and_the_protection_of_all_others(
    sqlite_store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard, "PAGES", (*PAGES, hello))
    browser = dashboard.create_app(Settings(), sqlite_store, redis_client).test_client()

    answer = browser.get("/hello/<b>")

    assert "Hello, &lt;b&gt;</h1>" in answer.text
    assert "<nav" in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


# A setting


class WithGreeting(Settings):
    """One more field."""

    greeting: str = Field("hello", description="What the arena says first")


def test_a_setting_is_read_from_its_variable_and_handed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.service.bootstrap.Settings", WithGreeting)
    monkeypatch.setenv("ARENA_GREETING", "good evening")

    settings = load_settings()

    assert isinstance(settings, WithGreeting)
    assert settings.greeting == "good evening"
    assert environment(settings)["ARENA_GREETING"] == "good evening"
