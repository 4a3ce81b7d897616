"""The packed log and the JSON record: both lead back to the same match, and lies are found."""

import copy
import json
import random
import zlib
from typing import Any

import pytest

from arena.games import packed_log
from arena.games.match import FAULT_KINDS, Match, MatchSetup, Seat
from arena.games.packed_log import pack, replay, unpack
from arena.games.record import RecordError, export, verify
from arena.games.rules import GAMES


def played(seed: int = 1, fault_chance: float = 0.0, game: str = "lama") -> Match:
    rng = random.Random(seed)
    seats = tuple(Seat(name) for name in ("ann", "bob", "cid", "dot"))
    match = Match(MatchSetup(f"m{seed}", game, rng.randbytes(16), seats))
    while match.decision:
        if rng.random() < fault_chance:
            match.fail(rng.choice(FAULT_KINDS), "because", 1000)
        else:
            match.answer(rng.choice(match.decision.actions), rng.randrange(5_000))
    return match


def as_json(match: Match) -> Any:
    return json.loads(json.dumps(export(match)))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(5))
def test_a_packed_match_replays_to_the_same_record(game: str, seed: int) -> None:
    match = played(seed, fault_chance=0.02, game=game)
    again = replay(match.setup, pack(match))
    assert [(a.number, a.action, a.fault) for a in again.logged] == [
        (a.number, a.action, a.fault) for a in match.logged
    ]
    assert again.result == match.result
    assert pack(again) == pack(match)


