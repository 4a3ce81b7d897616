"""The source of matches for their pages: the database, or a file if there is no database."""

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
    """A source of finished matches."""

    def match(self, match: str) -> StoredMatch:
        """Return the match with that id. Raises NotFound."""

    def with_tournament(self, match: str) -> tuple[StoredMatch, Tournament | None]:
        """Return the match with its tournament, if it has one. Raises NotFound."""

    @property
    def reviewable(self) -> bool:
        """Whether visitors can request reviews."""

    def review(self, match: str) -> MatchReview | None:
        """Return the review of a match; None if none was requested."""

    def luck(self, stored: StoredMatch) -> StoredLuck | None:
        """Return the luck of each seat; None while it is unknown."""


class FromStore:
    """The matches in the database."""

    def match(self, match: str) -> StoredMatch:
        with sources().read() as conn:
            return matches.get_match(conn, match)

    def with_tournament(self, match: str) -> tuple[StoredMatch, Tournament]:
        with sources().read() as conn:
            stored = matches.get_match(conn, match)
            return stored, tournaments.get(conn, stored.tournament)

    reviewable = True

    def review(self, match: str) -> MatchReview | None:
        with sources().read() as conn:
            return reading.of_match(conn, match, reviewer().name)

    def luck(self, stored: StoredMatch) -> StoredLuck | None:
        with sources().read() as conn:
            return match_luck.of_match(conn, stored.number, len(stored.seats))


def register(app: Flask, source: ShownMatches) -> None:
    """Set the source of matches of an application."""
    app.extensions["shown_matches"] = source


def shown() -> ShownMatches:
    """Return the source of matches of the current application."""
    source: ShownMatches = current_app.extensions["shown_matches"]
    return source
