"""The parts of the Control API for series, and for results: ratings, pairs, matches, records."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from arena.base import instant
from arena.games.packed_log import replay
from arena.games.record import RecordError, export, verify
from arena.games.rules import game_class
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control import messages
from arena.service.control.messages import filled
from arena.service.control.port import checked_limit
from arena.service.control.registry import StoreService
from arena.store.archive.catalogue import older
from arena.store.engine import PATIENT
from arena.store.matches import luck as match_luck
from arena.store.matches import matches
from arena.store.matches.matches import StoredMatch
from arena.store.registry import bots
from arena.store.reports import crosstable, faults, fits, leaderboard
from arena.store.reports.leaderboard import Rating
from arena.store.reports.standings import season_of
from arena.store.tournaments import series, tournaments
from arena.tournaments.ratings.pairs import Pair

LISTED = 50
DAY_S = 86_400.0


class SeriesService(StoreService):
    """Methods of the Control API about series."""

    def get_series(self, request: pb.SeriesId) -> pb.Series:
        """A series with the standings of the season. Raises NotFound."""
        with self._store.read() as conn:
            own = series.get_series(conn, request.id)
            played = series.tournaments_of(conn, own.id)
            standings = season_of(conn, played, own.recurrence.counted)
        return pb.Series(
            id=own.id,
            name=own.name,
            recurrence=messages.recurrence(own.recurrence),
            sentence=own.recurrence.sentence(own.begins),
            tournaments=[each.id for each in played],
            starts=own.dates(instant.now()),
            standings=map(messages.season_line, standings),
        )

    def end_series(self, request: pb.SeriesId) -> pb.Series:
        """Ends a series. Raises NotFound, and NotNow if it is over."""
        with self._store.write() as conn:
            name = series.end(conn, request.id, instant.now())
            self._note(conn, "ended", f"series {request.id}", name)
        return self.get_series(request)


class ResultsService(StoreService):
    """The methods for results."""

    def get_ratings(self, request: pb.RatingsRequest) -> pb.RatingTable:
        """A leaderboard. Raises InvalidRequest for an unknown game or number of seats."""
        _check_pool(request.game, request.seats)
        with self._store.read() as conn:
            lines = self._rating_lines(conn, request)
            anchor = fits.anchor_in(conn, request.game, request.seats)
            known = fits.included(conn, request.game, request.seats)
        return pb.RatingTable(
            game=request.game,
            seats=request.seats,
            ratings=[filled(pb.Rating, line) for line in lines],
            anchor=anchor,
            **asdict(known),
        )

    def get_pairs(self, request: pb.RatingsRequest) -> pb.PairTable:
        """Compares the bots of a leaderboard in pairs, or one bot with all others. Raises
        InvalidRequest, NotFound."""
        _check_pool(request.game, request.seats)
        with self._store.read() as conn:
            lines = {line.player: line for line in self._rating_lines(conn, request)}
            found = self._pairs(conn, request, lines)
        pairs = [messages.pair(pair, lines) for pair in found]
        return pb.PairTable(game=request.game, seats=request.seats, pairs=pairs)

    @staticmethod
    def _pairs(
        conn: Connection, request: pb.RatingsRequest, lines: Mapping[int, Rating]
    ) -> Sequence[Pair]:
        players, game, seats = list(lines), request.game, request.seats
        if not request.bot:
            return leaderboard.pairs(conn, game, seats, players)
        name = bots.get(conn, request.bot).name
        own = [player for player, line in lines.items() if line.bot == name]
        return [
            pair
            for player in own
            for pair in leaderboard.pairs_of(
                conn, game, seats, player, [other for other in players if other != player]
            )
        ]

    def set_anchor(self, request: pb.Anchor) -> pb.Anchor:
        """Sets the bot whose rating and Elo are 1500, and recomputes Elo. Raises NotFound,
        InvalidRequest."""
        _check_pool(request.game, 0)
        with self._store.write(PATIENT) as conn:
            name, again = fits.set_anchor(conn, request.game, request.bot)
            self._note(conn, "chose the anchor", f"ratings of {request.game}", name or "the mean")
        return pb.Anchor(game=request.game, bot=name, rated_again=again)

    @staticmethod
    def _rating_lines(conn: Connection, request: pb.RatingsRequest) -> list[Rating]:
        days = request.active_days
        return leaderboard.table(
            conn,
            request.game,
            request.seats,
            all_versions=request.all_versions,
            active_since=instant.now() - days * DAY_S if days > 0 else None,
        )

    def list_matches(self, request: pb.ListMatchesRequest) -> pb.Matches:
        """A page of matches, newest first, or a bot's worst. Raises NotFound, InvalidRequest, and
        Unavailable if an archive is missing."""
        with self._store.read() as conn:
            if request.tournament:
                tournaments.get(conn, request.tournament)
            page, following = matches.list_matches(
                conn,
                bot=request.bot or None,
                tournament=request.tournament or None,
                limit=request.limit or LISTED,
                after=request.after or None,
                lost=request.lost,
                faults=request.faults,
                worst=request.worst,
                with_archived=request.archived,
            )
            bot = bots.get(conn, request.bot).id if request.bot else None
            lacks = "" if request.archived else older(conn, bot, request.tournament or None)
            open_ones = {row.number: len(row.seats) for row in page if not row.locked}
            known = match_luck.of_matches(conn, open_ones)
        shown = [
            messages.match(row, known[row.number].luck if row.number in known else None)
            for row in page
        ]
        return pb.Matches(matches=shown, next=following, older=lacks)

    def get_crosstable(self, request: pb.TournamentId) -> pb.Crosstable:
        """The results of a tournament's bots against each other. Raises NotFound."""
        with self._store.read() as conn:
            found = crosstable.crosstable(conn, request.id)
        meetings = [filled(pb.Meeting, line) for line in found]
        return pb.Crosstable(tournament=request.id, meetings=meetings)

    def get_match_record(self, request: pb.MatchId) -> pb.MatchRecord:
        """The record of a match, even while its deal is still in play elsewhere: all callers are
        operators. Raises NotFound."""
        with self._store.read() as conn:
            stored = matches.get_match(conn, request.id)
            known = match_luck.of_match(conn, stored.number, len(stored.seats))
        return pb.MatchRecord(
            json=json.dumps(record_of(stored)),
            luck=known.luck.scores if known else (),
            luck_model=known.model if known else "",
        )

    def verify_match(self, request: pb.MatchId) -> pb.MatchVerification:
        """Replays a match from its seed and moves, and compares the results. Raises NotFound."""
        with self._store.read() as conn:
            stored = matches.get_match(conn, request.id)
        try:
            check_stored(stored)
        except RecordError as error:
            return pb.MatchVerification(id=request.id, right=False, problem=str(error))
        return pb.MatchVerification(id=request.id, right=True)

    def list_faults(self, request: pb.ListFaultsRequest) -> pb.Faults:
        """The latest faults of a bot, with their reasons. Raises NotFound, InvalidRequest."""
        limit = checked_limit(request.limit, LISTED)
        with self._store.read() as conn:
            found = faults.recent_faults(conn, request.bot, limit)
        return pb.Faults(faults=map(messages.fault, found))

    def get_first_faults(self, request: pb.TournamentId) -> pb.FirstFaults:
        """The first fault of each bot of a tournament. Raises NotFound, and Unavailable if an
        archive is missing."""
        with self._store.read() as conn:
            found = faults.first_faults(conn, request.id)
        return pb.FirstFaults(faults=map(messages.first_fault, found))


def _check_pool(game: str, seats: int) -> None:
    kind = game_class(game)
    if seats:
        kind.check_seats(seats)


def record_of(stored: StoredMatch) -> dict[str, Any]:
    """The JSON record of a stored match. Raises RecordError if its log is not valid."""
    reasons = {note.number: note.reason for note in stored.notes}
    return export(replay(stored.setup, stored.log, reasons))


def check_stored(stored: StoredMatch) -> None:
    """Raises RecordError if a replay does not lead to the stored points, ranks and forfeits, or
    the record is not consistent."""
    record = record_of(stored)
    verify(record)
    result = record["result"]
    for name, kept in (
        ("points", [seat.points for seat in stored.seats]),
        ("ranks", [seat.rank for seat in stored.seats]),
    ):
        if result[name] != kept:
            raise RecordError(f"The stored {name} are {kept}, but a replay gives {result[name]}.")
    forfeited = [fault is not None for fault in result["faults"]]
    if forfeited != [seat.forfeited for seat in stored.seats]:
        raise RecordError("The stored forfeits do not match the log.")
