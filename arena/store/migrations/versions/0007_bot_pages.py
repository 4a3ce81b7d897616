"""What the pages of bots show: the course of Elo with its band, results by seat, latencies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the tables. What belongs into them is counted by `arena.store.migrate`."""
    op.add_column(
        "ratings", sa.Column("variance", sa.Double(), nullable=False, server_default="40000")
    )
    op.create_table(
        "elo_courses",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("seats", sa.SmallInteger(), nullable=False),
        sa.Column("player", KEY, nullable=False),
        sa.Column("every", sa.BigInteger(), nullable=False),
        sa.Column("marks", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_elo_courses_player"),
        sa.PrimaryKeyConstraint("game", "seats", "player", name="pk_elo_courses"),
    )
    op.create_table(
        "seat_sums",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("player", KEY, nullable=False),
        sa.Column("seats", sa.SmallInteger(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("matches", "wins", "shared", "points", "halves", "faults", "forfeits")
        ),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_seat_sums_player"),
        sa.PrimaryKeyConstraint("game", "player", "seats", "seat", name="pk_seat_sums"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "latencies",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("player", KEY, nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_latencies_player"),
        sa.PrimaryKeyConstraint("game", "player", name="pk_latencies"),
        sqlite_with_rowid=False,
    )
