"""Which gateway reaches a player, and who has been gone for too long."""

from __future__ import annotations

from collections.abc import Iterable

import redis

from arena.live import keys, presence
from arena.live.presence import Presence

REFRESH_S = 0.25
GONE_S = 3600


class Routes:
    """The players of batches in play and how they are reached. Times are monotonic seconds."""

    def __init__(self, client: redis.Redis, game: str, seats: int, grace_s: float) -> None:
        self.client = client
        self.players: list[int] = []
        self.game, self.seats, self.grace_s = game, seats, grace_s
        self.here: dict[int, Presence] = {}
        self.absent_since: dict[int, float] = {}
        self.looked = float("-inf")

    def serve(self, players: Iterable[int]) -> None:
        """These are the players from now on."""
        self.players = sorted(set(players))
        self.looked = float("-inf")

    def refresh(self, now: float) -> None:
        """Looks again who is connected, if the last look is old enough."""
        if now - self.looked < REFRESH_S:
            return
        self.looked = now
        here = presence.present(self.client, self.players)
        self.here = {p: seen for p, seen in here.items() if seen.plays(self.game, self.seats)}
        missing = [player for player in self.players if player not in self.here]
        self.absent_since = {p: self.absent_since.get(p, now) for p in missing}
        if missing:
            self._judge(missing, now)

    def _judge(self, missing: list[int], now: float) -> None:
        """Who had his grace already needs no other; without a gateway nobody can come at all."""
        if not presence.any_gateway(self.client):
            self.absent_since = dict.fromkeys(missing, now)
            return
        marks = self.client.mget([keys.gone(player) for player in missing])
        for player, mark in zip(missing, marks, strict=True):
            if mark is not None:
                self.absent_since[player] = float("-inf")
            elif self.gone(player, now):
                mark_gone(self.client, player)

    def gateway(self, player: int) -> str:
        """The gateway to send to, or "" if the player cannot be asked now."""
        seen = self.here.get(player)
        return seen.gateway if seen else ""

    def in_flight(self, player: int) -> int:
        """How many questions at a time the player takes."""
        seen = self.here.get(player)
        return seen.max_in_flight if seen else 0

    def wants(self, player: int, kind: str) -> bool:
        """Whether a player is there and wants notices of this kind; faults are always told."""
        seen = self.here.get(player)
        return seen is not None and (seen.notices or kind == "faults")

    def gone(self, player: int, now: float) -> bool:
        """Whether the player has been absent for longer than the grace time."""
        since = self.absent_since.get(player)
        return since is not None and now - since >= self.grace_s

    def forget(self, player: int) -> None:
        """A question came back undelivered: look again before sending the next."""
        self.here.pop(player, None)

    def given_up(self, player: int) -> None:
        """A gateway waited for the player in vain."""
        self.here.pop(player, None)
        self.absent_since[player] = float("-inf")
        mark_gone(self.client, player)


def mark_gone(client: redis.Redis, player: int) -> None:
    """Notes for all workers that the player had his grace; connecting takes the note away."""
    client.set(keys.gone(player), 1, ex=GONE_S)
