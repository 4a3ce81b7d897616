"""Bots without any thinking, several in one process, to measure only the arena.

python -m tests.lab.bench.trivial KIND MAX_IN_FLIGHT TOKEN [TOKEN ...]       (connects to ARENA_URL)

KIND is "one-by-one" or "batches".
"""

import asyncio
import os
import sys

from arena.games.rules import View
from arena.sdk import Bot, Decisions
from arena.sdk.client import stay_connected


class Trivial(Bot):
    """Takes the first legal action: it plays if it can, else it draws."""

    def choose(self, view: View) -> int:
        """Return the first legal action."""
        return view.indices[0]


class TrivialBatches(Bot):
    """Takes the first legal action of each decision in a batch."""

    def choose_batch(self, decisions: Decisions) -> list[int]:
        """Return the first legal actions."""
        first: list[int] = decisions.column("indices")[:, 0].tolist()
        return first


KINDS: dict[str, type[Bot]] = {"one-by-one": Trivial, "batches": TrivialBatches}


async def serve(url: str, kind: str, max_in_flight: int, tokens: list[str]) -> None:
    """Run one bot per token until the process is stopped."""
    bot = type("Bot", (KINDS[kind],), {"max_in_flight": max_in_flight})
    await asyncio.gather(*(stay_connected(bot(), url, token) for token in tokens))


if __name__ == "__main__":
    asyncio.run(serve(os.environ["ARENA_URL"], sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
