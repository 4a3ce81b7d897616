"""Everything that follows from stored matches, made again from them, and compared with it.

Live Elo is replayed in the sequence in which matches were rated, the sums over deals are
added up anew. Both come out the same to the bit, unless the store was tampered with or this
program counts otherwise than the one that stored them. Latencies are counted again only when
all is made anew: that takes a replay of every match.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select

from arena.store import courses, deals, luck, rate, seat_sums, tallies
from arena.store.bots import by_players
from arena.store.rate import Lines
from arena.store.tables import matches, ratings


@dataclass(frozen=True, slots=True)
class Recount:
    """How many matches were rated again, how many deals counted again, and what differed."""

    game: str
    matches: int
    deals: int
    differences: tuple[str, ...] = ()


def games(conn: Connection) -> list[str]:
    """The games that have matches, by name."""
    return sorted(conn.scalars(select(matches.c.game).distinct()))


def rebuild(conn: Connection, game: str) -> Recount:
    """Makes a game's ratings and sums again from its matches, and stores them."""
    luck.rebuild(conn, game)
    tallies.rebuild(conn, game)
    return Recount(game, rate.rebuild(conn, game), deals.rebuild(conn, game))


def count_all_again(conn: Connection) -> None:
    """Rebuilds every game."""
    for game in games(conn):
        rebuild(conn, game)


def compare(conn: Connection, game: str) -> Recount:
    """Makes a game's ratings and sums again and compares them, to the bit, with what is stored.

    Changes nothing. Where results are being stored meanwhile, the connection must read from
    one snapshot (SQLite always does).
    """
    lines: Lines = {}
    count = wrong = 0
    for chunk in rate.rated_matches(conn, game):
        again = {number: rate.play(lines, seq, outcome) for seq, number, outcome in chunk}
        count += len(again)
        wrong += len(rate.unlike(conn, again))
    differences = [f"the Elo of {wrong:,} matches differs"] if wrong else []
    differences += _wrong_lines(conn, game, lines)
    differences += _wrong_counts(conn, game, lines)
    made, kept = deals.recount(conn, game), deals.stored(conn, game)
    unlike = sum(made.get(key) != kept.get(key) for key in made.keys() | kept.keys())
    if unlike:
        differences.append(f"the sums of {unlike:,} compositions differ")
    tables = luck.unlike(conn, game)
    if tables:
        differences.append(f"the sums of {tables:,} tables of tournaments differ")
    return Recount(game, count, sum(sums.deals for sums in made.values()), tuple(differences))


def _wrong_counts(conn: Connection, game: str, lines: Lines) -> Iterator[str]:
    """What differs of the courses of Elo and of the results by seat."""
    wrong = courses.unlike(conn, game, {key: line.marks for key, line in lines.items()})
    if wrong:
        yield f"{wrong:,} courses of Elo differ"
    made, kept = tallies.recount(conn, game), seat_sums.stored(conn, game)
    wrong = sum(made.get(key) != kept.get(key) for key in made.keys() | kept.keys())
    if wrong:
        yield f"the results by seat differ {wrong:,} times"


def _wrong_lines(conn: Connection, game: str, lines: Lines) -> list[str]:
    """Whose line of which rating table differs."""
    keys = select(ratings.c.seats, ratings.c.player).where(ratings.c.game == game)
    everybody = {(row.seats, row.player) for row in conn.execute(keys)} | lines.keys()
    kept = rate.load(conn, game, {key[0] for key in everybody}, {key[1] for key in everybody})
    wrong = sorted(key for key in everybody if kept.get(key) != lines.get(key))
    named = by_players(conn, {player for _, player in wrong})
    return [
        f"the line of {named[player].name} (version {named[player].version}) differs in the "
        f"table for {f'{seats} seats' if seats else 'all seats'}"
        for seats, player in wrong
    ]
