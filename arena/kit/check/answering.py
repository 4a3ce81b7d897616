"""Checks of a bot's answers, within one session."""

from __future__ import annotations

from arena.games.match import FAULT_KINDS
from arena.games.rules import game_class
from arena.kit.check.playing import quiet, reads_packed, table
from arena.kit.check.trial import NotTried, Trial
from arena.protocol.v1 import play_pb2 as pb

LARGE = 3_900_000  # bytes; gRPC's default limit is 4 MiB
UNKNOWN_FIELD = 1_999


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
        for options in ({"max_rounds": "1"}, {"max_rounds": "3", **rare_options(game)}):
            tables = [
                table(game, seats, 100 + seed, options)
                for seats in trial.session.seats
                for seed in range(trial.matches)
            ]
            await player.play(tables, 1)
    return str(player.seen)


def rare_options(game: str) -> dict[str, str]:
    """Return options of a game that bots rarely meet."""
    known = game_class(game).known_options
    return {name: option.rare for name, option in known.items() if option.rare}


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
    return _varint(UNKNOWN_FIELD << 3 | 2) + _varint(size) + bytes(size)


def _varint(number: int) -> bytes:
    low = []
    while number > 127:
        low.append(number & 127 | 128)
        number >>= 7
    return bytes([*low, number])


async def silence(trial: Trial) -> str:
    """The bot sends nothing without a decision."""
    await quiet(trial.player(), 0.5)
    return "no unrequested messages"
