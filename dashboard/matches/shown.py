"""The source of matches for their pages: the database, or a file (`replay_alone`)."""

import re
from collections.abc import Mapping
from dataclasses import replace

from flask import Flask, current_app

from arena.store.matches import bot_notes, matches
from arena.store.matches import luck as match_luck
from arena.store.matches.bot_notes import BotNote
from arena.store.matches.luck import StoredLuck
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import reading
from arena.store.reviews.reading import MatchReview
from arena.store.tournaments import guests, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.value.review.values import reviewer
from dashboard.account.session import current_account
from dashboard.sources import sources


class ShownMatches:
    """The finished matches in the database."""

    reviewable = True  # whether visitors can request reviews

    def match(self, match: str) -> StoredMatch:
        """Return the match with that id. Raises NotFound."""
        with sources().read() as conn:
            return matches.get_match(conn, match)

    def with_tournament(self, match: str) -> tuple[StoredMatch, Tournament | None]:
        """Return the match with its tournament, if it has one, and with the names of people for
        readers. Raises NotFound."""
        with sources().read() as conn:
            stored = matches.get_match(conn, match)
            tournament = tournaments.get(conn, stored.tournament)
        return _with_name(stored, tournament), tournament

    def review(self, match: str) -> MatchReview | None:
        """Return the review of a match; None if none was requested."""
        with sources().read() as conn:
            return reading.of_match(conn, match, reviewer().name)

    def notes(self, match: str) -> Mapping[int, BotNote]:
        """Return the bots' notes that the user may read, by number of the decision."""
        account = current_account()
        with sources().read() as conn:
            return bot_notes.of_match(conn, match, account.id if account else None)

    def luck(self, stored: StoredMatch) -> StoredLuck | None:
        """Return the luck of each seat; None while it is unknown."""
        with sources().read() as conn:
            return match_luck.of_match(conn, stored.number, len(stored.seats))


def _with_name(match: StoredMatch, of: Tournament) -> StoredMatch:
    """The match of a tournament; in a casual game, with the names of the people."""
    people = guests.shown_people(of.spec) if of.kind == "table" else {}
    if not people:
        return match
    # Longer names first: a guest's name may be the start of another's.
    any_of_them = re.compile("|".join(map(re.escape, sorted(people, key=len, reverse=True))))
    seats = [replace(seat, bot=people.get(seat.bot, seat.bot)) for seat in match.seats]
    notes = [
        replace(note, reason=any_of_them.sub(lambda found: people[found[0]], note.reason))
        for note in match.notes
    ]
    return replace(match, seats=tuple(seats), notes=tuple(notes))


def register(app: Flask, source: ShownMatches) -> None:
    app.extensions["shown_matches"] = source


def shown() -> ShownMatches:
    source: ShownMatches = current_app.extensions["shown_matches"]
    return source
