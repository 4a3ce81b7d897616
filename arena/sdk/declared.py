"""The games and limits that a bot declares as attributes of its class, and its Hello."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from arena import __version__
from arena.base.errors import InvalidRequest
from arena.games.rules import game_class
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.games.rules.rows import VERSION
from arena.protocol.codec import PROTOCOL
from arena.protocol.hello import MOST_IN_FLIGHT
from arena.protocol.v1 import play_pb2 as pb

if TYPE_CHECKING:
    from arena.sdk.bot import Bot

MOST_MATCHES = 2**32 - 1  # limit of the protocol field


class Declared(NamedTuple):
    """The games and limits of a bot. See the attributes of Bot."""

    games: tuple[str, ...]
    min_seats: int
    max_seats: int
    max_in_flight: int
    max_matches: int


def declared(bot: Bot | type[Bot]) -> Declared:
    """Returns the checked attributes. Raises InvalidRequest that names an invalid one."""
    name = bot.__name__ if isinstance(bot, type) else type(bot).__name__
    found = Declared(
        _games(bot.games, name),
        _whole(bot, "min_seats", name, FEWEST_SEATS, MOST_SEATS),
        _whole(bot, "max_seats", name, FEWEST_SEATS, MOST_SEATS),
        _whole(bot, "max_in_flight", name, 1, MOST_IN_FLIGHT),
        _whole(bot, "max_matches", name, 0, MOST_MATCHES),
    )
    if found.min_seats > found.max_seats:
        raise InvalidRequest(
            f"{name} cannot play at any table. Its min_seats is {found.min_seats} and its max_seats"
            f" is {found.max_seats}. min_seats must not be larger."
        )
    return found


def listed(games: object) -> tuple[object, ...]:
    """Returns games as a tuple; a text is the name of one game."""
    if isinstance(games, str):
        return (games,)
    return tuple(games) if isinstance(games, Iterable) else ()


def _games(games: object, name: str) -> tuple[str, ...]:
    named = listed(games)
    if not named:
        raise InvalidRequest(
            f'{name}.games is {games!r}. Name at least one game, as in games = ("lama", "dice").'
        )
    for game in named:
        if not isinstance(game, str):
            raise InvalidRequest(
                f"{name}.games contains {game!r}, which is not the name of a game."
            )
        try:
            game_class(game)
        except InvalidRequest as error:
            raise InvalidRequest(f"{name}.games is wrong. {error}") from None
    return tuple(dict.fromkeys(map(str, named)))


def _whole(bot: object, attribute: str, name: str, least: int, most: int) -> int:
    value = getattr(bot, attribute)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidRequest(
            f"{name}.{attribute} is {value!r}. It must be a whole number from {least} to {most}."
        )
    return value


def hello_of(bot: Bot, version: str = "") -> pb.Hello:
    """Returns the bot's Hello. `version` defaults to the newest. Raises InvalidRequest if the bot's
    attributes are invalid."""
    return pb.Hello(
        **declared(bot)._asdict(),
        sdk=f"lama-arena-python/{__version__}",
        protocol=PROTOCOL,
        notices=bot.wants_notices(),
        packed=VERSION,
        version=version,
    )
