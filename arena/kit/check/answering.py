"""Checks of what a bot answers, within one session."""

from __future__ import annotations

from arena.games.match import FAULT_KINDS
from arena.kit.check.playing import quiet, reads_packed, table
from arena.kit.check.trial import NotTried, Trial
from arena.protocol.v1 import play_pb2 as pb

LARGE = 3_900_000  # bytes; gRPC takes 4 MiB if nothing else is said
UNKNOWN_FIELD = 1_999
UNUSUAL = {
    "dice": {"dice.faces": "1 3 5 6 llama llama / 1 2 4 6 llama llama / 2 3 4 5 llama llama"},
    "kadabra": {"kadabra.specials": "1o:1 2*:3 3#:3 4*:3 5#:3 6*:3"},
}


async def hello(trial: Trial) -> str:
    """What the bot says of itself makes sense."""
    said, seats = trial.session.hello, trial.session.seats
    trial.session.check_hello()
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
    player, (one, view) = trial.player(), trial.opening(400)
    for _ in range(2):
        await player.put(one, view)
        await player.settle()
    return "answered both times"


async def too_late(trial: Trial) -> str:
    """Its answer comes too late: it is told of the fault, its answer is refused, it plays on."""
    player, (one, view) = trial.player(), trial.opening(500)
    ticket = await player.put(one, view, time_ms=1)
    await player.settle()
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
    player, (one, view) = trial.player(), trial.opening(600)
    await player.put(one, view, more=unknown_field(LARGE))
    await player.settle()
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
