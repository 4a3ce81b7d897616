"""Sums of scores with the luck of matches taken out, and ratings made of them."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.ratings import adjusted as module
from arena.tournaments.ratings.adjusted import LuckyBlock, lucky, single
from arena.tournaments.ratings.bradley_terry import fit
from arena.tournaments.ratings.deal_blocks import DealBlock, rotations
from arena.tournaments.ratings.deal_sums import Integers, SeatResults
from arena.tournaments.ratings.match_luck import (
    GAME,
    HALF,
    KINDS,
    MOST,
    MatchLuck,
    pack,
    totals,
    unpack,
)
from tests.tallies import AdjustedTally, DealTally

Given = tuple[str, tuple[float, ...]]  # what an event gave the first seat of each pair


def total(seats: int, events: Sequence[Given]) -> MatchLuck:
    """The luck of one match."""
    kinds = np.array([KINDS.index(kind) for kind, _ in events], np.int64)
    luck = np.array([pairs for _, pairs in events]).reshape(len(events), seats * (seats - 1) // 2)
    [made] = totals(seats, 1, np.zeros(len(events), np.int64), kinds, luck)
    return made


def test_the_luck_of_a_match_is_the_sum_of_its_events_by_pair_by_kind_and_by_seat() -> None:
    luck = total(3, [("deal", (0.25, 0.0, -0.125)), ("draw", (0.125, 0.25, 0.0))])

    assert (luck.pairs / GAME).tolist() == [0.375, 0.25, -0.125]
    assert luck.scores == pytest.approx((0.3125, -0.25, -0.0625), abs=1e-3)
    deals, draws = luck.kinds[KINDS.index("deal")], luck.kinds[KINDS.index("draw")]
    assert (deals + draws).tolist() == luck.by_seat.tolist()
    assert (deals / GAME).tolist() == [0.25, -0.375, 0.125]


def test_the_luck_of_a_pair_stops_growing_once_it_is_a_whole_game() -> None:
    events: list[Given] = [("draw", (luck,)) for luck in (0.75, 0.5, -0.75, 0.25)]

    assert (total(2, events).pairs / GAME).tolist() == [1.25]
    assert (total(2, events[:1] + events[2:]).pairs / GAME).tolist() == [0.25]


@given(st.lists(st.floats(-1, 1), max_size=60))
def test_no_pair_has_more_luck_than_two_games(values: list[float]) -> None:
    assert abs(total(2, [("draw", (value,)) for value in values]).pairs[0]) <= MOST


def test_each_match_has_the_luck_of_its_own_events() -> None:
    match, kind = np.array([0, 2, 2]), np.array([0, 1, 1])
    luck = np.array([[0.5], [0.75], [0.75]])

    found = totals(2, 3, match, kind, luck)

    assert [(each.pairs / GAME).tolist() for each in found] == [[0.5], [0.0], [1.5]]
    assert (found[2].kinds / GAME)[:2].tolist() == [[0, 0], [1.5, -1.5]]


@given(st.integers(2, 6), st.data())
def test_packed_luck_comes_back_as_it_was(seats: int, data: st.DataObject) -> None:
    units = st.integers(-MOST, MOST)
    pairs = data.draw(
        st.lists(units, min_size=seats * (seats - 1) // 2, max_size=seats * (seats - 1) // 2)
    )
    kinds = data.draw(st.lists(units, min_size=4 * seats, max_size=4 * seats))
    luck = MatchLuck(seats, np.array(pairs), np.array(kinds).reshape(4, seats))

    again = unpack(seats, pack(luck))

    assert again.pairs.tolist() == pairs
    assert again.kinds.ravel().tolist() == kinds


def test_bytes_that_are_no_luck_of_so_many_seats_are_refused() -> None:
    with pytest.raises(ValueError, match="3 seats"):
        unpack(3, b"\0" * 8)


def drawn_deals(seats: int, matches: int, seed: int) -> LuckyBlock:
    """Twenty deals, each played by the same bots in a drawn order."""
    chance = np.random.default_rng(seed)
    players = np.array(
        [
            [chance.permutation(table) for _ in range(matches)]
            for table in (chance.choice(9, seats, replace=False) + 1 for _ in range(20))
        ]
    )
    points = chance.integers(0, 12, players.shape)
    luck = chance.integers(-GAME, GAME, (20, matches, seats * (seats - 1) // 2))
    return LuckyBlock(DealBlock(players, points, chance.random(players.shape) < 0.05), luck)


@pytest.mark.parametrize(("seats", "matches"), [(2, 1), (2, 2), (3, 1), (4, 4), (6, 1)])
def test_many_deals_at_once_come_to_the_same_as_one_after_the_other(
    seats: int, matches: int
) -> None:
    block = drawn_deals(seats, matches, 3)
    together = lucky(rotations(block.deals), block).sums

    for deal, luck, row in zip(block.deals.deals(), block.luck, together, strict=True):
        assert single(deal, list(luck)).scores.sums.tolist() == [row.tolist()]


def test_deal_with_changing_players_is_adjusted_pair_by_pair() -> None:
    matches = [
        SeatResults((1, 2), (3, 5), (False, False)),
        SeatResults((3, 1), (4, 4), (False, False)),
    ]

    deal = single(matches, [np.array([HALF]), np.array([512])])

    # By pair 1 2, 1 3, 2 3: half-points 2, 1, none; luck of the first 1, -1/2 half-points.
    assert deal.composition.players == (1, 2, 3)
    scores, won, pairs, squares = [3, 0, 1], [2, 1, 0], [1.0, -0.5, 0.0], [1.0, 0.25, 0.0]
    crossed_pairs = [2.0, -0.5, 0.0]
    luck = [0.5, -1.0, 0.5]
    both = [(i, j) for i in range(3) for j in range(i, 3)]
    crossed = [scores[i] * luck[j] + scores[j] * luck[i] for i, j in both]
    products = [luck[i] * luck[j] for i, j in both]
    units = [1] * 3 + [HALF] * 6 + [HALF**2] * 3 + [HALF] * 6 + [HALF**2] * 6
    sums = [*scores, *pairs, *crossed_pairs, *squares, *crossed, *products]
    assert deal.scores.won.tolist() == [won]
    assert deal.scores.sums[0].tolist() == [a * b for a, b in zip(sums, units, strict=True)]


def test_without_luck_sums_are_the_same_to_the_bit() -> None:
    block = drawn_deals(4, 1, 5)
    plain, less = DealTally(), AdjustedTally()
    for fold, deal in enumerate(block.deals.deals()):
        plain.add(deal)
        less.add(deal, [np.zeros(6, dtype=np.int64)] if fold % 2 else None, fold % 4)

    for one, other in zip(plain.groups(), less.less_luck().groups, strict=True):
        assert one.values.dtype == other.values.dtype
        assert (one.values == other.values).all()


def test_ratings_of_adjusted_scores_make_all_expected_scores_equal_actual_ones() -> None:
    chance = np.random.default_rng(8)
    tally = AdjustedTally()
    for number in range(400):
        players = chance.permutation(5)[:4] + 1
        luck: Integers = chance.integers(-GAME // 3, GAME // 3, 6)
        tally.add(
            [SeatResults(players.tolist(), chance.integers(0, 9, 4).tolist(), (False,) * 4)],
            [luck],
            number % 4,
        )

    rated = fit(tally.less_luck().groups)

    games = rated.wins + rated.wins.T
    strengths = rated.strengths[:-1] - rated.strengths[-1]
    pseudo_result = 0.5 - 1 / (1 + np.exp(-strengths))
    assert (
        rated.wins.sum(axis=1) - (games * rated.expected).sum(axis=1) + pseudo_result
    ) == pytest.approx(np.zeros(5), abs=1e-6)


@pytest.mark.long
@given(st.integers(0, 10_000), st.integers(1, 12))
def test_ratings_are_finite_whatever_luck_is_taken_out_of_how_few_matches(
    seed: int, matches: int
) -> None:
    chance = np.random.default_rng(seed)
    tally, plain = AdjustedTally(), DealTally()
    for number in range(matches):
        players = (chance.permutation(5)[:3] + 1).tolist()
        deal = [SeatResults(players, chance.integers(0, 3, 3).tolist(), (False,) * 3)]
        tally.add(deal, [chance.choice([-MOST, 0, MOST], 3)], number % 4)
        plain.add(deal)

    rated = fit(tally.less_luck().groups, plain=plain.groups())

    assert np.isfinite(rated.ratings).all()
    assert np.isfinite(rated.covariance).all()
    assert np.abs(rated.ratings).max() < 30_000


def test_bot_that_lost_everything_is_not_connected_by_bad_luck() -> None:
    tally, plain = AdjustedTally(), DealTally()
    for number in range(60):
        deal = [SeatResults((1, 2), (0, 5), (False, False))]
        tally.add(deal, [np.array([GAME // 4])], number % 4)
        plain.add(deal)

    rated = fit(tally.less_luck().groups, plain=plain.groups())

    assert rated.connected == fit(plain.groups()).connected == (False, False)
    assert 0.9 < rated.expected[0, 1] < fit(plain.groups()).expected[0, 1] - 0.03


def test_scores_less_luck_are_those_of_each_match_less_luck_times_the_coefficient(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "coefficients", lambda *_: np.array([0.5, 1.0, 1.5, 2.0]))
    block = drawn_deals(3, 2, 6)
    tally = AdjustedTally()
    scores: dict[tuple[int, ...], list[np.ndarray]] = {}
    for number, (deal, luck) in enumerate(zip(block.deals.deals(), block.luck, strict=True)):
        fold = number % 4
        tally.add(deal, list(luck), fold)
        composition, _, own = single(deal, list(luck))
        less = own.halves[0] - (0.5, 1.0, 1.5, 2.0)[fold] * own.by_player[0] / HALF
        scores.setdefault(composition.players, []).append(less)

    found = tally.less_luck()

    assert found.coefficient == pytest.approx(1.25)
    (group,) = found.groups
    for players, values in zip(group.players.tolist(), group.values, strict=True):
        own_scores = np.array(scores[tuple(players)])
        products = [own_scores[:, i] @ own_scores[:, j] for i in range(3) for j in range(i, 3)]
        assert values[6:] == pytest.approx(products)
