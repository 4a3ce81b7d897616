"""What is tried with a bot, in order, and what its author can do where it fails.

A check is a coroutine function that is given a `Trial`. It returns what was seen, in words; it
raises `Failed` with what the bot did, or `NotTried` with the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import grpc

from arena.kit.check.playing import Player, quiet, reads_packed, settle, table
from arena.kit.check.program import Program
from arena.kit.check.server import CheckServer
from arena.kit.check.session import Failed, Session
from arena.match import FAULT_KINDS
from arena.protocol.v1 import play_pb2 as pb
from arena.rules import GAMES

BACK_WITHIN_S = 10.0
QUIET_S = 3.0
LARGE = 3_900_000  # bytes; gRPC takes 4 MiB if nothing else is said
UNKNOWN_FIELD = 1_999
UNUSUAL = {
    "dice": {"dice.faces": "1 3 5 6 llama llama / 1 2 4 6 llama llama / 2 3 4 5 llama llama"},
    "kadabra": {"kadabra.specials": "1o:1 2*:3 3#:3 4*:3 5#:3 6*:3"},
}


class NotTried(Exception):
    """The check does not concern this bot, or cannot be made; says why."""


@dataclass
class Trial:
    """A bot that is being checked."""

    server: CheckServer
    program: Program | None  # None for one that connects from elsewhere
    session: Session
    start_s: float
    move_s: float
    matches: int

    def player(self) -> Player:
        """Somebody to play with it in the session that is open now."""
        return Player(self.session, self.move_s)

    @property
    def game(self) -> str:
        """The first game that it plays."""
        return self.session.hello.games[0]

    async def back(self, within_s: float = 0.0) -> None:
        """Waits until it has connected again. Raises Failed."""
        within_s = within_s or BACK_WITHIN_S
        try:
            self.session = await self.server.opened(within_s)
        except TimeoutError:
            raise Failed(f"It did not connect again within {within_s:.0f} s.") from None
        await self.session.welcome(within_s)

    async def is_well(self, player: Player, seed: int) -> None:
        """Raises Failed unless it still plays a match."""
        await player.play([table(self.game, self.session.seats.start, seed)], 1)


@dataclass(frozen=True, slots=True)
class Check:
    """Something that is tried."""

    name: str
    run: Callable[[Trial], Awaitable[str]]
    remedy: str


async def hello(trial: Trial) -> str:
    """What the bot says of itself makes sense."""
    said, seats = trial.session.hello, trial.session.seats
    if not trial.session.authorized:
        raise Failed('It did not send the metadata "authorization: Bearer TOKEN" with its token.')
    if said.protocol != 1:
        raise Failed(f"Its Hello has protocol {said.protocol}; the protocol is 1.")
    if unknown := [game for game in said.games if game not in GAMES]:
        raise Failed(f"It plays {', '.join(unknown)}; the games are: {', '.join(GAMES)}.")
    if not said.games or not 2 <= seats.start < seats.stop <= 7:
        raise Failed(
            f"It plays {len(said.games)} games at {seats.start} to {seats.stop - 1} seats."
        )
    if trial.session.in_flight > 4096:
        raise Failed(f"Its max_in_flight is {said.max_in_flight}; the most is 4096.")
    at = f"{seats.start} to {seats.stop - 1} seats, {trial.session.in_flight} in flight"
    return f"{', '.join(said.games)}; {at}; {said.sdk or 'no name of a library'}"


async def every_game(trial: Trial) -> str:
    """Every game that it claims, at every number of seats, one decision at a time."""
    player = trial.player()
    for game in trial.session.hello.games:
        for seats in trial.session.seats:
            await player.play([table(game, seats, seed) for seed in range(trial.matches)], 1)
    return str(player.seen)


async def unusual(trial: Trial) -> str:
    """Positions that are legal and seldom: short matches, last rounds, other options."""
    player = trial.player()
    for game in trial.session.hello.games:
        for options in ({"max_rounds": "1"}, {"max_rounds": "3", **UNUSUAL.get(game, {})}):
            tables = [
                table(game, seats, 100 + seed, options)
                for seats in trial.session.seats
                for seed in range(trial.matches)
            ]
            await player.play(tables, 1)
    return str(player.seen)


async def many(trial: Trial) -> str:
    """As many decisions at a time as it takes, each with its clock."""
    in_flight = trial.session.in_flight
    if in_flight == 1:
        raise NotTried("it takes one decision at a time")
    player, seats = trial.player(), trial.session.seats.start
    tables = [table(trial.game, seats, 200 + seed) for seed in range(min(2 * in_flight, 512))]
    await player.play(tables, in_flight)
    return str(player.seen)


async def packed(trial: Trial) -> str:
    """The same in packed form."""
    if not reads_packed(trial.session):
        raise NotTried("it does not read packed decisions")
    player = trial.player()
    for game in trial.session.hello.games:
        tables = [table(game, seats, 300 + seats) for seats in trial.session.seats]
        await player.play(tables, trial.session.in_flight, packed=True)
    return str(player.seen)


async def asked_again(trial: Trial) -> str:
    """One decision twice, as after a gateway was lost: by the second ticket it is answered, too."""
    player, one = trial.player(), table(trial.game, trial.session.seats.start, 400)
    view = one.advance()
    assert view is not None
    for _ in range(2):
        ticket = player.ask(one, view)
        decision = player.decision(view, ticket)
        await trial.session.send(pb.ArenaMessage(batch=pb.Batch(decisions=[decision])))
        await settle(player, 1)
    return "answered both times"


async def too_late(trial: Trial) -> str:
    """Its answer comes too late: it is told of the fault, its answer is refused, it plays on."""
    player, one = trial.player(), table(trial.game, trial.session.seats.start, 500)
    view = one.advance()
    assert view is not None
    ticket = player.ask(one, view)
    decision = player.decision(view, ticket)
    decision.time_ms = 1
    await trial.session.send(pb.ArenaMessage(batch=pb.Batch(decisions=[decision])))
    await settle(player, 1)
    faults = [
        pb.Fault(
            match=view.match, number=view.number, kind=kind, reason="Only a trial.", instead="quit"
        )
        for kind in FAULT_KINDS
    ]
    await trial.session.send(pb.ArenaMessage(batch=pb.Batch(faults=faults)))
    problem = pb.Problem(code="unknown_ticket", message="Only a trial.", ticket=ticket)
    await trial.session.send(pb.ArenaMessage(problem=problem))
    await trial.is_well(player, 501)
    return "told of faults of each kind and of a refused answer, it plays on"


async def large(trial: Trial) -> str:
    """A message of nearly 4 MB, most of it a field of the future."""
    player, one = trial.player(), table(trial.game, trial.session.seats.start, 600)
    view = one.advance()
    assert view is not None
    decision = player.decision(view, player.ask(one, view))
    batch = pb.ArenaMessage(batch=pb.Batch(decisions=[decision]))
    await trial.session.send(batch, unknown_field(LARGE))
    await settle(player, 1)
    await trial.session.send(pb.ArenaMessage(), unknown_field(10))  # a kind of message to come
    await trial.is_well(player, 601)
    return f"{LARGE / 1e6:.1f} MB, unknown fields and an unknown message"


def unknown_field(size: int) -> bytes:
    """A field of bytes of which nobody knows, encoded."""
    return _varint(UNKNOWN_FIELD << 3 | 2) + _varint(size) + bytes(size)


def _varint(number: int) -> bytes:
    low = []
    while number > 127:
        low.append(number & 127 | 128)
        number >>= 7
    return bytes([*low, number])


async def silence(trial: Trial) -> str:
    """Not asked, it says nothing."""
    await quiet(trial.player(), 0.5)
    return "it speaks only when it is asked"


async def drain(trial: Trial) -> str:
    """The gateway stops: it answers what it holds, and comes back when the session is over."""
    player, one = trial.player(), table(trial.game, trial.session.seats.start, 700)
    view = one.advance()
    assert view is not None
    told = pb.ArenaMessage(drain=pb.Drain(reason="Only a trial.", within_ms=1000))
    await trial.session.send(told)
    decision = player.decision(view, player.ask(one, view))
    await trial.session.send(pb.ArenaMessage(batch=pb.Batch(decisions=[decision])))
    try:
        await settle(player, 1)
    except Failed as failed:
        if "ended the stream" not in str(failed):
            raise
        # To leave at once is allowed: decisions are sent again.
    else:
        closed = pb.Closed(reason="Only a trial.", reconnect=True)
        await trial.session.send(pb.ArenaMessage(closed=closed))
        trial.session.end()
    await trial.back()
    await trial.is_well(trial.player(), 701)
    return "it came back, and plays on"


async def cut(trial: Trial) -> str:
    """The connection breaks in the middle of a match: it comes back, and the match goes on."""
    player, one = trial.player(), table(trial.game, trial.session.seats.start, 800)
    view = one.advance()
    assert view is not None
    decision = player.decision(view, player.ask(one, view))
    await trial.session.send(pb.ArenaMessage(batch=pb.Batch(decisions=[decision])))
    trial.session.end((grpc.StatusCode.UNAVAILABLE, "Only a trial: the connection is cut."))
    await trial.back()
    await trial.player().play([one], 1)
    return "it came back, and finished the match"


async def closed(trial: Trial) -> str:
    """Closed for good, as when another program has its token: it stays away."""
    calls = trial.server.calls
    message = pb.Closed(reason="Only a trial: another session has replaced yours.", reconnect=False)
    await trial.session.send(pb.ArenaMessage(closed=message))
    trial.session.end()
    await asyncio.sleep(QUIET_S)
    if trial.server.calls > calls:
        raise Failed("It connected again, although Closed said not to.")
    return "it stays away"


async def refused(trial: Trial) -> str:
    """Its token is refused: it stops, and says why."""
    if trial.program is None:
        raise NotTried("only a bot that is started here can be watched stopping")
    said = "This token belongs to no bot."
    trial.server.refusing = (grpc.StatusCode.UNAUTHENTICATED, said)
    calls = trial.server.calls
    await trial.program.start()
    ended = await trial.program.ended(trial.start_s)
    trial.server.refusing = None
    if trial.server.calls == calls:
        raise Failed(f"Started again, it did not connect within {trial.start_s:.0f} s.")
    if not ended or trial.server.calls > calls + 1:
        raise Failed(f"It tried {trial.server.calls - calls} times; its token will be no better.")
    if said not in trial.program.said():
        raise Failed("It stopped without saying why; its author would look for the reason.")
    return "it stops, and says why"


CHECKS = (
    Check("Hello", hello, "See Hello in play.proto."),
    Check(
        "every game and number of seats",
        every_game,
        "Answer with one of view.actions, or with the index beside it in view.indices.",
    ),
    Check("unusual positions", unusual, "Every view is complete; decide by it alone."),
    Check(
        "many decisions at a time",
        many,
        "Answer each, in any order, in time; otherwise declare a smaller max_in_flight.",
    ),
    Check(
        "packed decisions",
        packed,
        "Read rows as docs/protocol.md tells, or leave out Hello.packed.",
    ),
    Check("the same decision again", asked_again, "Tickets name decisions; matches do not."),
    Check(
        "too late",
        too_late,
        "Read on after a Fault or a Problem: they are for the author, and end nothing.",
    ),
    Check(
        "large messages and unknown fields",
        large,
        "Leave the limit for received messages at 4 MiB or more; ignore what is unknown.",
    ),
    Check("silence", silence, "Answer only what was asked, once."),
    Check("drain", drain, "Answer on until Closed; then connect again."),
    Check(
        "cut off in a match",
        cut,
        "Connect again at once, then after 0.2 to 4 s; what is open is sent again.",
    ),
    Check("closed for good", closed, "Stop when Closed says reconnect = false."),
    Check(
        "refused",
        refused,
        "Stop at UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT and UNIMPLEMENTED, and print "
        "the status message.",
    ),
)
