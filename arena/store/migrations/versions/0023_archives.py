"""Which files hold the matches of months that are archived."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the tables; nothing is archived so far."""
    op.add_column(
        "rated_games", sa.Column("rebuilt", sa.BigInteger(), nullable=False, server_default="0")
    )
    op.create_table(
        "archives",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("month", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("first", "last")),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        *(sa.Column(name, sa.Double(), nullable=False) for name in ("ended", "created")),
        sa.PrimaryKeyConstraint("id", name="pk_archives"),
        sa.UniqueConstraint("name", name="uq_archives_name"),
        sqlite_autoincrement=True,
    )
    _make_part(
        "archived_tournaments",
        ("tournament", "archive"),
        sa.Column("game", sa.Text(), nullable=False),
        *(sa.Column(n, sa.BigInteger(), nullable=False) for n in ("matches", "rated", "last")),
    )
    _make_part(
        "archived_deals",
        ("tournament", "deal", "archive"),
        sa.Column("deal", sa.BigInteger(), nullable=False),
        sa.Column("matches", sa.SmallInteger(), nullable=False),
    )


def _make_part(table: str, key: tuple[str, ...], *columns: sa.Column[int] | sa.Column[str]) -> None:
    """A table of what archives have of tournaments."""
    op.create_table(
        table,
        sa.Column("tournament", KEY, nullable=False),
        sa.Column("archive", KEY, nullable=False),
        *columns,
        sa.PrimaryKeyConstraint(*key, name=f"pk_{table}"),
        sa.ForeignKeyConstraint(
            ["tournament"], ["tournaments.id"], name=f"fk_{table}_tournament_tournaments"
        ),
        sa.ForeignKeyConstraint(["archive"], ["archives.id"], name=f"fk_{table}_archive_archives"),
        sqlite_with_rowid=False,
    )
    op.create_index(f"ix_{table}_archive", table, ["archive"])
