"""What pages and the JSON API say of luck."""

from __future__ import annotations

import time

import pytest
from flask.testing import FlaskClient

from arena.store import Store
from arena.store.tournaments import tournaments
from dashboard.layout.numbers import signed
from dashboard.tournaments.race import scores
from tests.integration.api_world import browser_on, data
from tests.integration.test_dashboard import page
from tests.integration.test_luck_of_real_matches import played
from tests.made_luck import calculate as calculate_made
from tests.made_results import entered, results, save, schedule
from workers.luck import catch_up
from workers.luck_model import calculate


@pytest.fixture
def browser(sqlite_store: Store) -> FlaskClient:
    tournament = entered(sqlite_store, ("ann", "bob", "cho", "dee"), seats=4, matches=80)
    save(sqlite_store, [played(tournament, planned) for planned in schedule(tournament)])
    catch_up(sqlite_store, calculate, time.monotonic() + 60)
    return browser_on(sqlite_store)


def test_a_tournament_tells_what_luck_did_and_what_it_saves_to_take_it_out(
    browser: FlaskClient,
) -> None:
    told = data(browser, "/api/tournaments/1/luck")
    text = page(browser, "/tournaments/1")

    assert told["matches"] == told["looked_at"] == 80
    assert told["corrected"]
    assert told["factor_low"] < told["factor"] < told["factor_high"]
    assert sum(bot["total"] for bot in told["bots"]) == pytest.approx(0, abs=1e-9)
    assert "The luck of 80 matches is known, and taken out of the scores." in text
    assert told["model"] not in text  # an id that says nothing to readers
    assert "Score without luck" in text
    assert 'href="/api/tournaments/1/luck?format=csv"' in text
    lines = browser.get("/api/tournaments/1/luck.csv").text.splitlines()
    assert len(lines) == 5


def test_the_page_of_a_match_says_with_how_much_luck_it_was_won(browser: FlaskClient) -> None:
    (win, *_) = data(browser, "/api/tournaments/1/luck")["bots"][0]["wins"]

    luck = data(browser, f"/api/matches/{win['match']}/luck")
    text = page(browser, f"/matches/{win['match']}")

    assert win["luck"] == pytest.approx(max(luck["luck"]), abs=1.0)
    assert win["luck"] in [pytest.approx(each) for each in luck["luck"]]
    assert sum(luck["luck"]) == pytest.approx(0, abs=1e-9)
    assert f"won with {win['luck']:.2f} of luck" in text


def test_the_page_of_a_bot_links_its_luckiest_wins(browser: FlaskClient) -> None:
    told = {bot["bot"]: bot for bot in data(browser, "/api/tournaments/1/luck")["bots"]}

    text = page(browser, "/bots/ann")

    assert signed(told["ann"]["luck"], 3) in text
    assert f"/matches/{told['ann']['wins'][0]['match']}" in text


def test_the_race_can_be_seen_as_scores_with_and_without_luck(browser: FlaskClient) -> None:
    told = data(browser, "/api/tournaments/1/luck")
    points = data(browser, "/api/tournaments/1/race/scores")["points"]

    assert [point["played"] for point in points] == list(range(1, 81))
    last = points[-1]
    standings = data(browser, "/api/tournaments/1/standings")["standings"]
    assert list(last["score"]) == [line["bot"] for line in standings]
    assert sum(last["score"].values()) == pytest.approx(4 / 2, abs=1e-3)
    for bot in told["bots"]:
        name = bot["bot"]
        assert last["less_luck"][name] == pytest.approx(bot["score"], abs=1e-3)
        assert last["score"][name] - bot["luck"] == pytest.approx(bot["score"], abs=1e-3)


def test_the_page_shows_the_race_as_its_reader_wants_it(browser: FlaskClient) -> None:
    plain = page(browser, "/tournaments/1")
    corrected = page(browser, "/tournaments/1?race=less_luck")
    unknown = page(browser, "/tournaments/1?race=speed")

    assert 'data-src="/api/tournaments/1/race"' in plain
    assert "Score less luck</a>" in plain
    assert 'data-src="/api/tournaments/1/race/scores"' in corrected
    assert 'data-y="less_luck"' in corrected
    last = data(browser, "/api/tournaments/1/race/scores")["points"][-1]["less_luck"]
    assert f'<td class="num">{last["ann"]:.3f}</td>' in corrected
    assert 'data-src="/api/tournaments/1/race"' in unknown


def test_very_many_matches_have_no_race_of_scores(
    browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "MOST", 79)

    assert data(browser, "/api/tournaments/1/race/scores")["points"] == []
    assert "Score less luck</a>" not in page(browser, "/tournaments/1")


def test_the_luck_of_a_match_whose_deal_is_still_played_is_not_in_the_race(
    sqlite_store: Store,
) -> None:
    """It tells of the cards, and whoever has yet to play them could work it out from two points."""
    tournament = entered(sqlite_store, deals=3)
    found = results(tournament)
    whole = [match for match in found if match.deal == found[0].deal]
    (part, *_) = [match for match in found if match.deal != found[0].deal]
    saved = sorted([*whole, part], key=lambda match: match.position)
    assert len(whole) > 1
    save(sqlite_store, saved)
    calculate_made(sqlite_store, tournament.id)

    with sqlite_store.read() as conn:
        read = scores._read(conn, tournaments.get(conn, tournament.id))

    assert [bool(luck.any()) for luck in read.luck] == [match is not part for match in saved]
