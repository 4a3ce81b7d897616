"""Limits the number of open streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from functools import partial
from typing import Any

import grpc.aio


class StreamLimit:
    """Open streams by key, e.g. by bot.

    A stream counts until it is gone, which may be long after its session has ended: messages to a
    bot that does not read stay in memory until it reads or its connection ends.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.open = Counter[Hashable]()

    def admit(self, key: Hashable, context: grpc.aio.ServicerContext[Any, Any]) -> bool:
        """Count a stream. Return False, and do not count it, if the limit is reached."""
        if self.open[key] >= self.most:
            return False
        self.open[key] += 1
        gone: Any = partial(self._gone, key)
        context.add_done_callback(gone)
        return True

    def _gone(self, key: Hashable, _: object) -> None:
        self.open[key] -= 1
        if not self.open[key]:
            del self.open[key]