def test_a_match_can_be_packed_and_carried_on_in_the_middle() -> None:
    match = played(7)
    half = Match(match.setup)
    for asked in match.logged[: len(match.logged) // 2]:
        half.answer(asked.action, asked.latency_us)
    resumed = replay(match.setup, pack(half))
    assert resumed.decision == half.decision
    for asked in match.logged[len(match.logged) // 2 :]:
        resumed.answer(asked.action)
    assert resumed.result == match.result


def test_reasons_of_faults_are_brought_back() -> None:
    match = played(3)
    half = Match(match.setup)
    fault = half.fail("timeout", "slept")
    assert replay(match.setup, pack(half), {fault.number: "slept"}).faults == [fault]


def test_a_packed_match_is_small() -> None:
    sizes = [len(pack(played(seed))) for seed in range(20)]
    assert sum(sizes) / len(sizes) < 250


@pytest.mark.parametrize("microseconds", [0, 1, 100, 1_000, 50_000, 2_000_000, 30_000_000])
def test_latencies_keep_their_magnitude(microseconds: int) -> None:
    kept = packed_log.latency_of(packed_log.latency_code(microseconds))
    assert kept == pytest.approx(microseconds, rel=0.04, abs=1)


def test_the_record_has_the_documented_shape() -> None:
    told = as_json(played(2))
    assert told["format"] == "lama-arena/match/1"
    assert set(told) == {
        "format", "id", "game", "ruleset", "options", "seed", "seats", "rounds", "result",
    }  # fmt: skip
    assert set(told["rounds"][0]) == {
        "starter", "hands", "top", "pile", "moves", "penalties", "points",
    }  # fmt: skip
    assert set(told["result"]) == {"points", "ranks", "winners", "faults"}
    assert told["rounds"][-1]["points"] == told["result"]["points"]
    opening = told["rounds"][0]
    dealt = [card for hand in opening["hands"] for card in hand]
    assert len(dealt) + 1 + len(opening["pile"]) == 56


def test_faults_stand_at_their_moves_and_forfeits_at_those_that_follow() -> None:
    match = Match(MatchSetup("m", "lama", bytes(16), (Seat("a"), Seat("b")), fault_limit=1))
    match.fail("timeout", "asleep")
    while match.decision:
        match.answer(match.decision.actions[0])
    moves = [move for told in export(match)["rounds"] for move in told["moves"]]
    assert moves[0]["fault"] == "timeout"
    own = [move for move in moves[1:] if move["seat"] == 0]
    assert own
    assert all(move.get("forfeited") for move in own)
    assert not any(move.get("forfeited") for move in moves if move["seat"] == 1)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(5))
def test_an_honest_record_is_verified(game: str, seed: int) -> None:
    verify(as_json(played(seed, fault_chance=0.02, game=game)))


def test_record_of_dice_has_rows_and_rolls() -> None:
    told = as_json(played(game="dice"))
    opening = told["rounds"][0]
    assert set(opening) == {"starter", "rows", "moves", "penalties", "points"}
    assert [len(row) for row in opening["rows"]] == [6] * 4
    for move in opening["moves"]:
        assert len(move.get("dice", [])) == (3 if move["action"] == "roll" else 0)


def test_dice_that_were_not_rolled_are_found_out() -> None:
    told = as_json(played(game="dice"))
    roll = next(move for move in told["rounds"][0]["moves"] if move["action"] == "roll")
    roll["dice"].append(roll["dice"].pop(0))
    with pytest.raises(RecordError, match="Round 1, move .*: dice are"):
        verify(told)


LIES = {
    "another seed": lambda r: r.update(seed="00" * 16),
    "another card in a hand": lambda r: r["rounds"][0]["hands"][0].__setitem__(0, "x"),
    "another start card": lambda r: r["rounds"][0].update(top="x"),
    "another pile": lambda r: r["rounds"][0]["pile"].reverse(),
    "another starter": lambda r: r["rounds"][1].update(starter=9),
    "another penalty": lambda r: r["rounds"][0]["penalties"].__setitem__(0, 99),
    "other points": lambda r: r["rounds"][0]["points"].__setitem__(0, 99),
    "another winner": lambda r: r["result"].update(winners=[]),
    "other ranks": lambda r: r["result"]["ranks"].reverse(),
    "other points at the end": lambda r: r["result"]["points"].__setitem__(0, 0),
    "a move less": lambda r: r["rounds"][-1]["moves"].pop(),
    "a move more": lambda r: r["rounds"][0]["moves"].append({"seat": 0, "action": "quit"}),
    "a round less": lambda r: r["rounds"].pop(),
    "somebody else's move": lambda r: r["rounds"][0]["moves"][0].update(seat=3),
    "an action that is none": lambda r: r["rounds"][0]["moves"][0].update(action="fly"),
    "an action not offered": lambda r: r["rounds"][0]["moves"][0].update(action="return 10"),
    "an option that changes nothing known": lambda r: r["options"].update(speed="9"),
    "another format": lambda r: r.update(format="lama-arena/match/9"),
    "another ruleset": lambda r: r.update(ruleset="lama/0"),
    "another game's ruleset": lambda r: r.update(ruleset="dice/1"),
    "no ruleset": lambda r: r.update(ruleset=""),
    "dice that were not rolled": lambda r: r["rounds"][0]["moves"][0].update(dice=["1"]),
    "another game": lambda r: r.update(game="chess"),
    "no rounds": lambda r: r.pop("rounds"),
    "rounds that are a number": lambda r: r.update(rounds=3),
    "a seed that is none": lambda r: r.update(seed="xyz"),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_dishonest_or_broken_record_is_found_out(lie: Any) -> None:
    told = copy.deepcopy(as_json(played(4)))
    lie(told)
    with pytest.raises(RecordError):
        verify(told)


def test_a_fault_behind_the_last_decision_is_damage() -> None:
    """One decision (action 0, code 0), and a fault of decision number 1 of 0 to 0."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    log = compressor.compress(bytes([1, 1, 0, 0, 1, 1, 0])) + compressor.flush()
    with pytest.raises(RecordError, match="The log is damaged"):
        unpack(log)


def test_a_damaged_log_is_found_out() -> None:
    match = played(5)
    log = pack(match)
    for damaged in (b"", log[:-4], b"\x00" + log, log[::-1]):
        with pytest.raises(RecordError):
            replay(match.setup, damaged)


def test_a_log_of_another_deal_is_found_out() -> None:
    one, other = played(1), played(2)
    with pytest.raises(RecordError):
        replay(one.setup, pack(other))


def test_a_log_that_goes_on_after_the_end_is_found_out() -> None:
    match = played(6)
    match.logged.append(match.logged[0])
    with pytest.raises(RecordError, match="after the end"):
        replay(match.setup, pack(match))


def test_latencies_are_those_of_the_seat_that_moved_but_for_lost_connections() -> None:
    match = Match(MatchSetup("m", "lama", bytes(16), (Seat("ann"), Seat("bob"))))
    by_seat: dict[int, list[int]] = {0: [], 1: []}
    for number in range(1, 6):
        assert match.decision
        seat, latency_us = match.decision.seat, 1000 * number**3
        if number == 3:
            match.fail("disconnect", "gone", latency_us)
            continue
        if number == 4:
            match.fail("timeout", "slow", latency_us)
        else:
            match.answer(match.decision.actions[0], latency_us)
        by_seat[seat].append(packed_log.latency_code(latency_us))

    assert all(by_seat.values())
    assert packed_log.latency_codes(match) == tuple(map(bytes, by_seat.values()))


def test_an_immediate_forfeit_is_packed_and_comes_back() -> None:
    match = Match(MatchSetup("m", "lama", bytes(16), (Seat("ann"), Seat("bob"), Seat("cid"))))
    match.fail("disconnect", "stayed away", 1000, forfeit=True)

    steps, again = unpack(pack(match)), replay(match.setup, pack(match))
    while match.decision:
        action = match.decision.actions[0]
        match.answer(action)
        again.answer(action)

    assert [step.forfeited for step in steps] == [True]
    assert again.result == match.result
    assert match.result
    assert match.result.faults.count("disconnect") == 1


def test_unpacking_gives_the_steps() -> None:
    match = played(8, fault_chance=0.05)
    steps = unpack(pack(match))
    assert [(s.action, s.fault) for s in steps] == [(a.action, a.fault) for a in match.logged]
