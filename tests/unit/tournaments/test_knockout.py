"""The knockout: the best of each table go on, until one table is left."""

import pytest

from arena.tournaments.formats import PlannedMatch, Played, TournamentSpec
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.formats.stages import TableResult, stages_of
from tests.played_out import (
    PlayedOut,
    all_even,
    all_forfeit,
    by_number,
    by_strength,
    play_out,
    spec_of,
    with_points,
)

KNOCKOUT = Knockout()


def tables(out: PlayedOut, stage: int) -> set[tuple[int, ...]]:
    return {tuple(sorted(one.match.seats)) for one in out.blocks[stage]}


def order(spec: TournamentSpec, out: PlayedOut) -> list[int]:
    places = KNOCKOUT.places(spec, out.so_far)
    return sorted(range(len(places)), key=lambda entrant: places[entrant].first)


@pytest.mark.parametrize("bots", [2, 3, 4, 5, 8, 11, 16, 33])
def test_with_two_seats_all_but_one_lose_once(bots: int) -> None:
    spec = spec_of("knockout", bots, 2, 3)

    assert KNOCKOUT.count(spec) == (bots - 1) * 3 * 2
    assert len(play_out(spec, by_number).blocks) == (bots - 1).bit_length()


@pytest.mark.parametrize(
    ("bots", "seats", "advance", "stages"),
    [
        (4, 4, 0, [1]),
        (8, 4, 0, [2, 1]),
        (16, 4, 0, [4, 2, 1]),
        (13, 4, 0, [3, 2, 1]),  # 5 out, 4 out; the best seed has a bye first
        (27, 3, 1, [9, 3, 1]),
        (10, 6, 0, [1, 1, 1]),  # 3 out, 1 out: then the final table is full
        (12, 6, 5, [2, 1, 1, 1, 1, 1]),  # 2 out, then one at a time
    ],
)
def test_the_tables_of_each_stage(bots: int, seats: int, advance: int, stages: list[int]) -> None:
    spec = spec_of("knockout", bots, seats, 1, advance=advance)

    out = play_out(spec, by_number)

    assert [len(tables(out, stage)) for stage in range(len(out.blocks))] == stages
    assert KNOCKOUT.count(spec) == sum(stages) * seats


@pytest.mark.parametrize("bots", range(6, 80, 5))
@pytest.mark.parametrize(("seats", "advance"), [(2, 1), (3, 1), (3, 2), (4, 3), (5, 2), (6, 1)])
def test_knockout_ends_at_one_full_table_for_any_number_of_bots(
    bots: int, seats: int, advance: int
) -> None:
    spec = spec_of("knockout", bots, seats, 1, advance=advance)

    out = play_out(spec, by_strength([0.0] * bots, seed=bots))

    assert len(out.matches) == KNOCKOUT.count(spec)
    assert len(tables(out, -1)) == 1
    assert sorted(order(spec, out)) == list(range(bots))
    for one, following in zip(out.blocks, out.blocks[1:], strict=False):
        again = {seat for match in following for seat in match.match.seats}
        gone = {seat for match in one for seat in match.match.seats} - again
        assert gone, "every stage sends somebody home"


def test_seeds_meet_as_in_a_bracket_and_the_best_two_only_in_the_final() -> None:
    out = play_out(spec_of("knockout", 8, 2), by_number)

    assert tables(out, 0) == {(0, 7), (1, 6), (2, 5), (3, 4)}
    assert tables(out, 1) == {(0, 3), (1, 2)}
    assert tables(out, 2) == {(0, 1)}


def test_byes_are_the_best_seeds_and_only_in_the_first_stage() -> None:
    out = play_out(spec_of("knockout", 6, 2), by_number)

    assert tables(out, 0) == {(2, 5), (3, 4)}
    assert tables(out, 1) == {(0, 3), (1, 2)}


def test_groups_are_filled_in_snake_order() -> None:
    out = play_out(spec_of("knockout", 16, 4), by_number)

    assert tables(out, 0) == {(0, 7, 8, 15), (1, 6, 9, 14), (2, 5, 10, 13), (3, 4, 11, 12)}


