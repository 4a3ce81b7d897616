"""The luck of matches, and what follows from it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
PROJECTIONS = ("deal_luck", "table_luck", "player_luck")


def upgrade() -> None:
    """Makes the tables; no luck is known so far."""
    op.create_table(
        "luck_models",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_luck_models"),
        sa.UniqueConstraint("name", name="uq_luck_models_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "match_luck",
        *(sa.Column(name, KEY, nullable=False) for name in ("match", "model")),
        sa.Column("luck", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("match", name="pk_match_luck"),
        sa.ForeignKeyConstraint(
            ["model"], ["luck_models.id"], name="fk_match_luck_model_luck_models"
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "luck_progress",
        sa.Column("tournament", KEY, nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("after", "seen")),
        sa.Column("model", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tournament", name="pk_luck_progress"),
        _of_tournament("luck_progress"),
    )
    _make_deal_luck()
    op.create_table(
        "table_luck",
        sa.Column("tournament", KEY, nullable=False),
        sa.Column("seated", sa.LargeBinary(), nullable=False),
        sa.Column("part", sa.SmallInteger(), nullable=False),
        sa.Column("deals", sa.BigInteger(), nullable=False),
        sa.Column("sums", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tournament", "seated", "part", name="pk_table_luck"),
        _of_tournament("table_luck"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "player_luck",
        *(sa.Column(name, KEY, nullable=False) for name in ("tournament", "player")),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("matches", "luck")),
        *(sa.Column(name, sa.LargeBinary(), nullable=False) for name in ("kinds", "wins")),
        sa.PrimaryKeyConstraint("tournament", "player", name="pk_player_luck"),
        _of_tournament("player_luck"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_player_luck_player_players"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_player_luck_player", "player_luck", ["player"])
    _note_projections()


def _make_deal_luck() -> None:
    op.create_table(
        "deal_luck",
        sa.Column("game", sa.Text(), nullable=False),
        *(sa.Column(name, sa.SmallInteger(), nullable=False) for name in ("seats", "size")),
        sa.Column("composition", sa.LargeBinary(), nullable=False),
        sa.Column("deals", sa.BigInteger(), nullable=False),
        sa.Column("sums", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("game", "seats", "size", "composition", name="pk_deal_luck"),
        sqlite_with_rowid=False,
    )


def _note_projections() -> None:
    """Empty as they are, they are what counting again would give."""
    for name in PROJECTIONS:
        op.execute(
            "INSERT INTO projection_versions (name, version) "  # noqa: S608
            f"SELECT '{name}', 1 WHERE NOT EXISTS "
            f"(SELECT 1 FROM projection_versions WHERE name = '{name}')"
        )


def _of_tournament(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_tournament_tournaments"
    return sa.ForeignKeyConstraint(["tournament"], ["tournaments.id"], name=name)
