"""Statistics that follow from matches: a new one is a class and a line (docs/architecture.md)."""

from collections.abc import Iterator

import pytest
from sqlalchemy import BigInteger, Column, Connection, MetaData, Table, delete, func, select, update

from arena.store import Store, rebuild, save
from arena.store.matches.read_columns import rated_of_game
from arena.store.migrate import HEAD
from arena.store.projections import PROJECTIONS, Change
from arena.store.tables import entrants, latencies, projection_versions
from tests.made_results import entered, results
from tests.made_results import save as save_all

# When the same matches give other numbers, the version goes up *and* a migration is added, which
# stops processes of older releases: they would go on counting as before.
PINNED = (
    "0100",
    {
        "elo": 2,
        "counters": 1,
        "sibling_totals": 1,
        "seat_totals": 1,
        "latencies": 1,
        "deal_sums": 1,
        "table_sums": 1,
        "fault_streaks": 1,
        "deal_luck": 2,
        "table_luck": 2,
        "player_luck": 2,
    },
)

points_given = Table("points_given", MetaData(), Column("points", BigInteger, nullable=False))


class PointsGiven:
    """The recipe: all points that a game's matches have given."""

    name = "points_given"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        new = sum(sum(result.points) for result in change.results.values())
        conn.execute(update(points_given).values(points=points_given.c.points + new))

    def rebuild(self, conn: Connection, game: str) -> None:
        conn.execute(update(points_given).values(points=self._recount(conn, game)))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        if conn.scalar(select(points_given.c.points)) != self._recount(conn, game):
            yield "the points given differ"

    def _recount(self, conn: Connection, game: str) -> int:
        return int(rated_of_game(conn, game).points.sum())


@pytest.fixture
def another(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[PointsGiven]:
    """One more projection, with its table."""
    with store.write() as conn:
        points_given.create(conn)
        conn.execute(points_given.insert().values(points=0))
    projection = PointsGiven()
    for module in (save, rebuild):
        monkeypatch.setattr(module, "PROJECTIONS", (*PROJECTIONS, projection))
    yield projection
    with store.write() as conn:
        points_given.drop(conn)
        conn.execute(
            delete(projection_versions).where(projection_versions.c.name == "points_given")
        )


def points(store: Store) -> int:
    with store.read() as conn:
        return int(conn.scalar(select(points_given.c.points)) or 0)


def test_a_projection_is_kept_up_to_date_compared_and_rebuilt(
    store: Store, another: PointsGiven
) -> None:
    played = results(entered(store))

    save_all(store, played)

    assert points(store) == sum(sum(result.points) for result in played) > 0
    with store.write() as conn:
        assert rebuild.compare(conn, "lama").differences == ()
        conn.execute(update(points_given).values(points=1))
        assert rebuild.compare(conn, "lama").differences == ("the points given differ",)
        rebuild.rebuild(conn, "lama")
        assert rebuild.compare(conn, "lama").differences == ()


def test_an_upgrade_rebuilds_only_projections_of_another_version(
    store: Store, another: PointsGiven
) -> None:
    save_all(store, results(entered(store)))
    before = points(store)
    with store.write() as conn:
        conn.execute(update(points_given).values(points=0))
        assert rebuild.rebuild_changed(conn) == ["points_given"]
    assert points(store) == before

    another.version = 2
    with store.write() as conn:
        conn.execute(update(points_given).values(points=0))
        # Of the others the version is the same: what is wrong with them stays.
        conn.execute(delete(latencies))
        assert rebuild.rebuild_changed(conn) == ["points_given"]
        assert rebuild.rebuild_changed(conn) == []
        assert conn.scalar(select(func.count()).select_from(latencies)) == 0
    assert points(store) == before


def test_a_new_database_knows_the_versions_of_its_projections(store: Store) -> None:
    with store.read() as conn:
        row = projection_versions.c
        stored = dict(conn.execute(select(row.name, row.version)).all())
    assert stored == {each.name: each.version for each in PROJECTIONS}


def test_a_new_projection_version_needs_a_migration() -> None:
    now = {each.name: each.version for each in PROJECTIONS}
    assert (PINNED[0] <= HEAD, now) == (True, PINNED[1]), "raise HEAD together with a version"


def test_counters_that_do_not_follow_from_the_matches_are_found_and_mended(store: Store) -> None:
    save_all(store, results(entered(store)))
    with store.write() as conn:
        conn.execute(update(entrants).values(wins=entrants.c.wins + 1))

        (difference,) = rebuild.compare(conn, "lama").differences
        rebuild.rebuild(conn, "lama")

        assert difference == "the counters of tournament 1 differ"
        assert rebuild.compare(conn, "lama").differences == ()
