"""Checks of how a bot begins and ends its sessions."""

from __future__ import annotations

import asyncio

import grpc

from arena.kit.check.session import Failed
from arena.kit.check.trial import NotTried, Trial
from arena.protocol.v1 import play_pb2 as pb

QUIET_S = 3.0
POLL_S = 0.1


async def drain(trial: Trial) -> str:
    """The gateway stops: it answers what it holds, and comes back when the session is over."""
    player, (one, view) = trial.player(), trial.opening(700)
    told = pb.ArenaMessage(drain=pb.Drain(reason="Only a trial.", within_ms=1000))
    await trial.session.send(told)
    await player.put(one, view)
    try:
        await player.settle()
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
    player, (one, view) = trial.player(), trial.opening(800)
    await player.put(one, view)
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
    for _ in range(round(QUIET_S / POLL_S)):
        await asyncio.sleep(POLL_S)
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
