"""Luck in a tournament: by bot, and the matches saved by adjusting for it."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from arena.store import Store
from arena.store import luck as lucks
from arena.store.matches.columns import columns_of
from arena.store.reports.match_luck import TournamentLuck, match_luck
from arena.store.reports.standings import standings
from arena.store.reports.variance import score_errors
from arena.store.save import MatchResult
from arena.tournaments.ratings import luck_saved
from arena.tournaments.ratings.coefficient import FOLDS
from arena.tournaments.ratings.match_luck import GAME, KINDS, MatchLuck
from tests.made_luck import calculate, luck_of
from tests.made_results import entered, results, save


def known(store: Store, tournament: int) -> TournamentLuck:
    with store.read() as conn:
        return match_luck(conn, tournament)


def scores(played: list[MatchResult], coefficient: float) -> dict[int, list[float]]:
    """By player the mean score against an opponent in each match, less its luck times that."""
    found: dict[int, list[float]] = {}
    for match in played:
        taken = luck_of(match.id, len(match.players)).scores
        halves = columns_of([match.outcome]).halves.tolist()
        for seat, player in enumerate(match.players):
            share = halves[seat] / (2 * (len(match.players) - 1))
            found.setdefault(player, []).append(share - coefficient * taken[seat])
    return found


def test_a_bots_score_and_its_error_are_those_of_its_matches_with_luck_times_its_coefficient_out(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(luck_saved, "coefficients", lambda *_: np.full(FOLDS, 0.75))
    tournament = entered(store, matches=60)
    played = results(tournament)
    save(store, played)
    calculate(store, tournament.id)

    found = known(store, tournament.id)

    assert found.matches == found.looked_at == len(played)
    assert found.saved.coefficient == 0.75
    for player, by_match in scores(played, 0.75).items():
        bot = found.bots[player]
        assert bot.score == pytest.approx(np.mean(by_match), abs=1e-9)
        error = 1.96 * np.std(by_match, ddof=1) / np.sqrt(len(by_match))
        assert bot.plus_minus == pytest.approx(error, rel=1e-3)
    with store.read() as conn:
        raw = {line.player: line.score for line in standings(conn, tournament.id)}
    assert all(
        bot.score == pytest.approx(raw[p] - 0.75 * bot.luck) for p, bot in found.bots.items()
    )


def test_luck_that_says_nothing_about_the_results_is_left_in(store: Store) -> None:
    tournament = entered(store, matches=60)
    played = results(tournament)
    save(store, played)
    calculate(store, tournament.id)

    found = known(store, tournament.id)

    assert found.saved.coefficient is not None
    assert found.saved.factor is not None
    assert found.saved.coefficient < 0.1
    assert found.saved.factor > 0.98


def test_until_luck_is_known_scores_are_as_they_were_played(store: Store) -> None:
    tournament = entered(store, matches=60)
    played = results(tournament)
    save(store, played)
    calculate(store, tournament.id, 1)

    found = known(store, tournament.id)

    with store.read() as conn:
        plain = score_errors(conn, tournament.id)
    assert found.matches == 1
    assert found.saved.factor is None
    assert len(found.bots) == 3
    for player, bot in found.bots.items():
        assert bot.plus_minus == pytest.approx(plain[player], rel=0.05)


def test_before_the_first_match_nothing_is_known(store: Store) -> None:
    found = known(store, entered(store).id)

    assert (found.matches, found.looked_at, found.model, dict(found.bots)) == (0, 0, "", {})
    assert found.corrected


def test_the_factor_of_matches_saved_is_the_ratio_of_the_variances(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(luck_saved, "coefficients", lambda *_: np.ones(FOLDS))
    tournament = entered(store, ("ann", "bob", "cyd", "dan"), seats=4, matches=400)
    played = results(tournament)
    save(store, played)
    with store.read() as conn:
        found = lucks.next_matches(conn, tournament.id, 1000)
    half = {match.number: half_of_the_score(match, played) for match in found}
    with store.write() as conn:
        lucks.save_luck(conn, tournament.id, dict(half), "half")

    saved = known(store, tournament.id).saved

    # Half of each match's distance from an even score taken out leaves a quarter of the variance.
    assert saved.deals == 400
    assert (saved.factor, saved.low, saved.high) == pytest.approx((4.0, 4.0, 4.0))


def half_of_the_score(match: object, played: list[MatchResult]) -> MatchLuck:
    (own,) = [each for each in played if each.id == match.id]  # type: ignore[attr-defined]
    pairs = [(0.5 * (a < b) - 0.5 * (a > b)) / 2 * GAME for a, b in combinations(own.points, 2)]
    return MatchLuck(4, np.array(pairs, dtype=np.int64), np.zeros((len(KINDS), 4), dtype=np.int64))


def test_luck_is_reported_for_an_unadjusted_tournament(store: Store) -> None:
    tournament = entered(store, matches=60, luck="raw")
    save(store, results(tournament))
    calculate(store, tournament.id)

    found = known(store, tournament.id)

    assert not found.corrected
    assert found.matches == 600
    assert found.saved.factor is not None
    assert replace(found, bots={}).model == "made-up 1"
