"""Who is calling: bots by their tokens, the administrator by theirs."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, Collection
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import NoReturn, TypeAlias

import grpc
import grpc.aio

from arena.errors import ArenaError, InvalidRequest, NotFound
from arena.gateway.calls import Context, Handler, Requests, carry_out, taken_as_stream
from arena.gateway.echo import SERVICE as ECHO
from arena.gateway.open_services import OPEN_SERVICES, OpenServiceLimit
from arena.gateway.rate_limiter import LimitExceeded, RateLimiter
from arena.gateway.retry_info import retry_metadata
from arena.gateway.sessions import Login
from arena.gateway.status import code_of, details_of
from arena.gateway.throttle import Peer, parse_peer
from arena.protocol import services
from arena.store import Store
from arena.store.registry import bots
from arena.store.registry.bots import digest

RETIRED = (
    "{} is retired and cannot connect: its owner brings it back on the dashboard, "
    "an organiser with `arena bot retire {} --back`."
)
NO_BOT = (
    "This token belongs to no bot: check ARENA_TOKEN, or get a new token"
    " with `arena bot token NAME`."
)
NO_TOKEN = (
    "The call carries no token:"  # noqa: S105
    ' send the metadata "authorization: Bearer <token>".'
)
REVOKED = "This bot's token is no longer valid: start the bot with its new token."
NEW_VERSION = "{} has a new version: start its program again, and it plays as that."


@dataclass(frozen=True, slots=True)
class CallingBot:
    """The bot on whose behalf a program calls, in the version that the program is."""

    bot: bots.RegisteredBot
    token: str
    names_version: bool = False

    @property
    def login(self) -> Login:
        """What the program came in with."""
        return Login(self.bot.player, self.token, self.names_version)


CALLER: ContextVar[CallingBot] = ContextVar("caller")


class Unauthenticated(ArenaError):
    """The call carries no valid token."""


Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]"


class AuthInterceptor(grpc.aio.ServerInterceptor):
    """Authenticates calls: lets one through if its token is good for the service called, and its
    caller within the limits."""

    def __init__(self, store: Store, admin_token: str, limiter: RateLimiter) -> None:
        self._store = store
        self._admin_token = admin_token
        self._limiter = limiter
        self._echo_token = ""
        self._open_streams = OpenServiceLimit()

    def admit_echo(self, token: str) -> None:
        """With this token, which nobody else knows, the gateway calls itself."""
        self._echo_token = token

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler:
        """Takes the call, and refuses it in its handler's place if the caller is not admitted."""
        handler = await continuation(handler_call_details)
        return taken_as_stream(handler, partial(self._serve, handler, handler_call_details))

    async def _serve(
        self,
        handler: Handler | None,
        details: grpc.HandlerCallDetails,
        requests: Requests,
        context: Context,
    ) -> None:
        peer, began = parse_peer(context.peer()), time.monotonic()
        try:
            await self._admit(handler, details, peer, context)
            await carry_out(handler, details.method, requests, context)
        except LimitExceeded as error:
            code = grpc.StatusCode.RESOURCE_EXHAUSTED
            again = retry_metadata(code, str(error), error.wait_s)
            await context.abort(code, details_of(error), again)
        except ArenaError as error:
            await context.abort(_code_of(error), details_of(error))
        except asyncio.CancelledError:
            self._limiter.call_cancelled(peer, began)
            raise
        finally:
            self._limiter.call_ended(peer)

    async def _admit(
        self,
        handler: Handler | None,
        details: grpc.HandlerCallDetails,
        peer: Peer,
        context: Context,
    ) -> None:
        """Raises LimitExceeded beyond a limit, LimitReached, Unauthenticated, Unavailable."""
        token, service = bearer_token(details), details.method.strip("/").partition("/")[0]
        if service == services.CONTROL and self._is_admins(token):
            self._limiter.call_started(peer, token, trusted=True)
            return
        self._limiter.call_started(peer, token)
        if service == ECHO:
            if not hmac.compare_digest(digest(token), digest(self._echo_token)):
                raise Unauthenticated("Only the gateway itself makes this call.")
            return
        if handler is None:
            return
        if service in OPEN_SERVICES:
            if handler.response_streaming:
                self._open_streams.admit(context)
        elif service == services.CONTROL:
            self._limiter.login_tried(peer, token)
            self._limiter.login_failed(peer, token)
            self._refuse_admin(token)
        else:
            await self._admit_bot(peer, token)

    async def _admit_bot(self, peer: Peer, token: str) -> None:
        self._limiter.login_tried(peer, token)
        self._limiter.stream_asked_for(peer, token)
        bot = await asyncio.to_thread(self._bot, token) if token else None
        if bot is None:
            self._limiter.login_failed(peer, token)
            raise Unauthenticated(NO_BOT if token else NO_TOKEN)
        if bot.retired is not None:
            raise Unauthenticated(RETIRED.format(bot.name, bot.name))
        self._limiter.login_good(token)
        CALLER.set(CallingBot(bot, token))

    def _is_admins(self, token: str) -> bool:
        admins = self._admin_token
        return bool(admins) and hmac.compare_digest(digest(token), digest(admins))

    def _refuse_admin(self, token: str) -> NoReturn:
        if not self._admin_token:
            raise Unauthenticated(
                "The Control service is closed: start the gateway with ARENA_ADMIN_TOKEN set."
            )
        if not token:
            raise Unauthenticated(NO_TOKEN)
        raise Unauthenticated("This is not the administrator's token: check ARENA_ADMIN_TOKEN.")

    def _bot(self, token: str) -> bots.RegisteredBot | None:
        with self._store.read() as connection:
            return bots.by_token(connection, token)

    async def in_version(self, caller: CallingBot, version: str) -> CallingBot:
        """The caller as the version that its program says it is; the newest if it says none.
        Raises InvalidRequest if the bot has no such version, Unavailable."""
        if not version:
            return caller
        try:
            bot = await asyncio.to_thread(self._version, caller.bot, version)
        except NotFound as error:
            raise InvalidRequest(f"{error} Make it first, or name another in Hello.") from None
        return CallingBot(bot, caller.token, names_version=True)

    def _version(self, bot: bots.RegisteredBot, version: str) -> bots.RegisteredBot:
        with self._store.read() as connection:
            return bots.in_version(connection, bot, version)

    def revoked(self, logins: Collection[Login]) -> dict[Login, str]:
        """Logins that are no longer good, with the reasons. Blocks on the database."""
        with self._store.read() as connection:
            holders = bots.by_tokens(connection, {login.token for login in logins})
        reasons: dict[Login, str] = {}
        for login in logins:
            bot = holders.get(login.token)
            if bot is not None and bot.retired is not None:
                reasons[login] = RETIRED.format(bot.name, bot.name)
            elif bot is None:
                reasons[login] = REVOKED
            elif bot.player != login.player and not login.names_version:
                reasons[login] = NEW_VERSION.format(bot.name)
        return reasons


def bearer_token(details: grpc.HandlerCallDetails) -> str:
    """The token in a call's metadata; empty if there is none."""
    for key, value in details.invocation_metadata or ():
        if key == "authorization":
            scheme, _, token = str(value).partition(" ")
            if scheme.lower() == "bearer":
                return token.strip()
    return ""


def _code_of(error: ArenaError) -> grpc.StatusCode:
    if isinstance(error, Unauthenticated):
        return grpc.StatusCode.UNAUTHENTICATED
    return code_of(error)
