"""The record of a match: a small packed log in the store, JSON for everybody else.

The packed log holds what cannot be replayed: the answers to the decisions that were asked, their
latencies and faults. Everything else follows from the setup. Layout, before raw DEFLATE:

    1 byte      version of this layout (1)
    varint      n, the number of decisions asked
    n bytes     stable index of each action
    n bytes     latency code of each: round(10·log2(1 + µs/16)), at most 255 (±3.5 %)
    varint      number of faults, then for each: varint position among the asked, 1 byte kind
                (0 illegal, 1 timeout, 2 disconnect, 3 error; +128: the seat forfeited by it)

Varints are little-endian base 128, as in Protocol Buffers.
"""

from __future__ import annotations

import math
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from arena.errors import InvalidRequest
from arena.match import FAULT_KINDS, FaultKind, Match, MatchSetup, result_of
from arena.rules import Game, RoundLog, game_class
from arena.rules.errors import RulesError

FORMAT = "lama-arena/match/1"
LAYOUT = 1
FORFEITED = 128


class RecordError(InvalidRequest):
    """A record is damaged, or does not follow from its seed and moves."""


class Step(NamedTuple):
    """One asked decision in a packed log."""

    action: int
    latency_us: int
    fault: FaultKind | None
    forfeited: bool


# Packing


def pack(match: Match) -> bytes:
    """The packed log of what was asked so far; some 100 to 200 bytes for a whole match."""
    asked = match.asked
    forfeits = {fault.number for fault in match.faults if fault.forfeited}
    faults = [
        (i, FAULT_KINDS.index(a.fault) | (FORFEITED if a.number in forfeits else 0))
        for i, a in enumerate(asked)
        if a.fault
    ]
    body = bytearray([LAYOUT])
    body += varint(len(asked))
    body += bytes([a.action for a in asked])
    body += bytes([latency_code(a.latency_us) for a in asked])
    body += varint(len(faults))
    for position, kind in faults:
        body += varint(position) + bytes([kind])
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return compressor.compress(bytes(body)) + compressor.flush()


def unpack(log: bytes) -> list[Step]:
    """The asked decisions of a packed log. Raises RecordError for a damaged one."""
    try:
        body = zlib.decompress(log, -15)
        if body[0] != LAYOUT:
            raise RecordError(f"The log has layout {body[0]}; this release reads {LAYOUT}.")
        count, at = read_varint(body, 1)
        actions, latencies = body[at : at + count], body[at + count : at + 2 * count]
        faults = dict(read_faults(body, at + 2 * count))
        return [
            Step(action, latency_of(code), *faults.get(i, (None, False)))
            for i, (action, code) in enumerate(zip(actions, latencies, strict=True))
        ]
    except (zlib.error, IndexError, ValueError) as error:
        raise RecordError(f"The log is damaged ({error}).") from None


def read_faults(body: bytes, at: int) -> Iterator[tuple[int, tuple[FaultKind, bool]]]:
    """The faults from offset `at` on: position among the asked, then kind and forfeit."""
    count, at = read_varint(body, at)
    for _ in range(count):
        position, at = read_varint(body, at)
        yield position, (FAULT_KINDS[body[at] & ~FORFEITED], bool(body[at] & FORFEITED))
        at += 1


