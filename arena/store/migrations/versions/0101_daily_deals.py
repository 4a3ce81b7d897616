"""Daily deals, and the ratings of people."""

import sqlalchemy as sa
from alembic import op

revision = "0101"
down_revision = "0100"

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Creates the tables. No account is listed until its owner agrees."""
    op.add_column(
        "accounts", sa.Column("listed", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.create_table(
        "person_ratings",
        sa.Column("account", KEY, sa.ForeignKey("accounts.id"), primary_key=True),
        sa.Column("game", sa.Text, primary_key=True),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("wins", sa.Integer, nullable=False),
        sa.Column("score", sa.Double, nullable=False),
        sa.Column("rating", sa.Double),
        sa.Column("plus_minus", sa.Double),
        sa.Column("pending", sa.Integer, nullable=False),
    )
    op.create_index("ix_person_ratings_game_rating", "person_ratings", ["game", "rating"])
    _partial("ix_person_ratings_pending", "person_ratings", "account", "pending > 0")
    op.create_table(
        "daily_deals",
        sa.Column("id", KEY, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("commitment", sa.LargeBinary, nullable=False),
        sa.Column("opened", sa.Double),
        sa.UniqueConstraint("day", "game", name="uq_daily_deals_day_game"),
        sqlite_autoincrement=True,
    )
    _partial("ix_daily_deals_sealed", "daily_deals", "day", "opened IS NULL")
    op.create_table(
        "daily_attempts",
        sa.Column("deal", KEY, sa.ForeignKey("daily_deals.id"), primary_key=True),
        sa.Column("guest", KEY, sa.ForeignKey("bots.id"), primary_key=True),
        sa.Column("account", KEY, sa.ForeignKey("accounts.id")),
        sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), nullable=False),
        sa.Column("player", KEY, sa.ForeignKey("players.id"), nullable=False),
        sa.UniqueConstraint("tournament", name="uq_daily_attempts_tournament"),
        sa.UniqueConstraint("deal", "account", name="uq_daily_attempts_deal_account"),
    )
    op.create_index("ix_daily_attempts_account", "daily_attempts", ["account"])


def _partial(name: str, table: str, column: str, where: str) -> None:
    op.create_index(
        name, table, [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where)
    )
