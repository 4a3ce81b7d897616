"""Checks the Hello of a bot, for gateways and for the validation of uploads."""

from arena.base.errors import InvalidRequest
from arena.base.text import printable
from arena.games.rules import game_class
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.protocol.codec import PROTOCOL
from arena.protocol.v1.play_pb2 import Hello

MOST_GAMES = 32
LONGEST_SDK_NAME = 80
MOST_IN_FLIGHT = 4096


def completed(hello: Hello) -> Hello:
    """Return the Hello with defaults filled in. Raises InvalidRequest."""
    if hello.protocol != PROTOCOL:
        raise InvalidRequest(
            f"This arena speaks protocol {PROTOCOL}, but the bot speaks {hello.protocol}."
            " Set Hello.protocol, or use a matching version of the SDK."
        )
    if not hello.games:
        raise InvalidRequest("Hello.games is empty. Name at least one game that the bot plays.")
    if len(hello.games) > MOST_GAMES:
        raise InvalidRequest(
            f"Hello.games has {len(hello.games)} entries. Send at most {MOST_GAMES}."
            " Name each game that the bot plays once."
        )
    for game in hello.games:
        game_class(game)
    fewest, most = hello.min_seats or FEWEST_SEATS, hello.max_seats or MOST_SEATS
    if not FEWEST_SEATS <= fewest <= most <= MOST_SEATS:
        raise InvalidRequest(
            f"Hello asks for {fewest} to {most} seats."
            f" Choose a range within {FEWEST_SEATS} to {MOST_SEATS}."
        )
    if hello.max_in_flight > MOST_IN_FLIGHT:
        raise InvalidRequest(
            f"Hello.max_in_flight is {hello.max_in_flight}. Set at most {MOST_IN_FLIGHT}."
        )
    return Hello(
        games=dict.fromkeys(hello.games),
        min_seats=fewest,
        max_seats=most,
        max_in_flight=hello.max_in_flight or 1,
        sdk=printable(hello.sdk[:LONGEST_SDK_NAME]),
        protocol=hello.protocol,
        notices=hello.notices,
        packed=hello.packed,
        version=hello.version,
        max_matches=hello.max_matches,
    )