def varint(number: int) -> bytes:
    """A number in base 128, least significant group first."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(body: bytes, at: int) -> tuple[int, int]:
    """The number at offset `at`, and the offset behind it. Raises IndexError at the end."""
    number = shift = 0
    while True:
        byte = body[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at


def latency_code(microseconds: int) -> int:
    """A latency in one byte, on a logarithmic scale."""
    return bisect_right(FIRST_US, microseconds)


def first_us(code: int) -> int:
    """The lowest latency that has at least this code."""
    microseconds = max(0, int(16 * (2 ** ((code - 0.5) / 10) - 1)) - 1)
    while round(10 * math.log2(1 + microseconds / 16)) < code:
        microseconds += 1
    return microseconds


FIRST_US = [first_us(code) for code in range(1, 256)]


def latency_of(code: int) -> int:
    """Microseconds that a latency code stands for."""
    return round(16 * (2 ** (code / 10) - 1))


def latency_codes(match: Match) -> tuple[bytes, ...]:
    """By seat, the latency codes of what it was asked; not of what it was not there for."""
    movers = [seat for played in match.game.rounds for seat, _ in played.moves]
    codes = [bytearray() for _ in match.setup.seats]
    add = [own.append for own in codes]
    for asked in match.asked:
        if asked.fault != "disconnect":
            add[movers[asked.number - 1]](bisect_right(FIRST_US, asked.latency_us))
    return tuple([bytes(own) for own in codes])


# Replaying


def replay(setup: MatchSetup, log: bytes, reasons: Mapping[int, str] | None = None) -> Match:
    """The match again, as far as the log goes.

    The log has the kinds of faults, not their wording: `reasons` brings that back, by decision
    number. Raises RecordError if the log does not fit the setup.
    """
    match = Match(setup)
    for step in unpack(log):
        if match.finished:
            raise RecordError("The log goes on after the end of the match.")
        if step.fault is None:
            fault = match.answer(step.action, step.latency_us)
            if fault is not None:
                raise RecordError(f"Decision {fault.number} of the log: {fault.reason}")
        else:
            number = match.decision.number if match.decision else 0
            reason = (reasons or {}).get(number, "")
            fault = match.fail(step.fault, reason, step.latency_us, step.forfeited)
            if match.game.parse(fault.instead) != step.action:
                raise RecordError(f"Decision {fault.number} has another default action in the log.")
    return match


def export(match: Match) -> dict[str, Any]:
    """The record of a finished match in the JSON export format.

    Beyond the format's own keys a move has `latency_us` where a bot was asked, and
    `forfeited: true` where the seat had forfeited and its default action was played.
    """
    setup, game, result = match.setup, match.game, match.result
    told = move_details(match)
    return {
        "format": FORMAT,
        "id": setup.id,
        "game": setup.game,
        "ruleset": game.ruleset,
        "options": dict(game.options),
        "seed": setup.seed.hex(),
        "seats": [{"bot": seat.bot, "version": seat.version} for seat in setup.seats],
        "rounds": [round_record(game, log, told) for log in game.rounds],
        "result": {
            "points": list(result.points),
            "ranks": list(result.ranks),
            "winners": list(result.winners),
            "faults": list(result.faults),
        },
    }


def round_record(game: Game, log: RoundLog, told: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """One round of a record; takes the details of its moves from `told`."""
    moves = [
        {
            "seat": seat,
            "action": game.notation[action],
            **game.outcome(log, place),
            **next(told),
        }
        for place, (seat, action) in enumerate(log.moves)
    ]
    return {
        "starter": log.starter,
        **game.opening(log),
        "moves": moves,
        "penalties": list(log.penalties),
        "points": list(log.points),
    }


def move_details(match: Match) -> Iterator[dict[str, Any]]:
    """For each move in order what is told beside seat and action."""
    asked = {entry.number: entry for entry in match.asked}
    forfeits = {fault.seat: fault.number for fault in match.faults if fault.forfeited}
    moves = [seat for log in match.game.rounds for seat, _ in log.moves]
    for number, seat in enumerate(moves, 1):
        details: dict[str, Any] = {}
        if number in asked:
            details["latency_us"] = asked[number].latency_us
            if asked[number].fault:
                details["fault"] = asked[number].fault
        elif number > forfeits.get(seat, number):
            details["forfeited"] = True
        yield details


def verify(record: Mapping[str, Any]) -> None:
    """Plays a JSON record again from its seed and moves and compares everything that follows.

    Raises RecordError naming the first thing that differs, or what is missing.
    """
    try:
        replayed = play_again(record)
        compare(record, replayed)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"The record is incomplete or malformed ({error!r}).") from None
    except RulesError as error:
        raise RecordError(f"The record breaks the rules: {error}") from None


def play_again(record: Mapping[str, Any]) -> Game:
    """The game that a record's seed and moves lead to."""
    if record["format"] != FORMAT:
        raise RecordError(f"The format is {record['format']!r}; this release reads {FORMAT!r}.")
    if not record["ruleset"]:
        raise RecordError("The record names no ruleset.")
    kind = game_class(record["game"], record["ruleset"])
    game = kind(len(record["seats"]), bytes.fromhex(record["seed"]), record["options"])
    for round_number, told in enumerate(record["rounds"], 1):
        for move in told["moves"]:
            if game.round != round_number:
                raise RecordError(f"Round {round_number} has moves after its end.")
            game.apply(kind.parse(move["action"]), move["seat"])
    return game


def compare(record: Mapping[str, Any], game: Game) -> None:
    """Compares a record's rounds and result with the game played again."""
    if not game.finished or len(game.rounds) != len(record["rounds"]):
        raise RecordError("The moves end before the match does.")
    for number, (told, log) in enumerate(zip(record["rounds"], game.rounds, strict=True), 1):
        seen = round_record(game, log, ({} for _ in log.moves))
        for key in seen.keys() - {"moves"}:
            if told[key] != seen[key]:
                raise RecordError(f"Round {number}: {key} is {told[key]}, played {seen[key]}.")
        compare_moves(number, told["moves"], seen["moves"])
    told_result = record["result"]
    result = result_of(game.points, list(told_result["faults"]))
    for key in ("points", "ranks", "winners"):
        if list(told_result[key]) != list(getattr(result, key)):
            raise RecordError(f"The result's {key} do not follow from the moves.")


def compare_moves(number: int, told: list[dict[str, Any]], seen: list[dict[str, Any]]) -> None:
    """Compares what followed from chance: the dice of each roll."""
    for place, (move, played) in enumerate(zip(told, seen, strict=True), 1):
        if move.get("dice") != played.get("dice"):
            raise RecordError(
                f"Round {number}, move {place}: dice are {move.get('dice')}, "
                f"played {played.get('dice')}."
            )
