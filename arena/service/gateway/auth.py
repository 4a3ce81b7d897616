"""Who is calling: bots by their tokens, hosts and the administrator by theirs."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn, TypeAlias

import grpc
import grpc.aio

from arena.base.errors import ArenaError, InvalidRequest, LimitReached, NotFound
from arena.protocol import services
from arena.service.gateway import logins
from arena.service.gateway.calls import (
    Context,
    Handler,
    NoMessage,
    Requests,
    carry_out,
    taken_as_stream,
)
from arena.service.gateway.echo import SERVICE as ECHO
from arena.service.gateway.limits import MOST_OPEN_TO_ALL
from arena.service.gateway.logins import HOSTED, NO_BOT, RETIRED, Unauthenticated, UnknownHost
from arena.service.gateway.rate_limiter import LimitExceeded, RateLimiter
from arena.service.gateway.retry_info import retry_metadata
from arena.service.gateway.sessions import Login
from arena.service.gateway.sessions.stream import of_host
from arena.service.gateway.status import code_of, details_of
from arena.service.gateway.stream_limit import StreamLimit
from arena.service.gateway.throttle import Peer, parse_peer
from arena.store import Store
from arena.store.registry import bots, hosts
from arena.store.registry.audit_log import Actor
from arena.store.registry.tokens import digest

NO_TOKEN = (
    "The call carries no token:"  # noqa: S105
    ' send the metadata "authorization: Bearer <token>".'
)
OTHER_VERSION = "This host called for {}, but Hello.version is {}: leave it empty, or say the same."
OF_ADMINISTRATOR = frozenset({services.CONTROL, services.SUBMISSIONS})
# These need no token: whether the gateway is well, and what it serves.
OPEN_SERVICES = frozenset(
    {
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    }
)
FULL = (
    f"{MOST_OPEN_TO_ALL} streams of the services without a token are open, which is the most:"
    " ask once with Check instead, or try again later."
)


@dataclass(frozen=True, slots=True)
class CallingBot:
    """The bot on whose behalf a program calls, in the version that the program is."""

    bot: bots.RegisteredBot
    token: str
    names_version: bool = False
    host_of: str = ""  # if it is a host, what it calls for: NAME@VERSION, as it said

    @property
    def login(self) -> Login:
        """What the program came in with."""
        owner = self.bot.owner or 0
        return Login(self.bot.player, self.token, self.names_version, self.host_of, owner)


CALLER: ContextVar[CallingBot] = ContextVar("caller")
ADMINISTRATOR = Actor("administrator", "Control")  # whoever has the token
SUBMITTER: ContextVar[bots.RegisteredBot | Actor] = ContextVar("submitter")
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
        token = bearer_token(details)
        try:
            await self._admit(handler, details, peer, context)
            await carry_out(handler, details.method, requests, context)
        except LimitExceeded as error:
            code = grpc.StatusCode.RESOURCE_EXHAUSTED
            again = retry_metadata(code, str(error), error.wait_s)
            await context.abort(code, details_of(error), again)
        except NoMessage as error:
            self._limiter.call_cancelled(peer, began)
            await context.abort(_code_of(error), details_of(error))
        except ArenaError as error:
            await context.abort(_code_of(error), details_of(error))
        except asyncio.CancelledError:
            if not self._is_known_host(token):
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
        if service in OF_ADMINISTRATOR and self._is_admins(token):
            self._limiter.call_started(peer, token, trusted=True)
            SUBMITTER.set(ADMINISTRATOR)
            return
        self._limiter.call_started(peer, token, trusted=self._is_known_host(token))
        self._limiter.headers_read(peer, len(details.invocation_metadata or ()))
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
        elif service == services.SUBMISSIONS:
            SUBMITTER.set((await self._admit_bot(peer, token)).bot)
        elif token.startswith(hosts.TOKEN_PREFIX):
            await self._admit_host(peer, token, next(iter(_metadata(details, "arena-bot")), ""))
        else:
            self._limiter.stream_asked_for(peer, token)
            CALLER.set(await self._admit_bot(peer, token))

    async def _admit_bot(self, peer: Peer, token: str) -> CallingBot:
        self._limiter.login_tried(peer, token)
        bot = await asyncio.to_thread(logins.bot_of_token, self._store, token) if token else None
        if bot is None:
            self._limiter.login_failed(peer, token)
            raise Unauthenticated(NO_BOT if token else NO_TOKEN)
        if bot.retired is not None:
            raise Unauthenticated(RETIRED.format(bot.name, bot.name))
        self._limiter.login_good(token)
        return CallingBot(bot, token)

    async def _admit_host(self, peer: Peer, token: str, host_of: str) -> None:
        """Limits count each version that a host calls for by itself: its token is one for all."""
        limited_as = of_host(token, host_of)
        self._limiter.login_tried(peer, token)
        self._limiter.stream_asked_for(peer, limited_as, shared=True)
        try:
            bot = await asyncio.to_thread(logins.hosted_bot, self._store, token, host_of)
        except UnknownHost:
            self._limiter.login_failed(peer, token)
            raise
        self._limiter.login_good(token)
        self._limiter.login_good(limited_as)
        CALLER.set(CallingBot(bot, token, names_version=True, host_of=host_of))

    def _is_known_host(self, token: str) -> bool:
        """Whether a host came in with this token before."""
        return token.startswith(hosts.TOKEN_PREFIX) and self._limiter.is_good(token)

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

    async def in_version(self, caller: CallingBot, version: str) -> CallingBot:
        """The caller as the version that its program says it is; the newest if it says none.
        Raises InvalidRequest if the bot has no such version or that is hosted, Unavailable."""
        if caller.host_of:
            if version not in ("", caller.bot.version):
                raise InvalidRequest(
                    OTHER_VERSION.format(caller.bot.label, bots.printable(version))
                )
            return caller
        bot = caller.bot
        if version:
            try:
                bot = await asyncio.to_thread(logins.in_version, self._store, bot, version)
            except NotFound as error:
                raise InvalidRequest(f"{error} Make it first, or name another in Hello.") from None
        if bot.hosted:
            raise InvalidRequest(HOSTED.format(bot))
        return CallingBot(bot, caller.token, names_version=bool(version))

    def revoked(self, streams: Collection[Login]) -> dict[Login, str]:
        """Logins that are no longer good, with the reasons. Blocks on the database."""
        return logins.revoked(self._store, streams)


def bearer_token(details: grpc.HandlerCallDetails) -> str:
    """The token in a call's metadata; empty if there is none."""
    for value in _metadata(details, "authorization"):
        scheme, _, token = value.partition(" ")
        if scheme.lower() == "bearer":
            return token.strip()
    return ""


def _metadata(details: grpc.HandlerCallDetails, name: str) -> Sequence[str]:
    """What a call's metadata say under this name."""
    return [str(value) for key, value in details.invocation_metadata or () if key == name]


def _code_of(error: ArenaError) -> grpc.StatusCode:
    if isinstance(error, Unauthenticated):
        return grpc.StatusCode.UNAUTHENTICATED
    return code_of(error)


class OpenServiceLimit:
    """Limits the streams of OPEN_SERVICES; single calls, as of load balancers, are free."""

    def __init__(self) -> None:
        self._streams = StreamLimit(MOST_OPEN_TO_ALL)

    def admit(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """One more stream. Raises LimitReached if there are as many as may be."""
        if not self._streams.admit("all", context):
            raise LimitReached(FULL)
