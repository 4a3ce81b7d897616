"""A bot that plays like the house bot five, but slowly, for measurements.

python -m tests.lab.bench.paced MS MAX_IN_FLIGHT HOW TOKEN [TOKEN ...]       (connects to ARENA_URL)

HOW is "together" (all decisions in parallel, like a bot that waits for another program) or
"in-turn" (in sequence, like a bot that computes). One bot runs for each token.
"""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable

from arena.bots import HOUSE
from arena.games.rules import GAMES, View
from arena.sdk import Bot
from arena.sdk.client import stay_connected

TOGETHER, IN_TURN = "together", "in-turn"


class Paced(Bot):
    """Sleeps, then answers."""

    games = tuple(GAMES)
    delay_s = 0.0

    def __init__(self) -> None:
        self.character = HOUSE["five"]()

    def choose(self, view: View) -> str | int | Awaitable[str | int]:
        """Choose as five does, but later."""
        time.sleep(self.delay_s)
        return self.character.choose(view)


class PacedTogether(Paced):
    """Does the same for all decisions in parallel."""

    async def choose(self, view: View) -> str | int:
        """Choose as five does, but later."""
        await asyncio.sleep(self.delay_s)
        answer = self.character.choose(view)
        assert isinstance(answer, str)
        return answer


def kind(milliseconds: float, max_in_flight: int, how: str) -> type[Paced]:
    """Return the class of such a bot."""
    base = PacedTogether if how == TOGETHER and milliseconds else Paced
    fields = {"delay_s": milliseconds / 1000, "max_in_flight": max_in_flight}
    return type("Paced", (base,), fields)


async def serve(url: str, bot: type[Paced], tokens: list[str]) -> None:
    """Run one bot for each token until they are stopped."""
    await asyncio.gather(*(stay_connected(bot(), url, token) for token in tokens))


if __name__ == "__main__":
    paced = kind(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    asyncio.run(serve(os.environ["ARENA_URL"], paced, sys.argv[4:]))
