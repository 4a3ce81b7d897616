"""Versus: a sequential test that stops by itself."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from arena.bots import STRATEGIES
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES
from arena.tournaments.formats import (
    FORMATS,
    NOTHING,
    PlannedMatch,
    Played,
    TournamentSpec,
    check_spec,
    deal_seed,
)
from arena.tournaments.ratings.elo import score
from arena.tournaments.ratings.sprt import Evidence, Hypotheses, judge
from tests.played_out import (
    Play,
    all_even,
    by_number,
    by_strength,
    play_out,
    with_points,
)
from tests.played_out import spec_of as any_spec_of

VERSUS = FORMATS["versus"]


def spec_of(*args: Any, **rest: Any) -> TournamentSpec:
    """With shared deals; those with a deal for each match are tested in test_own_deals.py."""
    return any_spec_of(*args, **{"deals": "duplicate", **rest})


def really(game: str, bots: Sequence[str]) -> Play:
    """Plays matches of a game, with the house bot of that name for each entrant."""

    def play(planned: PlannedMatch) -> Played:
        seats = tuple(Seat(bots[entrant]) for entrant in planned.seats)
        match = Match(MatchSetup(str(planned.position), game, deal_seed(1, planned.deal), seats))
        while (view := match.decision) is not None:
            match.answer(STRATEGIES[game][seats[view.seat].bot].choose(view))
        return with_points(planned, match.result.points)

    return play


def even_deals(test: Hypotheses) -> int:
    """After how many deals, all of them even, a test ends."""
    evidence = Evidence()
    while judge(evidence, test).state == "running":
        evidence = evidence.add(0.5, test)
    return evidence.deals


def with_forfeits(away: Sequence[int], every: int, play: Play = all_even) -> Play:
    """These bots forfeit one match in this many."""

    def played(match: PlannedMatch) -> Played:
        if match.position % every:
            return play(match)
        return with_points(match, play(match).points, *map(match.seats.index, away))

    return played


def leads(played: Sequence[Played]) -> dict[int, list[float]]:
    """By deal, the candidate's score against the baseline in its matches."""
    found: dict[int, list[float]] = defaultdict(list)
    for one in played:
        places = dict(
            zip(one.match.seats, zip(one.forfeited, one.points, strict=True), strict=True)
        )
        found[one.match.deal].append(score(places[0], places[1]))
    return found


def test_a_candidate_that_always_wins_is_accepted_soon() -> None:
    spec = spec_of("versus", 2, 2, 10)

    out = play_out(spec, by_number)

    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert verdict.state == "accepted"
    assert verdict.mean == 1.0
    assert len(out.matches) < 100
    assert VERSUS.remarks(spec, out.so_far)[1] == (
        "Accepted, bot-0 is better than bot-1: 20 Elo fits better than 0."
    )


def test_a_candidate_that_always_loses_is_rejected_soon() -> None:
    spec = spec_of("versus", 2, 2, 10)

    out = play_out(spec, by_strength([-9, 9], luck=0))

    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert (verdict.state, verdict.mean) == ("rejected", 0.0)
    assert VERSUS.remarks(spec, out.so_far)[1].startswith("Rejected, bot-0 is not better")


