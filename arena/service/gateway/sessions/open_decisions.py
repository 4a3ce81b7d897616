"""The open decisions of one player: waiting to be sent, or held by the bot; and their clocks.

Times are monotonic seconds.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import inf

from arena.service.gateway.sessions.batches import DecisionBatch


class OpenDecisions:
    """Open decisions in batches. A batch keeps its unanswered decisions. No clock runs out before
    `next_end`, so that a tick costs little."""

    def __init__(self) -> None:
        self._batches: dict[int, DecisionBatch] = {}  # by ticket, of all that are open
        self._unsent: deque[DecisionBatch] = deque()  # batches that were not sent
        self.waiting = 0  # decisions in the unsent batches
        self.next_end = inf

    def __len__(self) -> int:
        return len(self._batches)

    @property
    def held(self) -> int:
        """Number of decisions that were sent."""
        return len(self._batches) - self.waiting

    def batches(self) -> Sequence[DecisionBatch]:
        """Return all batches with open decisions, oldest first."""
        return list(dict.fromkeys(self._batches.values()))

    def begun(self) -> Sequence[DecisionBatch]:
        """Return the batches whose clocks have run."""
        return [one for one in self.batches() if one.sent is not None or one.left < one.allowed]

    # Coming in

    def add(self, batch: DecisionBatch) -> Sequence[str]:
        """Queue the decisions of a batch that are not open yet. The replies to the others go to the
        new worker, because the earlier one may be dead. Return the old reply list of each."""
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
        tickets = enumerate(batch.tickets)
        return [place for place, one in tickets if self._batches.get(one) is batch]

    def _replace(self, batch: DecisionBatch, parts: Sequence[DecisionBatch]) -> None:
        for part in parts:
            self._keep(part)
        if batch.sent is None:
            place = self._unsent.index(batch)
            del self._unsent[place]
            for number, part in enumerate(parts):
                self._unsent.insert(place + number, part)

    # Going out

    def send(self, count: int, now: float) -> Sequence[DecisionBatch]:
        """Send the next `count` (at most `waiting`) decisions, and start their clocks."""
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
        self.next_end = min([self.next_end, *[batch.ends for batch in sent]])
        return sent

    def send_again(self) -> None:
        """Queue all open decisions as if none had been sent."""
        self._unsent.clear()
        for batch in self.batches():
            places = self._open_places(batch)
            again = batch if len(places) == len(batch) else batch.only(places)
            again.sent = again.offered = None
            self._keep(again)
            self._unsent.append(again)
        self.waiting = len(self._batches)
        self.next_end = inf

    # Clocks

    def overdue(self, judged: float) -> bool:
        """Return whether a clock ran out by then."""
        if self.next_end > judged:
            return False
        self.update_end()
        return self.next_end <= judged

    def update_end(self) -> None:
        """Look when the first clock runs out."""
        self.next_end = min([batch.ends for batch in self.batches()], default=inf)

    def unread(self, count: int, now: float, judged: float) -> bool:
        """Run the clocks of the next `count` decisions, which the bot does not read though it has
        room for them. Return whether one ran out by `judged`."""
        self._offer(count, now)
        return any(batch.expired_unread(judged) for batch in self._unsent)

    def _offer(self, count: int, now: float) -> None:
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

    def forgive(self, since: float, until: float) -> None:
        """Give the clocks this time back."""
        if self._batches:  # as of few among thousands
            for batch in self.batches():
                batch.forgive(since, until)
            self.update_end()

    def stop(self, now: float) -> None:
        """Stop the clocks while the bot is away."""
        for batch in self.batches():
            batch.stop(now)

    # The end

    def answered(
        self, tickets: Sequence[int]
    ) -> Iterator[tuple[DecisionBatch | None, slice, Sequence[int]]]:
        """End the decisions with these tickets that the bot holds. Yield each run of tickets of one
        batch (None: not held) with its slice of `tickets`, and the places in the slice whose ticket
        is a repetition."""
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
        """End the decisions of these batches. Return their tickets, each with its batch."""
        over = {batch for batch in self.batches() if which(batch)}
        if not over:
            return ()
        ended = [(ticket, batch) for ticket, batch in self._batches.items() if batch in over]
        for ticket, _ in ended:
            del self._batches[ticket]
        self._unsent = deque(batch for batch in self._unsent if batch not in over)
        self.waiting = sum(map(len, self._unsent))
        return ended
