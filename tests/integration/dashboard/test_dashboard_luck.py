"""Luck on pages and in the JSON API."""

import time

import pytest
from flask.testing import FlaskClient

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.service import ControlService
from arena.store import Store
from arena.store.projections import player_luck
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard.layout.numbers import signed
from dashboard.tournaments.race import scores
from tests.integration.api_world import browser_on, data
from tests.integration.dashboard.test_dashboard import page
from tests.integration.workers.test_luck_of_real_matches import played
from tests.made_luck import calculate as calculate_made
from tests.made_results import entered, results, save, schedule
from workers.analysis.luck import calculate, catch_up


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
    text = page(browser, "/tournaments/1/analysis")

    assert told["matches"] == told["looked_at"] == 80
    assert told["corrected"]
    assert told["factor_low"] < told["factor"] < told["factor_high"]
    assert sum(bot["total"] for bot in told["bots"]) == pytest.approx(0, abs=1e-9)
    assert "The luck of 80 matches is known. Ratings use luck-adjusted scores." in text
    assert told["model"] not in text  # an id that says nothing to readers
    assert "Luck-adjusted score" in text
    assert 'href="/api/tournaments/1/luck?format=csv"' in text
    lines = browser.get("/api/tournaments/1/luck.csv").text.splitlines()
    assert len(lines) == 5


@pytest.fixture
def waiting(sqlite_store: Store) -> Tournament:
    """A tournament with 60 matches, and the luck of 48 of them."""
    tournament = entered(sqlite_store, seats=2, matches=6)
    save(sqlite_store, results(tournament))
    calculate_made(sqlite_store, tournament.id, 48)
    return tournament


INCLUDED = "Ratings include 60 matches, luck-adjusted for 48 of them."
PENDING = "The luck of 12 matches is still being calculated."


@pytest.mark.usefixtures("waiting")
@pytest.mark.parametrize("path", ["/ratings", "/ratings/pairs", "/tournaments/1"])
def test_a_rating_table_says_what_it_includes_and_what_is_still_being_calculated(
    sqlite_store: Store, path: str
) -> None:
    browser = browser_on(sqlite_store)
    text = page(browser, path)
    assert INCLUDED in text
    assert PENDING in text

    calculate_made(sqlite_store, 1)
    after = page(browser, path)
    assert "Ratings include 60 matches, luck-adjusted for all of them." in after
    assert "still being calculated" not in after


@pytest.mark.usefixtures("waiting")
def test_a_tournament_says_the_luck_of_how_many_of_its_matches_is_known(
    sqlite_store: Store,
) -> None:
    text = page(browser_on(sqlite_store), "/tournaments/1/analysis")
    assert "The luck of 48 of 60 matches is known. Ratings use luck-adjusted scores." in text


@pytest.mark.usefixtures("waiting")
def test_json_has_what_a_rating_table_includes(sqlite_store: Store) -> None:
    browser = browser_on(sqlite_store)
    told = {
        "deals": 60, "matches": 60, "corrected_deals": 48, "corrected_matches": 48,
        "luck_pending": 12, "elo_pending": 0,
    }  # fmt: skip
    table = data(browser, "/api/ratings")
    assert {name: table[name] for name in told} == told
    assert 0 < table["luck_coefficient"] < 2
    told["luck_coefficient"] = table["luck_coefficient"]
    assert data(browser, "/api/tournaments/1")["included"] == told
    assert data(browser, "/api/tournaments/1/standings")["included"] == told
    luck = data(browser, "/api/tournaments/1/luck")
    assert luck["coefficient"] == pytest.approx(table["luck_coefficient"], abs=0.1)
    assert (luck["matches"], luck["looked_at"], luck["played"]) == (48, 48, 60)


def test_the_page_of_a_match_says_with_how_much_luck_it_was_won(browser: FlaskClient) -> None:
    (win, *_) = data(browser, "/api/tournaments/1/luck")["bots"][0]["wins"]

    luck = data(browser, f"/api/matches/{win['match']}/luck")
    text = page(browser, f"/matches/{win['match']}")

    assert win["luck"] == pytest.approx(max(luck["luck"]), abs=1.0)
    assert win["luck"] in [pytest.approx(each) for each in luck["luck"]]
    assert sum(luck["luck"]) == pytest.approx(0, abs=1e-9)
    assert f"won, helped by good luck worth {win['luck']:.2f} wins" in text


def test_the_page_of_a_bot_links_its_luckiest_wins(browser: FlaskClient) -> None:
    told = {bot["bot"]: bot for bot in data(browser, "/api/tournaments/1/luck")["bots"]}

    text = page(browser, "/bots/ann/analysis")

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
        taken = told["coefficient"] * bot["luck"]
        assert last["score"][name] - taken == pytest.approx(bot["score"], abs=5e-3)


def test_the_page_shows_the_race_as_its_reader_wants_it(browser: FlaskClient) -> None:
    plain = page(browser, "/tournaments/1/analysis")
    corrected = page(browser, "/tournaments/1/analysis?race=less_luck")
    unknown = page(browser, "/tournaments/1/analysis?race=speed")

    assert 'data-src="/api/tournaments/1/race"' in plain
    assert "Luck-adjusted score</a>" in plain
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
    assert "Luck-adjusted score</a>" not in page(browser, "/tournaments/1/analysis")


def test_the_luck_of_a_match_whose_deal_is_still_played_is_not_in_the_race(
    sqlite_store: Store,
) -> None:
    """Luck depends on the cards, so bots that have yet to play them could infer them."""
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


def test_a_tournament_and_its_bots_keep_the_luck_of_a_deal_that_is_still_played(
    sqlite_store: Store,
) -> None:
    """Two readings, before and after the match, would tell what its cards gave each seat."""
    tournament = entered(sqlite_store, deals=3)
    found = sorted(results(tournament), key=lambda match: match.deal)
    browser = browser_on(sqlite_store)
    save(sqlite_store, found[:3])
    calculate_made(sqlite_store, tournament.id)
    before = told_of_luck(sqlite_store, browser)

    save(sqlite_store, found[3:5])
    calculate_made(sqlite_store, tournament.id)
    during = told_of_luck(sqlite_store, browser)
    save(sqlite_store, found[5:6])
    calculate_made(sqlite_store, tournament.id)

    assert before[0]
    assert during == before
    assert told_of_luck(sqlite_store, browser) != before


def told_of_luck(store: Store, browser: FlaskClient) -> list[object]:
    """All outputs about the luck of bots: JSON, CSV, the control service, the page of a bot."""
    lucky = [
        {name: bot[name] for name in ("bot", "matches", "luck", "total", "kinds", "wins")}
        for bot in data(browser, "/api/tournaments/1/luck")["bots"]
    ]
    item = ControlService(store, None).get_tournament(pb.TournamentId(id=1))
    listed = ControlService(store, None).list_matches(pb.ListMatchesRequest(limit=100))
    known = {row.id for row in listed.matches if any(seat.HasField("luck") for seat in row.seats)}
    control = [(bot.bot, bot.matches, bot.luck, bot.total) for bot in item.match_luck.bots]
    with store.read() as conn:
        players = tournaments.get(conn, 1).players
        profiles = [player_luck.by_seats(conn, player, "lama") for player in players]
    by_name = sorted(lucky, key=lambda bot: str(bot["bot"])), sorted(control)
    return [*by_name, profiles, known]
