"""Which gateway reaches a player, and who has been gone for too long."""

from __future__ import annotations

from collections.abc import Iterable

import redis

from arena.live import keys, presence
from arena.live.absence import mark_gone
from arena.live.presence import Presence

REFRESH_S = 0.25


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
        """Looks again who is connected, if the last look is old enough.

        While somebody counts as gone it looks each time: whoever is back is charged no more.
        """
        if now - self.looked < REFRESH_S and not any(self.gone(p, now) for p in self.absent_since):
            return
        self.looked = now
        seen = presence.present(self.client, self.players)
        self.here = {p: one for p, one in seen.items() if one.plays(self.game, self.seats)}
        missing = [player for player in self.players if player not in self.here]
        self.absent_since = {p: self.absent_since.get(p, now) for p in missing}
        if missing:
            self._judge(missing, seen, now)

    def _judge(self, missing: list[int], seen: dict[int, Presence], now: float) -> None:
        """Without a gateway nobody can come at all, so nobody's grace time runs."""
        if not presence.any_gateway(self.client):
            self.absent_since = dict.fromkeys(missing, now)
            return
        self._judge_absent([player for player in missing if player not in seen], now)
        self._judge_others([seen[player] for player in missing if player in seen], now)

    def _judge_absent(self, absent: list[int], now: float) -> None:
        """Whoever had their grace time already gets no other."""
        if not absent:
            return
        marks = self.client.mget([keys.gone(player) for player in absent])
        for player, mark in zip(absent, marks, strict=True):
            if mark is not None:
                self.absent_since[player] = float("-inf")
            elif self.gone(player, now) and not mark_gone(self.client, player):
                self.absent_since[player] = now  # connected this moment

    def _judge_others(self, others: list[Presence], now: float) -> None:
        """Who is connected, but not for this game, is missing since they said so."""
        if not others:
            return
        seconds, microseconds = self.client.time()
        for one in others:
            ago = seconds + (microseconds - int(one.session)) / 1_000_000
            self.absent_since[one.player] = min(self.absent_since[one.player], now - ago)

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
        """A question came back: look again before sending the next."""
        self.here.pop(player, None)
