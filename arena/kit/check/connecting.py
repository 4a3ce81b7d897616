"""Checks of how a bot starts and ends its sessions."""

from __future__ import annotations

import asyncio

import grpc

from arena.kit.check.session import Failed, Gone
from arena.kit.check.trial import NotTried, Trial
from arena.protocol.v1 import play_pb2 as pb

QUIET_S = 3.0
POLL_S = 0.1


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
