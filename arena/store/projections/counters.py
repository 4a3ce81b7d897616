"""The counters of tournaments and their entrants, over stored matches."""

from collections.abc import Iterator

from sqlalchemy import Connection, bindparam, select, update

from arena.store.dialects import write_rows
from arena.store.matches.columns import MatchColumns, sums_by
from arena.store.matches.read_columns import by_tournament
from arena.store.projections.projection import Change
from arena.store.tables import COUNTERS, entrants, tournaments

Sums = dict[int, tuple[int, ...]]  # by player, in the order of COUNTERS

ADD = (
    update(entrants)
    .where(entrants.c.tournament == bindparam("of"), entrants.c.player == bindparam("key"))
    .values({name: entrants.c[name] + bindparam(f"add_{name}") for name in COUNTERS})
)


class CountersProjection:
    """By tournament, the numbers of stored and rated matches; by entrant, its results."""

    name = "counters"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        row = tournaments.c
        conn.execute(
            update(tournaments)
            .where(row.id == change.tournament)
            .values(played=row.played + len(change.results), rated=change.cursor)
        )
        _add(conn, change.tournament, _sums(change.columns))

    def rebuild(self, conn: Connection, game: str) -> None:
        for found in by_tournament(conn, game):
            tournament = found.tournament
            row = entrants.c.tournament == tournament
            conn.execute(update(entrants).where(row).values(dict.fromkeys(COUNTERS, 0)))
            played = {"played": len(found.columns)}
            conn.execute(update(tournaments).where(tournaments.c.id == tournament).values(**played))
            _add(conn, tournament, _sums(found.columns))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        for found in by_tournament(conn, game):
            tournament = found.tournament
            played = conn.scalar(select(tournaments.c.played).where(tournaments.c.id == tournament))
            sums = _sums(found.columns)
            if played != len(found.columns) or _stored_counters(conn, tournament) != sums:
                yield f"the counters of tournament {tournament} differ"


def _add(conn: Connection, tournament: int, sums: Sums) -> None:
    rows = [(tournament, player, *counts) for player, counts in sums.items()]
    write_rows(conn, ADD, ("of", "key", *(f"add_{name}" for name in COUNTERS)), rows)


def _sums(found: MatchColumns) -> Sums:
    players, sums = sums_by(found.players, found.counters(COUNTERS))
    return dict(zip(players.tolist(), map(tuple, sums.tolist()), strict=True))


def _stored_counters(conn: Connection, tournament: int) -> Sums:
    columns = [entrants.c[name] for name in COUNTERS]
    rows = conn.execute(
        select(entrants.c.player, *columns).where(entrants.c.tournament == tournament)
    )
    return {player: tuple(line) for player, *line in rows if any(line)}


def played(conn: Connection, tournament: int) -> dict[int, int]:
    """By player, the number of its stored matches in a tournament."""
    row = entrants.c
    query = select(row.player, row.matches).where(row.tournament == tournament)
    return dict(conn.execute(query).all())
