"""Matches in a file of records: all are listed, and each is replayed when it is shown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path

from arena.base.errors import InvalidRequest, NotFound
from arena.games.match import Match
from arena.games.packed_log import pack
from arena.games.record import RecordError
from arena.kit.records import record_at, records_by_offset
from arena.sdk.recorded import NO_LIMIT, Record, replayed
from arena.store.matches.bot_notes import BotNote
from arena.store.matches.matches import MatchRow, SeatRow, StoredMatch
from arena.store.tournaments.tournaments import Tournament
from dashboard.matches.shown import ShownMatches


class RecordFile(ShownMatches):
    """The matches of a file, in its order. Duplicate ids get a number, because `arena.sdk.play`
    calls all of its matches "local". Ids that no address can have are changed, too."""

    def __init__(self, file: Path) -> None:
        """Index the file. Raises InvalidRequest if it is unreadable or empty, RecordError for an
        invalid line."""
        self.file = file
        self.rows: list[MatchRow] = []
        self._offsets: dict[str, int] = {}
        for row, offset in _listed(file):
            self.rows.append(row)
            self._offsets[row.id] = offset
        if not self.rows:
            raise InvalidRequest(f"{file} has no matches.")

    def named(self, wanted: str) -> str:
        """Return the id of a match by its id or its number in the file. Raises NotFound."""
        if (shown := _in_address(wanted)) in self._offsets:
            return shown
        if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(self.rows):
            return self.rows[int(wanted) - 1].id
        raise NotFound(
            f"{self.file} has no match {wanted}. Give an id, or a number from 1 to "
            f"{len(self.rows):,}."
        )

    def match(self, match: str) -> StoredMatch:
        """Return the match with that id. Raises NotFound, RecordError."""
        if match not in self._offsets:
            raise NotFound(f'There is no match "{match[:40]}" in this file.')
        record = record_at(self.file, self._offsets[match])
        row = next(row for row in self.rows if row.id == match)
        return _stored(row, replayed({**record, "id": match}))

    def with_tournament(self, match: str) -> tuple[StoredMatch, Tournament | None]:
        """Return the match; it belongs to no tournament."""
        return self.match(match), None

    reviewable = False

    def review(self, match: str) -> None:
        """Return None: reviews of files are made by `arena analyse`."""

    def notes(self, match: str) -> dict[int, BotNote]:
        """Return nothing: records have no notes."""
        return {}

    def luck(self, stored: StoredMatch) -> None:
        """Return None: luck is only computed by an arena's workers."""


def _listed(file: Path) -> Iterator[tuple[MatchRow, int]]:
    """Yield the matches, each with its own id, and where their records are in the file."""
    listed = [
        (_checked(file, number, record), offset)
        for number, (offset, record) in enumerate(records_by_offset(file), 1)
    ]
    given, copies = {row.id for row, _ in listed}, Counter[str]()
    for row, offset in listed:
        own = row.id
        copies[own] += 1
        if copies[own] > 1:
            while f"{own}-{copies[own]}" in given:
                copies[own] += 1
            row = replace(row, id=f"{own}-{copies[own]}")
        yield row, offset


def _checked(file: Path, number: int, record: Record) -> MatchRow:
    try:
        return MatchRow(
            number=number,
            id=_in_address(str(record["id"])),
            tournament=0,
            position=number - 1,
            deal=0,
            game=str(record["game"]),
            finished=0.0,  # unknown in records
            locked=False,
            seats=tuple(_seats(record)),
        )
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise RecordError(
            f"{file}, match {number}: the record is incomplete or malformed ({error!r})."
        ) from None


def _in_address(match: str) -> str:
    """The id as a part of an address, where "/" and parts of only dots have other meanings."""
    plain = match.replace("/", "-")
    return plain if plain.strip(".") else f"match{plain}"


def _seats(record: Record) -> Sequence[SeatRow]:
    moves = [move for round_ in record["rounds"] for move in round_["moves"]]
    faults = Counter(move["seat"] for move in moves if "fault" in move)
    result = record["result"]
    return [
        SeatRow(
            player=at,
            bot=str(seat["bot"]),
            version=str(seat["version"]),
            points=int(result["points"][at]),
            rank=int(result["ranks"][at]),
            faults=faults[at],
            forfeited=result["faults"][at] is not None,
            elo_before=None,
            elo_change=None,
        )
        for at, seat in enumerate(record["seats"])
    ]


def _stored(row: MatchRow, match: Match) -> StoredMatch:
    return StoredMatch(
        **{field.name: getattr(row, field.name) for field in fields(row)},
        batch=0,
        ruleset=match.game.ruleset,
        options=match.setup.options,
        seed=match.setup.seed,
        log=pack(match),
        started=0.0,
        rated_seq=None,
        fault_limit=NO_LIMIT,
        notes=(),
    )
