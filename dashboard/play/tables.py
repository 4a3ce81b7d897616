"""Starting a game: an unrated tournament of one match, with a person in one seat."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from arena.base.errors import InvalidRequest, NotNow
from arena.bots import BOTS
from arena.games.rules import game_class
from arena.games.rules.game import MOST_SEATS
from arena.service.live.presence import Presence
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import creation, guests
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec, check_spec
from arena.tournaments.formats.formats import SITTING
from dashboard.play.guests import Visitor, guest_of

MOVE_MS = 600_000
START_GRACE_S = 10
FAULT_LIMIT = 3

MOST_TABLES = 500  # under way at once
MOST_OF_ONE = 3

# Rounds by the value of the form; "" plays until a player holds 40 points.
LENGTHS = {"": "Until a player has 40 points", "3": "Three rounds", "1": "One round"}


@dataclass(frozen=True)
class Opponent:
    """A connected bot that can be chosen as an opponent. `rating` is for the game asked for, at
    all table sizes; None if the bot is not rated."""

    bot: RegisteredBot
    presence: Presence
    rating: float | None = None
    about: str = ""  # how it plays

    @property
    def house(self) -> bool:
        """Whether it is a house bot."""
        return self.bot.kind == "house"

    @property
    def strength(self) -> tuple[bool, float, int, str]:
        """Sort key from weak to strong. Unrated bots come last, house bots first among them."""
        order = list(BOTS) if self.house else []
        usual = order.index(self.bot.name) if self.bot.name in order else len(BOTS)
        return self.rating is None, self.rating or 0.0, usual, self.bot.name


@dataclass(frozen=True)
class TableRequest:
    """The form's values, not validated yet."""

    game: str
    against: tuple[str, ...]
    length: str
    called: str = ""  # the name of a person without an account


def sit_down(
    conn: Connection, who: Visitor, wish: TableRequest, around: Sequence[Opponent]
) -> Tournament:
    """Starts a game with the visitor in a random seat.

    `around` are the available opponents. Raises InvalidRequest or NotNow with a message for the
    visitor.
    """
    chosen = _chosen(wish, around)
    if guests.count_open(conn) >= MOST_TABLES:
        raise NotNow("Too many games are being played. Try again in a few minutes.")
    guest = guest_of(conn, who)
    if guests.count_open(conn, guest.id) >= MOST_OF_ONE:
        raise NotNow(f"You already play {MOST_OF_ONE} games. Finish or leave one of them first.")
    guests.sit(conn, guest)
    called = guests.check_called(conn, wish.called) if wish.called and not who.account else ""
    name = guests.table_name(who.account.name if who.account else "", called)
    return creation.create(
        conn,
        _spec(wish, name, guest, chosen),
        owner=who.account.id if who.account else None,
        kind="table",
    )


def _chosen(wish: TableRequest, around: Sequence[Opponent]) -> list[Opponent]:
    """The requested opponents, validated."""
    game = game_class(wish.game)
    if wish.length not in LENGTHS:
        raise InvalidRequest("Choose a length for the match.")
    if not 1 <= len(set(wish.against)) <= MOST_SEATS - 1:
        raise InvalidRequest("Choose one to five opponents.")
    here = {opponent.bot.name: opponent for opponent in around}
    seats = len(set(wish.against)) + 1
    for name in wish.against:
        if name not in here:
            raise NotNow(f"{bots.printable(name)} is no longer connected. Choose another opponent.")
        if not here[name].presence.plays(wish.game, seats):
            raise InvalidRequest(f"{name} does not play {game.title} at a table of {seats}.")
    return [here[name] for name in dict.fromkeys(wish.against)]


def _spec(
    wish: TableRequest, name: str, guest: RegisteredBot, chosen: Sequence[Opponent]
) -> TournamentSpec:
    names = [guest.name, *(opponent.bot.name for opponent in chosen)]
    seated = random.SystemRandom().sample(names, len(names))
    spec = TournamentSpec(
        name=name,
        game=wish.game,
        options={"max_rounds": wish.length} if wish.length else {},
        format=SITTING,
        seats=len(seated),
        bots=tuple(seated),
        deals=1,
        move_ms=MOVE_MS,
        start_grace_s=START_GRACE_S,
        fault_limit=FAULT_LIMIT,
    )
    return check_spec(spec, sitting=True)
