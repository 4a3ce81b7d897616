"""The luck of stored matches by the arena's own models (`arena.value.luck`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.rating.match_luck import Floats, MatchLuck, total
from arena.store.matches.rows import StoredMatch


@dataclass(frozen=True, slots=True)
class _Event:
    """A chance event as `total` takes it."""

    kind: str
    luck: Floats


def calculate(found: Sequence[StoredMatch]) -> tuple[str, Sequence[MatchLuck | None]] | None:
    """The version of the model for matches of one game, number of seats and options, and the luck
    of each, None where its log is damaged; None where there is no model for them."""
    # Imported here: it reads nets, and few processes need them.
    from arena.value.luck import UNIT, FinishedMatch, luck_of, version_of

    first = found[0]
    seats, options = len(first.seats), dict(first.options)
    version = version_of(first.game, seats, options)
    if version is None:
        return None
    matches = [FinishedMatch(match.id, match.seed, match.log) for match in found]
    known = luck_of(first.game, seats, matches, options, first.ruleset)
    return version, [
        None
        if each is None
        else total(seats, [_Event(e.kind, np.asarray(e.pairs) / UNIT) for e in each.events])
        for each in known
    ]
