"""The first schema: bots, tournaments, matches, ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes all tables."""
    op.create_table(
        "bots",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("token_digest", sa.LargeBinary(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bots"),
        sa.UniqueConstraint("name_key", name="uq_bots_name_key"),
        sa.UniqueConstraint("token_digest", name="uq_bots_token_digest"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "rated_games",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("rated", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game", name="pk_rated_games"),
    )
    op.create_table(
        "tournaments",
        sa.Column("id", KEY, nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("waiting_since", sa.Double(), nullable=False),
        sa.Column("started", sa.Double(), nullable=True),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("planned", sa.BigInteger(), nullable=False),
        sa.Column("played", sa.BigInteger(), nullable=False),
        sa.Column("rated", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tournaments"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tournaments_state", "tournaments", ["state"], unique=False)
    op.create_table(
        "batches",
        sa.Column("tournament", KEY, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("matches", sa.Text(), nullable=False),
        sa.Column("parked", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["tournament"], ["tournaments.id"], name="fk_batches_tournament"),
        sa.PrimaryKeyConstraint("tournament", "number", name="pk_batches"),
    )
    op.create_table(
        "matches",
        sa.Column("number", KEY, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tournament", KEY, nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("deal", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("ruleset", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("seats", sa.SmallInteger(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("log", sa.LargeBinary(), nullable=False),
        sa.Column("started", sa.Double(), nullable=False),
        sa.Column("finished", sa.Double(), nullable=False),
        sa.Column("rated_seq", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["tournament"], ["tournaments.id"], name="fk_matches_tournament"),
        sa.PrimaryKeyConstraint("number", name="pk_matches"),
        sa.UniqueConstraint("game", "rated_seq", name="uq_matches_game_rated_seq"),
        sa.UniqueConstraint("id", name="uq_matches_id"),
        sa.UniqueConstraint("tournament", "position", name="uq_matches_tournament_position"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_matches_tournament_deal", "matches", ["tournament", "deal"], unique=False)
    op.create_index(
        "ix_matches_tournament_number", "matches", ["tournament", "number"], unique=False
    )
    op.create_table(
        "players",
        sa.Column("id", KEY, nullable=False),
        sa.Column("bot", KEY, nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["bot"], ["bots.id"], name="fk_players_bot"),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("bot", "version", name="uq_players_bot_version"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "entrants",
        sa.Column("tournament", KEY, nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("player", KEY, nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.Column("wins", sa.BigInteger(), nullable=False),
        sa.Column("shared", sa.BigInteger(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
        sa.Column("opponents", sa.BigInteger(), nullable=False),
        sa.Column("halves", sa.BigInteger(), nullable=False),
        sa.Column("faults", sa.BigInteger(), nullable=False),
        sa.Column("forfeits", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_entrants_player"),
        sa.ForeignKeyConstraint(["tournament"], ["tournaments.id"], name="fk_entrants_tournament"),
        sa.PrimaryKeyConstraint("tournament", "entrant", name="pk_entrants"),
        sa.UniqueConstraint("tournament", "player", name="uq_entrants_tournament_player"),
    )
    op.create_index("ix_entrants_player", "entrants", ["player"], unique=False)
    op.create_table(
        "match_seats",
        sa.Column("match", KEY, nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("player", KEY, nullable=False),
        sa.Column("bot", KEY, nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("rank", sa.SmallInteger(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("forfeited", sa.Boolean(), nullable=False),
        sa.Column("elo_before", sa.Double(), nullable=True),
        sa.Column("elo_change", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name="fk_match_seats_match"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_match_seats_player"),
        sa.PrimaryKeyConstraint("match", "seat", name="pk_match_seats"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_match_seats_bot_match", "match_seats", ["bot", "match"], unique=False)
    op.create_table(
        "ratings",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("seats", sa.SmallInteger(), nullable=False),
        sa.Column("player", KEY, nullable=False),
        sa.Column("elo", sa.Double(), nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.Column("wins", sa.BigInteger(), nullable=False),
        sa.Column("shared", sa.BigInteger(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
        sa.Column("faults", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_ratings_player"),
        sa.PrimaryKeyConstraint("game", "seats", "player", name="pk_ratings"),
    )
    op.create_table(
        "fault_notes",
        sa.Column("match", KEY, nullable=False),
        sa.Column("note", sa.Integer(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("bot", KEY, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("instead", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match", "seat"],
            ["match_seats.match", "match_seats.seat"],
            name="fk_fault_notes_match_seat",
        ),
        sa.PrimaryKeyConstraint("match", "note", name="pk_fault_notes"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_fault_notes_bot_match", "fault_notes", ["bot", "match"], unique=False)
