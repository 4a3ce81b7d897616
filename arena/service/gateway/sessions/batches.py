"""Decisions on their way to a bot, and their clock.

The decisions of one delivery are a batch. They wait together, are sent together within the bot's
in-flight limit, and share one clock. An object and a clock for each decision would dominate the
cost of a gateway.

Times are monotonic seconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from math import inf
from typing import TypeAlias

from arena.base.instant import overlap
from arena.base.keepalive import LEAST_AFTER_ABSENCE_S
from arena.games.rules import game_class
from arena.games.rules.packed import layout_of
from arena.games.rules.rows import VERSION
from arena.protocol.decisions import encode_decision, with_group, with_time
from arena.protocol.internal.relay_pb2 import Delivery, RelayBatch
from arena.protocol.v1.play_pb2 import PackedDecisions

# Total time that stalls of the gateway may add to a move.
MOST_FORGIVEN_S = 60.0


@dataclass(frozen=True, slots=True)
class Encoded:
    """Decisions that are encoded one by one, each an arena.v1.Decision, in order."""

    decisions: tuple[bytes, ...]

    def part(self, start: int, stop: int) -> Encoded:
        """Return the decisions from `start` to before `stop`."""
        return Encoded(self.decisions[start:stop])

    def only(self, places: Sequence[int]) -> Encoded:
        """Return the decisions at these places."""
        return Encoded(tuple([self.decisions[place] for place in places]))

    def encoded(self, tickets: Sequence[int], time_ms: int | None) -> Sequence[bytes]:
        """Return each as an arena.v1.Decision with its ticket, and with another time if given."""
        if time_ms is None:
            return self.decisions
        return [with_time(one, time_ms) for one in self.decisions]


@dataclass(frozen=True, slots=True)
class Table:
    """The common properties of packed decisions."""

    game: str
    seats: int
    options: tuple[tuple[str, str], ...]
    time_ms: int
    group: int = 0  # see arena.v1.Decision


@dataclass(frozen=True, slots=True)
class Packed:
    """Decisions as rows of bytes, in order; see arena.v1.PackedDecisions."""

    table: Table
    width: int  # bytes of a row
    rows: bytes
    moves: bytes

    def part(self, start: int, stop: int) -> Packed:
        ends = self._moves_ends()
        rows = self.rows[start * self.width : stop * self.width]
        return replace(self, rows=rows, moves=self.moves[ends[start] : ends[stop]])

    def _moves_ends(self) -> Sequence[int]:
        """Return the start of each decision's moves, and the end of the last."""
        # A row starts with the number of bytes of its moves, little-endian.
        low, high = self.rows[:: self.width], self.rows[1 :: self.width]
        sizes = [one | more << 8 for one, more in zip(low, high, strict=True)]
        return list(accumulate(sizes, initial=0))

    def only(self, places: Sequence[int]) -> Packed:
        parts = [self.part(place, place + 1) for place in places]
        rows = b"".join([part.rows for part in parts])
        return replace(self, rows=rows, moves=b"".join([part.moves for part in parts]))

    def encoded(self, tickets: Sequence[int], time_ms: int | None) -> Sequence[bytes]:
        table = self.table
        layout = layout_of(game_class(table.game), table.seats)
        views = layout.unpack_all(self.rows, self.moves, dict(table.options), b"")
        decisions = [
            encode_decision(view, ticket, table.time_ms if time_ms is None else time_ms)
            for view, ticket in zip(views, tickets, strict=True)
        ]
        if table.group:
            return [with_group(one, table.group) for one in decisions]
        return decisions


Contents: TypeAlias = Encoded | Packed


