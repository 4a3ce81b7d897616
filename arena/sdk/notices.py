"""What a bot may be told besides the questions it answers; see proto/arena/v1/play.proto."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.protocol.v1 import play_pb2 as pb


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """A match begins."""

    match: str
    game: str
    ruleset: str
    options: Mapping[str, str]
    seat: int  # the bot's
    bots: tuple[str, ...]  # names, by seat
    commitment: bytes  # SHA-256 over the match id and the deal's seed

    @classmethod
    def decode(cls, message: pb.MatchStarted) -> MatchStarted:
        """From the wire."""
        return cls(
            match=message.match,
            game=message.game,
            ruleset=message.ruleset,
            options=dict(message.options),
            seat=message.seat,
            bots=tuple(message.bots),
            commitment=message.commitment,
        )


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """A round was scored; all cards are open. Sequences are by seat."""

    match: str
    round: int
    hands: tuple[tuple[str, ...], ...]
    penalties: tuple[int, ...]
    points: tuple[int, ...]

    @classmethod
    def decode(cls, message: pb.RoundEnded) -> RoundEnded:
        """From the wire."""
        return cls(
            match=message.match,
            round=message.round,
            hands=tuple(tuple(hand.cards) for hand in message.hands),
            penalties=tuple(message.penalties),
            points=tuple(message.points),
        )


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match is over. Sequences are by seat."""

    match: str
    points: tuple[int, ...]
    ranks: tuple[int, ...]

    @classmethod
    def decode(cls, message: pb.MatchEnded) -> MatchEnded:
        """From the wire."""
        return cls(match=message.match, points=tuple(message.points), ranks=tuple(message.ranks))


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault charged to this bot."""

    match: str
    number: int  # of the decision
    kind: str  # "illegal", "timeout", "disconnect" or "error"
    reason: str
    instead: str  # the action played in its place
    forfeited: bool  # nothing more is asked in this match

    @classmethod
    def decode(cls, message: pb.Fault) -> Fault:
        """From the wire."""
        return cls(
            match=message.match,
            number=message.number,
            kind=message.kind,
            reason=message.reason,
            instead=message.instead,
            forfeited=message.forfeited,
        )
