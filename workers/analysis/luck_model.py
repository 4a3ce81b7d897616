"""Calculates the luck of stored matches with the bundled models (`arena.value.luck`)."""

from __future__ import annotations

from collections.abc import Sequence

from arena.store.matches.rows import StoredMatch
from arena.tournaments.ratings.match_luck import MatchLuck, totals


def calculate(found: Sequence[StoredMatch]) -> tuple[str, Sequence[MatchLuck | None]] | None:
    """The version of the model, and the luck of each match (None if its log is damaged), for
    matches with the same game, seats and options. Returns None if there is no model."""
    # Imported here because it loads models, which few processes need.
    from arena.value.luck import FinishedMatch, events_of, version_of

    first = found[0]
    seats, options = len(first.seats), dict(first.options)
    version = version_of(first.game, seats, options)
    if version is None:
        return None
    matches = [FinishedMatch(match.id, match.seed, match.log) for match in found]
    known = events_of(first.game, seats, matches, options, first.ruleset)
    if known is None:
        return version, [None] * len(found)
    sound, events = known
    luck = totals(seats, len(found), events.match, events.kind, events.pairs)
    return version, [each if whole else None for each, whole in zip(luck, sound, strict=True)]
