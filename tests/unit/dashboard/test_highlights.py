"""Highlights of the latest matches."""

from itertools import count

from arena.store.matches.matches import MatchRow
from arena.store.matches.rows import SeatRow
from dashboard.matches.highlights import closest, faulty, featured, upsets

NUMBERS = count(1)


def seat(
    player: int,
    points: int,
    rank: int,
    elo: float | None,
    forfeited: bool = False,
    faults: int = 0,
) -> SeatRow:
    return SeatRow(player, f"bot{player}", "1", points, rank, faults, forfeited, elo, 0.0)


def match(*seats: SeatRow, locked: bool = False) -> MatchRow:
    number = next(NUMBERS)
    return MatchRow(number, f"m{number}", 1, number, number, "lama", 0.0, locked, seats)


def test_an_upset_is_won_by_who_stood_far_below_the_best_at_the_table() -> None:
    won_by_the_weak = match(seat(1, 3, 1, 1400), seat(2, 9, 2, 1600), seat(3, 12, 3, 1500))
    won_by_the_strong = match(seat(1, 9, 2, 1400), seat(2, 3, 1, 1600))
    near = match(seat(1, 3, 1, 1550), seat(2, 9, 2, 1600))

    (only,) = upsets([won_by_the_weak, won_by_the_strong, near], 5)

    assert (only.match, only.winner.player, only.second.player) == (won_by_the_weak, 1, 2)
    assert only.gap == 200


def test_the_greatest_upset_comes_first_and_each_winner_once() -> None:
    great = match(seat(1, 3, 1, 1300), seat(2, 9, 2, 1600))
    less = match(seat(1, 3, 1, 1350), seat(2, 9, 2, 1600))
    others = match(seat(4, 3, 1, 1450), seat(2, 9, 2, 1600))

    assert [upset.match for upset in upsets([less, others, great], 5)] == [great, others]


def test_unrated_and_shared_wins_are_not_upsets() -> None:
    unrated = match(seat(1, 3, 1, None), seat(2, 9, 2, 1600))
    shared = match(seat(1, 3, 1, 1300), seat(2, 3, 1, 1600))
    forfeited = match(seat(1, 3, 1, 1300), seat(2, 90, 2, 1600, forfeited=True))

    assert upsets([unrated, shared, forfeited], 5) == []


def test_close_finishes_are_told_the_narrowest_first() -> None:
    wide = match(seat(1, 3, 1, 1500), seat(2, 30, 2, 1500))
    three = match(seat(1, 3, 1, 1500), seat(2, 6, 2, 1500))
    one = match(seat(2, 41, 3, 1500), seat(1, 3, 1, 1500), seat(3, 4, 2, 1500))
    shared = match(seat(1, 3, 1, 1500), seat(2, 3, 1, 1500))

    found = closest([wide, three, one, shared], 5)

    assert [(finish.match, finish.margin) for finish in found] == [(one, 1), (three, 3)]
    assert found[0].second.player == 3


def test_the_closest_match_that_everybody_may_see_is_put_on_the_table() -> None:
    locked = match(seat(1, 3, 1, 1500), seat(2, 4, 2, 1500), locked=True)
    close = match(seat(1, 3, 1, 1500), seat(2, 5, 2, 1500))
    surprising = match(seat(1, 3, 1, 1300), seat(2, 5, 2, 1500))
    shared = match(seat(1, 3, 1, 1500), seat(2, 3, 1, 1500))

    best = featured([shared, locked, close, surprising])
    unclear = featured([shared, locked])

    assert best is not None
    assert (best[0], best[1] and best[1].margin) == (surprising, 2)
    assert unclear == (shared, None)
    assert featured([locked]) is None


def test_forfeits_come_before_faults_and_each_bot_once() -> None:
    clean = match(seat(1, 3, 1, 1500), seat(2, 5, 2, 1500))
    one = match(seat(1, 3, 1, 1500), seat(2, 5, 2, 1500, faults=1))
    more = match(seat(3, 3, 1, 1500, faults=1), seat(2, 5, 2, 1500, faults=2))
    forfeit = match(seat(1, 3, 1, 1500), seat(4, 5, 2, 1500, forfeited=True, faults=1))

    found = faulty([clean, one, more, forfeit], 5)

    shown = [(each.match, each.seat.player) for each in found]
    assert shown == [(forfeit, 4), (more, 2), (more, 3)]
