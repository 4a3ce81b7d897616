"""The SDK for bot authors.

    from arena.sdk import Bot

    class MyBot(Bot):
        def choose(self, view):
            return view.actions[0]

    if __name__ == "__main__":
        MyBot().run()                # reads ARENA_URL and ARENA_TOKEN

`play` plays bots against each other in this process, without an arena.
"""

from typing import TYPE_CHECKING, Any

from arena.games.decisions import Decisions
from arena.games.rules.view import View
from arena.sdk.bot import Bot
from arena.sdk.load import load_bot
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded

if TYPE_CHECKING:
    from arena.sdk.local import play, play_async

__all__ = [
    "Bot",
    "Decisions",
    "Fault",
    "MatchEnded",
    "MatchStarted",
    "RoundEnded",
    "View",
    "load_bot",
    "play",
    "play_async",
]


def __getattr__(name: str) -> Any:
    # Imported on demand: a bot that connects, or is hosted, does not play matches locally.
    if name in ("play", "play_async"):
        from arena.sdk import local

        return getattr(local, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
