"""The decisions in a gateway's batch, and the parts of it for each process.

Matches of a group share a process. A match without a group has its own.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from arena.games.rules import game_class
from arena.games.rules.packed import NUMBER, layout_of
from arena.games.rules.rows import MATCH, match_bytes
from arena.protocol.decisions import encode_decision
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.received import views_of

# What a process plays: a match, as in rows of packed decisions, or a group.
Purpose: TypeAlias = bytes | int

MATCH_AT = 2  # position of the match in a row, after the number of bytes of its moves


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision: its match, and its number in it over all seats, from 1."""

    match: str
    number: int


def by_purpose(batch: pb.Batch, groups: Mapping[bytes, int]) -> dict[Purpose, pb.Batch]:
    """Split a batch by match or group. `groups` are the known groups of matches."""
    parts = defaultdict[Purpose, pb.Batch](pb.Batch)
    for started in batch.started:
        parts[started.group or match_bytes(started.match)].started.append(started)
    known = {match_bytes(one.match): one.group for one in batch.started if one.group}

    def purpose_of(match: str) -> Purpose:
        name = match_bytes(match)
        return groups.get(name) or known.get(name) or name

    for round_ended in batch.rounds:
        parts[purpose_of(round_ended.match)].rounds.append(round_ended)
    for fault in batch.faults:
        parts[purpose_of(fault.match)].faults.append(fault)
    for ended in batch.ended:
        parts[purpose_of(ended.match)].ended.append(ended)
    for decision in batch.decisions:
        parts[decision.group or match_bytes(decision.view.match)].decisions.append(decision)
    for packed in batch.packed:
        if packed.group:
            parts[packed.group].packed.append(packed)
        else:
            for match, one in _by_match(packed):
                parts[match].packed.append(one)
    return dict(parts)


def _by_match(packed: pb.PackedDecisions) -> Iterator[tuple[bytes, pb.PackedDecisions]]:
    """Yield each decision with its match: a match waits for one at a time."""
    width = layout_of(game_class(packed.game), packed.seats).width
    rows, moves, tickets = packed.rows, packed.moves, packed.tickets[:]
    low, high = rows[::width], rows[1::width]
    ends = list(
        accumulate((one | more << 8 for one, more in zip(low, high, strict=True)), initial=0)
    )
    for place, ticket in enumerate(tickets):
        row = rows[place * width : (place + 1) * width]
        one = pb.PackedDecisions(
            game=packed.game,
            seats=packed.seats,
            options=packed.options,
            time_ms=packed.time_ms,
            group=packed.group,
            tickets=(ticket,),
            rows=row,
            moves=moves[ends[place] : ends[place + 1]],
        )
        yield row[MATCH_AT : MATCH_AT + MATCH], one


def tickets_of(batch: pb.Batch) -> Iterator[tuple[int, float]]:
    """Yield the ticket of each decision, and the seconds for it."""
    for decision in batch.decisions:
        yield decision.ticket, decision.time_ms / 1000
    for packed in batch.packed:
        for ticket in packed.tickets:
            yield ticket, packed.time_ms / 1000


def decided(
    asked: Iterable[pb.Batch], tickets: Container[int], *, without: bool = False
) -> list[Decided]:
    """Return the decisions with these tickets, or all others if `without`."""
    return [
        found
        for batch in asked
        for ticket, found in decisions_of(batch)
        if (ticket in tickets) is not without
    ]


def decisions_of(batch: pb.Batch) -> Iterable[tuple[int, Decided]]:
    """Yield the tickets and decisions of a batch."""
    for decision in batch.decisions:
        yield decision.ticket, Decided(decision.view.match, decision.view.number)
    for packed in batch.packed:
        width = layout_of(game_class(packed.game), packed.seats).width
        for place, ticket in enumerate(packed.tickets):
            yield ticket, _named(packed.rows[place * width : (place + 1) * width])


def _named(row: bytes) -> Decided:
    match = row[MATCH_AT : MATCH_AT + MATCH].rstrip(b"\0").decode("ascii")
    return Decided(match, int.from_bytes(row[NUMBER : NUMBER + 2], "little"))


def singly(batch: pb.Batch) -> Iterator[pb.Batch]:
    """Yield each decision as a separate batch."""
    for decision in batch.decisions:
        yield pb.Batch(decisions=[decision])
    for packed in batch.packed:
        for _, one in _by_match(packed):
            yield pb.Batch(packed=[one])


def one_by_one(batch: pb.Batch) -> pb.Batch:
    """Return the batch with its decisions unpacked, for a bot that does not read packed ones."""
    rest = pb.Batch()
    rest.CopyFrom(batch)
    del rest.packed[:]
    for packed in batch.packed:
        for ticket, view in views_of((), (packed,), b""):
            encoded = encode_decision(view, ticket, packed.time_ms)
            rest.decisions.append(pb.Decision.FromString(encoded))
    return rest


def with_decisions(batch: pb.Batch, tickets: Set[int]) -> pb.Batch:
    """Return the batch with only the decisions of these tickets."""
    rest = pb.Batch()
    rest.CopyFrom(batch)
    del rest.decisions[:], rest.packed[:]
    for one in singly(batch):
        if any(ticket in tickets for ticket, _ in tickets_of(one)):
            rest.MergeFrom(one)
    return rest
