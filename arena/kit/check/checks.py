"""The checks, in order, each with advice for the author."""

import asyncio

import grpc

from arena.base import website
from arena.games.match import FAULT_KINDS
from arena.games.packed_log import varint
from arena.games.rules import game_class
from arena.kit.check.playing import reads_packed, table
from arena.kit.check.server import Failed, Gone
from arena.kit.check.trial import Check, NotTried, Trial
from arena.protocol.v1 import play_pb2 as pb

LARGE = 3_900_000  # bytes; gRPC's default limit is 4 MiB
UNKNOWN_FIELD = 1_999
QUIET_S = 3.0
POLL_S = 0.1


# Answers, within one session


async def hello(trial: Trial) -> str:
    """The bot's Hello is valid."""
    said, seats = trial.session.hello, trial.session.seats
    trial.session.check_hello()
    at = f"{seats.start} to {seats.stop - 1} seats, {trial.session.in_flight} in flight"
    return f"{', '.join(said.games)}; {at}; {said.sdk or 'no library name'}"


async def every_game(trial: Trial) -> str:
    """The bot plays each of its games, with every number of seats, one decision at a time."""
    player = trial.player()
    for game in trial.session.hello.games:
        for seats in trial.session.seats:
            await player.play([table(game, seats, seed) for seed in range(trial.matches)], 1)
    return str(player.seen)


async def unusual(trial: Trial) -> str:
    """The bot plays rare positions: short matches, last rounds, other options."""
    player = trial.player()
    for game in trial.session.hello.games:
        known = game_class(game).known_options
        rare = {name: option.rare for name, option in known.items() if option.rare}
        for options in ({"max_rounds": "1"}, {"max_rounds": "3", **rare}):
            tables = [
                table(game, seats, 100 + seed, options)
                for seats in trial.session.seats
                for seed in range(trial.matches)
            ]
            await player.play(tables, 1)
    return str(player.seen)


async def many(trial: Trial) -> str:
    """The bot answers max_in_flight decisions at a time."""
    in_flight = trial.session.in_flight
    if in_flight == 1:
        raise NotTried("the bot takes one decision at a time")
    player, seats = trial.player(), trial.session.seats.start
    tables = [table(trial.game, seats, 200 + seed) for seed in range(min(2 * in_flight, 512))]
    await player.play(tables, in_flight)
    return str(player.seen)


async def packed(trial: Trial) -> str:
    """The bot answers packed decisions."""
    if not reads_packed(trial.session):
        raise NotTried("the bot does not read packed decisions")
    player = trial.player()
    for game in trial.session.hello.games:
        tables = [table(game, seats, 300 + seats) for seats in trial.session.seats]
        await player.play(tables, trial.session.in_flight, packed=True)
    return str(player.seen)


async def asked_again(trial: Trial) -> str:
    """The bot answers a decision again under a new ticket, as after the loss of a gateway."""
    player, (one, view) = trial.player(), trial.opening(400)
    for _ in range(2):
        await player.put(one, view)
        await player.settle()
    return "answered both times"


async def too_late(trial: Trial) -> str:
    """After a late answer, the bot gets a Fault and a Problem, and continues."""
    player, (one, view) = trial.player(), trial.opening(500)
    ticket = await player.put(one, view, time_ms=1)
    await player.settle()
    faults = [
        pb.Fault(
            match=view.match,
            number=view.number,
            kind=kind,
            reason="This is a test.",
            instead="quit",
        )
        for kind in FAULT_KINDS
    ]
    await trial.session.send(pb.ArenaMessage(batch=pb.Batch(faults=faults)))
    problem = pb.Problem(code="unknown_ticket", message="This is a test.", ticket=ticket)
    await trial.session.send(pb.ArenaMessage(problem=problem))
    await trial.is_well(player, 501)
    return "continued after faults of each kind and a refused answer"


async def large(trial: Trial) -> str:
    """The bot accepts a message of nearly 4 MB with unknown fields."""
    player, (one, view) = trial.player(), trial.opening(600)
    await player.put(one, view, more=unknown_field(LARGE))
    await player.settle()
    await trial.session.send(pb.ArenaMessage(), unknown_field(10))  # an unknown kind of message
    await trial.is_well(player, 601)
    return f"{LARGE / 1e6:.1f} MB, unknown fields and an unknown message"


