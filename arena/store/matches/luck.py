"""The luck of finished matches: the effect of chance on each seat, computed by a luck model.

It is computed after the match (`arena.store.luck`) and stored with the model: in units of
`arena.tournaments.ratings.match_luck`, by pair of seats, and by kind of event and seat. It stays in
the database when a month is archived, because ratings need it. The luck of single events is not
stored: it follows from the match and the model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, bindparam, func, insert, select

from arena.store.dialects import insert as tolerant_insert
from arena.store.dialects import write_rows
from arena.store.matches.columns import Booleans
from arena.store.tables import luck_models, luck_progress, match_luck
from arena.tournaments.ratings.deal_sums import Integers
from arena.tournaments.ratings.match_luck import MatchLuck, pack, unpack

CHUNK = 20_000  # matches read together

INSERT = insert(match_luck)
_row = match_luck.c
BETWEEN = (
    select(_row.match, _row.model, _row.luck)
    .where(_row.match.between(bindparam("first"), bindparam("last")))
    .order_by(_row.match)
)


@dataclass(frozen=True, slots=True)
class StoredLuck:
    """The luck of a match, and the name of the model that computed it."""

    model: str
    luck: MatchLuck


def of_match(conn: Connection, number: int, seats: int) -> StoredLuck | None:
    """The luck of one match; None while it is unknown."""
    return of_matches(conn, {number: seats}).get(number)


def of_matches(conn: Connection, seats: Mapping[int, int]) -> dict[int, StoredLuck]:
    """By number, the known luck of these matches (number: seats)."""
    rows = conn.execute(
        select(_row.match, luck_models.c.name, _row.luck)
        .join_from(match_luck, luck_models)
        .where(_row.match.in_(list(seats)))
    )
    return {
        number: StoredLuck(model, unpack(seats[number], packed)) for number, model, packed in rows
    }


def known(conn: Connection, numbers: Sequence[int]) -> set[int]:
    """The numbers of these matches with stored luck."""
    if not numbers:
        return set()
    query = select(_row.match).where(_row.match.between(min(numbers), max(numbers)))
    return set(conn.scalars(query)).intersection(numbers)


def any_at_all(conn: Connection) -> bool:
    return conn.scalar(select(func.min(_row.match))) is not None


def store(conn: Connection, model: str, lucky: Mapping[int, MatchLuck]) -> None:
    """Stores the luck of matches by number; none of it may be stored already."""
    conn.execute(tolerant_insert(conn, luck_models).values(name=model).on_conflict_do_nothing())
    named = select(luck_models.c.id).where(luck_models.c.name == model)
    key = int(conn.scalars(named).one())
    rows = [(number, key, pack(lucky[number])) for number in sorted(lucky)]
    write_rows(conn, INSERT, ("match", "model", "luck"), rows)


def columns(
    conn: Connection, numbers: Integers, seats: int
) -> tuple[Booleans, Integers, Integers, Integers]:
    """For M matches with a number of seats n, by their `numbers` (M,): whether the luck is known
    (M,), the key of the model (M,), the luck by pair (M, n(n-1)/2), and by kind and seat
    (M, kinds, n); 0 where it is unknown."""
    nothing = unpack(seats, b"\0\0" * (seats * (seats - 1) // 2))
    have = np.zeros(len(numbers), dtype=np.bool_)
    models = np.zeros(len(numbers), dtype=np.int64)
    pairs = np.zeros((len(numbers), len(nothing.pairs)), dtype=np.int64)
    kinds = np.zeros((len(numbers), *nothing.kinds.shape), dtype=np.int64)
    order = np.argsort(numbers, kind="stable")
    for start in range(0, len(order), CHUNK):
        chunk = order[start : start + CHUNK]
        within = numbers[chunk]
        rows = conn.execute(BETWEEN, {"first": int(within[0]), "last": int(within[-1])})
        found = {number: (model, packed) for number, model, packed in rows}
        for place, number in zip(chunk.tolist(), within.tolist(), strict=True):
            if number in found:
                models[place], packed = found[number]
                luck = unpack(seats, packed)
                have[place], pairs[place], kinds[place] = True, luck.pairs, luck.kinds
    return have, models, pairs, kinds


@dataclass(frozen=True, slots=True)
class LuckProgress:
    """Progress of a tournament's luck: the number of the last processed match, the number of
    processed matches, and the model of the newest one, or ""."""

    after: int = 0
    seen: int = 0
    model: str = ""


def progress(conn: Connection, tournament: int) -> LuckProgress:
    row = luck_progress.c
    query = select(row.after, row.seen, row.model).where(row.tournament == tournament)
    found = conn.execute(query).first()
    return LuckProgress() if found is None else LuckProgress(*found)
