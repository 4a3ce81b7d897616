"""Tables of finished matches by month (PostgreSQL); what they are so far is kept as the first part.

No row is moved. SQLite keeps its tables, in which numbers by month begin with the next match.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

FIRST_OF_A_MONTH = 1 << 36
KEYS = {"matches": "number", "match_seats": "match, seat", "fault_notes": "match, note"}
INDEXES = {
    "matches": ("tournament, number", "tournament, deal", "tournament, finished"),
    "match_seats": ("bot, match",),
    "fault_notes": ("bot, match",),
}
OWN_NAMES = sa.text("SELECT indexname FROM pg_indexes WHERE tablename = :table")


def upgrade() -> None:
    """Makes partitioned tables, of which those that there were become the first partition."""
    if op.get_bind().dialect.name == "sqlite":
        return
    for table in KEYS:
        _make_way(table)
    for table, key in KEYS.items():
        op.execute(
            f"CREATE TABLE {table} (LIKE {table}_earlier INCLUDING DEFAULTS) "
            f"PARTITION BY RANGE ({key.partition(',')[0]})"
        )
        op.execute(f"ALTER TABLE {table} ADD CONSTRAINT pk_{table} PRIMARY KEY ({key})")
        for columns in INDEXES[table]:
            name = "_".join(["ix", table, *columns.split(", ")])
            op.execute(f"CREATE INDEX {name} ON {table} ({columns})")
        op.execute(
            f"ALTER TABLE {table} ATTACH PARTITION {table}_earlier "
            f"FOR VALUES FROM (MINVALUE) TO ({FIRST_OF_A_MONTH})"
        )
        op.execute(f"ALTER TABLE {table}_earlier DROP CONSTRAINT ck_{table}_earlier")
    op.execute("ALTER SEQUENCE matches_number_seq OWNED BY matches.number")


def _make_way(table: str) -> None:
    """Gives table and indexes other names."""
    names = op.get_bind().scalars(OWN_NAMES, {"table": table}).all()
    op.execute(f"ALTER TABLE {table} RENAME TO {table}_earlier")
    for name in names:
        op.execute(f"ALTER INDEX {name} RENAME TO {name.replace(table, f'{table}_earlier', 1)}")
