"""Tables of friends: the people who gather at a link before their game starts.

A lobby is a value in Redis that expires: nothing is lost with it but a form and some names. The
game itself is in the database. After the start, the lobby leads the holders of the link to it.
"""

import json
import re
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import redis

from arena.base import instant
from arena.base.errors import LimitReached, NotFound
from arena.service.live import keys
from arena.tournaments.formats.deals import ALPHABET

OPEN_S = 1800  # until a table that was not started ends
STARTED_S = 86_400  # for which the link leads to the game
STARTING_S = 30  # after which a start that was interrupted may be tried again

MOST_OF_ONE = 3  # open tables that a person hosts

CODE_LENGTH = 20  # of 32 letters: 100 random bits
CODE = re.compile(f"[{ALPHABET}]{{{CODE_LENGTH}}}", re.ASCII)

GONE = "There is no such table. It may have ended. Ask for a new link, or open a table yourself."


@dataclass(frozen=True)
class Member:
    """A person at a table; `guest` is the number and `bot` the name of their guest."""

    guest: int
    bot: str
    account: int | None
    shown: str  # the name for others
    ready: bool = False


@dataclass(frozen=True)
class Lobby:
    """A table of friends. The first member is the host."""

    code: str
    game: str
    length: str
    seats: int
    move_s: int
    bots: tuple[str, ...]  # for empty seats, in order
    members: tuple[Member, ...]
    until: float  # when it ends (Unix seconds)
    removed: tuple[int, ...] = ()  # guests that the host removed
    starting: float = 0.0  # when the last start was tried
    tournament: int = 0  # the game, once it has started

    @property
    def host(self) -> Member:
        return self.members[0]

    @property
    def opener(self) -> str:
        """The key that the open table is counted for."""
        return f"account {self.host.account}" if self.host.account else f"guest {self.host.guest}"

    @property
    def full(self) -> bool:
        return len(self.members) >= self.seats

    @property
    def all_ready(self) -> bool:
        """Whether there are at least two people, and all are ready."""
        return len(self.members) > 1 and all(member.ready for member in self.members)

    @property
    def fillers(self) -> tuple[str, ...]:
        """The bots for the seats that are empty now."""
        return self.bots[: self.seats - len(self.members)]

    @property
    def is_open(self) -> bool:
        """Whether its people can still change."""
        return not self.tournament and instant.now() - self.starting >= STARTING_S


def new_code() -> str:
    """A code that cannot be guessed."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def create(client: redis.Redis, lobby: Lobby, address: str, most_of_address: int) -> None:
    """Stores a new lobby. A person has at most `MOST_OF_ONE` open ones, and at most
    `most_of_address` are opened from an address in half an hour. Raises LimitReached."""
    now, limits = instant.now(), {lobby.opener: MOST_OF_ONE, address: most_of_address}
    with client.pipeline() as pipeline:
        for who in limits:
            pipeline.zremrangebyscore(keys.lobbies(who), 0, now)
            pipeline.zadd(keys.lobbies(who), {lobby.code: lobby.until})
            pipeline.expire(keys.lobbies(who), OPEN_S)
            pipeline.zcard(keys.lobbies(who))
        counts = pipeline.execute()[3::4]
    for most, there in zip(limits.values(), counts, strict=True):
        if there > most:
            for who in limits:
                client.zrem(keys.lobbies(who), lobby.code)
            raise LimitReached(
                f"You cannot open another table. {most} tables are open, the maximum. "
                "Close one, or start its game."
            )
    _put(client, lobby)


def get(client: redis.Redis, code: str) -> Lobby:
    """The lobby with this code. Raises NotFound."""
    found: Any = client.get(keys.lobby(code)) if CODE.fullmatch(code) else None
    return _decoded(found)


def change(client: redis.Redis, code: str, step: Callable[[Lobby], Lobby]) -> Lobby:
    """Applies a change that no other one comes between; it may be computed several times. Returns
    the changed lobby. Raises NotFound, and the errors of `step`."""
    made: list[Lobby] = []

    def apply(pipeline: redis.client.Pipeline) -> None:
        found: Any = pipeline.get(keys.lobby(code))
        made[:] = [step(_decoded(found))]
        pipeline.multi()
        _put(pipeline, made[0])

    get(client, code)  # refuses what is not a code
    client.transaction(apply, keys.lobby(code))
    return made[0]


def close(client: redis.Redis, lobby: Lobby) -> None:
    client.delete(keys.lobby(lobby.code))
    client.zrem(keys.lobbies(lobby.opener), lobby.code)


def start(client: redis.Redis, code: str, tournament: int) -> None:
    """Lets a lobby lead to its game from now on. Raises NotFound."""
    until = instant.now() + STARTED_S
    lobby = change(client, code, lambda old: replace(old, tournament=tournament, until=until))
    client.zrem(keys.lobbies(lobby.opener), code)


def follow(client: redis.Redis, tournament: int, code: str) -> str:
    """Makes a lobby the one in which the people of a game play again, unless there is one. Returns
    the code of that one."""
    key = keys.next_lobby(tournament)
    client.set(key, code, nx=True, ex=OPEN_S)
    return next_of(client, tournament) or code


def next_of(client: redis.Redis, tournament: int) -> str:
    """The code of the lobby in which the people of a game play again; "" for none."""
    found: Any = client.get(keys.next_lobby(tournament))
    return found.decode() if found else ""


def _put(client: redis.Redis, lobby: Lobby) -> None:
    left_s = max(1, round(lobby.until - instant.now()))
    client.set(keys.lobby(lobby.code), json.dumps(asdict(lobby)), ex=left_s)


def _decoded(value: bytes | None) -> Lobby:
    if value is None:
        raise NotFound(GONE)
    fields = json.loads(value)
    fields["members"] = tuple([Member(**each) for each in fields["members"]])
    return Lobby(**fields | {name: tuple(fields[name]) for name in ("bots", "removed")})
