"""Databases of older releases, made from a new one by taking back what migrations did."""

from __future__ import annotations

from sqlalchemy import Connection, text

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
}


def take_back(conn: Connection, version: str) -> None:
    """Makes the schema that of an older version."""
    for migration in sorted(TAKE_BACK, reverse=True):
        if migration > version:
            for statement in TAKE_BACK[migration]:
                conn.execute(text(statement))
    conn.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})
