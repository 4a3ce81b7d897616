"""Reviews of matches, what bots' pages show of them, and hints at tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the tables; nothing is reviewed so far."""
    op.create_table(
        "reviews",
        sa.Column("id", KEY, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("match", "reviewer", "state")),
        sa.Column("whom", sa.Text(), nullable=False),
        sa.Column("asked", sa.Double(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=False),
        sa.Column("done", sa.Double()),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("id", name="pk_reviews"),
        sa.UniqueConstraint("match", "reviewer", name="uq_reviews_match_reviewer"),
        sqlite_autoincrement=True,
    )
    waiting = sa.text("state = 'waiting'")
    op.create_index(
        "ix_reviews_waiting", "reviews", ["id"], sqlite_where=waiting, postgresql_where=waiting
    )
    op.create_table(
        "review_seats",
        sa.Column("review", KEY, nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        *(sa.Column(name, KEY, nullable=False) for name in ("player", "bot")),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("finished", sa.Double(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Double(), nullable=False) for name in ("lost", "stake")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("phases", "worst")),
        sa.PrimaryKeyConstraint("review", "seat", name="pk_review_seats"),
        sa.ForeignKeyConstraint(["review"], ["reviews.id"], name="fk_review_seats_review_reviews"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_review_seats_player_players"),
        sa.ForeignKeyConstraint(["bot"], ["bots.id"], name="fk_review_seats_bot_bots"),
    )
    op.create_index(
        "ix_review_seats_bot_game_finished", "review_seats", ["bot", "game", "finished"]
    )
    op.create_table(
        "hints",
        sa.Column("tournament", KEY, nullable=False),
        sa.Column("given", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tournament", name="pk_hints"),
        sa.ForeignKeyConstraint(
            ["tournament"], ["tournaments.id"], name="fk_hints_tournament_tournaments"
        ),
    )