@dataclass(slots=True, eq=False)
class DecisionBatch:
    """Decisions that came together. `OpenDecisions` knows which are still open."""

    tickets: list[int]
    contents: Contents  # of each, in this order
    allowed: float  # seconds
    reply_to: str
    left: float  # seconds on the clock when sent; inf: a host has the clock
    sent: float | None = None  # when, if they are
    offered: float | None = None  # since when only the bot's reading is missing
    forgiven: float = 0.0  # seconds that stalls of the gateway have given back

    def __len__(self) -> int:
        return len(self.tickets)

    # Its parts

    def split_off(self, count: int) -> DecisionBatch:
        """Take out the first `count` decisions as a separate batch."""
        first = replace(self, tickets=self.tickets[:count], contents=self.contents.part(0, count))
        self.contents = self.contents.part(count, len(self))
        self.tickets = self.tickets[count:]
        return first

    def only(self, places: Sequence[int]) -> DecisionBatch:
        """Return a batch of the decisions at these places, with the same clock."""
        tickets = [self.tickets[place] for place in places]
        return replace(self, tickets=tickets, contents=self.contents.only(places))

    # Its clock

    @property
    def began(self) -> float | None:
        """Since when its clock runs."""
        return self.sent if self.sent is not None else self.offered

    @property
    def ends(self) -> float:
        """When its time is up; infinite before it is sent."""
        return inf if self.sent is None else self.sent + self.left

    def start(self, now: float) -> None:
        """It is sent now. The time for which it waited only for the bot counts."""
        self.stop(now)
        self.sent = now

    def stop(self, now: float) -> None:
        """Stop the clock: the bot is away."""
        if self.began is not None:
            self.left = max(0.0, self.left - (now - self.began))
            self.offered = None

    def lacks(self) -> float:
        """Return the seconds missing to give a returning bot at least a second."""
        return max(0.0, min(LEAST_AFTER_ABSENCE_S, self.allowed) - self.left)

    def expired_unread(self, now: float) -> bool:
        """Return whether its time is up because the bot did not read it."""
        return self.offered is not None and now - self.offered >= self.left

    def expired(self, now: float) -> bool:
        return self.ends <= now or self.expired_unread(now)

    def forgive(self, since: float, until: float) -> None:
        """Give back the clock's time in this interval, up to `MOST_FORGIVEN_S` in all."""
        if self.began is None:
            return
        seconds = min(overlap(self.began, since, until), MOST_FORGIVEN_S - self.forgiven)
        self.forgiven += seconds
        if self.sent is not None:
            self.left += seconds
        elif self.offered is not None:
            self.offered += seconds

    def used_us(self) -> int:
        """Return the microseconds of its time that are used up. Its clock has been stopped."""
        return 0 if self.left == inf else max(0, round((self.allowed - self.left) * 1_000_000))

    def latency_us(self, now: float) -> int:
        """Return the microseconds since it was sent; 0 if it was not."""
        return 0 if self.sent is None else int((now - self.sent) * 1_000_000)


def batches_of(delivery: Delivery, *, to_host: bool = False) -> list[DecisionBatch]:
    """Return the batches of a delivery. A host has the clock itself, and gets groups."""
    batches, group = [], delivery.group if to_host else 0
    allowed = delivery.time_ms / 1000
    left = inf if to_host else allowed
    if delivery.tickets:
        decisions = delivery.decisions[:]
        if group:
            decisions = [with_group(one, group) for one in decisions]
        contents = Encoded(tuple(decisions))
        batches.append(
            DecisionBatch(delivery.tickets[:], contents, allowed, delivery.reply_to, left)
        )
    if tickets := delivery.packed_tickets[:]:
        options = tuple(delivery.options.items())
        table = Table(delivery.game, delivery.seats, options, delivery.time_ms, group)
        width = len(delivery.rows) // len(tickets)
        packed = Packed(table, width, delivery.rows, delivery.moves)
        batches.append(DecisionBatch(tickets, packed, allowed, delivery.reply_to, left))
    return batches


def fill(relayed: RelayBatch, batches: Iterable[DecisionBatch], layout: int) -> None:
    """Write batches into a message: packed by table if the bot reads this `layout`, or else one by
    one."""
    together = defaultdict[Table, list[tuple[Sequence[int], Packed]]](list)
    for batch in batches:
        contents = batch.contents
        untouched = batch.left in (batch.allowed, inf)
        left_ms = None if untouched else round(batch.left * 1000)
        if isinstance(contents, Packed) and layout == VERSION:
            table = contents.table
            if left_ms is not None:
                table = replace(table, time_ms=left_ms)
            together[table].append((batch.tickets, contents))
        else:
            relayed.decisions.extend(contents.encoded(batch.tickets, left_ms))
    for table, some in together.items():
        packed = PackedDecisions(
            game=table.game,
            seats=table.seats,
            options=dict(table.options),
            time_ms=table.time_ms,
            tickets=list(chain.from_iterable([tickets for tickets, _ in some])),
            rows=b"".join([one.rows for _, one in some]),
            moves=b"".join([one.moves for _, one in some]),
            group=table.group,
        )
        relayed.packed.append(packed.SerializeToString())
