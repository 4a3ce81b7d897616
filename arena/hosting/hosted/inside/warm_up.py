"""Fills caches in the fork server, so that no process has to.

Layouts and the texts of moves are computed at first use. All processes share them after that.
"""

from __future__ import annotations

from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES
from arena.games.rules.game import MOST_SEATS
from arena.games.rules.packed import layout_of
from arena.games.rules.view import View
from arena.hosting.hosted.inside.match_process import MatchProcess
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.bot import Bot

MATCH = "warmwarmwarmwarm"


class First(Bot):
    """Takes the first action."""

    def choose(self, view: View) -> str:
        view.rng()
        return view.actions[0]


def warm_up() -> None:
    """Let a bot decide once in each game with each number of seats."""
    process = MatchProcess(First())
    for name, kind in GAMES.items():
        for seats in range(2, MOST_SEATS + 1):
            names = tuple(Seat(str(seat)) for seat in range(seats))
            match = Match(MatchSetup(MATCH, name, bytes(16), names))
            assert match.decision is not None
            row, moves = layout_of(kind, seats).pack(match.decision)
            batch = pb.Batch()
            batch.packed.add(game=name, seats=seats, time_ms=1, tickets=[1], rows=row, moves=moves)
            process.choices(batch).SerializeToString()
