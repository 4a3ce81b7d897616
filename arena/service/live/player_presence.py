"""The data of a connected player, without IO: its presence, and how fast it answers.

`arena.service.live.presence` and `arena.service.live.paces` store them in Redis. A gateway measures
answers separately for each *load*, the number of decisions that the bot holds, in powers of two.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import TypeAlias

PAGE = "page"  # the gateway of all players in a browser


@dataclass(frozen=True, slots=True)
class Presence:
    """A connected player (bot version)."""

    player: int
    bot: str
    version: str
    gateway: str
    session: str
    since: float  # Unix seconds
    games: tuple[str, ...]
    min_seats: int
    max_seats: int
    max_in_flight: int
    sdk: str
    notices: bool = False  # whether it wants notices of started matches, rounds and ended matches
    packed: int = 0  # the layout of packed decisions that it reads; 0 for none
    hosted: bool = False  # whether a host of the arena runs it
    max_matches: int = 0  # concurrent matches per worker process; 0 for no limit
    in_flight: int = 0
    latency_ms: float | None = None  # moving mean; None before the first answer
    queue: float = 0.0  # open decisions, sent or not: the mean of the last seconds
    away_since: float | None = None  # when it lost its stream (Unix seconds); it may reconnect

    @property
    def connected(self) -> bool:
        """Whether the stream is open. Otherwise the gateway waits for the bot to reconnect."""
        return self.away_since is None

    def plays(self, game: str, seats: int) -> bool:
        """Whether the bot announced that it plays this game with this number of seats."""
        return game in self.games and self.min_seats <= seats <= self.max_seats


ENCODED = tuple(each.name for each in fields(Presence) if each.name != "session")
KNOWN = frozenset(ENCODED)  # gateways of later releases may write more fields


def encode(presence: Presence) -> str:
    """The value of the player's key: "SESSION JSON"."""
    values = {name: getattr(presence, name) for name in ENCODED}  # much faster than `asdict`
    return f"{presence.session} {json.dumps(values)}"


@lru_cache(maxsize=4096)  # most values do not change between calls
def decode(value: bytes | str) -> Presence:
    """The presence in the value of a player's key."""
    text = value.decode() if isinstance(value, bytes) else value
    session, _, values = text.partition(" ")
    known = {name: value for name, value in json.loads(values).items() if name in KNOWN}
    presence = Presence(session=session, **known)
    return replace(presence, games=tuple(presence.games))


@dataclass(slots=True)
class AnswerCounts:
    """The measurements at one load."""

    seconds: float = 0.0
    held: float = 0.0  # decisions times seconds
    answers: float = 0.0

    def weaken(self, share: float) -> None:
        """Reduces the weight of the counts to `share`."""
        self.seconds *= share
        self.held *= share
        self.answers *= share


Loads: TypeAlias = dict[int, AnswerCounts]  # by the bit length of the number of decisions held


@dataclass(frozen=True, slots=True)
class Paces:
    """A player's measurements by game, and the number of decisions that it accepted at once when it
    was last connected."""

    max_in_flight: int
    by_game: Mapping[str, Loads] = field(default_factory=dict)
