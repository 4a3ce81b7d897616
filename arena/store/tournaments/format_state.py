"""The state that a tournament's format keeps of its finished blocks, to plan the next one."""

import json
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from arena.store.dialects import upsert
from arena.store.tables import match_luck, match_seats, matches, plans
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import PlannedMatch, Played, SoFar, format_of
from arena.tournaments.ratings.match_luck import unpack
from arena.tournaments.ratings.sprt import Verdict


@dataclass(frozen=True, slots=True)
class FormatState:
    """The format's state (`so_far`) after a number of finished blocks and matches."""

    blocks: int = 0
    matches: int = 0
    so_far: SoFar = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FormatReport:
    """A format's statements about a tournament: where bots of the same owner meet (or ""), its
    remarks, and the result of the sequential test so far."""

    siblings: str = ""
    remarks: tuple[str, ...] = ()
    test: Verdict | None = None

    @property
    def sentences(self) -> list[str]:
        """All statements in words."""
        return [*([self.siblings] if self.siblings else []), *self.remarks]


def report(tournament: Tournament, so_far: SoFar) -> FormatReport:
    """The report of the format; empty during sign-up, because there is no schedule yet."""
    if tournament.sign_up is not None:
        return FormatReport()
    format_, spec = format_of(tournament.spec.format), tournament.spec
    return FormatReport(
        format_.siblings_meet(spec, so_far),
        format_.remarks(spec, so_far),
        format_.verdict(spec, so_far),
    )


def get(conn: Connection, tournament: int) -> FormatState:
    """The state of a tournament's format; empty before its first block is finished."""
    row = conn.execute(select(plans).where(plans.c.tournament == tournament)).first()
    return (
        FormatState()
        if row is None
        else FormatState(row.blocks, row.matches, json.loads(row.so_far))
    )


def folded(conn: Connection, tournament: Tournament) -> FormatState:
    """The state after the newest block, of which all planned matches must be stored."""
    known = get(conn, tournament.id)
    played = played_from(conn, tournament, known.matches)
    if not played:
        return known
    format_ = format_of(tournament.spec.format)
    so_far = format_.fold(tournament.spec, known.so_far, played)
    return FormatState(known.blocks + 1, known.matches + len(played), so_far)


def fold(conn: Connection, tournament: Tournament) -> FormatState:
    """Like `folded`, but stores the state. The caller holds the tournament's lock."""
    plan = folded(conn, tournament)
    if plan.blocks:
        conn.execute(
            upsert(conn, plans),
            {
                "tournament": tournament.id,
                "blocks": plan.blocks,
                "matches": plan.matches,
                "so_far": json.dumps(plan.so_far, separators=(",", ":")),
            },
        )
    return plan


def played_from(conn: Connection, tournament: Tournament, first: int) -> list[Played]:
    """The stored matches of a tournament from a position on, in scheduled order."""
    entrant = {player: number for number, player in enumerate(tournament.players)}
    seat = match_seats.c
    rows = conn.execute(
        select(matches.c.position, matches.c.deal)
        .add_columns(seat.player, seat.points, seat.rank, seat.forfeited)
        .join_from(matches, match_seats)
        .where(matches.c.tournament == tournament.id, matches.c.position >= first)
        .order_by(matches.c.position, seat.seat)
    )
    tables: dict[tuple[int, int], list[tuple[int, int, int, bool]]] = {}
    for position, deal, player, points, rank, forfeited in rows:
        line = (entrant[player], points, rank, forfeited)
        tables.setdefault((position, deal), []).append(line)
    luck = _luck(conn, tournament, first)
    played = []
    for (position, deal), lines in tables.items():
        seats, points, ranks, out = zip(*lines, strict=True)
        planned = PlannedMatch(position, deal, seats)
        played.append(Played(planned, points, ranks, out, luck.get(position, ())))
    return played


def _luck(conn: Connection, tournament: Tournament, first: int) -> dict[int, tuple[int, ...]]:
    """By position, the known luck of matches; empty if the format does not adjust for luck."""
    spec = tournament.spec
    if not format_of(spec.format).takes_luck_out(spec):
        return {}
    rows = conn.execute(
        select(matches.c.position, match_luck.c.luck)
        .join_from(matches, match_luck, match_luck.c.match == matches.c.number)
        .where(matches.c.tournament == tournament.id, matches.c.position >= first)
    )
    return {place: tuple(unpack(spec.seats, packed).pairs.tolist()) for place, packed in rows}