def test_identical_bots_end_as_indistinguishable() -> None:
    spec = spec_of("versus", 2, 2, 10)

    out = play_out(spec, all_even)

    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert verdict.state == "indistinguishable"
    assert verdict.deals == even_deals(Hypotheses()) == 104
    assert len(out.matches) == 2 * 10 * -(-verdict.deals // 10)
    assert "indistinguishable: every deal came out even" in VERSUS.remarks(spec, out.so_far)[1]


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("game", GAMES)
def test_the_same_program_twice_is_even_on_every_deal_whoever_else_sits_there(
    game: str, seats: int
) -> None:
    field = ["five", "stubborn", "sharp", "timid", "careful"][: seats - 1 if seats > 2 else 0]
    spec = spec_of("versus", 2 + len(field), seats, 5, elo1=100)

    out = play_out(spec, really(game, ["careful", "careful", *field]))

    found = leads(out.matches)
    assert any(scores != [0.5, 0.5] for scores in found.values()), "one is ahead now and then"
    assert {sum(scores) for scores in found.values()} == {1.0}
    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert (verdict.state, verdict.mean) == ("indistinguishable", 0.5)
    assert verdict.deals == even_deals(Hypotheses(0, 100))
    assert len(out.matches) == 2 * 5 * -(-verdict.deals // 5)


def test_in_rotations_alone_the_same_program_twice_is_not_even() -> None:
    spec = spec_of("versus", 5, 4, 10, seatings="rotated", max_deals=20)

    out = play_out(spec, really("lama", ["careful", "careful", "five", "stubborn", "sharp"]))

    assert any(sum(scores) != 2.0 for scores in leads(out.matches).values())


def test_at_two_seats_mirror_images_are_the_rotations() -> None:
    one = spec_of("versus", 2, 2, 7)
    other = check_spec(replace(one, format_options={**one.format_options, "seatings": "rotated"}))

    assert VERSUS.block(one, 0) == VERSUS.block(other, 0)


def test_only_the_field_keeps_its_seats() -> None:
    spec = spec_of("versus", 6, 4, 10)

    seats: dict[tuple[int, int], set[int]] = defaultdict(set)
    for match in VERSUS.block(spec, 0):
        for seat, entrant in enumerate(match.seats):
            seats[match.deal, entrant].add(seat)

    kept = {entrant for (_, entrant), found in seats.items() if len(found) == 1}
    changed = {entrant for (_, entrant), found in seats.items() if len(found) > 1}
    assert (kept, changed) == (set(VERSUS.fixed(spec)), {0, 1})


def test_candidate_and_baseline_sit_equally_often_in_each_seat() -> None:
    spec = spec_of("versus", 7, 5, 200)

    block = VERSUS.block(spec, 0)

    for seat in range(5):
        sat = Counter(match.seats[seat] for match in block)
        assert sat[0] == sat[1]
        assert 50 < sat[0] < 110, "80 are to be expected, give or take 11"


def test_it_is_undecided_when_the_deals_are_used_up() -> None:
    spec = spec_of("versus", 2, 2, 10, max_deals=25)

    out = play_out(spec, by_strength([0.05, 0], seed=4))

    assert [len(block) for block in out.blocks] == [20, 20, 10]
    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert (verdict.state, verdict.deals) == ("running", 25)
    assert VERSUS.remarks(spec, out.so_far)[1] == "Undecided: the deals are used up."


@pytest.mark.parametrize("seatings", ["mirrored", "rotated"])
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_numbers_are_those_of_the_deals_in_scheduled_order(seats: int, seatings: str) -> None:
    bots = seats if seats == 2 else seats + 2
    spec = spec_of("versus", bots, seats, 7, max_deals=200, seatings=seatings)

    out = play_out(spec, by_strength([0.2] + [0.0] * 9, seed=3))

    each = 2 if seatings == "mirrored" else seats
    found = leads(out.matches)
    test, evidence, state = Hypotheses(), Evidence(), "running"
    for deal in sorted(found):
        assert len(found[deal]) == each
        if state == "running":
            evidence = evidence.add(sum(found[deal]) / each, test)
            state = judge(evidence, test, each).state
    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    known = judge(evidence, test, each)
    assert (verdict.deals, verdict.state) == (evidence.deals, state)
    assert verdict.llr == pytest.approx(known.llr)
    assert verdict.mean == pytest.approx(evidence.mean)
    assert verdict.normalized_elo == pytest.approx(known.normalized_elo)


def test_the_field_fills_the_tables_evenly() -> None:
    spec = spec_of("versus", 7, 4, 10, max_deals=100, elo0=-1000, elo1=1000, alpha=1e-6, beta=1e-6)

    out = play_out(spec, by_strength([0.0] * 7), most_blocks=10)

    sat = Counter(entrant for one in out.matches for entrant in one.match.seats)
    assert sat[0] == sat[1] == len(out.matches)
    assert max(sat[n] for n in range(2, 7)) - min(sat[n] for n in range(2, 7)) <= 2 * 4


@pytest.mark.parametrize("away", [[0], [1], [0, 1]])
@pytest.mark.parametrize("seats", [2, 4])
def test_a_bot_that_is_away_leaves_the_test_undecided_and_is_named(
    seats: int, away: list[int]
) -> None:
    """An absent baseline lost every match, and the candidate was "accepted" after 8 deals."""
    spec = spec_of("versus", seats if seats == 2 else seats + 1, seats, 10)

    out = play_out(spec, with_forfeits(away, every=1))

    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert (verdict.state, verdict.deals) == ("undecided", 0)
    assert len(out.blocks) == 1
    numbers, meaning = VERSUS.remarks(spec, out.so_far)
    named = " and ".join(f"bot-{bot} forfeited in 3" for bot in away)
    assert meaning.startswith(f"Undecided: {named} of 3 deals. Forfeits say nothing about strength")
    assert f"{named} of 3 deals; these deals count against either verdict." in numbers


def test_a_bot_of_the_field_may_be_away() -> None:
    spec = spec_of("versus", 5, 4, 10)
    play = by_strength([3, 0, 0, 0, 0])

    def without_2(match: PlannedMatch) -> Played:
        one = play(match)
        return with_points(match, one.points, *[s for s, bot in enumerate(match.seats) if bot == 2])

    verdict = VERSUS.verdict(spec, play_out(spec, without_2).so_far)

    assert verdict is not None
    assert verdict.state == "accepted"


def test_rare_forfeits_are_counted_against_either_verdict_and_stop_nothing() -> None:
    spec, strengths = spec_of("versus", 2, 2, 10), [0.5, 0]
    clean = VERSUS.verdict(spec, play_out(spec, by_strength(strengths)).so_far)

    out = play_out(spec, with_forfeits([1], every=60, play=by_strength(strengths)))

    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert clean is not None
    assert verdict.state == clean.state == "accepted"
    assert out.so_far["spoiled"] > 0
    assert verdict.deals + out.so_far["spoiled"] > clean.deals
    assert "bot-1 forfeited in" in VERSUS.remarks(spec, out.so_far)[0]


@pytest.mark.parametrize("loser", [0, 1])
def test_forfeiting_a_lost_match_gains_nothing(loser: int) -> None:
    """A bot that leaves whenever it is behind is not taken for one that never is."""
    spec = spec_of("versus", 2, 2, 10, max_deals=2000)
    play, spoiled = by_strength([0, 0]), 0

    def sore(match: PlannedMatch) -> Played:
        nonlocal spoiled
        one = play(match)
        seat = match.seats.index(loser)
        if one.ranks[seat] == 1 or spoiled * 25 > match.position:
            return one
        spoiled += 1
        return with_points(match, one.points, seat)

    verdict = VERSUS.verdict(spec, play_out(spec, sore).so_far)

    assert verdict is not None
    assert verdict.state != ("accepted" if loser == 0 else "rejected")


def test_before_the_first_deal_all_numbers_are_finite() -> None:
    spec = spec_of("versus", 2, 2)

    said = VERSUS.remarks(spec, {})

    assert said[0].startswith("After 0 deals: LLR 0.00 (bounds -3.00 and 3.00), mean score 0.500")
    assert said[1] == "Not decided yet."


# When it is likely to end


@pytest.mark.parametrize("deals", ["duplicate", "own"])
def test_the_likely_end_is_at_the_end_of_the_block_in_which_it_decides(deals: str) -> None:
    spec = spec_of("versus", 2, 2, cycles=10, deals=deals, max_deals="100000")
    play, so_far, number, told = by_strength([0.2, 0.0], seed=3), NOTHING, 0, []
    while block := VERSUS.block(spec, number, so_far):
        so_far = VERSUS.fold(spec, so_far, [play(match) for match in block])
        number += 1
        if VERSUS.block(spec, number, so_far):
            told.append((20 * number, VERSUS.likely_end(spec, so_far)))

    per_deal = 2 if deals == "duplicate" else 1
    early = [end for played, end in told if played < 100 * per_deal]
    later = [(played, end) for played, end in told if played >= 100 * per_deal]
    assert set(early) == {None}
    assert VERSUS.likely_end(spec, so_far) is None, "it is over"
    known = [(played, end) for played, end in later if end is not None]
    assert len(known) > 3
    assert all(end % 20 == 0 and end > played for played, end in known)
    _, end = known[-1]
    assert end == pytest.approx(20 * number, rel=0.2)


def test_no_end_is_estimated_beyond_the_last_deal() -> None:
    spec = spec_of("versus", 2, 2, cycles=10, deals="own", max_deals="400", elo0="-1", elo1="1")
    so_far = NOTHING
    for number in range(10):
        block = VERSUS.block(spec, number, so_far)
        so_far = VERSUS.fold(spec, so_far, [by_strength([0.1, 0.0], seed=number)(m) for m in block])

    assert VERSUS.likely_end(spec, so_far) in (None, 400)


def test_other_formats_know_no_likely_end() -> None:
    spec = any_spec_of("round-robin", 4, 2)

    assert FORMATS["round-robin"].likely_end(spec, NOTHING) is None
