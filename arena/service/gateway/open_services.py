"""The services that need no token: their streams are counted, since anybody can open them."""

from __future__ import annotations

from typing import Any

import grpc.aio

from arena.base.errors import LimitReached
from arena.service.gateway.limits import MOST_OPEN_TO_ALL
from arena.service.gateway.stream_limit import StreamLimit

# Everybody may ask whether the gateway is well and what it serves.
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


class OpenServiceLimit:
    """Counts them. Single questions, as load balancers put them, are always answered."""

    def __init__(self) -> None:
        self._streams = StreamLimit(MOST_OPEN_TO_ALL)

    def admit(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """One more stream. Raises LimitReached if there are as many as may be."""
        if not self._streams.admit("all", context):
            raise LimitReached(FULL)
