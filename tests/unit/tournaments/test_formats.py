"""Guarantees of all tournament formats, played out with synthetic results."""

from collections import Counter
from typing import Any

import pytest

from arena.base.errors import InvalidRequest
from arena.tournaments.formats import FORMATS, TournamentSpec, check_spec, format_of
from arena.tournaments.formats.cycles import cycle_of
from tests.formats import OWN, SHARED, SPECS, name_of
from tests.played_out import (
    Play,
    all_even,
    all_forfeit,
    by_number,
    by_strength,
    play_out,
    spec_of,
)

PLAYS = {
    "ordered": by_number,
    "even": all_even,
    "forfeits": all_forfeit,
    "lucky": by_strength([1.0 - 0.1 * n for n in range(20)]),
}
specs = pytest.mark.parametrize("spec", SPECS, ids=name_of)
plays = pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS)


@specs
@plays
def test_every_cycle_is_one_table_in_every_rotation_or_in_mirror_images(
    spec: TournamentSpec, play: Play
) -> None:
    length = format_of(spec.format).cycle_length(spec)
    matches = [one.match for one in play_out(spec, play).matches]

    assert [match.position for match in matches] == list(range(len(matches)))
    by_cycle: dict[int, list[tuple[int, ...]]] = {}
    for match in matches:
        by_cycle.setdefault(cycle_of(spec, match.deal, length), []).append(match.seats)
    assert sorted(by_cycle) == list(range(len(matches) // length))
    for seatings in by_cycle.values():
        one = seatings[0]
        assert len(set(one)) == spec.seats
        if spec.format_options.get("seatings") == "mirrored":
            changed = tuple({0: 1, 1: 0}.get(entrant, entrant) for entrant in one)
            assert sorted(seatings) == sorted([one, changed])
        else:
            turns = range(spec.seats)
            assert sorted(seatings) == sorted(one[turn:] + one[:turn] for turn in turns)


@specs
@plays
def test_each_match_has_a_deal_of_its_own_or_each_cycle(spec: TournamentSpec, play: Play) -> None:
    format_ = format_of(spec.format)
    shared = spec.format_options["deals"] == "duplicate"

    deals = Counter(one.match.deal for one in play_out(spec, play).matches)

    assert sorted(deals) == list(range(len(deals)))
    assert set(deals.values()) == {format_.matches_per_deal(spec)}
    assert format_.matches_per_deal(spec) == (format_.cycle_length(spec) if shared else 1)


@pytest.mark.parametrize("number", range(len(OWN)))
def test_separate_deals_do_not_change_seats(number: int) -> None:
    own, shared = OWN[number], SHARED[number]
    # A versus looks at the test match by match, and so may end earlier.
    blocks = 1 if own.format == "versus" else 10_000

    seated = [
        [one.match.seats for one in play_out(spec, by_number, blocks).matches]
        for spec in (own, shared)
    ]

    assert seated[0] == seated[1]


@specs
@plays
def test_number_of_matches_equals_the_count(spec: TournamentSpec, play: Play) -> None:
    played = len(play_out(spec, play).matches)

    withdraws = "withdraw_after" in spec.format_options
    if spec.format == "versus" or (withdraws and play is all_forfeit):
        assert 0 < played <= format_of(spec.format).count(spec)
    else:
        assert played == format_of(spec.format).count(spec)


@specs
@plays
def test_at_every_moment_there_are_standings_and_something_to_say(
    spec: TournamentSpec, play: Play
) -> None:
    format_ = format_of(spec.format)
    for blocks in range(4):
        so_far = play_out(spec, play, blocks).so_far

        places = format_.places(spec, so_far)
        assert len(places) in (0, len(spec.bots))
        assert all(abs(place.first) < 1e6 and abs(place.then) <= 1 for place in places)
        remarks = format_.remarks(spec, so_far)
        assert all(remark.endswith(".") for remark in remarks)
        assert "nan" not in " ".join(remarks)


def test_blocks_of_these_sizes_have_at_most_512_matches() -> None:
    for spec in SPECS:
        for block in play_out(spec, by_number).blocks:
            assert 0 < len(block) <= 512


@pytest.mark.parametrize("name", FORMATS)
def test_one_bot_is_not_enough_for_any_format(name: str) -> None:
    with pytest.raises(InvalidRequest, match="only 1 bots are entered"):
        spec_of(name, 1, 2)


@pytest.mark.parametrize("name", FORMATS)
def test_an_unknown_option_is_refused_naming_the_known_ones(name: str) -> None:
    with pytest.raises(InvalidRequest, match=f'format {name} has no option "colour". It has: '):
        spec_of(name, 4, 2, colour="red")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("round-robin", 4, 2, 1, {"tables": "some"}), "takes auto, all or balanced"),
        (("round-robin", 300, 6, 1, {"tables": "balanced"}), "at most 200 bots"),
        (("gauntlet", 100, 6, 9999, {}), "at most 200 bots, and at most 600 matches"),
        (("knockout", 4, 2, 1, {"advance": 2}), "advance must be at most 1. It is 2"),
        (("knockout", 4, 2, 1, {"seeding": "best"}), "takes entered, elo or random"),
        (("swiss", 4, 2, 1, {"rounds": -1}), "whole number from 0 to 200"),
        (("swiss", 501, 2, 1, {}), "at most 500 bots"),
        (("versus", 3, 2, 1, {}), "takes two bots"),
        (("versus", 2, 2, 1, {"elo0": 5, "elo1": 5}), "Choose elo0 below elo1"),
        (("versus", 2, 2, 1, {"alpha": 0.7}), "takes a number from 1e-06 to 0.4999"),
        (("versus", 2, 2, 1, {"elo1": "nan"}), "takes a number from -1000 to 1000"),
        (("versus", 2, 2, 1, {"seatings": "some"}), "takes mirrored or rotated"),
        (
            ("ladder", 4, 4, 10, {"matches": 39}),
            "39 matches is below the 40 of one",
        ),
    ],
)
def test_format_rejects_unplayable_specs_with_a_sentence(
    wrong: tuple[str, int, int, int, dict[str, Any]], said: str
) -> None:
    format_name, bots, seats, deals, options = wrong
    with pytest.raises(InvalidRequest, match=said) as refused:
        spec_of(format_name, bots, seats, deals, **options)

    assert str(refused.value).endswith(".")


