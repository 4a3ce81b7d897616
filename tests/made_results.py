"""Synthetic tournaments and results for tests of the store, without playing."""

import random
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select

from arena.store import Store
from arena.store.registry import bots
from arena.store.save import MatchResult, save_results
from arena.store.tables import match_seats, matches
from arena.store.tournaments import creation
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import (
    FromSecret,
    PlannedMatch,
    TournamentSpec,
    check_spec,
    format_of,
)
from arena.tournaments.formats.secret import repeatable

SALT = "5a" * 16  # makes tournaments reproducible
NAMES = ("ada", "bob", "cyd", "dan", "eve")


def entered(store: Store, names: Sequence[str] = NAMES, **asked: Any) -> Tournament:
    """Creates a tournament of these bots and registers them if necessary.

    Uses duplicate deals, unless `matches` is given: then each match has a separate deal.
    """
    fields: dict[str, Any] = {"seats": 3, "repeats": 7, "bots": tuple(names), **asked}
    if fields["repeats"] is not None:
        fields["salt"] = SALT
    fields["trusted"] = True
    if "matches" not in fields:
        options = {**fields.get("format_options", {}), "deals": "duplicate"}
        fields = {"deals": 2, **fields, "format_options": options}
    spec = TournamentSpec(**fields)
    with store.write() as conn:
        known = {bot.name for bot in bots.all_bots(conn)}
        for name in names:
            if name not in known:
                bots.register(conn, name)
        return creation.create(conn, check_spec(spec), now=1000.0)


def schedule(tournament: Tournament) -> list[PlannedMatch]:
    """All matches of a tournament that fits in few blocks."""
    found: list[PlannedMatch] = []
    number = 0
    while block := format_of(tournament.spec.format).block(tournament.spec, number):
        found += block
        number += 1
    return found


def source_of(tournament: Tournament) -> FromSecret:
    """The source of a repeatable tournament's cards."""
    assert tournament.spec.repeats is not None
    secret = repeatable(tournament.spec.repeats, bytes.fromhex(tournament.spec.salt))
    return FromSecret(secret, tournament.id)


def result(tournament: Tournament, planned: PlannedMatch, points: Sequence[int]) -> MatchResult:
    """A result of a scheduled match with these points by seat."""
    spec = tournament.spec
    source = source_of(tournament)
    return MatchResult(
        id=source.match_id(planned.position),
        tournament=tournament.id,
        batch=0,
        position=planned.position,
        deal=planned.deal,
        game=spec.game,
        ruleset="1",
        options=spec.options,
        seed=source.deal_seed(planned.deal),
        players=tuple(tournament.players[entrant] for entrant in planned.seats),
        points=tuple(points),
        ranks=tuple(1 + sum(other < mine for other in points) for mine in points),
        faults=(0,) * len(points),
        forfeited=(False,) * len(points),
        log=b"log of " + str(planned.position).encode(),
        started=2000.0 + planned.position,
        finished=2001.0 + planned.position,
    )


def results(tournament: Tournament, luck: int = 1) -> list[MatchResult]:
    """Results of the whole schedule in order, including ties and shared wins."""
    chance = random.Random(luck)
    return [
        result(tournament, planned, [chance.randrange(0, 45) // 5 * 5 for _ in planned.seats])
        for planned in schedule(tournament)
    ]


def save(store: Store, found: Sequence[MatchResult]) -> int:
    """Stores results in a separate transaction."""
    with store.write() as conn:
        return save_results(conn, found)


def elo_course(conn: Connection, player: int, game: str = "lama") -> Sequence[Any]:
    """A player's overall Elo after each of its rated matches of a game, oldest first."""
    elo = (match_seats.c.elo_before + match_seats.c.elo_change).label("elo")
    query = select(matches.c.rated_seq, matches.c.finished, elo).join_from(match_seats, matches)
    query = query.where(match_seats.c.player == player, matches.c.game == game)
    rated = matches.c.rated_seq.is_not(None)
    return conn.execute(query.where(rated).order_by(matches.c.rated_seq)).all()
