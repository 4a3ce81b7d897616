"""Starting a game: the opponents, an unrated tournament of one match with people and bots in its
seats, and the wait for the first cards."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import redis
from flask import abort, redirect, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import Connection
from werkzeug.wrappers import Response

from arena.base.errors import InvalidRequest, NotNow
from arena.bots import BOTS, CHARACTERS
from arena.games.rules import game_class
from arena.games.rules.game import MOST_SEATS
from arena.service.live import people
from arena.service.live.dispatch import send_advance
from arena.service.live.player_presence import Presence
from arena.store.registry import bots, profiles
from arena.store.registry.bots import RegisteredBot
from arena.store.reports import leaderboard
from arena.store.tournaments import creation, guests
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec, check_spec
from arena.tournaments.formats.formats import SITTING
from dashboard.play import guests as visitors
from dashboard.play.guests import Visitor, guest_of
from dashboard.play.table_state import NotYours, is_dealt
from dashboard.sources import sources
from dashboard.system import errors

MOVE_MS = 600_000
START_GRACE_S = 10
FAULT_LIMIT = 3

MOST_TABLES = 500  # under way at once
MOST_OF_ONE = 3

# Rounds by the value of the form; "" plays until a player has 40 points.
LENGTHS = {"": "Until a player has 40 points", "3": "Three rounds", "1": "One round"}

# How long the answer to a form waits for its effect.
DEAL_WITHIN_S = 2.0
LOOK_EVERY_S = 0.02

NO_REDIS = "The arena is not reachable. Your game is saved. Try again shortly."
ELSEWHERE = "This is another player's game. When the match is over, everyone can watch its replay."
WITH_ACCOUNT = "You need an account to play on this arena. Sign in first."


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
        return self.bot.kind == "house"

    @property
    def strength(self) -> tuple[bool, float, int, str]:
        """Sort key from weak to strong. Unrated bots come last, house bots first among them."""
        order = list(BOTS) if self.house else []
        usual = order.index(self.bot.name) if self.bot.name in order else len(BOTS)
        return self.rating is None, self.rating or 0.0, usual, self.bot.name


def available(game: str) -> list[Opponent]:
    with sources().read() as conn:
        registered = bots.all_bots(conn)
    connected = sources().live([bot.player for bot in registered]).connected
    here = [bot for bot in registered if bot.player in connected]
    with sources().read() as conn:
        rated = leaderboard.by_player(conn, game)
        about = profiles.descriptions(conn, {bot.id for bot in here})
    opponents = [
        Opponent(
            bot,
            connected[bot.player],
            rated[bot.player].rating if bot.player in rated else None,
            about.get(bot.id) or CHARACTERS.get(bot.name, ""),
        )
        for bot in here
        if connected[bot.player].connected
    ]
    return sorted(opponents, key=lambda opponent: opponent.strength)


def no_redis(_: redis.RedisError) -> ResponseReturnValue:
    """Handles an error of the pages for players: the arena lost its Redis."""
    return errors.answer(503, NO_REDIS)


def not_yours(error: NotYours) -> ResponseReturnValue:
    """Handles the request for a game of another player."""
    if error.match:
        return redirect(url_for("replay.show", match=error.match), 303)
    return errors.answer(403, ELSEWHERE)


def closed_to(who: Visitor) -> bool:
    return sources().settings.play == "accounts" and who.account is None


def check_open(who: Visitor) -> None:
    if closed_to(who):
        abort(403, WITH_ACCOUNT)


def asked_game(fields: Mapping[str, str]) -> str:
    """The game in a request's fields, L.A.M.A. by default. Raises UnknownGame."""
    return game_class(fields.get("game", "lama")).name


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
    """Starts a game with the visitor in a random seat. Returns it and the visitor's guest. `around`
    are the available opponents. Raises InvalidRequest or NotNow with a message for the visitor."""
    chosen = _chosen(wish, around)
    guest = take_seat(conn, who)
    names = [guest.name, *(opponent.bot.name for opponent in chosen)]
    seated = random.SystemRandom().sample(names, len(names))
    called = guests.check_called(conn, wish.called) if wish.called and not who.account else ""
    shown = guests.shown_name(who.account.name if who.account else "", called)
    name = guests.table_name(shown)
    spec = table_spec(name, wish.game, wish.length, seated)
    return creation.create(conn, spec, owner=who.owner, kind="table"), guest


def take_seat(conn: Connection, who: Visitor) -> RegisteredBot:
    """The visitor's guest, in a version for a new game. Raises NotNow if too many are played."""
    check_room(conn)
    guest = guest_of(conn, who)
    if plays_enough(conn, guest):
        raise NotNow(f"You are already playing {MOST_OF_ONE} games. Finish or leave one first.")
    return guests.sit(conn, guest)


def check_room(conn: Connection) -> None:
    """Raises NotNow if the arena has no room for another game."""
    if guests.count_open(conn) >= MOST_TABLES:
        raise NotNow("Too many games are being played. Try again in a few minutes.")


def plays_enough(conn: Connection, guest: RegisteredBot) -> bool:
    return guests.count_open(conn, guest.id) >= MOST_OF_ONE


def _chosen(wish: TableRequest, around: Sequence[Opponent]) -> list[Opponent]:
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


def begin(table: Tournament, me: RegisteredBot, called: str) -> Response:
    """Has a new game dealt, and redirects the player to it. `called` is a guest's name."""
    deal(table, [me])
    response = redirect(url_for("play.table", number=table.id), 303)
    visitors.remember(response, me, called)
    return response


def deal(table: Tournament, players: Sequence[RegisteredBot]) -> None:
    """Has a new game of these people dealt, and waits for the cards for a moment."""
    for one in players:
        people.mark_present(
            sources().redis, one.player, one.name, table.spec.game, table.spec.seats
        )
    send_advance(sources().settings.redis_url, table.id)
    until(lambda: is_dealt(table.id), DEAL_WITHIN_S)


def until(condition: Callable[[], bool], within_s: float) -> None:
    limit = time.monotonic() + within_s
    while not condition() and time.monotonic() < limit:
        time.sleep(LOOK_EVERY_S)