def test_options_are_completed_and_checking_twice_changes_nothing() -> None:
    spec = check_spec(TournamentSpec(format="versus", seats=2, bots=("ada", "bob")))

    assert spec.format_options == {
        "elo0": "0", "elo1": "20", "alpha": "0.05", "beta": "0.05", "max_deals": "10000",
        "seatings": "mirrored", "siblings": "apart", "deals": "own",
    }  # fmt: skip
    assert check_spec(spec) == spec


def test_every_format_has_a_description_and_documented_options() -> None:
    for format_ in FORMATS.values():
        assert format_.title
        assert format_.about.endswith(".")
        for option in format_.options.values():
            assert option.about
            assert option.normalize(option.default) == option.default


def test_all_meet_each_other_where_they_should() -> None:
    for spec in SPECS:
        if spec.format in ("round-robin", "swiss", "ladder"):
            seen = Counter(
                entrant for one in play_out(spec, by_number).matches for entrant in one.match.seats
            )
            assert set(seen) == set(range(len(spec.bots)))


def test_sitting_is_one_match_and_not_for_tournaments() -> None:
    spec = TournamentSpec(format="sitting", seats=3, bots=("ada", "bob", "cyd"))
    with pytest.raises(InvalidRequest, match="for games against people"):
        check_spec(spec)

    played = format_of("sitting")
    checked = check_spec(spec, sitting=True)

    assert played.count(checked) == played.matches_per_deal(checked) == 1
    assert [match.seats for match in played.block(checked, 0)] == [(0, 1, 2)]
    assert played.block(checked, 1) == ()
    with pytest.raises(InvalidRequest, match="needs 2 players"):
        check_spec(TournamentSpec(format="sitting", seats=2, bots=spec.bots), sitting=True)