def test_seeds_at_random_are_others_with_another_seed() -> None:
    first = play_out(spec_of("knockout", 16, 2, seeding="random", seed=1), by_number)
    second = play_out(spec_of("knockout", 16, 2, seeding="random", seed=2), by_number)

    assert tables(first, 0) != tables(second, 0)


def test_bots_are_ordered_by_stage_then_by_place_at_the_table() -> None:
    spec = spec_of("knockout", 8, 4, 1)

    out = play_out(spec, by_number)

    # Tables 0 3 4 7 and 1 2 5 6: the first two go on. Places at the table count first.
    assert order(spec, out) == [0, 1, 2, 3, 4, 5, 6, 7]
    half = play_out(spec, by_number, 1)
    places = KNOCKOUT.places(spec, half.so_far)
    assert [place.first for place in places] == [0, 0, 0, 0, 4, 5, 6, 7]


def test_if_all_forfeit_or_are_even_seeds_decide() -> None:
    for play in (all_even, all_forfeit):
        spec = spec_of("knockout", 13, 4, 2)

        out = play_out(spec, play)

        assert order(spec, out)[0] == 0
        assert KNOCKOUT.remarks(spec, out.so_far) == ("Final played; bot-0 has won.",)


def test_forfeiting_bot_is_eliminated_regardless_of_points() -> None:
    spec = spec_of("knockout", 2, 2)

    out = play_out(spec, lambda match: with_points(match, [0, 0], match.seats.index(0)))

    assert order(spec, out) == [1, 0]


def test_fewer_points_break_a_tie_at_the_table() -> None:
    spec = spec_of("knockout", 2, 2, 1)

    def play(match: PlannedMatch) -> Played:  # each wins once, but 1 by more
        return with_points(match, [3, 4] if match.seats == (0, 1) else [0, 9])

    assert order(spec, play_out(spec, play)) == [1, 0]


def test_remarks_describe_the_test() -> None:
    spec = spec_of("knockout", 6, 2)
    said = [KNOCKOUT.remarks(spec, play_out(spec, by_number, n).so_far)[0] for n in range(4)]

    assert said == [
        "Stage 1: 6 still in, 2 tables, 2 with a bye.",
        "Stage 2: 4 still in, 2 tables.",
        "Stage 3, the final: bot-0, bot-1.",
        "Final played; bot-0 has won.",
    ]
    out = play_out(spec, by_number)
    assert KNOCKOUT.still_in(spec, stages_of(out.so_far)) == []


def out_first(spec: TournamentSpec, *stage: TableResult) -> list[int]:
    """The bots eliminated in the first stage, best first."""
    places = KNOCKOUT.standings(spec, [stage])
    out = [entrant for entrant, place in enumerate(places) if place.first]
    return sorted(out, key=lambda entrant: places[entrant].first)


def test_bots_out_at_the_same_place_are_ordered_by_score_then_points() -> None:
    spec = spec_of("knockout", 8, 4)
    one = TableResult((0, 3, 4, 7), [20, 15, 8, 5], [4, 9, 30, 31], 4)
    by_score = TableResult((1, 2, 5, 6), [18, 16, 10, 4], [8, 8, 40, 50], 4)
    by_points = TableResult((1, 2, 5, 6), [18, 17, 8, 5], [8, 8, 20, 40], 4)

    assert out_first(spec, one, by_score) == [5, 4, 7, 6]
    assert out_first(spec, one, by_points) == [5, 4, 7, 6]


def test_table_of_the_best_seed_advances_more_if_fewer_are_eliminated() -> None:
    spec = spec_of("knockout", 11, 4)  # the three best seeds have a bye, and three go out
    best_seed = TableResult((3, 6, 7, 10), [20, 15, 8, 5], [4, 9, 30, 40], 4)
    other = TableResult((4, 5, 8, 9), [20, 15, 8, 5], [4, 9, 30, 40], 4)

    assert out_first(spec, other, best_seed) == [8, 9, 10]
