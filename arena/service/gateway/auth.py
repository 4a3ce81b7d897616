"""Authenticates callers by token: bots, hosts and the administrator."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import NoReturn, TypeAlias

import grpc
import grpc.aio
import structlog

from arena.base.errors import ArenaError, InvalidRequest, LimitReached, NotFound
from arena.protocol import services
from arena.protocol.v1.play_pb2 import Hello
from arena.service.gateway import logins
from arena.service.gateway.calls import (
    Context,
    Handler,
    NoMessage,
    Requests,
    StreamLimit,
    carry_out,
    taken_as_stream,
)
from arena.service.gateway.echo import SERVICE as ECHO
from arena.service.gateway.limits import MOST_OPEN_TO_ALL
from arena.service.gateway.logins import HOSTED, NO_BOT, RETIRED, Unauthenticated, UnknownHost
from arena.service.gateway.rate_limiter import LimitExceeded, RateLimiter
from arena.service.gateway.sessions import Login
from arena.service.gateway.sessions.stream import of_host
from arena.service.gateway.status import OURS, code_of, details_of, retry_metadata
from arena.service.gateway.throttle import Peer, parse_peer
from arena.service.live.player_presence import Presence
from arena.store import Store
from arena.store.registry import bots, hosts
from arena.store.registry.audit_log import Actor
from arena.store.registry.tokens import digest

log = structlog.get_logger(__name__)

NO_TOKEN = (
    "The call carries no token."  # noqa: S105
    ' Send the metadata "authorization: Bearer <token>".'
)
OTHER_VERSION = (
    "This host called for {}, but Hello.version is {}. Leave it empty, or send the same."
)
OF_ADMINISTRATOR = frozenset({services.CONTROL, services.SUBMISSIONS})
# These need no token: health and reflection.
OPEN_SERVICES = frozenset(
    {
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    }
)
FULL = (
    f"{MOST_OPEN_TO_ALL} streams of services without a token are open, the limit. Use Check,"
    " or try again later."
)


@dataclass(frozen=True, slots=True)
class CallingBot:
    """The bot, with version, on whose behalf a program calls."""

    bot: bots.RegisteredBot
    token: str
    names_version: bool = False
    host_of: str = ""  # NAME@VERSION that a host calls for

    @property
    def login(self) -> Login:
        owner = self.bot.owner or 0
        return Login(self.bot.player, self.token, self.names_version, self.host_of, owner)

    def announced(self, hello: Hello, gateway_id: str, since: float) -> Presence:
        """Return the presence to claim for a valid Hello. It has no session yet."""
        return Presence(
            player=self.bot.player,
            bot=self.bot.name,
            version=self.bot.version,
            gateway=gateway_id,
            session="",
            since=since,
            games=tuple(hello.games),
            min_seats=hello.min_seats,
            max_seats=hello.max_seats,
            max_in_flight=hello.max_in_flight,
            sdk=hello.sdk,
            notices=hello.notices,
            packed=hello.packed,
            hosted=bool(self.host_of),
            max_matches=hello.max_matches,
        )


CALLER: ContextVar[CallingBot] = ContextVar("caller")
ADMINISTRATOR = Actor("administrator", "Control")  # the holder of the token
SUBMITTER: ContextVar[bots.RegisteredBot | Actor] = ContextVar("submitter")
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]"


class AuthInterceptor(grpc.aio.ServerInterceptor):
    """Admits a call if its token is valid for the service, and its caller within the limits."""

    def __init__(self, store: Store, admin_token: str, limiter: RateLimiter) -> None:
        self._store = store
        self._admin_token = admin_token
        self._limiter = limiter
        self._echo_token = ""
        self._open_streams = StreamLimit(MOST_OPEN_TO_ALL)

    def admit_echo(self, token: str) -> None:
        """Set the secret token with which the gateway calls itself."""
        self._echo_token = token

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler:
        """Wrap the handler in one that first admits the caller."""
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
        except grpc.aio.AbortError:
            raise
        # If the client hangs up, the call is cancelled, or a write fails first.
        except (asyncio.CancelledError, grpc.aio.InternalError):
            if not self._is_known_host(token):
                self._limiter.call_cancelled(peer, began)
            raise asyncio.CancelledError from None  # gRPC would log the failed write as an error
        except Exception:  # gRPC would send its text to the client
            log.exception("a call failed", call=details.method)
            await context.abort(grpc.StatusCode.INTERNAL, OURS)
        finally:
            self._limiter.call_ended(peer)

    async def _admit(
        self,
        handler: Handler | None,
        details: grpc.HandlerCallDetails,
        peer: Peer,
        context: Context,
    ) -> None:
        """Raises LimitExceeded, LimitReached, Unauthenticated, Unavailable."""
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
            # Single calls, as from load balancers, are not limited.
            if handler.response_streaming and not self._open_streams.admit("all", context):
                raise LimitReached(FULL)
        elif service == services.CONTROL:
            self._limiter.login_tried(peer, token)
            self._limiter.login_failed(peer, token)
            self._refuse_admin(token)
        elif service == services.SUBMISSIONS:
            SUBMITTER.set((await self._admit_bot(peer, token)).bot)
        elif token.startswith(hosts.TOKEN_PREFIX):
            await self._admit_host(peer, token, next(iter(_metadata(details, "arena-bot")), ""))
        else:
            what = "reconnects" if handler.request_streaming else "notes"
            self._limiter.stream_asked_for(peer, token, what)
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
        """Admit a host. Limits count each version separately, since a host has one token for
        all."""
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
        """Return whether a host was admitted with this token before."""
        return token.startswith(hosts.TOKEN_PREFIX) and self._limiter.is_good(token)

    def _is_admins(self, token: str) -> bool:
        admins = self._admin_token
        return bool(admins) and hmac.compare_digest(digest(token), digest(admins))

    def _refuse_admin(self, token: str) -> NoReturn:
        if not self._admin_token:
            raise Unauthenticated(
                "The Control service is disabled. Start the gateway with ARENA_ADMIN_TOKEN set."
            )
        if not token:
            raise Unauthenticated(NO_TOKEN)
        raise Unauthenticated("This is not the administrator's token. Check ARENA_ADMIN_TOKEN.")

    async def in_version(self, caller: CallingBot, version: str) -> CallingBot:
        """Return the caller with the version in its Hello, or the newest by default. Raises
        InvalidRequest if that version is missing or hosted, and Unavailable."""
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
                raise InvalidRequest(
                    f"{error} Create it first, or name another in Hello."
                ) from None
        if bot.hosted:
            raise InvalidRequest(HOSTED.format(bot))
        return CallingBot(bot, caller.token, names_version=bool(version))


def bearer_token(details: grpc.HandlerCallDetails) -> str:
    """Return the token in a call's metadata; "" without one."""
    for value in _metadata(details, "authorization"):
        scheme, _, token = value.partition(" ")
        if scheme.lower() == "bearer":
            return token.strip()
    return ""


def _metadata(details: grpc.HandlerCallDetails, name: str) -> Sequence[str]:
    return [str(value) for key, value in details.invocation_metadata or () if key == name]


def _code_of(error: ArenaError) -> grpc.StatusCode:
    if isinstance(error, Unauthenticated):
        return grpc.StatusCode.UNAUTHENTICATED
    return code_of(error)
