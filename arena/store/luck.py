"""Stores the luck of matches, which is computed after they are stored.

The matches of a tournament are processed in the order in which they were stored; the progress is
stored with the luck (`luck_progress`). Matches get their numbers under the tournament's lock, so no
lower number comes later. Computing luck holds no lock. One short transaction stores the luck once,
with everything that depends on it. Until then matches count with their unadjusted scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache

from sqlalchemy import Connection, Select, bindparam, func, select, update

from arena.store.dialects import upsert
from arena.store.matches import luck as match_luck
from arena.store.matches.luck import LuckProgress
from arena.store.matches.luck import progress as progress  # used as luck.progress
from arena.store.matches.read_columns import of_deals
from arena.store.matches.rows import WHOLE, StoredMatch, read_whole
from arena.store.projections import LUCK
from arena.store.projections.elo import lock_game
from arena.store.projections.lucky import change_of, how_it_counts, of_numbers
from arena.store.tables import archived_deals, luck_progress, matches, tournaments
from arena.store.tournaments import daily
from arena.store.tournaments.tournaments import get, lock_row, played
from arena.tournaments.ratings.match_luck import MatchLuck


def pending(conn: Connection, most: int) -> list[int]:
    """Tournaments of all kinds with unprocessed matches, newest first: current matches do not wait
    for old ones. The luck of a sealed deal stays unknown."""
    return list(conn.scalars(_pending(), {"most": most}))


@cache  # building the query takes longer than running it
def _pending() -> Select[int]:
    row, far = tournaments.c, luck_progress.c
    query = select(row.id).outerjoin_from(tournaments, luck_progress)
    query = query.where(row.played > func.coalesce(far.seen, 0), ~daily.sealed(row.id))
    return query.order_by(row.id.desc()).limit(bindparam("most"))


def next_matches(conn: Connection, tournament: int, most: int) -> list[StoredMatch]:
    """The next unprocessed matches of a tournament, in the order in which they were stored."""
    far = progress(conn, tournament)
    query = WHOLE.where(matches.c.tournament == tournament, matches.c.number > far.after)
    return read_whole(conn, query.order_by(matches.c.number).limit(most))


def save_luck(
    conn: Connection, tournament: int, looked_at: Mapping[int, MatchLuck | None], model: str
) -> int:
    """Stores the luck of matches by number and marks all of them as processed, even without luck.
    Returns how many had no stored luck before. `model` is the model's name, or "". Raises NotFound
    for an unknown tournament."""
    lock_row(conn, tournament)
    far = progress(conn, tournament)
    numbers = [number for number in sorted(looked_at) if number > far.after]
    lucky = {number: luck for number in numbers if (luck := looked_at[number]) is not None}
    if lucky:
        _save(conn, tournament, lucky, model)
    after = max([far.after, *numbers])
    _note(conn, tournament, LuckProgress(after, far.seen + len(numbers), model or far.model))
    return len(lucky)


def skip_all(conn: Connection, tournament: int) -> None:
    """Marks all stored matches as processed, because there is no model for them."""
    lock_row(conn, tournament)
    row = matches.c
    newest = conn.scalar(select(func.max(row.number)).where(row.tournament == tournament))
    far = progress(conn, tournament)
    after = max(far.after, int(newest or 0))
    _note(conn, tournament, LuckProgress(after, played(conn, tournament), far.model))


def skip_archived(conn: Connection, tournament: int) -> None:
    """Marks all matches as processed if none is left in the database. The others were archived
    before their turn, and count with their unadjusted scores."""
    lock_row(conn, tournament)
    far, row = progress(conn, tournament), matches.c
    query = select(row.number).where(row.tournament == tournament, row.number > far.after)
    if conn.scalar(query.limit(1)) is None:
        _note(conn, tournament, LuckProgress(far.after, played(conn, tournament), far.model))


def look_again(conn: Connection, tournament: int | None = None) -> None:
    """Marks matches without luck as unprocessed: all of a tournament, or of all tournaments without
    a model."""
    row = luck_progress.c
    chosen = row.model == "" if tournament is None else row.tournament == tournament
    conn.execute(update(luck_progress).where(chosen).values(after=0, seen=0))


def _save(conn: Connection, tournament: int, lucky: Mapping[int, MatchLuck], model: str) -> None:
    game = get(conn, tournament).spec.game
    corrected, each = how_it_counts(conn, tournament)
    if corrected:
        lock_game(conn, game)
    stored = match_luck.known(conn, list(lucky))
    fresh = {number: luck for number, luck in lucky.items() if number not in stored}
    deals = _deals(conn, tournament, list(fresh))
    fresh = {number: luck for number, luck in fresh.items() if number in deals}
    if not fresh:
        return
    match_luck.store(conn, model, fresh)
    # Their luck was not complete before: each deal has a new match.
    found = of_numbers(conn, *of_deals(conn, tournament, sorted({deals[n] for n in fresh})))
    change = change_of(tournament, game, corrected, found, each)
    for projection in LUCK:
        projection.take_in(conn, change)


def _deals(conn: Connection, tournament: int, numbers: Sequence[int]) -> dict[int, int]:
    """By number, the deals of these matches; without matches that are archived by now, or of whose
    deal a part is archived, so that its matches are never read together."""
    row, part = matches.c, archived_deals.c
    if not numbers:
        return {}
    query = select(row.number, row.deal).where(
        row.tournament == tournament, row.number.between(min(numbers), max(numbers))
    )
    archived = set(conn.scalars(select(part.deal).where(part.tournament == tournament)))
    wanted = set(numbers)
    found = conn.execute(query).all()
    return {n: deal for n, deal in found if n in wanted and deal not in archived}


def _note(conn: Connection, tournament: int, far: LuckProgress) -> None:
    conn.execute(upsert(conn, luck_progress), {"tournament": tournament, **asdict(far)})
