"""The sums of luck are kept by fold and model, so that coefficients can be fitted to them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes both tables again: the new versions of their projections fill them from the luck that
    is stored with the matches."""
    op.drop_table("deal_luck")
    op.create_table(
        "deal_luck",
        sa.Column("game", sa.Text(), nullable=False),
        *(sa.Column(name, sa.SmallInteger(), nullable=False) for name in ("seats", "size")),
        sa.Column("composition", sa.LargeBinary(), nullable=False),
        sa.Column("model", KEY, nullable=False),
        sa.Column("fold", sa.SmallInteger(), nullable=False),
        *_sums(),
        sa.PrimaryKeyConstraint(
            "game", "seats", "size", "composition", "model", "fold", name="pk_deal_luck"
        ),
        _of("deal_luck", "model", "luck_models"),
        sqlite_with_rowid=False,
    )
    op.drop_table("table_luck")
    op.create_table(
        "table_luck",
        sa.Column("tournament", KEY, nullable=False),
        sa.Column("seated", sa.LargeBinary(), nullable=False),
        sa.Column("model", KEY, nullable=False),
        sa.Column("part", sa.SmallInteger(), nullable=False),
        *_sums(),
        sa.PrimaryKeyConstraint("tournament", "seated", "model", "part", name="pk_table_luck"),
        _of("table_luck", "tournament", "tournaments"),
        _of("table_luck", "model", "luck_models"),
        sqlite_with_rowid=False,
    )


def _sums() -> tuple[sa.Column[int], sa.Column[bytes]]:
    return (
        sa.Column("deals", sa.BigInteger(), nullable=False),
        sa.Column("sums", sa.LargeBinary(), nullable=False),
    )


def _of(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=f"fk_{table}_{column}_{other}")
