"""Bots that do not think, several in one process, so that only the arena's speed is measured.

python -m arena.bench.trivial MAX_IN_FLIGHT TOKEN [TOKEN ...]       (connects to ARENA_URL)
"""

from __future__ import annotations

import asyncio
import os
import sys

from arena.rules import View
from arena.sdk import Bot
from arena.sdk.client import stay_connected


class Trivial(Bot):
    """Takes the first legal action: it plays if it can, else it draws."""

    def choose(self, view: View) -> int:
        """The first legal action, without looking."""
        return view.indices[0]


async def serve(url: str, max_in_flight: int, tokens: list[str]) -> None:
    """Runs one bot per token until the process is stopped."""
    kind = type("Trivial", (Trivial,), {"max_in_flight": max_in_flight})
    await asyncio.gather(*(stay_connected(kind(), url, token) for token in tokens))


if __name__ == "__main__":
    asyncio.run(serve(os.environ["ARENA_URL"], int(sys.argv[1]), sys.argv[2:]))
