"""Starting a game: an unrated tournament of one match, with people and bots in its seats."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from arena.base.errors import InvalidRequest, NotNow
from arena.games.rules import game_class
from arena.games.rules.game import MOST_SEATS
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import creation, guests
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec, check_spec
from arena.tournaments.formats.formats import SITTING
from dashboard.play.guests import Visitor, guest_of
from dashboard.play.opponents import Opponent

MOVE_MS = 600_000
START_GRACE_S = 10
FAULT_LIMIT = 3

MOST_TABLES = 500  # under way at once
MOST_OF_ONE = 3

# Rounds by the value of the form; "" plays until a player holds 40 points.
LENGTHS = {"": "Until a player has 40 points", "3": "Three rounds", "1": "One round"}


@dataclass(frozen=True)
class TableRequest:
    """The form's values, not validated yet."""

    game: str
    against: tuple[str, ...]
    length: str
    called: str = ""  # the name of a person without an account


def sit_down(
    conn: Connection, who: Visitor, wish: TableRequest, around: Sequence[Opponent]
) -> tuple[Tournament, RegisteredBot]:
    """Starts a game with the visitor in a random seat. Returns it and the visitor's guest.

    `around` are the available opponents. Raises InvalidRequest or NotNow with a message for the
    visitor.
    """
    chosen = _chosen(wish, around)
    guest = take_seat(conn, who)
    names = [guest.name, *(opponent.bot.name for opponent in chosen)]
    seated = random.SystemRandom().sample(names, len(names))
    called = guests.check_called(conn, wish.called) if wish.called and not who.account else ""
    shown = guests.shown_name(who.account.name if who.account else "", called)
    name = guests.table_name(shown)
    return start(conn, who, table_spec(name, wish.game, wish.length, seated)), guest


def take_seat(conn: Connection, who: Visitor) -> RegisteredBot:
    """The visitor's guest, in a version for a new game. Raises NotNow if too many are played."""
    check_room(conn)
    guest = guest_of(conn, who)
    if plays_enough(conn, guest):
        raise NotNow(f"You already play {MOST_OF_ONE} games. Finish or leave one of them first.")
    return guests.sit(conn, guest)


def check_room(conn: Connection) -> None:
    """Raises NotNow if the arena has no room for another game."""
    if guests.count_open(conn) >= MOST_TABLES:
        raise NotNow("Too many games are being played. Try again in a few minutes.")


def plays_enough(conn: Connection, guest: RegisteredBot) -> bool:
    """Whether a person plays as many games as are allowed."""
    return guests.count_open(conn, guest.id) >= MOST_OF_ONE


def start(conn: Connection, who: Visitor, spec: TournamentSpec) -> Tournament:
    """Creates a casual game of the visitor."""
    return creation.create(conn, spec, owner=who.owner, kind="table")


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


def table_spec(
    name: str, game: str, length: str, seated: Sequence[str], move_ms: int = MOVE_MS
) -> TournamentSpec:
    """The specification of a casual game; `seated` are names by seat, `length` is in LENGTHS."""
    spec = TournamentSpec(
        name=name,
        game=game,
        options={"max_rounds": length} if length else {},
        format=SITTING,
        seats=len(seated),
        bots=tuple(seated),
        deals=1,
        move_ms=move_ms,
        start_grace_s=START_GRACE_S,
        fault_limit=FAULT_LIMIT,
    )
    return check_spec(spec, sitting=True)
