"""Who is calling: bots by their tokens, the administrator by theirs."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

import grpc
import grpc.aio

from arena.errors import ArenaError, Unavailable
from arena.gateway.open_services import OPEN_SERVICES, OpenServiceLimit
from arena.gateway.status import code_of
from arena.protocol import services
from arena.store import Store
from arena.store.registry import bots

RETIRED = (
    "{} is retired and cannot connect: its owner brings it back on the dashboard, "
    "an organiser with `arena bot retire {} --back`."
)
REVOKED = "This bot's token is no longer valid: start the bot with its new token."


@dataclass(frozen=True, slots=True)
class Caller:
    """The bot on whose behalf a program calls."""

    bot: bots.Bot
    token: str


CALLER: ContextVar[Caller] = ContextVar("caller")


class Unauthenticated(ArenaError):
    """The call carries no valid token."""


# The classes of grpc take type arguments in its stubs only.
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]"


class AuthInterceptor(grpc.aio.ServerInterceptor):
    """Authenticates calls: lets one through if its token is good for the service called."""

    def __init__(self, store: Store, admin_token: str) -> None:
        self._store = store
        self._admin_token = admin_token
        self._open_streams = OpenServiceLimit()

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """Refuses the call in the handler's place if the caller is not admitted."""
        handler = await continuation(handler_call_details)
        service = handler_call_details.method.split("/")[1]
        if handler is None:
            return None
        if service in OPEN_SERVICES:
            limited: Handler = self._open_streams.limited(handler)
            return limited
        try:
            await self._admit(service, bearer_token(handler_call_details))
        except ArenaError as error:
            return _refusing(handler, error)
        return handler

    async def _admit(self, service: str, token: str) -> None:
        if service == services.CONTROL:
            self._admit_admin(token)
            return
        bot = await asyncio.to_thread(self._bot, token)
        if bot is None:
            raise Unauthenticated(
                "This token belongs to no bot: check ARENA_TOKEN, or get a new token"
                " with `arena bot token NAME`."
            )
        if bot.retired is not None:
            raise Unauthenticated(RETIRED.format(bot.name, bot.name))
        CALLER.set(Caller(bot, token))

    def _admit_admin(self, token: str) -> None:
        if not self._admin_token:
            raise Unauthenticated(
                "The Control service is closed: start the gateway with ARENA_ADMIN_TOKEN set."
            )
        if not hmac.compare_digest(token.encode(), self._admin_token.encode()):
            raise Unauthenticated("This is not the administrator's token: check ARENA_ADMIN_TOKEN.")

    def _bot(self, token: str) -> bots.Bot | None:
        with self._store.read() as connection:
            return bots.by_token(connection, token)

    def revoked(self, tokens: Mapping[str, int]) -> dict[str, str]:
        """Tokens that no longer admit their player, with the reasons. Blocks on the database."""
        with self._store.read() as connection:
            holders = {token: bots.by_token(connection, token) for token in tokens}
        reasons: dict[str, str] = {}
        for token, bot in holders.items():
            if bot is not None and bot.retired is not None:
                reasons[token] = RETIRED.format(bot.name, bot.name)
            elif bot is None or bot.player != tokens[token]:
                reasons[token] = REVOKED
        return reasons


def bearer_token(details: grpc.HandlerCallDetails) -> str:
    """The token in a call's metadata. Raises Unauthenticated."""
    for key, value in details.invocation_metadata or ():
        if key == "authorization":
            scheme, _, token = str(value).partition(" ")
            if scheme.lower() == "bearer" and token:
                return token.strip()
    raise Unauthenticated(
        'The call carries no token: send the metadata "authorization: Bearer <token>".'
    )


def _refusing(handler: Handler, error: ArenaError) -> Handler:
    """A handler of the same kind that ends each call with the error."""
    code = grpc.StatusCode.UNAUTHENTICATED
    if isinstance(error, Unavailable):
        code = code_of(error)

    async def abort(_: object, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        await context.abort(code, str(error))

    refuse: Any = abort
    if handler.request_streaming and handler.response_streaming:
        return grpc.stream_stream_rpc_method_handler(refuse)
    if handler.response_streaming:
        return grpc.unary_stream_rpc_method_handler(refuse)
    return grpc.unary_unary_rpc_method_handler(refuse)
