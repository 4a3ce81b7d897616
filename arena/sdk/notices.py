"""Notices for bots, in addition to decisions; see proto/arena/v1/play.proto."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from arena.protocol.v1 import play_pb2 as pb


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """A match has started."""

    match: str
    game: str
    ruleset: str
    options: Mapping[str, str]
    seat: int  # the bot's own seat
    bots: tuple[str, ...]  # names, by seat
    commitment: bytes  # SHA-256 of the match id and the deal's seed

    @classmethod
    def decode(cls, message: pb.MatchStarted) -> MatchStarted:
        """Decodes the protocol message."""
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
    """A round has been scored. All cards are open. Sequences are by seat."""

    match: str
    round: int
    hands: tuple[tuple[str, ...], ...]
    penalties: tuple[int, ...]
    points: tuple[int, ...]

    @classmethod
    def decode(cls, message: pb.RoundEnded) -> RoundEnded:
        """Decodes the protocol message."""
        return cls(
            match=message.match,
            round=message.round,
            hands=tuple(tuple(hand.cards) for hand in message.hands),
            penalties=tuple(message.penalties),
            points=tuple(message.points),
        )


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match has ended. Sequences are by seat."""

    match: str
    points: tuple[int, ...]
    ranks: tuple[int, ...]

    @classmethod
    def decode(cls, message: pb.MatchEnded) -> MatchEnded:
        """Decodes the protocol message."""
        return cls(match=message.match, points=tuple(message.points), ranks=tuple(message.ranks))


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of this bot."""

    match: str
    number: int  # number of the decision
    kind: str  # "illegal", "timeout", "disconnect" or "error"
    reason: str
    instead: str  # the action that was played instead
    forfeited: bool  # the bot gets no more decisions in this match

    @classmethod
    def decode(cls, message: pb.Fault) -> Fault:
        """Decodes the protocol message."""
        return cls(
            match=message.match,
            number=message.number,
            kind=message.kind,
            reason=message.reason,
            instead=message.instead,
            forfeited=message.forfeited,
        )


def batch_of(notice: MatchStarted | RoundEnded | MatchEnded | Fault) -> pb.Batch:
    """Returns a message with this notice. Its fields have the names of the message's fields."""
    values: dict[str, Any] = {field.name: getattr(notice, field.name) for field in fields(notice)}
    match notice:
        case MatchStarted():
            return pb.Batch(started=[pb.MatchStarted(**values)])
        case RoundEnded():
            values["hands"] = [pb.Cards(cards=hand) for hand in notice.hands]
            return pb.Batch(rounds=[pb.RoundEnded(**values)])
        case MatchEnded():
            return pb.Batch(ended=[pb.MatchEnded(**values)])
    return pb.Batch(faults=[pb.Fault(**values)])
