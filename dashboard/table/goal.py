"""The goal of the game: the sentence on the table."""

from __future__ import annotations

from collections.abc import Mapping

from arena.games.rules import GAMES

ENDS_AT = 40  # points (COM-5)
ROUNDS = "max_rounds"


def goal(game: str, options: Mapping[str, str]) -> str:
    """ "Fewest points win. The match ends when a player holds 40." """
    most = options.get(ROUNDS, "")
    if not most or most == GAMES[game].known_options[ROUNDS].default:
        return f"Fewest points win. The match ends when a player holds {ENDS_AT}."
    rounds = "one round" if most == "1" else f"{most} rounds, or when a player holds {ENDS_AT}"
    return f"Fewest points win. The match ends after {rounds}."
