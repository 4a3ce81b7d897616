"""Where the pages of a match get it: from the database, or where there is none from a file."""

from __future__ import annotations

from typing import Protocol

from flask import Flask, current_app

from arena.store.matches import luck as match_luck
from arena.store.matches import matches
from arena.store.matches.luck import StoredLuck
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import reading
from arena.store.reviews.reading import MatchReview
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.value.review.values import reviewer
from dashboard.sources import sources


class ShownMatches(Protocol):
    """Finished matches, to be shown one at a time."""

    def match(self, match: str) -> StoredMatch:
        """The match with that id. Raises NotFound."""

    def with_tournament(self, match: str) -> tuple[StoredMatch, Tournament | None]:
        """The same, with the tournament that it belongs to, if it does. Raises NotFound."""

    @property
    def reviewable(self) -> bool:
        """Whether visitors can ask for reviews here."""

    def review(self, match: str) -> MatchReview | None:
        """What is known of the review of a match; None if nobody asked for one."""

    def luck(self, stored: StoredMatch) -> StoredLuck | None:
        """What chance gave each seat in a match; None while nothing has valued it."""


class FromStore:
    """The matches in the database."""

    def match(self, match: str) -> StoredMatch:
        """The match with that id. Raises NotFound."""
        with sources().read() as conn:
            return matches.get_match(conn, match)

    def with_tournament(self, match: str) -> tuple[StoredMatch, Tournament]:
        """The same with its tournament, from one connection. Raises NotFound."""
        with sources().read() as conn:
            stored = matches.get_match(conn, match)
            return stored, tournaments.get(conn, stored.tournament)

    reviewable = True

    def review(self, match: str) -> MatchReview | None:
        """What is known of the review of a match; None if nobody asked for one."""
        with sources().read() as conn:
            return reading.of_match(conn, match, reviewer().name)

    def luck(self, stored: StoredMatch) -> StoredLuck | None:
        """What chance gave each seat in a match; None while nothing has valued it."""
        with sources().read() as conn:
            return match_luck.of_match(conn, stored.number, len(stored.seats))


def register(app: Flask, source: ShownMatches) -> None:
    """Says where an application has its matches from."""
    app.extensions["shown_matches"] = source


def shown() -> ShownMatches:
    """The matches of the application that answers the present request."""
    source: ShownMatches = current_app.extensions["shown_matches"]
    return source
