"""The view and the legal actions of a bot at its faults."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection

from arena.base.errors import ArenaError
from arena.games.match import Match
from arena.games.packed_log import unpack
from arena.games.rules import View
from arena.store.database_cache import DatabaseCache
from arena.store.matches.faults import FaultRow
from arena.store.matches.rows import StoredMatch, read_one

# Matches never change, so cached views stay valid.
_seen: DatabaseCache[Mapping[int, View]] = DatabaseCache(500)


@dataclass(frozen=True)
class SeenFault:
    """A fault with the bot's view; None while the match is locked."""

    row: FaultRow
    view: View | None


def seen_faults(conn: Connection, faults: Sequence[FaultRow]) -> list[SeenFault]:
    """Return the faults with their views. Each match is replayed once, up to its last fault."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for fault in faults:
        if not fault.locked:
            wanted[fault.match].add(fault.note.number)
    views = {
        match: _seen.get(
            conn,
            (match, frozenset(numbers)),
            lambda _: None,
            partial(read_one, match=match),
            partial(_views, numbers=numbers),
        )
        for match, numbers in wanted.items()
    }
    nothing: Mapping[int, View] = {}
    return [
        SeenFault(fault, views.get(fault.match, nothing).get(fault.note.number)) for fault in faults
    ]


def _views(stored: StoredMatch | None, numbers: Collection[int]) -> Mapping[int, View]:
    """Return the views at these decisions, as far as the log can be replayed."""
    views: dict[int, View] = {}
    if stored is None:
        return views
    try:
        match, last = Match(stored.setup), max(numbers)
        for step in unpack(stored.log):
            view = match.decision
            if view is None or view.number > last:
                break
            if view.number in numbers:
                views[view.number] = view
            if step.fault is None:
                match.answer(step.action)
            else:
                match.fail(step.fault, "", forfeit=step.forfeited)
    except ArenaError:
        pass  # the match's page shows the error
    return views
