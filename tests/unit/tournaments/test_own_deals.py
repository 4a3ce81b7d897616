"""Matches with separate deals: balance, rounding, and the sequential test over matches."""

from collections import Counter
from itertools import pairwise

import pytest

from arena.tournaments.formats import FORMATS, PlannedMatch, TournamentSpec, check_spec
from arena.tournaments.formats.cycles import OWN, cycles
from arena.tournaments.ratings.elo import score
from arena.tournaments.ratings.sprt import Evidence, Hypotheses, judge
from tests.played_out import all_even, by_strength, play_out, spec_of

VERSUS = FORMATS["versus"]


def asked(matches: int, **changed: object) -> TournamentSpec:
    fields = {"bots": tuple("abcdef"), "seats": 4, **changed}
    return check_spec(TournamentSpec(matches=matches, **fields))  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
def test_each_match_has_its_own_deal_in_every_format_by_default(name: str) -> None:
    fewer = {"matches": 3000} if name == "ladder" else {}
    spec = spec_of(name, 6 if name != "versus" else 2, 2, 3, **fewer)

    found = [one.match.deal for one in play_out(spec, all_even).matches]

    assert spec.format_options["deals"] == OWN
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("wanted", "seats", "made"), [(1, 4, 4), (4, 4, 4), (5, 4, 8), (40, 6, 42), (0, 3, 30)]
)
def test_matches_are_rounded_up_to_whole_cycles_of_the_seats(
    wanted: int, seats: int, made: int
) -> None:
    spec = asked(wanted, seats=seats)

    assert (spec.matches, spec.deals, cycles(spec)) == (made, 0, made // seats)


def test_shared_deals_may_be_asked_for_as_matches_or_as_deals() -> None:
    shared = {"deals": "duplicate"}

    by_matches = asked(10, format_options=shared)
    by_deals = asked(0, deals=3, format_options=shared)

    assert by_matches == by_deals
    assert (by_deals.deals, by_deals.matches) == (3, 0)


def test_every_bot_of_a_table_has_every_seat_and_every_neighbour_as_often_as_with_rotations() -> (
    None
):
    spec = asked(400, bots=tuple("abcd"))
    matches = [one.match for one in play_out(spec, all_even).matches]

    seats = Counter((entrant, at) for one in matches for at, entrant in enumerate(one.seats))
    assert set(seats.values()) == {100}
    left = Counter(
        pair for one in matches for pair in (*pairwise(one.seats), (one.seats[-1], one.seats[0]))
    )
    # 400 matches, three possible neighbours on the left: 133 are to be expected, in steps of four.
    assert all(80 <= times <= 190 for times in left.values())


def test_candidate_and_baseline_change_over_from_one_match_to_the_next() -> None:
    spec = spec_of("versus", 7, 5, 50)

    by_deal: dict[int, PlannedMatch] = {match.deal: match for match in VERSUS.block(spec, 0)}

    assert sorted(by_deal) == list(range(100))
    for number in range(0, 100, 2):
        one, other = by_deal[number].seats, by_deal[number + 1].seats
        assert other == tuple({0: 1, 1: 0}.get(entrant, entrant) for entrant in one)


@pytest.mark.parametrize("seatings", ["mirrored", "rotated"])
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_test_is_looked_at_match_by_match(seats: int, seatings: str) -> None:
    bots = seats if seats == 2 else seats + 2
    spec = spec_of("versus", bots, seats, 7, max_deals=400, seatings=seatings)

    out = play_out(spec, by_strength([0.2] + [0.0] * 9, seed=3))

    scores = {}
    for one in out.matches:
        places = list(zip(one.forfeited, one.points, strict=True))
        at = one.match.seats
        scores[one.match.deal] = score(places[at.index(0)], places[at.index(1)])
    assert sorted(scores) == list(range(len(out.matches)))
    evidence, state = Evidence(), "running"
    for deal in sorted(scores):
        if state == "running":
            evidence = evidence.add(scores[deal], Hypotheses())
            state = judge(evidence, Hypotheses(), 1).state
    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert (verdict.deals, verdict.state) == (evidence.deals, state)
    assert verdict.llr == pytest.approx(judge(evidence, Hypotheses(), 1).llr)
    assert VERSUS.remarks(spec, out.so_far)[0].startswith(f"After {verdict.deals:,} matches: ")


def test_it_ends_undecided_after_whole_cycles() -> None:
    spec = spec_of("versus", 5, 3, 4, max_deals=25, seatings="rotated", elo0=-900, elo1=900)

    assert VERSUS.count(spec) == 27
    out = play_out(spec, by_strength([0.0] * 5, seed=4))

    assert len(out.matches) <= 27
    assert sum(map(len, out.blocks)) == len(out.matches)
