"""Synthetic matches in large numbers, to measure the code that stores and rates them.

Each deal has its own random table, the hardest case for sums kept by composition: there are
nearly as many compositions as deals.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from sqlalchemy import Connection, insert, update

from arena.store import Store
from arena.store.projections import elo
from arena.store.registry import bots
from arena.store.save import MatchResult
from arena.store.tables import match_seats, matches, rated_games
from arena.store.tables import tournaments as tournament_table
from arena.store.tournaments import creation
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec, check_spec
from arena.tournaments.formats.cycles import DUPLICATE

GAME, SEATS = "lama", 4
CHUNK = 4000  # matches inserted at a time


def entered(store: Store, players: int) -> Tournament:
    """A tournament of `players` bots, registered if the store has none."""
    names = tuple(f"bot-{number}" for number in range(players))
    spec = check_spec(
        TournamentSpec(
            game=GAME,
            seats=SEATS,
            bots=names,
            deals=1,
            format_options={"deals": DUPLICATE},
            trusted=True,
        )
    )
    with store.write() as conn:
        if not bots.all_bots(conn):
            for name in names:
                bots.register(conn, name)
        return creation.create(conn, spec)


def results(tournament: Tournament, count: int, rng: random.Random) -> Iterator[MatchResult]:
    """`count` deals of four matches each; the matches of a deal share the luck of its cards."""
    players = tournament.players
    position = 0
    for deal in range(count):
        table = rng.sample(range(len(players)), SEATS)
        cards = [rng.gauss(0.0, 6.0) - 8.0 * entrant / len(players) for entrant in table]
        for turn in range(SEATS):
            points = [max(0, round(20 + card + rng.gauss(0.0, 9.0))) for card in cards]
            seated = table[turn:] + table[:turn]
            yield _result(tournament, position, deal, seated, points[turn:] + points[:turn])
            position += 1


def _result(
    tournament: Tournament, position: int, deal: int, seated: list[int], points: list[int]
) -> MatchResult:
    return MatchResult(
        id=f"{tournament.id}-{position}",
        tournament=tournament.id,
        batch=0,
        position=position,
        deal=deal,
        game=GAME,
        ruleset="1",
        options={},
        seed=b"",
        players=tuple(tournament.players[entrant] for entrant in seated),
        points=tuple(points),
        ranks=tuple(1 + sum(other < mine for other in points) for mine in points),
        faults=(0,) * SEATS,
        forfeited=(False,) * SEATS,
        log=b"",
        started=0.0,
        finished=float(position),
    )


def fill(conn: Connection, tournament: Tournament, count: int, rng: random.Random) -> None:
    """Inserts matches without `save_results`, which would be slow; rate them afterwards."""
    chunk: list[MatchResult] = []
    for result in results(tournament, count, rng):
        chunk.append(result)
        if len(chunk) == CHUNK:
            _insert(conn, chunk)
            chunk = []
    if chunk:
        _insert(conn, chunk)
    own = update(tournament_table).where(tournament_table.c.id == tournament.id)
    conn.execute(own.values(rated=count * SEATS, played=count * SEATS))
    elo.lock_game(conn, GAME)
    conn.execute(update(rated_games).values(rated=count * SEATS))


def _insert(conn: Connection, chunk: list[MatchResult]) -> None:
    rows = [
        {
            "number": result.position + 1,
            "id": result.id,
            "tournament": result.tournament,
            "batch": 0,
            "position": result.position,
            "deal": result.deal,
            "game": GAME,
            "ruleset": "1",
            "options": "{}",
            "seats": SEATS,
            "seed": b"",
            "log": b"",
            "started": 0.0,
            "finished": result.finished,
            "rated_seq": result.position + 1,
        }
        for result in chunk
    ]
    seats = [
        {
            "match": result.position + 1,
            "seat": seat,
            "player": player,
            "bot": player,
            "points": result.points[seat],
            "rank": result.ranks[seat],
            "faults": 0,
            "forfeited": False,
        }
        for result in chunk
        for seat, player in enumerate(result.players)
    ]
    conn.execute(insert(matches), rows)
    conn.execute(insert(match_seats), seats)
