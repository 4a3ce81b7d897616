"""Ratings with error bars: against other programs, by hand, and at the edges."""

import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from arena.tournaments.ratings import sandwich
from arena.tournaments.ratings.bradley_terry import ELO, PROVISIONAL, UPSETS, Fit, fit
from arena.tournaments.ratings.deal_sums import Composition, DealGroup, SeatResults, summarise
from arena.tournaments.ratings.elo import expected, score
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.pairs import Pairs
from arena.tournaments.ratings.residuals import residuals, score_errors
from arena.tournaments.ratings.solve import PSEUDO_WINS, with_pseudo_opponent
from arena.tournaments.ratings.together import critical
from tests.made_deals import Deal, deal, drawn, duel, tallied
from tests.tallies import DealTally

STRENGTHS = (0.0, 2.0, 3.0, 5.0, 5.0, 8.0, 12.0)


@pytest.fixture(scope="module")
def deals() -> list[Deal]:
    return [*drawn(STRENGTHS, 4, 300), *drawn(STRENGTHS, 2, 100, 2), *drawn(STRENGTHS, 6, 50, 3)]


@pytest.fixture(scope="module")
def fitted(deals: list[Deal]) -> Fit:
    return fit(tallied(deals).groups())


def net_updates(fitted: Fit, deals: list[Deal]) -> dict[int, float]:
    """By player the Elo changes over all matches, at the ratings of the fit and with K = 1."""
    rating = dict(zip(fitted.players, fitted.ratings, strict=True))
    pseudo_opponent = fitted.ratings[0] + ELO * (fitted.strengths[-1] - fitted.strengths[0])
    net = {p: PSEUDO_WINS * (1 - 2 * expected(rating[p], pseudo_opponent)) for p in fitted.players}
    for match in (match for each in deals for match in each):
        places = list(zip(match.forfeited, match.points, strict=True))
        for i, j in combinations(range(len(places)), 2):
            one, other = match.players[i], match.players[j]
            share = expected(rating[one], rating[other])
            change = (score(places[i], places[j]) - share) / (len(places) - 1)
            net[one] += change
            net[other] -= change
    return net


def test_the_net_elo_update_of_every_bot_is_zero(fitted: Fit, deals: list[Deal]) -> None:
    assert net_updates(fitted, deals) == pytest.approx(dict.fromkeys(range(7), 0.0), abs=1e-9)


def test_evalica_finds_the_same_ratings(fitted: Fit) -> None:
    import evalica  # only here: it imports pandas and SciPy, which takes two seconds

    wins = with_pseudo_opponent(fitted.wins)
    games = [(i, j, wins[i, j]) for i in range(8) for j in range(8) if wins[i, j]]
    ones, others, weights = zip(*games, strict=True)

    found = evalica.bradley_terry(
        list(ones),
        list(others),
        [evalica.Winner.X] * len(games),
        weights=list(weights),
        tolerance=1e-15,
        limit=10**6,
    )

    strengths = ELO * np.log(found.scores.sort_index().to_numpy())
    differences = strengths[:7] - strengths[:7].mean()
    assert differences == pytest.approx(fitted.ratings - 1500, abs=1e-6)


def test_choix_finds_the_same_ratings(fitted: Fit) -> None:
    import choix  # only here: it imports SciPy, which takes a second

    found = choix.ilsr_pairwise_dense(with_pseudo_opponent(fitted.wins), tol=1e-12)[:7]

    assert ELO * (found - found.mean()) == pytest.approx(fitted.ratings - 1500, abs=1e-6)


