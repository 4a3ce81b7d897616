"""The models in `nets`: one file for each kind, game and number of seats. Kinds in SHARED have one
file for all numbers of seats."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from arena.games.rules import game_class
from arena.value.network import Network

NETS = Path(__file__).parent / "nets"
SHARED = frozenset({"policy"})  # kinds with one model for every number of seats


def find(
    kind: str,
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = NETS,
) -> Network | None:
    """Return the model of this kind for matches of a game, or None if no model fits the options.
    Models fit the default options. Raises UnknownGame, BadOption, and BadNet for a damaged file."""
    if not knows(game, options or {}):
        return None
    return load(folder / file_name(kind, game, seats))


def knows(game: str, options: Mapping[str, str]) -> bool:
    """Whether the models of a game fit these options."""
    rules = game_class(game)
    values = rules.check_options(options)
    return all(
        values[name] == option.default or option.values_stay
        for name, option in rules.known_options.items()
    )


def file_name(kind: str, game: str, seats: int) -> str:
    """Return the file name of a model. Its card has the suffix .json instead."""
    return f"{kind}-{game}.npz" if kind in SHARED else f"{kind}-{game}-{seats}.npz"


@lru_cache(maxsize=128)
def load(path: Path) -> Network | None:
    """Return the model in a file, cached, or None if the file does not exist."""
    try:
        return Network.load(path)
    except FileNotFoundError:
        return None
