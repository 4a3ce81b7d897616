"""The packed log of a match in the database.

It has only the inputs of a match: the bots' answers, their latencies and faults. The setup
determines the rest. Layout, before raw DEFLATE:

    1 byte      version of this layout (1)
    varint      n, the number of logged decisions (without forced ones)
    n bytes     index of each action
    n bytes     latency code of each: round(10·log2(1 + µs/16)), at most 255 (±3.5%)
    varint      number of faults, then for each: varint position among the n decisions, 1 byte
                kind (0 illegal, 1 timeout, 2 disconnect, 3 error; +128: the seat forfeited)

Varints are little-endian base 128, as in Protocol Buffers.
"""

import math
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from arena.games.match import FAULT_KINDS, FaultKind, Match, MatchSetup
from arena.games.record import RecordError

LAYOUT = 1
FORFEITED = 128


class PackedDecision(NamedTuple):
    """A decision of a packed log."""

    action: int
    latency_us: int
    fault: FaultKind | None
    forfeited: bool


# Packing


def pack(match: Match, until: int = -1) -> bytes:
    """Returns the packed log of the decisions so far, up to number `until` if given. A whole match
    usually takes 100 to 200 bytes."""
    logged = match.logged
    if until >= 0:
        logged = [entry for entry in logged if entry.number <= until]
    forfeits = {fault.number for fault in match.faults if fault.forfeited}
    faults = [
        (i, FAULT_KINDS.index(entry.fault) | (FORFEITED if entry.number in forfeits else 0))
        for i, entry in enumerate(logged)
        if entry.fault
    ]
    body = bytearray([LAYOUT])
    body += varint(len(logged))
    body += bytes([entry.action for entry in logged])
    body += bytes([latency_code(entry.latency_us) for entry in logged])
    body += varint(len(faults))
    for position, kind in faults:
        body += varint(position) + bytes([kind])
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return compressor.compress(bytes(body)) + compressor.flush()


def unpack(log: bytes) -> list[PackedDecision]:
    """Returns the decisions of a packed log. Raises RecordError if it is damaged."""
    try:
        body, count, at = _opened(log)
        actions, latencies = body[at : at + count], body[at + count : at + 2 * count]
        decisions = [
            PackedDecision(action, LATENCY_US[code], None, False)
            for action, code in zip(actions, latencies, strict=True)
        ]
        for position, (kind, forfeited) in read_faults(body, at + 2 * count):
            action, latency_us, *_ = decisions[position]
            decisions[position] = PackedDecision(action, latency_us, kind, forfeited)
    except (zlib.error, IndexError, ValueError) as error:
        raise RecordError(f"The log is damaged ({error}).") from None
    return decisions


def choices_in(log: bytes) -> tuple[bytes, list[int]]:
    """Returns the actions of a packed log, and the positions at which seats forfeited. Raises
    RecordError if it is damaged."""
    try:
        body, count, at = _opened(log)
        faults = list(read_faults(body, at + 2 * count))
    except (zlib.error, IndexError) as error:
        raise RecordError(f"The log is damaged ({error}).") from None
    forfeits = [position for position, (_, forfeited) in faults if forfeited]
    if any(position >= count for position in forfeits):
        raise RecordError("The log is damaged (a fault follows the last decision).")
    return body[at : at + count], forfeits


def _opened(log: bytes) -> tuple[bytes, int, int]:
    """Returns a packed log's bytes, its number of decisions, and the offset of the first action."""
    body = zlib.decompress(log, -15)
    if body[0] != LAYOUT:
        raise RecordError(f"The log has layout {body[0]}. This release reads {LAYOUT}.")
    count, at = read_varint(body, 1)
    return body, count, at


def decisions_in(log: bytes) -> int:
    """Returns the number of decisions in a packed log. Raises RecordError if it is damaged."""
    try:
        return read_varint(zlib.decompress(log, -15), 1)[0]
    except (zlib.error, IndexError) as error:
        raise RecordError(f"The log is damaged ({error}).") from None


def read_faults(body: bytes, at: int) -> Iterator[tuple[int, tuple[FaultKind, bool]]]:
    """Yields the faults from offset `at`: position among the decisions, kind and forfeit."""
    count, at = read_varint(body, at)
    for _ in range(count):
        position, at = read_varint(body, at)
        yield position, (FAULT_KINDS[body[at] & ~FORFEITED], bool(body[at] & FORFEITED))
        at += 1


def varint(number: int) -> bytes:
    """Encodes a number in base 128, least significant group first."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(body: bytes, at: int) -> tuple[int, int]:
    """Returns the number at offset `at` and the next offset. Raises IndexError at the end."""
    number = shift = 0
    while True:
        byte = body[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at


def latency_code(microseconds: int) -> int:
    """Returns a latency as one byte, on a logarithmic scale."""
    if 0 <= microseconds < len(CODES):
        return CODES[microseconds]
    return bisect_right(FIRST_US, microseconds)


def first_us(code: int) -> int:
    """Returns the lowest latency in microseconds whose code is at least `code`."""
    microseconds = max(0, int(16 * (2 ** ((code - 0.5) / 10) - 1)) - 1)
    while round(10 * math.log2(1 + microseconds / 16)) < code:
        microseconds += 1
    return microseconds


FIRST_US = [first_us(code) for code in range(1, 256)]


# The codes of latencies below a tenth of a second, by microsecond.
CODES: Final = b"".join(
    [
        bytes([code]) * (end - begin)
        for code, (begin, end) in enumerate(pairwise([0, *FIRST_US[:127]]))
    ]
)


def latency_of(code: int) -> int:
    """Returns the latency of a code, in microseconds."""
    return round(16 * (2 ** (code / 10) - 1))


LATENCY_US = [latency_of(code) for code in range(256)]


def latency_codes(match: Match) -> tuple[bytes, ...]:
    """Returns the latency codes of decisions by seat, except those lost to a disconnect."""
    movers = [seat for played in match.game.rounds for seat, _ in played.moves]
    codes = [bytearray() for _ in match.setup.seats]
    add = [own.append for own in codes]
    for entry in match.logged:
        if entry.fault != "disconnect":
            add[movers[entry.number - 1]](latency_code(entry.latency_us))
    return tuple([bytes(own) for own in codes])


# Replaying


def replay(setup: MatchSetup, log: bytes, reasons: Mapping[int, str] | None = None) -> Match:
    """Replays a match as far as its log goes.

    The log has the kinds of faults but not the reasons; pass them as `reasons`, by decision
    number. Raises RecordError if the log does not fit the setup.
    """
    decisions = unpack(log)  # first, because the log may be damaged
    match = Match(setup)
    for entry in decisions:
        if match.finished:
            raise RecordError("The log continues after the end of the match.")
        if entry.fault is None:
            fault = match.answer(entry.action, entry.latency_us)
            if fault is not None:
                raise RecordError(f"Decision {fault.number} of the log: {fault.reason}")
        else:
            number = match.decision.number if reasons and match.decision else 0
            reason = (reasons or {}).get(number, "")
            fault = match.fail(entry.fault, reason, entry.latency_us, entry.forfeited)
            if match.game.parse(fault.instead) != entry.action:
                raise RecordError(
                    f"Decision {fault.number} has a different default action in the log."
                )
    return match
