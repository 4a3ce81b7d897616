"""The race of a tournament: Elo over its matches."""

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from arena.store import Store
from arena.store.reports import standings
from arena.store.reports.standings import Standing
from arena.store.tables import match_seats, matches
from arena.store.tournaments import creation, tournaments
from dashboard.tournaments.race import course
from dashboard.tournaments.race.course import RacePoint, names, race
from tests.integration.api_world import browser_on, data
from tests.made_results import entered, results, save

NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus")


@pytest.fixture
def browser(sqlite_store: Store) -> FlaskClient:
    return browser_on(sqlite_store)


def raced(store: Store) -> list[RacePoint]:
    with store.read() as conn:
        racing = names(standings.standings(conn, 1))
        return race(conn, tournaments.get(conn, 1), racing)


def after_each(store: Store) -> dict[int, dict[str, float]]:
    """The Elo of each bot after each match, from every seat that is stored."""
    now: dict[str, float] = {}
    found: dict[int, dict[str, float]] = {}
    with store.read() as conn:
        name = {line.player: line.bot for line in standings.standings(conn, 1)}
        seat = match_seats.c
        rows = conn.execute(
            select(matches.c.position, seat.player, seat.elo_before, seat.elo_change)
            .join_from(matches, match_seats)
            .order_by(matches.c.position)
        ).all()
    for position, player, before, change in rows:
        now[name[player]] = round(before + change, 2)
        found[position + 1] = dict(now)
    return found


def test_a_short_race_is_told_match_by_match_from_the_start(sqlite_store: Store) -> None:
    tournament = entered(sqlite_store, NAMES, deals=1)
    save(sqlite_store, results(tournament)[:40])

    steps = raced(sqlite_store)

    known = after_each(sqlite_store)
    assert [step.played for step in steps] == [0, *range(1, 41)]
    assert set(steps[0].elo.values()) == {1500.0}
    for step in steps[1:]:
        assert step.elo == known[step.played]


def test_a_long_race_is_sampled_and_ends_where_the_bots_are(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "MOST_POINTS", 20)
    tournament = entered(sqlite_store, NAMES, deals=8)
    save(sqlite_store, results(tournament))

    steps = raced(sqlite_store)

    known = after_each(sqlite_store)
    assert len(steps) <= 21
    assert steps[-1].played == tournament.planned
    for step in steps[1:]:
        off = [abs(step.elo[name] - known[step.played][name]) for name in step.elo]
        assert sum(apart == 0 for apart in off) >= len(NAMES) - 2
    with sqlite_store.read() as conn:
        now = {line.bot: round(line.elo, 2) for line in standings.standings(conn, 1)}
    assert steps[-1].elo == now


def test_matches_that_wait_to_be_rated_are_not_in_the_race(sqlite_store: Store) -> None:
    tournament = entered(sqlite_store, NAMES, deals=1)
    found = results(tournament)

    save(sqlite_store, found[5:20])
    assert raced(sqlite_store) == []

    save(sqlite_store, found[:3])
    assert raced(sqlite_store)[-1].played == 3


def test_a_bot_that_comes_later_is_in_the_race_from_then_on(sqlite_store: Store) -> None:
    tournament = entered(sqlite_store, NAMES, deals=1)
    save(sqlite_store, results(tournament)[:1])

    first = raced(sqlite_store)

    assert set(first[0].elo) == set(first[1].elo)
    assert len(first[0].elo) == 3


def line(player: int, bot: str, version: str = "1") -> Standing:
    return Standing(player, player, bot, version, bot, 1500.0, 0, 0, 0, 0.0, 0.0, 0, 0)


def test_versions_of_a_bot_are_told_apart_and_only_the_first_bots_race() -> None:
    table = [line(1, "ada"), line(2, "bob"), line(3, "ada", "2")]

    assert names(table) == {1: "ada v1", 2: "bob", 3: "ada v2"}
    many = [replace(line(number, f"bot{number}"), rank=number) for number in range(30)]
    assert list(names(many)) == list(range(course.MOST_BOTS))


def test_the_page_has_the_race_as_a_chart_and_as_a_table(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store, NAMES, deals=1)
    save(sqlite_store, results(tournament))

    text = browser.get("/tournaments/1/analysis").text
    told = data(browser, "/api/tournaments/1/race")["points"]

    assert 'data-src="/api/tournaments/1/race"' in text
    with sqlite_store.read() as conn:
        order = [standing.bot for standing in standings.standings(conn, 1)]
    assert list(told[-1]["elo"]) == order
    assert re.findall(r'data-field="elo" data-key="(\w+)"', text) == order
    table = text.partition('data-field="elo" data-key="')[2].partition("</table>")[0]
    last = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)[-1]
    shown = re.findall(r'<td class="num">(\d+)</td>', last)
    assert shown == [f"{told[-1]['elo'][name]:.0f}" for name in order]


def test_a_tournament_without_matches_has_an_empty_race(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    entered(sqlite_store, NAMES)

    assert data(browser, "/api/tournaments/1/race")["points"] == []
    assert browser.get("/tournaments/1/analysis").status_code == 200
    assert data(browser, "/api/tournaments/9/race", 404)["error"].endswith(".")


def test_test_matches_have_no_race(browser: FlaskClient, sqlite_store: Store) -> None:
    tournament = entered(sqlite_store, NAMES[:3], seats=3, deals=1)
    with sqlite_store.write() as conn:
        test = creation.create(conn, tournament.spec, kind="test")

    assert 'id="race"' not in browser.get(f"/tournaments/{test.id}/analysis").text
