"""Ladder and Swiss go on without bots that forfeit match after match."""

import json
from dataclasses import replace

import pytest

from arena.tournaments.formats import PlannedMatch, TournamentSpec, format_of
from tests.played_out import PlayedOut, all_forfeit, play_out, spec_of, without

ABSENT = 2
LADDER = spec_of("ladder", 6, 2, 4, matches=3000)
SWISS = spec_of("swiss", 9, 2, 6, rounds=7)  # twelve matches a table


def seated(out: PlayedOut, entrant: int) -> list[int]:
    """In how many matches of each block."""
    return [sum(entrant in one.match.seats for one in block) for block in out.blocks]


def options(spec: TournamentSpec, **given: str) -> TournamentSpec:
    return replace(spec, format_options={**spec.format_options, **given})


@pytest.mark.parametrize("spec", [LADDER, SWISS], ids=["ladder", "swiss"])
def test_bot_that_forfeits_twenty_in_a_row_is_no_longer_seated(spec: TournamentSpec) -> None:
    format_, out = format_of(spec.format), play_out(spec, without(ABSENT))

    matches = seated(out, ABSENT)
    last = max(block for block, count in enumerate(matches) if count)
    assert sum(matches[:last]) < 20 <= sum(matches)
    assert last < len(out.blocks) // 2
    assert all(any(seated(out, other)[last + 1 :]) for other in range(6) if other != ABSENT)
    assert len(out.matches) == format_.count(spec)
    expected = "No longer seated after 20 forfeits in a row: bot-2."
    assert format_.remarks(spec, out.so_far)[-1] == expected
    kept = json.loads(json.dumps(out.so_far))
    assert format_.remarks(spec, kept)[-1] == expected
    assert format_.places(spec, kept) == format_.places(spec, out.so_far)


def test_an_odd_number_that_has_become_even_sits_out_no_more() -> None:
    out = play_out(SWISS, without(ABSENT))

    played = [{entrant for one in block for entrant in one.match.seats} for block in out.blocks]
    assert played[-1] == set(range(9)) - {ABSENT}


@pytest.mark.parametrize("spec", [LADDER, SWISS], ids=["ladder", "swiss"])
def test_as_many_forfeits_as_there_are_may_be_allowed(spec: TournamentSpec) -> None:
    out = play_out(options(spec, withdraw_after="0"), without(ABSENT))

    assert sum(count > 0 for count in seated(out, ABSENT)) > len(out.blocks) // 2
    assert len(format_of(spec.format).remarks(out.spec, out.so_far)) == 1


@pytest.mark.parametrize("spec", [LADDER, SWISS], ids=["ladder", "swiss"])
def test_finished_match_updates_the_estimate(spec: TournamentSpec) -> None:
    def now_and_then(match: PlannedMatch) -> bool:
        return match.position % 16 == 0

    out = play_out(spec, without(ABSENT, there=now_and_then))

    longest, length = 0, 0
    for one in out.matches:
        if ABSENT in one.match.seats:
            length = length + 1 if one.forfeited[one.match.seats.index(ABSENT)] else 0
            longest = max(longest, length)
    assert longest >= 3
    assert (len(format_of(spec.format).remarks(spec, out.so_far)) == 2) == (length >= 20)


@pytest.mark.parametrize("spec", [LADDER, SWISS], ids=["ladder", "swiss"])
def test_ladder_ends_without_bots(spec: TournamentSpec) -> None:
    out = play_out(spec, all_forfeit)

    assert len(out.matches) < format_of(spec.format).count(spec)
    places = format_of(spec.format).places(spec, out.so_far)
    assert {place.first for place in places} == {places[0].first}
    assert format_of(spec.format).remarks(spec, out.so_far)
