"""The players named on the command line: house bots, files, modules; each with its own modules."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.bots import BOTS
from arena.errors import InvalidRequest
from arena.kit.homes import Home
from arena.sdk import Bot, load_bot

LONGEST = 40  # characters of a name, as in an arena


@dataclass(frozen=True, slots=True)
class Player:
    """What was named, and the name that tables and records have for it."""

    name: str
    source: str  # a house bot's name, FILE.py, FILE.py:CLASS or module:CLASS

    @property
    def house(self) -> bool:
        """Whether it is one of the house bots."""
        return self.source in BOTS

    @property
    def home(self) -> Path | None:
        """The folder that its modules are imported from; None for house bots."""
        if self.house:
            return None
        place = _place(self.source)
        return Path(place).resolve().parent if place.endswith(".py") else Path.cwd()

    def load(self, home: Home | None) -> type[Bot]:
        """Its class. Raises InvalidRequest, with an exception of the author's code as cause."""
        if home is None:
            return BOTS[self.source]
        with home.loading():
            return load_bot(self.source)


def players_of(sources: Sequence[str]) -> tuple[Player, ...]:
    """Players with names of their own. Raises InvalidRequest for what names no bot."""
    players = [Player(_first_name(source), source) for source in sources]
    by_name: dict[str, set[str]] = {}
    for player in players:
        by_name.setdefault(player.name.lower(), set()).add(player.source)
    longer = [
        replace(player, name=_longer_name(player.source))
        if len(by_name[player.name.lower()]) > 1
        else player
        for player in players
    ]
    return tuple(_numbered(longer))


def _numbered(players: Sequence[Player]) -> Iterator[Player]:
    """With a number behind a name that was there before."""
    taken: set[str] = set()
    for player in players:
        name, number = player.name, 1
        while name.lower() in taken:
            number += 1
            name = f"{player.name[: LONGEST - 4]}-{number}"
        taken.add(name.lower())
        yield replace(player, name=name)


def _place(source: str) -> str:
    return source.rpartition(":")[0] if ":" in source else source


def _first_name(source: str) -> str:
    """The house bot, the class that was named, or the file without its folder and its ending."""
    if source in BOTS:
        return source
    place, class_name = _place(source), source.rpartition(":")[2]
    if ":" in source and place and class_name:
        return _clean(class_name)
    if not place.endswith(".py"):
        raise InvalidRequest(
            f"There is no house bot {source}; they are {', '.join(BOTS)}. "
            "Name your own as FILE.py, FILE.py:CLASS or module:CLASS."
        )
    return _clean(Path(place).stem)


def _longer_name(source: str) -> str:
    """With the folder or the module, too."""
    if source in BOTS:
        return source
    place, name = _place(source), _first_name(source)
    before = Path(place).resolve().parent.name if place.endswith(".py") else place
    return _clean(f"{before}-{name}")


def _clean(name: str) -> str:
    """As the name of a bot may be in an arena."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).lstrip("._-")[:LONGEST] or "bot"


def one_player(source: str) -> type[Bot]:
    """The class of a player, loaded for good: its folder stays where imports look. Raises
    InvalidRequest."""
    [player] = players_of([source])
    if player.home is None:
        return BOTS[source]
    sys.path.insert(0, str(player.home))
    return load_bot(source)
