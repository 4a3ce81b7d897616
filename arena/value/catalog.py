"""Which nets there are, in `nets`: one file for each kind and game, and each number of seats unless
a kind has one net for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from arena.games.rules import game_class
from arena.value.network import Network

NETS = Path(__file__).parent / "nets"
SHARED = frozenset({"policy"})  # one net of the kind plays at every number of seats
# Options at which a net plays no worse than at the default, whatever their value.
HARMLESS = frozenset({"dice.faces"})


def find(
    kind: str,
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = NETS,
) -> Network | None:
    """The net of this kind for matches of a game; None if there is none that knows these options.

    A net knows the options it was trained with, which are the defaults. Raises UnknownGame,
    BadOption, and BadNet for a damaged file.
    """
    if not knows(game, options or {}):
        return None
    return load(folder / file_name(kind, game, seats))


def knows(game: str, options: Mapping[str, str]) -> bool:
    """Whether nets of the game were made for matches with these options."""
    rules = game_class(game)
    values = rules.check_options(options)
    return all(
        name in HARMLESS or value == rules.known_options[name].default
        for name, value in values.items()
    )


def file_name(kind: str, game: str, seats: int) -> str:
    """The name of a net's file in its folder; its card has the same with .json."""
    return f"{kind}-{game}.npz" if kind in SHARED else f"{kind}-{game}-{seats}.npz"


@lru_cache(maxsize=128)
def load(path: Path) -> Network | None:
    """The net in a file, read once; None if there is no such file."""
    try:
        return Network.load(path)
    except FileNotFoundError:
        return None
