"""What is stored so far is before all months (PostgreSQL): said at once, and not looked at yet."""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"

FIRST_OF_A_MONTH = 1 << 36
NUMBERS = {"matches": "number", "match_seats": "match", "fault_notes": "match"}


def upgrade() -> None:
    """Adds conditions, which new rows are held to."""
    if op.get_bind().dialect.name == "sqlite":
        return
    for table, number in NUMBERS.items():
        condition = f"CHECK ({number} IS NOT NULL AND {number} < {FIRST_OF_A_MONTH}) NOT VALID"
        op.execute(f"ALTER TABLE {table} ADD CONSTRAINT ck_{table}_earlier {condition}")