def unknown_field(size: int) -> bytes:
    """Return an encoded bytes field with an unused number."""
    return varint(UNKNOWN_FIELD << 3 | 2) + varint(size) + bytes(size)


async def silence(trial: Trial) -> str:
    """The bot sends nothing without a decision."""
    try:
        await trial.session.heard(0.5)
    except TimeoutError:
        return "no unrequested messages"
    raise Failed("The bot sent a message without a decision.")


# Start and end of sessions


async def drain(trial: Trial) -> str:
    """When a gateway stops, the bot answers its open decisions and connects again."""
    player, (one, view) = trial.player(), trial.opening(700)
    message = pb.ArenaMessage(drain=pb.Drain(reason="This is a test.", within_ms=1000))
    await trial.session.send(message)
    await player.put(one, view)
    try:
        await player.settle()
    except Gone:
        pass  # the bot may disconnect at once, because open decisions are sent again
    else:
        closed = pb.Closed(reason="This is a test.", reconnect=True)
        await trial.session.send(pb.ArenaMessage(closed=closed))
        trial.session.end()
    await trial.back()
    await trial.is_well(trial.player(), 701)
    return "reconnected and continued"


async def cut(trial: Trial) -> str:
    """After a lost connection, the bot connects again and finishes the match."""
    player, (one, view) = trial.player(), trial.opening(800)
    await player.put(one, view)
    trial.session.end((grpc.StatusCode.UNAVAILABLE, "This is a test: the connection was cut."))
    await trial.back()
    await trial.player().play([one], 1)
    return "reconnected and finished the match"


async def closed(trial: Trial) -> str:
    """After Closed with reconnect = false, the bot does not connect again."""
    calls = trial.server.calls
    message = pb.Closed(
        reason="This is a test: another session has replaced yours.", reconnect=False
    )
    await trial.session.send(pb.ArenaMessage(closed=message))
    trial.session.end()
    for _ in range(round(QUIET_S / POLL_S)):
        await asyncio.sleep(POLL_S)
        if trial.server.calls > calls:
            raise Failed("The bot connected again after Closed with reconnect = false.")
    return "did not reconnect"


async def refused(trial: Trial) -> str:
    """If its token is rejected, the bot stops and prints the reason."""
    if trial.program is None:
        raise NotTried("not possible for a bot started elsewhere")
    reason = "This token belongs to no bot."
    trial.server.refusing = (grpc.StatusCode.UNAUTHENTICATED, reason)
    calls = trial.server.calls
    await trial.program.start()
    ended = await trial.program.ended(trial.start_s)
    trial.server.refusing = None
    if trial.server.calls == calls:
        raise Failed(f"After a restart, the bot did not connect within {trial.start_s:.0f} s.")
    if not ended or trial.server.calls > calls + 1:
        raise Failed(
            f"The bot tried {trial.server.calls - calls} times with a rejected token. It must stop "
            "after UNAUTHENTICATED."
        )
    if reason not in trial.program.said():
        raise Failed("The bot stopped, but did not print the reason.")
    return "stopped and printed the reason"


CHECKS = (
    Check("Hello", hello, f"See {website.docs('reference/messages#hello')}."),
    Check(
        "every game and number of seats",
        every_game,
        "Answer each decision once, with its ticket.",
    ),
    Check("unusual positions", unusual, "Decide from the view alone. It is complete."),
    Check(
        "many decisions at a time",
        many,
        "Answer all decisions in time, in any order, or declare a smaller max_in_flight.",
    ),
    Check(
        "packed decisions",
        packed,
        f"See {website.docs('protocol#packed-decisions')}, or do not set Hello.packed.",
    ),
    Check("the same decision again", asked_again, "Identify decisions by their tickets."),
    Check(
        "too late",
        too_late,
        "Continue after a Fault or a Problem. They only inform the author.",
    ),
    Check(
        "large messages and unknown fields",
        large,
        "Set the limit for received messages to at least 4 MiB, and ignore unknown fields.",
    ),
    Check("silence", silence, "Answer each decision once, and send nothing else."),
    Check("drain", drain, "Keep answering until Closed, then connect again."),
    Check(
        "cut off in a match",
        cut,
        "Connect again at once, then every 0.2 to 4 s. Open decisions are sent again.",
    ),
    Check("closed for good", closed, "Stop when Closed says reconnect = false."),
    Check(
        "refused",
        refused,
        "After UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT or UNIMPLEMENTED, print the "
        "status message and stop.",
    ),
)