def test_the_error_is_the_sandwich_over_deals_written_out(
    fitted: Fit, deals: list[Deal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recomputes all formulas, deal by deal and pair by pair; A by eigenvalues, not a series."""
    size, r = 7, fitted.strengths
    share = 1 / (1 + np.exp(r[None, :] - r[:, None]))
    unit = np.eye(size + 1)
    bread, chance = np.zeros((size + 1, size + 1)), np.zeros((size + 1, size + 1))
    pseudo_scatter, pull, count = np.zeros((size + 1, size + 1)), np.zeros(size + 1), np.zeros(size)
    seen = []
    for each in deals:
        u, own = np.zeros(size + 1), np.zeros((size + 1, size + 1))
        for match in each:
            places = list(zip(match.forfeited, match.points, strict=True))
            for i, j in combinations(range(len(places)), 2):
                one, other, w = match.players[i], match.players[j], 1 / (len(places) - 1)
                p = share[one, other]
                e = unit[one] - unit[other]
                u += w * (score(places[i], places[j]) - p) * e
                own += w * p * (1 - p) * np.outer(e, e)
                chance += w * p * (1 - p) * np.outer(e, e) * (len(places) + 1) * w / 3
        seen.append((u, own))
        bread += own
        for player in each[0].players:
            count[player] += 1
    for player in range(size):
        e = unit[player] - unit[size]
        p = share[player, size]
        bread += 2 * PSEUDO_WINS * p * (1 - p) * np.outer(e, e)
        pseudo_scatter += PSEUDO_WINS**2 / 2 * (p**2 + (1 - p) ** 2) * np.outer(e, e)
        pull += PSEUDO_WINS * (1 - 2 * p) * e
    inverse = np.linalg.pinv(bread, rcond=1e-9, hermitian=True)
    filling = np.zeros((size + 1, size + 1))
    for u, own in seen:
        values, vectors = np.linalg.eig(unit - own @ inverse)
        adjusted = (vectors @ np.diag(values**-0.5) @ np.linalg.inv(vectors) @ u).real
        filling += np.outer(adjusted, adjusted)
    kept, more = (np.append(np.sqrt(part), 0) for part in (count / (count + 2), 2 / (count + 2)))
    filling = filling * np.outer(kept, kept) + chance * np.outer(more, more)
    # The information of all matches without the pseudo-opponent, and the errors of results alone
    met = -np.sum([own for _, own in seen], axis=0)
    alone = (inverse[:size, :size] @ filling[:size, :size] @ inverse[:size, :size])[:size, :size]
    for i, j in combinations(range(size), 2):
        variance = alone[i, i] + alone[j, j] - 2 * alone[i, j]
        outwards = met[i, j] * variance * (0.5 - share[i, j])
        pull += outwards * (unit[j] - unit[i])
    c = inverse @ (filling + pseudo_scatter + np.outer(pull, pull)) @ inverse

    monkeypatch.setattr(sandwich, "WEIGHS", 0.0)
    whole = fit(tallied(deals).groups())

    for i, j in combinations(range(size), 2):
        error = ELO * np.sqrt(c[i, i] + c[j, j] - 2 * c[i, j])
        assert whole.difference_error[i, j] == pytest.approx(error, rel=1e-7)
        assert fitted.difference_error[i, j] == pytest.approx(error, rel=5e-3)
    to_mean = np.eye(size) - 1 / size
    own_error = np.sqrt(np.diag(to_mean @ c[:size, :size] @ to_mean.T))
    assert whole.plus_minus == pytest.approx(Z95 * ELO * own_error, rel=1e-7)


def test_an_anchor_moves_all_ratings_by_one_number(fitted: Fit, deals: list[Deal]) -> None:
    anchored = fit(tallied(deals).groups(), anchor=3)

    assert anchored.ratings[3] == 1500
    assert anchored.plus_minus[3] == 0
    shifts = anchored.ratings - fitted.ratings
    assert shifts == pytest.approx(np.full(7, shifts[0]))
    assert anchored.difference_error == pytest.approx(fitted.difference_error, abs=1e-6)
    assert anchored.plus_minus == pytest.approx(Z95 * fitted.difference_error[3], abs=1e-6)
    assert fit(tallied(deals).groups(), anchor=99).anchor is None


def test_the_order_of_deals_and_matches_does_not_matter_to_the_bit(
    fitted: Fit, deals: list[Deal]
) -> None:
    chance = random.Random(5)
    shuffled = [chance.sample(each, len(each)) for each in chance.sample(deals, len(deals))]

    again = fit(tallied(shuffled).groups())

    assert again.ratings.tolist() == fitted.ratings.tolist()
    assert again.covariance.tolist() == fitted.covariance.tolist()


def test_a_deal_is_summed_up_in_whole_numbers() -> None:
    three = deal((9, 4, 7), (0, 5, 5), (0, 0, 8))
    three[1] = SeatResults((7, 9, 4), (8, 0, 0), (False, False, True))

    composition, sums = summarise(three)

    assert composition == Composition(3, (4, 7, 9), (2, 2, 2))
    assert sums.deals == 1
    # 4: ties 7, then forfeits; 7: loses to 9 twice; 9: beats both twice.
    halves, squares = [1, 0, 0], [1, 0, 0]
    totals = [1, 3, 8]
    products = [totals[i] * totals[j] for i in range(3) for j in range(i, 3)]
    assert sums.values == [*halves, *squares, *products]


def test_a_deal_may_seat_others_in_each_rotation() -> None:
    mixed = [*deal((1, 2), (0, 5)), *deal((1, 3), (5, 0))]

    composition, _ = summarise(mixed)
    table = fit(tallied([mixed, mixed[::-1]]).groups())

    assert composition == Composition(2, (1, 2, 3), (1, 1, 0))
    assert table.deals.tolist() == [[2, 2, 2], [2, 2, 0], [2, 0, 2]]
    assert table.ratings[2] > table.ratings[0] > table.ratings[1]


def test_a_deal_without_matches_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one match"):
        summarise([])


# Ranks and pairs


def test_rank_ranges_follow_from_the_differences(fitted: Fit) -> None:
    ranges = fitted.rank_ranges()

    for player, (best, worst) in ranges.items():
        i = fitted.index(player)
        surely = [
            (fitted.ratings[i] - fitted.ratings[j]) / (Z95 * fitted.difference_error[i, j])
            for j in range(7)
            if j != i
        ]
        assert best == 1 + sum(z < -1 for z in surely)
        assert worst == 7 - sum(z > 1 for z in surely)
    assert ranges[6] == (1, 1)
    assert ranges[0][1] == 7
    assert fitted.rank_ranges([0, 6]) == {0: (2, 2), 6: (1, 1)}


def test_ranges_that_hold_together_are_wider(fitted: Fit) -> None:
    each, together = fitted.rank_ranges(), fitted.rank_ranges(together=True)

    for player, (best, worst) in each.items():
        assert together[player][0] <= best <= worst <= together[player][1]
    sure = np.abs(fitted.distance) > critical(7)
    assert fitted.apart.tolist() == sure.tolist()
    assert not fitted.apart.diagonal().any()


@pytest.mark.long
def test_nothing_is_ever_certain() -> None:
    table = fit(tallied([deal((1, 2), (0, 9))] * 100_000 + [deal((1, 2), (9, 0))] * 100).groups())

    assert table.distance[0, 1] > 8
    assert 0 < table.stronger[1, 0] < table.stronger[0, 1] < 1


def test_the_probability_of_being_stronger_is_that_of_the_difference(fitted: Fit) -> None:
    assert fitted.stronger + fitted.stronger.T == pytest.approx(np.ones((7, 7)))
    assert fitted.stronger[6, 0] > 0.999
    z = (fitted.ratings[1] - fitted.ratings[0]) / fitted.difference_error[1, 0]
    chance = random.Random(1)
    simulated = sum(chance.gauss(z, 1) > 0 for _ in range(20_000)) / 20_000
    assert fitted.stronger[1, 0] == pytest.approx(simulated, abs=0.01)


def pairs_of(table: Fit, groups: Sequence[DealGroup], players: Sequence[int]) -> Pairs:
    return Pairs(table, residuals(table, groups), score_errors(table, groups), players)


def test_rock_paper_scissors_shows_in_the_residuals() -> None:
    """Equal ratings, but each pair is far from the half that they lead to expect."""
    beats = [(1, 2), (2, 3), (3, 1)]
    circle = [duel(k % 2 + 3, pair) for k in range(40) for pair in beats]
    straight = [duel(2 + (-1) ** k, pair) for k in range(40) for pair in beats]

    for made, least, most in ((circle, 8, 12), (straight, 0, 1e-6)):
        groups = tallied(made).groups()
        table = fit(groups)
        found = pairs_of(table, groups, [1, 2, 3])
        assert table.ratings == pytest.approx([1500] * 3)
        assert [(pair.player, pair.other) for pair in found] == [(1, 2), (1, 3), (2, 3)]
        assert all(pair.expected == pytest.approx(0.5) for pair in found)
        assert all(least <= abs(pair.residual or 0.0) <= most for pair in found)
    circled = tallied(circle).groups()
    signs = [(pair.residual or 0.0) > 0 for pair in pairs_of(fit(circled), circled, [1, 2, 3])]
    assert signs == [True, False, True]


def test_residuals_of_results_that_fit_are_those_of_chance(fitted: Fit, deals: list[Deal]) -> None:
    standard = residuals(fitted, tallied(deals).groups())[np.triu_indices(7, 1)]

    assert 0.6 < np.sqrt((standard**2).mean()) < 1.4
    assert np.abs(standard).max() < 3.5


# Edges


def assert_sensible(table: Fit) -> None:
    for array in (table.ratings, table.covariance, table.expected, table.stronger):
        assert np.isfinite(array).all()
    assert np.abs(table.ratings - 1500).max(initial=0) < 5000
    assert np.linalg.eigvalsh(table.covariance).min(initial=0) > -1e-6 * max(
        1, np.abs(table.covariance).max(initial=0)
    )


def test_no_deals_no_ratings() -> None:
    table = fit(DealTally().groups())

    assert_sensible(table)
    assert table.players == () == table.provisional == table.connected
    assert table.rank_ranges() == {}
    assert list(pairs_of(table, [], [])) == []


def test_a_bot_alone_is_1500() -> None:
    table = fit(tallied([deal((5,), (7,))] * 3).groups())

    assert_sensible(table)
    assert table.ratings.tolist() == [1500]
    assert table.rank_ranges() == {5: (1, 1)}


@pytest.mark.parametrize("times", [1, 10, 10_000])
def test_a_bot_that_always_loses_is_finite_and_flagged(times: int) -> None:
    table = fit(tallied([duel(4)] * times).groups())

    assert_sensible(table)
    assert table.ratings[0] > table.ratings[1]
    assert table.connected == (False, False)
    # Losses alone do not show how far below it is, however many there are.
    assert table.difference_error[0, 1] > 100
    assert table.provisional == (True, True)


@pytest.mark.parametrize(("share", "flagged"), [(0.5, False), (0.15, False), (0.05, True)])
def test_bot_with_few_expected_upsets_is_flagged(share: float, flagged: bool) -> None:
    """A hundred matches, of which the weaker wins 50, 15 or 5."""
    won = round(100 * share)
    made = [
        [SeatResults((1, 2), (0, 9) if n < won else (9, 0), (False, False))] for n in range(100)
    ]

    table = fit(tallied(made).groups())

    assert table.upsets == pytest.approx([100 * share] * 2, abs=1)
    assert table.provisional == (flagged, flagged)
    assert min(PROVISIONAL, 100 * share) < UPSETS or not flagged


def test_a_bot_that_always_loses_among_others_is_the_one_that_is_flagged() -> None:
    made = [
        *drawn((1.0, 2.0, 3.0), 2, 100),
        *[duel(4, (p, 7)) for p in (0, 1, 2) for _ in range(20)],
    ]

    table = fit(tallied(made).groups())

    assert_sensible(table)
    assert dict(zip(table.players, table.connected, strict=True)) == {
        0: True,
        1: True,
        2: True,
        7: False,
    }
    assert table.rank_ranges()[7] == (4, 4)


def test_ten_thousand_identical_results_are_certain_of_their_content_only() -> None:
    tied = fit(tallied([duel(2)] * 10_000).groups())
    few = fit(tallied([duel(2)] * 10).groups())

    assert_sensible(tied)
    assert tied.ratings == pytest.approx([1500, 1500], abs=1e-9)
    assert tied.difference_error[0, 1] < 1
    assert few.difference_error[0, 1] > 20
    assert tied.rank_ranges() == {1: (1, 2), 2: (1, 2)}
    assert tied.stronger[0, 1] == pytest.approx(0.5)
    assert tied.connected == (True, True)


def test_groups_that_never_met_are_flagged_and_far_from_certain() -> None:
    apart = [duel(k, pair) for pair in ((1, 2), (3, 4), (4, 5)) for k in (1, 2, 3) * 40]

    table = fit(tallied(apart).groups())

    assert_sensible(table)
    assert table.connected == (False, False, True, True, True)
    within, between = table.difference_error[0, 1], table.difference_error[0, 2]
    assert between > 5 * within
    assert table.deals[0, 2] == 0
    listed = pairs_of(table, tallied(apart).groups(), table.players)
    assert [(pair.player, pair.other) for pair in listed] == [(1, 2), (3, 4), (4, 5)]


def test_anchor_decides_between_equally_large_groups() -> None:
    apart = tallied([duel(k, pair) for pair in ((1, 2), (3, 4)) for k in (1, 3)]).groups()

    assert fit(apart).connected == (False,) * 4
    assert fit(apart, anchor=4).connected == (False, False, True, True)


def test_if_all_forfeit_points_decide() -> None:
    all_out = [
        [SeatResults((1, 2), (3, 3), (True, True)), SeatResults((2, 1), (3, 3), (True, True))]
    ] * 60

    table = fit(tallied(all_out).groups())

    assert_sensible(table)
    assert table.ratings == pytest.approx([1500, 1500])
    assert table.provisional == (False, False)


def test_more_deals_make_smaller_errors() -> None:
    small, large = (fit(tallied(drawn(STRENGTHS, 4, n)).groups()) for n in (100, 1600))

    ratio = small.difference_error[0, 6] / large.difference_error[0, 6]
    assert 3 < ratio < 5.3
