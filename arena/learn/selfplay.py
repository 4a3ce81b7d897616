"""Batches of matches between bots, recorded with every decision as a row of arrays.

Each pass makes one decision of every unfinished match. A bot gets its decisions of a pass together,
as in an arena, so a bot that overrides `choose_batch` answers them all at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from inspect import isawaitable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import InvalidRequest
from arena.games.batch import observe
from arena.games.match import Match, MatchSetup
from arena.sdk import Bot, Decisions
from arena.sdk.answer import call, checked_batch
from arena.sdk.asking import answer
from arena.sdk.hooks import Hooks
from arena.sdk.local import key_of

# Called before each call of a bot, with its number, its key and a text that identifies the call.
Entering = Callable[[int, bytes, str], None]


class Table(NamedTuple):
    """A match to play, and its bots by seat."""

    number: int
    setup: MatchSetup
    bots: tuple[int, ...]


@dataclass(slots=True)
class Rows:
    """Decisions in the order of matches, as columns whose first axis is the decision."""

    match: NDArray[Any]  # number of the match
    number: NDArray[Any]  # number of the decision in the match, including forced ones
    seat: NDArray[Any]
    bot: NDArray[Any]  # number of the bot
    observation: NDArray[Any]  # (N, C): the seat's observation, see `arena.games.batch.observe`
    legal: NDArray[Any]  # (N, A): legal actions
    action: NDArray[Any]  # the action taken, as an index into the game's notation
    points: NDArray[Any]  # of the seat at the end of the match
    rank: NDArray[Any]  # of the seat at the end of the match, from 1


@dataclass(slots=True)
class Played:
    """Finished matches. Decisions with a fault of the bot are not in the rows."""

    rows: Rows
    faults: list[tuple[int, str]] = field(default_factory=list)  # the bot's number and the reason


class _Pending(NamedTuple):
    place: int  # index of its match
    row: bytes
    moves: bytes


class Lockstep:
    """Matches of one game and number of seats. `play` may be called once."""

    def __init__(
        self, tables: Sequence[Table], bots: Sequence[Bot], entering: Entering | None = None
    ) -> None:
        """Needs at least one table. Raises RulesError for an invalid setup."""
        self._tables, self._bots = tables, bots
        self._enter: Entering = entering or (lambda bot, key, text: None)
        self._matches = [Match(table.setup) for table in tables]
        self._keys = [
            sha256(b"bot %d " % bot + tables[0].setup.seed).digest() for bot in range(len(bots))
        ]
        self._hooks = [self._hooks_of(place) for place in range(len(tables))]
        self._passes = 0
        self._parts: list[tuple[NDArray[Any], ...]] = []
        self.faults: list[tuple[int, str]] = []

    def _hooks_of(self, place: int) -> Hooks:
        table = self._tables[place]

        async def notify(seat: int, hook: Callable[[Any], Any], notice: object) -> None:
            bot, match = table.bots[seat], self._matches[place]
            rounds = len(match.game.rounds)
            self._enter(
                bot, key_of(table.setup.seed, seat), f"{match.setup.id} {hook.__name__} {rounds}"
            )
            try:
                await call(hook, notice)
            except Exception as error:
                self.faults.append((bot, f"{hook.__name__} raised {type(error).__name__}: {error}"))

        seated = {seat: self._bots[bot] for seat, bot in enumerate(table.bots)}
        return Hooks(self._matches[place], seated, notify)

    async def play(self) -> Played:
        """Plays all matches to their end."""
        for hooks in self._hooks:
            await hooks.started()
        while pending := self._pending():
            await self._pass(pending)
        for hooks in self._hooks:
            await hooks.ended()
        return Played(self._rows(), self.faults)

    def _pending(self) -> list[_Pending]:
        found = []
        for place, match in enumerate(self._matches):
            if not match.finished:
                packed = match.packed()
                if packed is None:
                    raise InvalidRequest(
                        f"Match {match.setup.id} is too long to be recorded. Lower the option "
                        "max_rounds."
                    )
                found.append(_Pending(place, *packed))
        return found

    async def _pass(self, pending: Sequence[_Pending]) -> None:
        """Makes one decision of each match."""
        self._passes += 1
        decisions = self._decisions(pending, b"")
        number, seat = decisions.column("number"), decisions.column("seat")
        bots = self._asked(pending, seat.tolist())
        actions = np.full(len(pending), -1, np.int16)
        for bot in np.unique(bots).tolist():
            asked = np.flatnonzero(bots == bot)
            actions[asked] = await self._ask(bot, [pending[each] for each in asked.tolist()])
        for each in pending:
            await self._hooks[each.place].rounds_ended()
        place = np.array([each.place for each in pending])
        kept = actions >= 0
        columns = (place, number, seat, bots, observe(decisions), decisions.legal(), actions)
        self._parts.append(tuple(column[kept] for column in columns))

    def _asked(self, pending: Sequence[_Pending], seats: Sequence[int]) -> NDArray[Any]:
        """Returns the numbers of the deciding bots, one for each match."""
        at = zip(pending, seats, strict=True)
        return np.array([self._tables[each.place].bots[seat] for each, seat in at])

    def _decisions(self, pending: Sequence[_Pending], key: bytes) -> Decisions:
        setup = self._tables[0].setup
        rows, moves = b"".join(p.row for p in pending), b"".join(p.moves for p in pending)
        options = self._matches[0].game.changed_options
        return Decisions(setup.game, len(setup.seats), options, rows, moves, key)

    async def _ask(self, bot: int, pending: Sequence[_Pending]) -> list[int]:
        """Asks a bot, and carries out its actions. Returns them, or -1 for faults."""
        if self._bots[bot].answers_batches():
            return await self._ask_together(bot, pending)
        return [await self._ask_once(bot, each.place) for each in pending]

    async def _ask_together(self, bot: int, pending: Sequence[_Pending]) -> list[int]:
        key = self._keys[bot]
        self._enter(bot, key, f"{self._passes}")
        try:
            given = self._bots[bot].choose_batch(self._decisions(pending, key))
            answers = checked_batch(await given if isawaitable(given) else given, len(pending))
        except Exception as error:
            return [self._fail(bot, each.place, error) for each in pending]
        return [
            self._take(bot, each.place, given) for each, given in zip(pending, answers, strict=True)
        ]

    async def _ask_once(self, bot: int, place: int) -> int:
        view = self._matches[place].decision
        assert view is not None
        view = view._replace(key=key_of(self._tables[place].setup.seed, view.seat))
        self._enter(bot, view.key, f"{view.match} {view.number} {view.seat}")
        try:
            given = await answer(self._bots[bot], view)
        except Exception as error:
            return self._fail(bot, place, error)
        return self._take(bot, place, given)

    def _take(self, bot: int, place: int, given: str | int) -> int:
        match = self._matches[place]
        fault = match.answer(given)
        if fault is not None:
            self.faults.append((bot, fault.reason))
            return -1
        return match.logged[-1].action

    def _fail(self, bot: int, place: int, error: Exception) -> int:
        # Exceptions of the bot are its faults, as in the arena.
        reason = f"{type(error).__name__}: {error}"
        self._matches[place].fail("error", reason)
        self.faults.append((bot, reason))
        return -1

    def _rows(self) -> Rows:
        place, number, *rest = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        order = np.lexsort((number, place))
        place, number, seat, bot, seen, legal, action = (
            column[order] for column in (place, number, *rest)
        )
        results = [match.result for match in self._matches]
        points = np.array([result.points for result in results])[place, seat]
        ranks = np.array([result.ranks for result in results])[place, seat]
        match = np.array([table.number for table in self._tables])[place]
        return Rows(match, number, seat, bot, seen, legal, action, points, ranks)
