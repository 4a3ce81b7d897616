"""Sends a bot's notes to the arena after their match. Failures do not affect play."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Self, TypeAlias

import grpc
import grpc.aio

from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.notes import SeatNotes, tell_once

Send: TypeAlias = Callable[[pb.MatchNotes], Awaitable[object]]

# Before each attempt. The arena stores a result shortly after the match, or when its database is
# back.
PAUSES_S = (1.0, 3.0, 10.0, 60.0, 300.0)
PACE_S = 1.0  # between two calls; a gateway takes two a second from a bot
BUSY_S = 60.0  # after the gateway reported too many calls
MOST_WAITING = 256  # notes of matches that wait to be sent

MANY = f"Notes were dropped, because those of {MOST_WAITING} matches already wait to be sent."
# Retrying cannot fix these.
FINAL = (
    grpc.StatusCode.ALREADY_EXISTS,  # the answer to an earlier attempt was lost
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.UNIMPLEMENTED,  # by an older gateway
)


class NoteSender:
    """Sends notes with `send`, one match after the other. A context manager."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._tasks:
            sys.stderr.write(f"Notes that were not sent yet are lost: {len(self._tasks)}.\n")
        for task in self._tasks:
            task.cancel()

    def post(self, notes: SeatNotes) -> None:
        """Sends the notes of a finished match in the background."""
        if len(self._tasks) >= MOST_WAITING:
            tell_once(MANY)
            return
        made = [pb.Note(number=number, text=text) for number, text in notes.texts.items()]
        message = pb.MatchNotes(match=notes.match, seat=notes.seat, notes=made)
        task = asyncio.create_task(self._deliver(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, notes: pb.MatchNotes) -> None:
        problem = ""
        for pause_s in PAUSES_S:
            await asyncio.sleep(pause_s)
            async with self._turn:
                code, problem = await self._attempt(notes)
                busy = code == grpc.StatusCode.RESOURCE_EXHAUSTED
                await asyncio.sleep(BUSY_S if busy else PACE_S)
            if code == grpc.StatusCode.OK or code in FINAL:
                break
        if problem and code != grpc.StatusCode.ALREADY_EXISTS:
            tell_once(f"The arena did not store the notes of a match. {problem}")

    async def _attempt(self, notes: pb.MatchNotes) -> tuple[grpc.StatusCode, str]:
        """Returns the status of a call, and the problem if it failed."""
        try:
            await self._send(notes)
        except grpc.aio.AioRpcError as error:
            return error.code(), error.details() or error.code().name
        return grpc.StatusCode.OK, ""
