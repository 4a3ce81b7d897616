"""The open decisions of one player: those that wait to be sent, and those that the bot holds.

Times are monotonic seconds.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import inf

from arena.service.gateway.sessions.parcels import Parcel


class OpenDecisions:
    """In parcels. A parcel of which some were answered keeps the others."""

    def __init__(self) -> None:
        self._parcels: dict[int, Parcel] = {}  # by ticket, of all that are open
        self._unsent: deque[Parcel] = deque()  # of whose decisions none was sent
        self.waiting = 0  # decisions in those

    def __len__(self) -> int:
        return len(self._parcels)

    @property
    def held(self) -> int:
        """Decisions that were sent."""
        return len(self._parcels) - self.waiting

    def parcels(self) -> Sequence[Parcel]:
        """All that hold open decisions, oldest first."""
        return list(dict.fromkeys(self._parcels.values()))

    def sent(self) -> Sequence[Parcel]:
        """Those of them that were sent."""
        return [parcel for parcel in self.parcels() if parcel.sent is not None]

    def first_end(self) -> float:
        """When the first clock runs out; never, if none runs."""
        return min([parcel.ends for parcel in self.parcels()], default=inf)

    # Coming in

    def add(self, parcel: Parcel) -> Sequence[str]:
        """Queues those of its decisions that are not open yet. Another worker carries on with the
        others, for the one that asked may be dead: the lists on which they are no longer to be
        replied to, one for each."""
        passed_on: list[str] = []
        if not self._parcels.keys().isdisjoint(parcel.tickets):
            known = [ticket for ticket in parcel.tickets if ticket in self._parcels]
            passed_on = [self._parcels[ticket].reply_to for ticket in known]
            self._redirect(known, parcel.reply_to)
            places = [n for n, ticket in enumerate(parcel.tickets) if ticket not in self._parcels]
            parcel = parcel.only(places)
        if parcel.tickets:
            self._keep(parcel)
            self._unsent.append(parcel)
            self.waiting += len(parcel)
        return passed_on

    def _keep(self, parcel: Parcel) -> None:
        self._parcels |= dict.fromkeys(parcel.tickets, parcel)

    def _redirect(self, tickets: Iterable[int], reply_to: str) -> None:
        by_parcel = defaultdict[Parcel, set[int]](set)
        for ticket in tickets:
            if self._parcels[ticket].reply_to != reply_to:
                by_parcel[self._parcels[ticket]].add(ticket)
        for parcel, moved in by_parcel.items():
            still = self._open_places(parcel)
            rest = [place for place in still if parcel.tickets[place] not in moved]
            apart = [place for place in still if parcel.tickets[place] in moved]
            parts = [parcel.only(rest)] if rest else []
            self._replace(parcel, [*parts, replace(parcel.only(apart), reply_to=reply_to)])

    def _open_places(self, parcel: Parcel) -> Sequence[int]:
        """Where in the parcel the decisions are that were not answered."""
        tickets = enumerate(parcel.tickets)
        return [place for place, one in tickets if self._parcels.get(one) is parcel]

    def _replace(self, parcel: Parcel, parts: Sequence[Parcel]) -> None:
        """These parcels are now what that one was."""
        for part in parts:
            self._keep(part)
        if parcel.sent is None:
            place = self._unsent.index(parcel)
            del self._unsent[place]
            for number, part in enumerate(parts):
                self._unsent.insert(place + number, part)

    # Going out

    def send(self, count: int, now: float) -> Sequence[Parcel]:
        """The next so many that wait, at most as many as do: their clocks start."""
        sent, left = [], count
        while left:
            parcel = self._unsent[0]
            if len(parcel) <= left:
                self._unsent.popleft()
            else:
                parcel = parcel.split_off(left)
                self._keep(parcel)
            parcel.start(now)
            sent.append(parcel)
            left -= len(parcel)
        self.waiting -= count
        return sent

    def offer(self, count: int, now: float) -> None:
        """The next so many wait only for the bot to read."""
        for parcel in list(self._unsent):
            if count <= 0:
                return
            first = parcel
            if parcel.offered is None:
                if len(parcel) > count:
                    first = parcel.split_off(count)
                    self._keep(first)
                    self._unsent.insert(self._unsent.index(parcel), first)
                first.offered = now
            count -= len(first)

    def any_unread(self, now: float) -> bool:
        """Whether the bot could have read one for so long that its time is up."""
        return any(parcel.expired_unread(now) for parcel in self._unsent)

    def send_again(self) -> None:
        """All that is open waits to be sent, as if it never was."""
        self._unsent.clear()
        for parcel in self.parcels():
            places = self._open_places(parcel)
            again = parcel if len(places) == len(parcel) else parcel.only(places)
            again.sent = again.offered = None
            self._keep(again)
            self._unsent.append(again)
        self.waiting = len(self._parcels)

    # The end

    def answered(
        self, tickets: Sequence[int]
    ) -> Iterator[tuple[Parcel | None, slice, Sequence[int]]]:
        """Ends those of these decisions that the bot holds: those of one parcel that follow on each
        other together, with where they are in `tickets`, and which of these places are to be left
        out, for their tickets come twice. Without a parcel: none of them is one that it holds."""
        start = 0
        for parcel, run in groupby([self._parcels.get(ticket) for ticket in tickets]):
            part = slice(start, start + len(list(run)))
            start = part.stop
            if parcel is None or parcel.sent is None:
                yield None, part, ()
                continue
            found = [self._parcels.pop(ticket, None) for ticket in tickets[part]]
            twice = [n for n, one in enumerate(found) if one is None] if None in found else ()
            yield parcel, part, twice

    def end(self, which: Callable[[Parcel], bool]) -> Sequence[tuple[int, Parcel]]:
        """Ends the decisions of these parcels: their tickets, each with its parcel."""
        over = {parcel for parcel in self.parcels() if which(parcel)}
        if not over:
            return ()
        ended = [(ticket, parcel) for ticket, parcel in self._parcels.items() if parcel in over]
        for ticket, _ in ended:
            del self._parcels[ticket]
        self._unsent = deque(parcel for parcel in self._unsent if parcel not in over)
        self.waiting = sum(map(len, self._unsent))
        return ended
