"""Databases of older releases, made from a new one by taking back what migrations did."""

from __future__ import annotations

from itertools import count

from sqlalchemy import Connection, text

from arena.store.tables import metadata

# By the migration that did it; a newer migration adds its own.
TAKE_BACK = {
    "0011": tuple(
        f"ALTER TABLE entrants DROP COLUMN sibling_{what}"
        for what in ("matches", "opponents", "halves")
    ),
    "0012": (
        "DROP TABLE elo_zeros",
        "ALTER TABLE ratings DROP COLUMN zero",
        "ALTER TABLE ratings DROP COLUMN zero_variance",
    ),
    "0013": ("DROP TABLE projection_versions",),
    "0014": (),  # checkpoints are written otherwise
    "0015": (
        "DROP INDEX ix_batches_open",
        "ALTER TABLE tournaments DROP COLUMN priority",
    ),
    "0016": ("DROP TABLE audit_log",),
    "0017": ("DROP TABLE fault_streaks", "DROP TABLE bench_returns"),
    "0018": ("ALTER TABLE batches RENAME COLUMN checkpoint TO parked",),
    "0019": ("DROP TABLE cancelled_matches", "ALTER TABLE entrants DROP COLUMN withdrawn"),
    "0020": (),  # what follows is about PostgreSQL, see `_take_months_back`
    "0021": (),
    "0022": (),
    "0023": (
        "DROP TABLE archived_deals",
        "DROP TABLE archived_tournaments",
        "DROP TABLE archives",
        "ALTER TABLE rated_games DROP COLUMN rebuilt",
    ),
    "0024": ("DROP TABLE hosts", "ALTER TABLE players DROP COLUMN hosted"),
    "0025": ("DROP TABLE submission_files", "DROP TABLE submissions"),
    "0026": ("DROP TABLE runs",),
    "0027": ("DROP INDEX IF EXISTS ix_matches_game_number",),
    "0028": tuple(
        f"DROP TABLE {table}"
        for table in (
            "player_luck",
            "table_luck",
            "deal_luck",
            "luck_progress",
            "match_luck",
            "luck_models",
        )
    ),
    "0029": ("DROP TABLE hints", "DROP TABLE review_seats", "DROP TABLE reviews"),
    "0030": ("DROP TABLE author_profiles", "DROP TABLE bot_profiles"),
    "0031": tuple(f"DROP TABLE {table}" for table in ("absences", "mails", "mail_links", "emails")),
    "0032": (
        "ALTER TABLE tournaments DROP COLUMN queued_s",
        "ALTER TABLE tournaments DROP COLUMN stopped_s",
    ),
    "0033": ("DROP TABLE identities",),
    "0034": ("DROP TABLE webhook_deliveries", "DROP TABLE webhooks"),
    "0035": ("ALTER TABLE tournaments DROP COLUMN starts_at",),
    "0036": tuple(
        f"ALTER TABLE tournaments DROP COLUMN {column}"
        for column in ("max_bots", "bots_per_author")
    ),
    "0037": ("ALTER TABLE tournaments DROP COLUMN left_out",),
    "0038": ("ALTER TABLE runs DROP COLUMN wall_s",),
    "0039": (),  # a projection counts otherwise
    "0040": tuple(
        statement
        for table in ("accounts", "bots")
        for statement in (f"DROP INDEX ix_{table}_alike", f"ALTER TABLE {table} DROP COLUMN alike")
    ),
    "0041": ("ALTER TABLE players DROP COLUMN program",),
    "0042": ("ALTER TABLE review_seats DROP COLUMN leaks",),
    "0043": tuple(
        statement
        for table, columns in (
            ("deal_luck", "game, seats, size, composition, deals, sums"),
            ("table_luck", "tournament, seated, part, deals, sums"),
        )
        for statement in (
            f"CREATE TABLE older AS SELECT {columns} FROM {table}",
            f"DROP TABLE {table}",
            f"ALTER TABLE older RENAME TO {table}",
        )
    ),
}
PARTITIONED = {"fault_notes": "match", "match_seats": "match", "matches": "number"}


def take_back(conn: Connection, version: str) -> None:
    """Makes the schema that of an older version."""
    if version < "0022" and conn.dialect.name == "postgresql":
        _take_months_back(conn)
    for migration in sorted(TAKE_BACK, reverse=True):
        if migration > version:
            for statement in TAKE_BACK[migration]:
                conn.execute(text(statement))
    conn.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})


def _take_months_back(conn: Connection) -> None:
    """Tables that are not partitioned, with the same rows and numbers from 1 on."""
    numbers = dict(zip(conn.scalars(text("SELECT number FROM matches ORDER BY 1")), count(1)))
    for table in ("matches", "match_seats", "fault_notes"):
        conn.execute(text(f"ALTER TABLE {table} DETACH PARTITION {table}_earlier"))
        columns = ", ".join(metadata.tables[table].c.keys())
        for row in conn.execute(text(f"SELECT {columns} FROM {table}")).mappings().all():
            key = PARTITIONED[table]
            renumbered = {**row, key: numbers[row[key]]}
            places = ", ".join(f":{name}" for name in renumbered)
            values = text(f"INSERT INTO {table}_earlier ({columns}) VALUES ({places})")
            conn.execute(values, renumbered)
    conn.execute(text("ALTER SEQUENCE matches_number_seq OWNED BY matches_earlier.number"))
    for table in PARTITIONED:
        conn.execute(text(f"DROP TABLE {table}"))
        conn.execute(text(f"ALTER TABLE {table}_earlier RENAME TO {table}"))
        names = text("SELECT indexname FROM pg_indexes WHERE tablename = :table")
        for name in conn.scalars(names, {"table": table}).all():
            older = name.replace("_earlier", "")
            conn.execute(text(f"ALTER INDEX {name} RENAME TO {older}"))
    conn.execute(text(f"SELECT setval('matches_number_seq', {len(numbers) + 1}, false)"))
