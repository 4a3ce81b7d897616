"""Error bars of a tournament's scores, from the stored sums, against its matches."""

from collections import defaultdict
from math import sqrt

import pytest

from arena.store import Store
from arena.store.reports import standings
from arena.store.reports.variance import score_errors
from arena.store.save import MatchResult
from arena.tournaments.ratings.elo import score
from arena.tournaments.ratings.normal import Z95
from tests.integration.api_world import browser_on, data
from tests.integration.dashboard.test_dashboard import page
from tests.made_results import entered, results, save


def by_hand(found: list[MatchResult], player: int) -> float:
    """From every match: half-points of a bot by deal."""
    halves: dict[int, int] = defaultdict(int)
    possible: dict[int, int] = defaultdict(int)
    for one in found:
        if player in one.players:
            places = list(zip(one.forfeited, one.points, strict=True))
            mine = places[one.players.index(player)]
            halves[one.deal] += int(2 * sum(score(mine, other) for other in places)) - 1
            possible[one.deal] += 2 * (len(places) - 1)
    mean, deals = sum(halves.values()) / sum(possible.values()), len(halves)
    scatter = sum((halves[deal] - mean * possible[deal]) ** 2 for deal in halves)
    return Z95 * sqrt(deals / (deals - 1) * scatter) / sum(possible.values())


def test_they_follow_from_the_scatter_of_whole_deals(store: Store) -> None:
    tournament = entered(store, deals=4)
    found = results(tournament)
    save(store, found)

    with store.read() as conn:
        errors = score_errors(conn, tournament.id)
        table = standings.standings(conn, tournament.id)

    assert set(errors) == {line.player for line in table}
    for player, width in errors.items():
        assert width == pytest.approx(by_hand(found, player))


def test_they_are_shown_and_told_beside_the_scores(sqlite_store: Store) -> None:
    tournament = entered(sqlite_store, deals=4)
    browser = browser_on(sqlite_store)
    assert {line["plus_minus"] for line in data(browser, "/api/tournaments/1")["standings"]} == {
        None
    }
    save(sqlite_store, results(tournament))

    text = page(browser, "/tournaments/1")

    told = data(browser, "/api/tournaments/1/standings")["standings"]
    assert [line["plus_minus"] for line in told] == [
        line["plus_minus"] for line in data(browser, "/api/tournaments/1")["standings"]
    ]
    for line in told:
        assert f"± {100 * line['plus_minus']:.1f}<" in text
    assert text.count("share-error") == len(told)
