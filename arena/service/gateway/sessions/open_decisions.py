"""The open decisions of one player: those that wait to be sent, and those that the bot holds.

Times are monotonic seconds.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import inf

from arena.service.gateway.sessions.batches import DecisionBatch


class OpenDecisions:
    """In batches. A batch of which some were answered keeps the others."""

    def __init__(self) -> None:
        self._batches: dict[int, DecisionBatch] = {}  # by ticket, of all that are open
        self._unsent: deque[DecisionBatch] = deque()  # of whose decisions none was sent
        self.waiting = 0  # decisions in those

    def __len__(self) -> int:
        return len(self._batches)

    @property
    def held(self) -> int:
        """Decisions that were sent."""
        return len(self._batches) - self.waiting

    def batches(self) -> Sequence[DecisionBatch]:
        """All that hold open decisions, oldest first."""
        return list(dict.fromkeys(self._batches.values()))

    def sent(self) -> Sequence[DecisionBatch]:
        """Those of them that were sent."""
        return [batch for batch in self.batches() if batch.sent is not None]

    def first_end(self) -> float:
        """When the first clock runs out; never, if none runs."""
        return min([batch.ends for batch in self.batches()], default=inf)

    # Coming in

    def add(self, batch: DecisionBatch) -> Sequence[str]:
        """Queues those of its decisions that are not open yet. Another worker carries on with the
        others, for the one that asked may be dead: the lists on which they are no longer to be
        replied to, one for each."""
        passed_on: list[str] = []
        if not self._batches.keys().isdisjoint(batch.tickets):
            known = [ticket for ticket in batch.tickets if ticket in self._batches]
            passed_on = [self._batches[ticket].reply_to for ticket in known]
            self._redirect(known, batch.reply_to)
            places = [n for n, ticket in enumerate(batch.tickets) if ticket not in self._batches]
            batch = batch.only(places)
        if batch.tickets:
            self._keep(batch)
            self._unsent.append(batch)
            self.waiting += len(batch)
        return passed_on

    def _keep(self, batch: DecisionBatch) -> None:
        self._batches |= dict.fromkeys(batch.tickets, batch)

    def _redirect(self, tickets: Iterable[int], reply_to: str) -> None:
        by_batch = defaultdict[DecisionBatch, set[int]](set)
        for ticket in tickets:
            if self._batches[ticket].reply_to != reply_to:
                by_batch[self._batches[ticket]].add(ticket)
        for batch, moved in by_batch.items():
            still = self._open_places(batch)
            rest = [place for place in still if batch.tickets[place] not in moved]
            apart = [place for place in still if batch.tickets[place] in moved]
            parts = [batch.only(rest)] if rest else []
            self._replace(batch, [*parts, replace(batch.only(apart), reply_to=reply_to)])

    def _open_places(self, batch: DecisionBatch) -> Sequence[int]:
        """Where in the batch the decisions are that were not answered."""
        tickets = enumerate(batch.tickets)
        return [place for place, one in tickets if self._batches.get(one) is batch]

    def _replace(self, batch: DecisionBatch, parts: Sequence[DecisionBatch]) -> None:
        """These batches are now what that one was."""
        for part in parts:
            self._keep(part)
        if batch.sent is None:
            place = self._unsent.index(batch)
            del self._unsent[place]
            for number, part in enumerate(parts):
                self._unsent.insert(place + number, part)

    # Going out

    def send(self, count: int, now: float) -> Sequence[DecisionBatch]:
        """The next so many that wait, at most as many as do: their clocks start."""
        sent, left = [], count
        while left:
            batch = self._unsent[0]
            if len(batch) <= left:
                self._unsent.popleft()
            else:
                batch = batch.split_off(left)
                self._keep(batch)
            batch.start(now)
            sent.append(batch)
            left -= len(batch)
        self.waiting -= count
        return sent

    def offer(self, count: int, now: float) -> None:
        """The next so many wait only for the bot to read."""
        for batch in list(self._unsent):
            if count <= 0:
                return
            first = batch
            if batch.offered is None:
                if len(batch) > count:
                    first = batch.split_off(count)
                    self._keep(first)
                    self._unsent.insert(self._unsent.index(batch), first)
                first.offered = now
            count -= len(first)

    def any_unread(self, now: float) -> bool:
        """Whether the bot could have read one for so long that its time is up."""
        return any(batch.expired_unread(now) for batch in self._unsent)

    def send_again(self) -> None:
        """All that is open waits to be sent, as if it never was."""
        self._unsent.clear()
        for batch in self.batches():
            places = self._open_places(batch)
            again = batch if len(places) == len(batch) else batch.only(places)
            again.sent = again.offered = None
            self._keep(again)
            self._unsent.append(again)
        self.waiting = len(self._batches)

    # The end

    def answered(
        self, tickets: Sequence[int]
    ) -> Iterator[tuple[DecisionBatch | None, slice, Sequence[int]]]:
        """Ends those of these decisions that the bot holds: those of one batch that follow on each
        other together, with where they are in `tickets`, and which of these places are to be left
        out, for their tickets come twice. Without a batch: none of them is one that it holds."""
        start = 0
        for batch, run in groupby([self._batches.get(ticket) for ticket in tickets]):
            part = slice(start, start + len(list(run)))
            start = part.stop
            if batch is None or batch.sent is None:
                yield None, part, ()
                continue
            found = [self._batches.pop(ticket, None) for ticket in tickets[part]]
            twice = [n for n, one in enumerate(found) if one is None] if None in found else ()
            yield batch, part, twice

    def end(self, which: Callable[[DecisionBatch], bool]) -> Sequence[tuple[int, DecisionBatch]]:
        """Ends the decisions of these batches: their tickets, each with its batch."""
        over = {batch for batch in self.batches() if which(batch)}
        if not over:
            return ()
        ended = [(ticket, batch) for ticket, batch in self._batches.items() if batch in over]
        for ticket, _ in ended:
            del self._batches[ticket]
        self._unsent = deque(batch for batch in self._unsent if batch not in over)
        self.waiting = sum(map(len, self._unsent))
        return ended
