"""Matches of the bot against random players."""

import itertools
import random
import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import View
from arena.games.rules.rows import VERSION
from arena.kit.check.server import CannotPlay, Failed, Session
from arena.protocol import codec
from arena.protocol.decisions import encode_decision, packed_decision
from arena.protocol.v1 import play_pb2 as pb


@dataclass
class PlayStats:
    """Matches and answer times of the bot, in seconds."""

    matches: int = 0
    times: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        """Human-readable summary."""
        if not self.times:
            return "no decisions"
        times = sorted(self.times)
        middle, late = times[len(times) // 2], times[len(times) * 99 // 100]
        return (
            f"{self.matches} matches, {len(times)} decisions, median {1000 * middle:.1f} ms,"
            f" 99% within {1000 * late:.1f} ms, longest {1000 * times[-1]:.1f} ms"
        )


@dataclass
class Table:
    """A match, and the bot's seat in it."""

    match: Match
    seat: int
    rng: random.Random
    notified: int = 0  # rounds whose end the bot was notified of

    def advance(self) -> View | None:
        """Play the other seats. Return the bot's next decision, or None at the end."""
        while (view := self.match.decision) is not None and view.seat != self.seat:
            self.match.answer(self.rng.choice(view.indices))
        return view


@dataclass
class Asked:
    """An open decision."""

    table: Table
    view: View
    at: float


def table(game: str, seats: int, seed: int, options: Mapping[str, str] | None = None) -> Table:
    """Return a new match with the bot in one of its seats."""
    rng = random.Random(seed)
    names = tuple(
        Seat("checked" if seat == seed % seats else f"other{seat}") for seat in range(seats)
    )
    setup = MatchSetup(f"check{seed}", game, rng.randbytes(16), names, options or {})
    return Table(Match(setup), seed % seats, rng)


class Player:
    """Plays matches with a bot, in one session."""

    def __init__(self, session: Session, move_s: float) -> None:
        self.session = session
        self.seen = PlayStats()
        self.asked: dict[int, Asked] = {}
        self._move_s = move_s
        self._tickets = itertools.count(random.getrandbits(62))

    async def play(self, tables: Iterable[Table], in_flight: int, *, packed: bool = False) -> None:
        """Play matches to the end, with up to `in_flight` open decisions. Raises Failed."""
        waiting, batch = deque(tables), pb.Batch()
        views: list[tuple[Table, View]] = []
        while waiting or views or self.asked:
            while waiting and len(self.asked) + len(views) < in_flight:
                self._next(waiting.popleft(), batch, views)
            room = in_flight - len(self.asked)
            now, views = views[:room], views[room:]
            self._add(batch, now, packed)
            if batch.ByteSize():
                await self.session.send(pb.ArenaMessage(batch=batch))
                batch = pb.Batch()
            if self.asked:
                for asked, answer in await self.answers():
                    asked.table.match.answer(answer)
                    self._next(asked.table, batch, views)

    def _next(self, table: Table, batch: pb.Batch, views: list[tuple[Table, View]]) -> None:
        """Continue a match until it waits for the bot or is over."""
        begins, view = not table.match.logged, table.advance()
        if self.session.hello.notices:
            _notices(table, batch, begins=begins)
        if view is None:
            self.seen.matches += 1
        else:
            views.append((table, view))

    def _add(self, batch: pb.Batch, views: list[tuple[Table, View]], packed: bool) -> None:
        for table, view in views:
            ticket = self.ask(table, view)
            if packed:
                time_ms = round(1000 * self._move_s)
                batch.packed.append(packed_decision(view, ticket, time_ms))
            else:
                batch.decisions.append(self.decision(view, ticket))

    def ask(self, table: Table, view: View) -> int:
        """Register an open decision and return its ticket."""
        ticket = next(self._tickets)
        self.asked[ticket] = Asked(table, view, time.monotonic())
        return ticket

    async def put(self, table: Table, view: View, *, time_ms: int = 0, more: bytes = b"") -> int:
        """Send one decision and return its ticket. For `more`, see `Session.send`."""
        ticket = self.ask(table, view)
        decision = self.decision(view, ticket)
        decision.time_ms = time_ms or decision.time_ms
        await self.session.send(pb.ArenaMessage(batch=pb.Batch(decisions=[decision])), more)
        return ticket

    def decision(self, view: View, ticket: int) -> pb.Decision:
        """Return a decision as a message."""
        return pb.Decision.FromString(encode_decision(view, ticket, round(1000 * self._move_s)))

    async def settle(self) -> None:
        """Wait for the answers to all open decisions. Raises Failed."""
        while self.asked:
            await self.answers()

    async def answers(self) -> list[tuple[Asked, int]]:
        """Return the bot's next answers: decisions and the chosen indices. Raises Failed."""
        oldest = min(self.asked.values(), key=lambda each: each.at)
        left = oldest.at + self._move_s - time.monotonic()
        try:
            message = await self.session.heard(max(left, 0.001))
        except TimeoutError:
            view = oldest.view
            raise CannotPlay(
                f"No answer within {self._move_s:g} s at decision {view.number} of match"
                f" {view.match}: {_described(view)}",
                "Answer within the time of the decision, or raise --move-time.",
            ) from None
        if message.WhichOneof("kind") != "choices":
            raise Failed("The bot sent Hello twice.")
        return [self._answer(ticket, answer) for ticket, answer in _answers(message.choices)]

    def _answer(self, ticket: int, answer: pb.Choice | int) -> tuple[Asked, int]:
        asked = self.asked.pop(ticket, None)
        if asked is None:
            raise Failed(f"The bot answered with ticket {ticket}, which is not open.")
        self.seen.times.append(time.monotonic() - asked.at)
        return asked, _index(asked.view, answer)


def _notices(table: Table, batch: pb.Batch, *, begins: bool) -> None:
    """Add the notices due since the last call."""
    match = table.match
    if begins:
        started = codec.encode_started(match, table.seat)
        batch.started.append(pb.MatchStarted.FromString(started))
    rounds = match.game.rounds
    while table.notified < len(rounds) and rounds[table.notified].points:
        table.notified += 1
        batch.rounds.append(pb.RoundEnded.FromString(codec.encode_round(match, table.notified)))
    if match.finished:
        batch.ended.append(pb.MatchEnded.FromString(codec.encode_ended(match)))


def reads_packed(session: Session) -> bool:
    """Whether the bot reads packed decisions."""
    return session.hello.packed == VERSION


def _answers(choices: pb.Choices) -> list[tuple[int, pb.Choice | int]]:
    if len(choices.tickets) != len(choices.indices):
        raise Failed(
            f"The bot sent {len(choices.tickets)} tickets with {len(choices.indices)} indices."
        )
    if len(choices.cpu_us) not in (0, len(choices.tickets)):
        raise Failed(
            f"The bot sent {len(choices.tickets)} tickets with {len(choices.cpu_us)} CPU times."
        )
    one_by_one = [(choice.ticket, choice) for choice in choices.choices]
    return [*one_by_one, *zip(choices.tickets, choices.indices, strict=True)]


def _index(view: View, answer: pb.Choice | int) -> int:
    if isinstance(answer, pb.Choice):
        kind = answer.WhichOneof("answer")
        if kind is None:
            raise Failed(f"The bot sent a choice without an answer: {_described(view)}")
        if kind == "error":
            said = f"The bot reported the error {answer.error!r}: {_described(view)}"
            raise CannotPlay(said, "Find the cause in the bot's output.")
        if kind == "timeout":
            said = f"The bot reported the timeout {answer.timeout!r}: {_described(view)}"
            raise CannotPlay(said, "Find out what the bot waits for.")
        if kind == "action":
            if answer.action not in view.actions:
                raise _illegal(repr(answer.action), view)
            return view.indices[view.actions.index(answer.action)]
        answer = answer.index
    if answer not in view.indices:
        raise _illegal(f"index {answer}", view)
    return answer


def _illegal(chosen: str, view: View) -> CannotPlay:
    return CannotPlay(
        f"The bot chose {chosen}, which is not legal: {_described(view)}",
        "Answer with one of view.actions, or with the corresponding index in view.indices.",
    )


def _described(view: View) -> str:
    return (
        f"{view.game} at {view.seats} seats, round {view.round}, {view.ask}; hand"
        f" {' '.join(view.hand) or '(empty)'}; legal: {', '.join(view.actions)}."
    )
