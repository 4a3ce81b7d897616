"""The part of the Control API for games and formats."""

from __future__ import annotations

from collections.abc import Mapping

from arena.games.guides import guide
from arena.games.rules import GAMES, game_class
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.games.rules.options import Option
from arena.protocol.v1 import control_pb2 as pb
from arena.tournaments.formats import FORMATS


class ReferenceService:
    """The methods for games and formats."""

    def list_games(self, request: pb.ListGamesRequest) -> pb.Games:
        """All games with their options."""
        return pb.Games(
            games=[
                pb.Game(
                    name=name,
                    title=game.title,
                    ruleset=game.ruleset,
                    min_seats=FEWEST_SEATS,
                    max_seats=MOST_SEATS,
                    options=_options(game.known_options),
                )
                for name, game in GAMES.items()
            ]
        )

    def get_rules(self, request: pb.GameName) -> pb.GameRules:
        """The guide to a game. Raises InvalidRequest for an unknown one."""
        return pb.GameRules(name=game_class(request.name).name, markdown=guide(request.name))

    def list_formats(self, request: pb.ListFormatsRequest) -> pb.Formats:
        """All tournament formats with their options."""
        listed = []
        for name, format_ in FORMATS.items():
            options = _options(format_.options)
            listed.append(
                pb.Format(name=name, title=format_.title, about=format_.about, options=options)
            )
        return pb.Formats(formats=listed)


def _options(known: Mapping[str, Option]) -> list[pb.Option]:
    return [
        pb.Option(name=name, default_value=option.default, about=option.about)
        for name, option in known.items()
    ]
