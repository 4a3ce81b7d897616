"""Invariants of ratings with confidence intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.ratings.bradley_terry import fit
from arena.tournaments.ratings.deal_sums import SeatResults
from arena.tournaments.ratings.residuals import residuals
from arena.tournaments.ratings.solve import PSEUDO_WINS, expected, with_pseudo_opponent
from tests.made_deals import Deal, tallied

PLAYERS = 6


@st.composite
def deals(draw: st.DrawFn) -> Deal:
    """One to four matches of one table, with ties and forfeits."""
    seats = draw(st.integers(2, 5))
    table = draw(st.permutations(range(PLAYERS)))[:seats]
    points = st.lists(st.integers(0, 4), min_size=seats, max_size=seats)
    out = st.lists(st.sampled_from([False, False, False, True]), min_size=seats, max_size=seats)
    match = st.tuples(points, out)
    return [SeatResults(table, *drawn) for drawn in draw(st.lists(match, min_size=1, max_size=4))]


played = st.lists(deals(), max_size=12)
copies = st.sampled_from([1, 1, 7, 1000])


@pytest.mark.long
@given(played, copies)
def test_ratings_are_finite_and_every_net_update_is_zero(made: list[Deal], times: int) -> None:
    groups = tallied(made * times).groups()
    table = fit(groups)

    wins = with_pseudo_opponent(table.wins)
    if made:
        share = expected(table.strengths)
        net = (wins - (wins + wins.T) * share).sum(axis=1)
        assert np.abs(net).max() < 1e-9
        assert np.abs(table.strengths).max() < 25
    assert PSEUDO_WINS == 0.5
    for array in (table.ratings, table.covariance, table.stronger):
        assert np.isfinite(array).all()
    assert not np.isinf(residuals(table, groups)).any()
    errors = table.difference_error
    assert (errors[~np.eye(len(errors), dtype=bool)] > 0).all()
    for player, (best, worst) in table.rank_ranges().items():
        above = sum(table.ratings > table.ratings[table.index(player)])
        assert 1 <= best <= above + 1 <= worst <= len(table.players)


@pytest.mark.long
@given(played, st.permutations(range(PLAYERS)))
def test_names_do_not_matter(made: list[Deal], names: list[int]) -> None:
    renamed = [
        [SeatResults([names[player] for player in m.players], m.points, m.forfeited) for m in each]
        for each in made
    ]

    one, other = fit(tallied(made).groups()), fit(tallied(renamed).groups())

    for i, player in enumerate(one.players):
        j = other.index(names[player])
        assert abs(one.ratings[i] - other.ratings[j]) < 1e-6
        assert abs(one.plus_minus[i] - other.plus_minus[j]) < 1e-6
        assert one.connected[i] == other.connected[j]


@pytest.mark.long
@given(played)
def test_turning_every_result_round_turns_the_ratings_round(made: list[Deal]) -> None:
    """No rating system that takes only the order of finishing can prefer first to last."""
    plain = [[SeatResults(m.players, m.points, [False] * len(m.players)) for m in d] for d in made]
    turned = [
        [SeatResults(m.players, [-p for p in m.points], m.forfeited) for m in d] for d in plain
    ]

    one, other = fit(tallied(plain).groups()), fit(tallied(turned).groups())

    assert np.abs(one.ratings + other.ratings - 3000).max(initial=0) < 1e-6
    assert np.abs(one.plus_minus - other.plus_minus).max(initial=0) < 1e-6
