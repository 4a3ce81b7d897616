"""Messages from objects with fields of the same names, and tournaments from messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from google.protobuf.message import Message

from arena.protocol.v1 import control_pb2 as pb
from arena.tournaments.formats import TournamentSpec
from arena.tournaments.formats.terms import TERMS, Term

Made = TypeVar("Made", bound=Message)


def filled(kind: type[Made], item: object, **more: Any) -> Made:
    """A message with the fields that the object has, and with `more`."""
    same = {
        name: getattr(item, name)
        for name in kind.DESCRIPTOR.fields_by_name
        if name not in more and hasattr(item, name)
    }
    make: Callable[..., Made] = kind
    return make(**same, **more)


def read_spec(message: pb.TournamentSpec) -> TournamentSpec:
    """The requested spec, with the defaults of the terms; unchecked."""
    return TournamentSpec(**{term.attribute or term.name: _given(message, term) for term in TERMS})


def _given(message: pb.TournamentSpec, term: Term) -> Any:
    """The value of a term in a message; the default if it is left out."""
    value = getattr(message, term.name)
    if message.DESCRIPTOR.fields_by_name[term.name].has_presence:
        return value if message.HasField(term.name) else term.default
    if isinstance(term.default, tuple | dict):
        return type(term.default)(value)
    return value if value or term.required else term.default


def spec(item: TournamentSpec) -> pb.TournamentSpec:
    """A complete spec, without the seed of its schedule, which stays secret."""
    return pb.TournamentSpec(**{term.name: term.of(item) for term in TERMS})
