"""Encodes decisions, assembling views from cached parts.

Most parts of a view recur between decisions: hands, offered actions, active seats. Encoded messages
can be concatenated, so each part is encoded once for each value and cached. The other fields are
written directly, because a message object would cost several times as much.
"""

import struct
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from google.protobuf.message import Message

from arena.games.packed_log import varint
from arena.games.rules import View, game_class
from arena.games.rules.packed import layout_of
from arena.protocol.v1 import play_pb2 as pb

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
NO_TOKENS: tuple[Any, ...] = ((), (), (), (), (), (), "")  # from `whites` on, in other games

# Cached values of each part; about a hundred bytes each.
KEPT = 16_384

_varint = lru_cache(KEPT)(varint)
_FIXED64 = struct.Struct("<Q").pack


def _field(message: type[Message], name: str, kind: int) -> bytes:
    """Returns a field's tag: its number and wire type (0: varint, 1: eight bytes, 2: a length and
    that number of bytes)."""
    number: int = message.DESCRIPTOR.fields_by_name[name].number
    return varint(number << 3 | kind)


TICKET, TIME_MS = _field(pb.Decision, "ticket", 1), _field(pb.Decision, "time_ms", 0)
VIEW, GROUP = _field(pb.Decision, "view", 2), _field(pb.Decision, "group", 1)
STARTED_GROUP = _field(pb.MatchStarted, "group", 1)
NUMBER, PILE = _field(pb.View, "number", 0), _field(pb.View, "pile", 0)
HAND_SIZES, MOVES = _field(pb.View, "hand_sizes", 2), _field(pb.View, "moves", 2)


def encode_decision(view: View, ticket: int, time_ms: int) -> bytes:
    """Returns an encoded arena.v1.Decision. Fields are listed explicitly, so that none leaks."""
    parts = [
        _match(view.match, view.game),
        _round(view.round, view.ask, view.seat, view.starter, view.start, view.top),
        _hand(view.hand, view.penalty),
        _seats(view.active, view.points),
        _offer(view.actions, view.indices),
        _new(view.number, view.hand_sizes, view.pile, view.moves),
    ]
    if view.options:
        parts.append(pb.View(options=view.options).SerializeToString())
    if view.whites:
        parts.append(_tokens(view))
    encoded = b"".join(parts)
    return b"".join(
        (TICKET, _FIXED64(ticket), TIME_MS, _varint(time_ms), VIEW, _varint(len(encoded)), encoded)
    )


def packed_decision(view: View, ticket: int, time_ms: int) -> pb.PackedDecisions:
    """Returns a decision in packed form. Raises BadPacking for a view that does not fit."""
    row, moves = layout_of(game_class(view.game), view.seats).pack(view)
    return pb.PackedDecisions(
        game=view.game,
        seats=view.seats,
        options=view.options,
        time_ms=time_ms,
        tickets=[ticket],
        rows=row,
        moves=moves,
    )


def with_time(decision: bytes, time_ms: int) -> bytes:
    """Returns an encoded arena.v1.Decision with another `time_ms`, without decoding it.

    If a field occurs twice, the last value counts.
    """
    return b"".join((decision, TIME_MS, varint(time_ms)))


def with_group(decision: bytes, group: int) -> bytes:
    """Adds a group to an encoded arena.v1.Decision."""
    return b"".join((decision, GROUP, _FIXED64(group)))


def started_with_group(started: bytes, group: int) -> bytes:
    """Adds a group to an encoded arena.v1.MatchStarted."""
    return b"".join((started, STARTED_GROUP, _FIXED64(group)))


@lru_cache(KEPT)
def _match(match: str, game: str) -> bytes:
    return pb.View(match=match, game=game).SerializeToString()


@lru_cache(KEPT)
def _round(number: int, ask: str, seat: int, starter: int, start: str, top: str) -> bytes:
    view = pb.View(round=number, ask=ask, seat=seat, starter=starter, start=start, top=top)
    return view.SerializeToString()


@lru_cache(KEPT)
def _hand(hand: tuple[str, ...], penalty: int) -> bytes:
    return pb.View(hand=hand, penalty=penalty).SerializeToString()


@lru_cache(KEPT)
def _seats(active: tuple[bool, ...], points: tuple[int, ...]) -> bytes:
    return pb.View(active=active, points=points).SerializeToString()


@lru_cache(KEPT)
def _offer(actions: tuple[str, ...], indices: tuple[int, ...]) -> bytes:
    return pb.View(actions=actions, indices=indices).SerializeToString()


def _new(number: int, hand_sizes: tuple[int, ...], pile: int, moves: str) -> bytes:
    """Encodes fields that rarely recur, so that caching them would not pay."""
    said = moves.encode()
    return b"".join(
        (
            *(NUMBER, _varint(number)),
            *(HAND_SIZES, _varint(len(hand_sizes)), bytes(hand_sizes)),  # one byte each, below 128
            *(PILE, _varint(pile)),
            *(MOVES, _varint(len(said)), said),
        )
    )


def _tokens(view: View) -> bytes:
    """Encodes the fields of Dice and Kadabra."""
    return pb.View(
        whites=view.whites,
        blacks=view.blacks,
        rows=[pb.Cards(cards=row) for row in view.rows],
        llama_row=view.llama_row,
        dice=view.dice,
        stage=view.stage,
        magic=view.magic,
    ).SerializeToString()


def decode_view(message: pb.View, key: bytes = b"") -> View:
    """Returns the view of a message, for a bot with this key."""
    # Slices copy repeated fields at once, which is faster than iterating.
    # A slice copies a list in one go; to go through its elements takes 1.6 times as long.
    return View(
        message.match,
        message.number,
        message.game,
        dict(message.options) if message.options else NO_OPTIONS,
        message.round,
        message.ask,
        message.seat,
        message.starter,
        tuple(message.hand[:]),
        message.penalty,
        tuple(message.hand_sizes[:]),
        tuple(message.active[:]),
        tuple(message.points[:]),
        message.start,
        message.top,
        message.pile,
        message.moves,
        tuple(message.actions[:]),
        tuple(message.indices[:]),
        *(*(_tokens_of(message) if message.whites else NO_TOKENS), key),
    )


def _tokens_of(message: pb.View) -> tuple[Any, ...]:
    """Returns the fields of a view from `whites` on."""
    return (
        tuple(message.whites[:]),
        tuple(message.blacks[:]),
        tuple([tuple(row.cards[:]) for row in message.rows]),
        tuple(message.llama_row[:]),
        tuple(message.dice[:]),
        tuple(message.stage[:]),
        message.magic,
    )
