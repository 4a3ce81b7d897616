"""The SDK for bot authors.

    from arena.sdk import Bot

    class MyBot(Bot):
        def choose(self, view):
            return view.actions[0]

    if __name__ == "__main__":
        MyBot().run()                # reads ARENA_URL and ARENA_TOKEN

`play` plays bots against each other in this process, without an arena.
"""

from arena.rules.view import View
from arena.sdk.bot import Bot
from arena.sdk.decisions import Decisions
from arena.sdk.load import load_bot
from arena.sdk.local import play, play_async
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded

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
