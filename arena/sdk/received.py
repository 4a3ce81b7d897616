"""Decodes decisions from the arena."""

from collections.abc import Iterable, Iterator

from arena.games.decisions import Decisions
from arena.games.rules import View, game_class
from arena.games.rules.packed import layout_of
from arena.protocol.decisions import NO_OPTIONS, decode_view
from arena.protocol.v1 import play_pb2 as pb


def decisions_of(packed: pb.PackedDecisions, key: bytes) -> Decisions:
    """Returns packed decisions as a batch; `key` is the bot's. Raises BadPacking."""
    options = dict(packed.options)
    return Decisions(packed.game, packed.seats, options, packed.rows, packed.moves, key)


def views_of(
    decisions: Iterable[pb.Decision], packed: Iterable[pb.PackedDecisions], key: bytes
) -> Iterator[tuple[int, View]]:
    """Yields decisions, packed or not, with their tickets; `key` is the bot's. Raises
    BadPacking."""
    for decision in decisions:
        yield decision.ticket, decode_view(decision.view, key)
    for some in packed:
        layout = layout_of(game_class(some.game), some.seats)
        options = dict(some.options) if some.options else NO_OPTIONS
        views = layout.unpack_all(some.rows, some.moves, options, key)
        yield from zip(some.tickets[:], views, strict=True)
