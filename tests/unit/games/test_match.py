"""The sans-IO match: decisions, forced moves, and faults."""

import random

import pytest

from arena.games.match import FaultKind, Match, MatchSetup, Seat, result_of
from arena.games.packed_log import pack, replay
from arena.games.record import export, verify
from arena.games.rules.errors import BadSeats, OutOfTurn, UnknownGame

SEATS = (Seat("ann"), Seat("bob"), Seat("cid"))


def new_match(seed: int = 1, fault_limit: int = 3, **options: str) -> Match:
    setup = MatchSetup("m1", "lama", seed.to_bytes(16, "big"), SEATS, options, fault_limit)
    return Match(setup)


def play_out(match: Match) -> Match:
    while match.decision:
        match.answer(match.decision.actions[0])
    return match


def test_a_match_asks_until_it_is_over() -> None:
    match = play_out(new_match())
    assert match.finished
    assert max(match.result.points) >= 40
    with pytest.raises(OutOfTurn, match="is over"):
        match.answer("quit")
    with pytest.raises(OutOfTurn, match="is over"):
        match.fail("timeout", "late")


def test_result_is_not_available_before_the_end() -> None:
    with pytest.raises(OutOfTurn, match="not over"):
        _ = new_match().result


def test_decisions_offer_a_choice_and_forced_moves_are_only_logged() -> None:
    rng, asked, moves = random.Random(2), 0, 0
    for seed in range(10):
        match = new_match(seed)
        while match.decision:
            assert len(match.decision.actions) >= 2
            match.answer(rng.choice(match.decision.actions))
        asked += len(match.logged)
        moves += sum(len(log.moves) for log in match.game.rounds)
    assert moves > asked


def test_decisions_are_numbered_over_all_seats_forced_ones_included() -> None:
    match = new_match(3)
    seen = []
    while match.decision:
        seen.append(match.decision.number)
        match.answer(match.decision.actions[0])
    assert seen == sorted(set(seen))
    assert seen[-1] <= sum(len(log.moves) for log in match.game.rounds)


@pytest.mark.parametrize("answer", ["play 9", "return 10", 99, "fly", ""])
def test_an_illegal_answer_is_a_fault_and_the_default_is_played(answer: str | int) -> None:
    match = new_match()
    fault = match.answer(answer)
    assert fault is not None
    assert (fault.seat, fault.kind, fault.instead, fault.forfeited) == (0, "illegal", "quit", False)
    assert not match.game.active[0]


@pytest.mark.parametrize("kind", ["timeout", "disconnect", "error"])
def test_every_fault_plays_the_default_and_is_counted(kind: FaultKind) -> None:
    match = new_match()
    fault = match.fail(kind, "why")
    assert (fault.kind, fault.reason, fault.instead) == (kind, "why", "quit")
    assert match.fault_counts() == (1, 0, 0)


def test_at_the_limit_a_seat_is_asked_nothing_more_and_ranks_last() -> None:
    match = new_match(fault_limit=2)
    faults = []
    while match.decision:
        if match.decision.seat == 1:
            faults.append(match.fail("timeout", "asleep"))
        else:
            match.answer(match.decision.actions[0])
    assert [fault.forfeited for fault in faults] == [False, True]
    assert match.result.faults == (None, "timeout", None)
    assert match.result.ranks[1] == 3
    assert 1 not in match.result.winners


def test_absent_bot_forfeits_at_the_first_decision() -> None:
    match = new_match()
    assert match.fail("disconnect", "never came", forfeit=True).forfeited
    play_out(match)
    assert match.result.faults == ("disconnect", None, None)
    again = replay(match.setup, pack(match))
    assert again.result == match.result
    verify(export(again))


def test_match_in_which_all_forfeit_has_no_winners() -> None:
    match = new_match(fault_limit=1)
    while match.decision:
        match.fail("disconnect", "gone")
    assert match.result.winners == ()
    assert match.faults[-1].forfeited


def test_equal_points_share_the_rank_and_the_victory() -> None:
    result = result_of([12, 40, 12, 41], [None] * 4)
    assert result.ranks == (1, 3, 1, 4)
    assert result.winners == (0, 2)


def test_forfeiting_bot_ranks_below_all_others() -> None:
    result = result_of([0, 40, 70, 5], ["timeout", None, None, "error"])
    assert result.ranks == (3, 1, 2, 4)
    assert result.winners == (1,)


def test_a_setup_that_cannot_be_played_is_refused() -> None:
    with pytest.raises(UnknownGame):
        Match(MatchSetup("m", "chess", bytes(16), SEATS))
    with pytest.raises(BadSeats):
        Match(MatchSetup("m", "lama", bytes(16), SEATS[:1]))
