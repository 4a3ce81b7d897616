"""Limits open streams, so that nobody has more than their share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from functools import partial
from typing import Any

import grpc.aio


class StreamLimit:
    """Open streams by key, e.g. by bot.

    A stream counts until it is gone. That may be long after its session has ended: what was
    written to a bot that does not read lies there until the bot reads or its connection ends.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.open = Counter[Hashable]()

    def admit(self, key: Hashable, context: grpc.aio.ServicerContext[Any, Any]) -> bool:
        """Counts one more; False, and it is not counted, if there are as many as may be."""
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
