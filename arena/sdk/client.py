"""Keeps a bot connected to an arena over gRPC."""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, NoReturn

import grpc
import grpc.aio

from arena.base import tracing
from arena.base.errors import ArenaError, InvalidRequest
from arena.base.keepalive import BOT_PING_S, BOT_PING_TIMEOUT_S
from arena.protocol import services
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.address import Address, address, tls_ca, usual_address
from arena.sdk.answer import describe
from arena.sdk.asking import prepared
from arena.sdk.declared import hello_of
from arena.sdk.note_sender import NoteSender
from arena.sdk.notes import Notebook
from arena.sdk.session import Session
from arena.sdk.token import take_key, token_of

if TYPE_CHECKING:
    from arena.sdk.bot import Bot

MISUSED, REFUSED = 2, 1  # exit statuses

# Keep these consistent with `arena.base.keepalive.RECONNECT_S`, the limit for a return.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.2, 4.0
SEND_S = 30.0  # time limit of a call with notes
STABLE_AFTER_S = 5.0  # a session that lasted this long resets the pause

# Retrying cannot fix these.
FATAL = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
)

OPTIONS = (
    # Detects that the gateway's machine is gone. Pings are unlimited, even without a match; by
    # default, gRPC sends only two pings while it sends no data.
    ("grpc.keepalive_time_ms", round(1000 * BOT_PING_S)),
    ("grpc.keepalive_timeout_ms", round(1000 * BOT_PING_TIMEOUT_S)),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)


class Refused(Exception):
    """The arena rejected the bot for good. The message says why."""


def run(
    bot: Bot,
    url: str | None = None,
    token: str | None = None,
    key: str | None = None,
    version: str | None = None,
) -> None:
    """See Bot.run."""
    take_key(bot, key)
    try:
        _run(bot, url, token, version or os.environ.get("ARENA_BOT_VERSION") or "")
    except (Refused, InvalidRequest) as error:
        _give_up(error, REFUSED)
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _run(bot: Bot, url: str | None, token: str | None, version: str) -> None:
    try:
        token, url = token_of(token), url or usual_address()
    except ArenaError as error:
        _give_up(error, MISUSED)
    asyncio.run(stay_connected(bot, url, token, version))


def _give_up(error: Exception, status: int) -> NoReturn:
    sys.stderr.write(f"Error: {error}\n")
    raise SystemExit(status)


async def stay_connected(bot: Bot, url: str, token: str, version: str = "") -> None:
    """Plays, and reconnects when the stream breaks. `version` defaults to the newest.

    Raises Refused and InvalidRequest.
    """
    arena = address(url, tls_ca())
    tracing.configure("bot", tracing.share_asked_for())
    try:
        await prepared(bot)
    except Exception as error:
        raise Refused(f"The bot's prepare() failed: {describe(error)}") from None
    bot.notebook = Notebook() if bot.takes_notes else None
    with NoteSender(partial(_send_notes, arena, token)) as sender:
        await _reconnecting(bot, arena, token, version, sender)


async def _reconnecting(
    bot: Bot, arena: Address, token: str, version: str, sender: NoteSender
) -> NoReturn:
    pause = FIRST_PAUSE_S
    while True:
        began = time.monotonic()
        try:
            await _one_session(bot, arena, token, version, sender)
        except grpc.aio.AioRpcError as error:
            if error.code() in FATAL:
                raise Refused(error.details() or error.code().name) from None
            _say(f"{arena.explained(error.details() or error.code().name)} Trying again.")
        if time.monotonic() - began > STABLE_AFTER_S:
            pause = FIRST_PAUSE_S
        # A stopping gateway disconnects all its bots at once; jitter spreads their return.
        await asyncio.sleep(pause * random.uniform(0.5, 1))
        pause = min(pause * 2, LONGEST_PAUSE_S)


async def _one_session(
    bot: Bot, arena: Address, token: str, version: str, sender: NoteSender
) -> None:
    async with channel_to(arena) as channel:
        connect = channel.stream_stream(
            f"/{services.PLAY}/Connect",
            request_serializer=_encoded,
            response_deserializer=pb.ArenaMessage.FromString,
        )
        call = connect(metadata=_authorized(token))
        await call.write(pb.BotMessage(hello=hello_of(bot, version)))
        greet = partial(_greet, url=arena.url)
        closed = await Session(bot, call, greet, sender.post).run()
    if closed is not None and not closed.reconnect:
        raise Refused(closed.reason)


async def _send_notes(arena: Address, token: str, notes: pb.MatchNotes) -> None:
    async with channel_to(arena) as channel:
        send = channel.unary_unary(
            f"/{services.PLAY}/SendNotes",
            request_serializer=pb.MatchNotes.SerializeToString,
            response_deserializer=pb.NotesStored.FromString,
        )
        await send(notes, metadata=_authorized(token), timeout=SEND_S)


def _authorized(token: str) -> tuple[tuple[str, str]]:
    return (("authorization", f"Bearer {token}"),)


def _encoded(message: pb.BotMessage) -> bytes:
    return message.SerializeToString()


def _greet(welcome: pb.Welcome, url: str) -> None:
    _say(f"{welcome.bot}, version {welcome.version}, is connected to the arena at {url}.")


def _say(sentence: str) -> None:
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


def channel_to(arena: Address) -> grpc.aio.Channel:
    """Returns a channel to the gateway, with TLS if the address requires it."""
    if arena.tls:
        credentials = grpc.ssl_channel_credentials(arena.roots)
        return grpc.aio.secure_channel(arena.place, credentials, options=OPTIONS)
    return grpc.aio.insecure_channel(arena.place, options=OPTIONS)
