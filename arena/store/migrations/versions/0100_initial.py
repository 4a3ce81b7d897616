"""All tables of lama-arena 0.1.0."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0100"
down_revision = None

TABLES = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

sa.Table(
    "accounts",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("name_key", sa.Text, nullable=False),
    sa.Column("password", sa.Text, nullable=False),
    sa.Column("organiser", sa.Boolean, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("alike", sa.Text, nullable=False, server_default=""),
    sa.UniqueConstraint("name_key"),
    sa.Index(None, "alike"),
    sqlite_autoincrement=True,
)

sa.Table(
    "archives",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("month", sa.Integer, nullable=False),
    sa.Column("first", sa.BigInteger, nullable=False),
    sa.Column("last", sa.BigInteger, nullable=False),
    sa.Column("matches", sa.BigInteger, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("ended", sa.Double, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.UniqueConstraint("name"),
    sqlite_autoincrement=True,
)

sa.Table(
    "audit_log",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("time", sa.Double, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("details", sa.Text, nullable=False),
    sqlite_autoincrement=True,
)

sa.Table(
    "deal_sums",
    TABLES,
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column("size", sa.SmallInteger, primary_key=True),
    sa.Column("composition", sa.LargeBinary, primary_key=True),
    sa.Column("deals", sa.BigInteger, nullable=False),
    sa.Column("sums", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

sa.Table(
    "elo_zeros",
    TABLES,
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column("shift", sa.Double, nullable=False),
    sa.Column("variance", sa.Double, nullable=False),
)

sa.Table(
    "hosts",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("token_digest", sa.LargeBinary, nullable=False),
    sa.Column("started", sa.Double, nullable=False),
    sa.Column("seen", sa.Double, nullable=False),
    sa.UniqueConstraint("token_digest"),
    sqlite_autoincrement=True,
)

sa.Table(
    "luck_models",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.UniqueConstraint("name"),
    sqlite_autoincrement=True,
)

sa.Table(
    "projection_versions",
    TABLES,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
)

sa.Table(
    "rated_games",
    TABLES,
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("rated", sa.BigInteger, nullable=False),
    sa.Column("anchor", sa.Text, nullable=False, server_default="five"),
    sa.Column("deals_version", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("rebuilt", sa.BigInteger, nullable=False, server_default="0"),
)

sa.Table(
    "reviews",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("match", sa.Text, nullable=False),
    sa.Column("reviewer", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("whom", sa.Text, nullable=False),
    sa.Column("asked", sa.Double, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("lease_until", sa.Double, nullable=False),
    sa.Column("done", sa.Double),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("payload", sa.LargeBinary),
    sa.UniqueConstraint("match", "reviewer"),
    sa.Index(
        "ix_reviews_waiting",
        "id",
        sqlite_where=sa.text("state = 'waiting'"),
        postgresql_where=sa.text("state = 'waiting'"),
    ),
    sqlite_autoincrement=True,
)

sa.Table(
    "author_profiles",
    TABLES,
    sa.Column("account", KEY, sa.ForeignKey("accounts.id"), primary_key=True),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("link", sa.Text, nullable=False),
)

sa.Table(
    "bots",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("name_key", sa.Text, nullable=False),
    sa.Column("token_digest", sa.LargeBinary, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("retired", sa.Double),
    sa.Column("kind", sa.Text, nullable=False, server_default="bot"),
    sa.Column("owner", KEY, sa.ForeignKey("accounts.id", name="bots_owner_fkey")),
    sa.Column("alike", sa.Text, nullable=False, server_default=""),
    sa.UniqueConstraint("name_key"),
    sa.UniqueConstraint("token_digest"),
    sa.Index(None, "alike"),
    sa.Index(None, "owner"),
    sqlite_autoincrement=True,
)

sa.Table(
    "deal_luck",
    TABLES,
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column("size", sa.SmallInteger, primary_key=True),
    sa.Column("composition", sa.LargeBinary, primary_key=True),
    sa.Column("model", KEY, sa.ForeignKey("luck_models.id"), primary_key=True),
    sa.Column("fold", sa.SmallInteger, primary_key=True),
    sa.Column("deals", sa.BigInteger, nullable=False),
    sa.Column("sums", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

sa.Table(
    "emails",
    TABLES,
    sa.Column("account", KEY, sa.ForeignKey("accounts.id"), primary_key=True),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("address_key", sa.Text, nullable=False),
    sa.Column("confirmed", sa.Double, nullable=False),
    sa.Column("finished", sa.Boolean, nullable=False),
    sa.Column("offline", sa.Boolean, nullable=False),
    sa.Index(None, "address_key"),
)

sa.Table(
    "identities",
    TABLES,
    sa.Column("provider", sa.Text, primary_key=True),
    sa.Column("subject", sa.Text, primary_key=True),
    sa.Column("account", KEY, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Index(None, "account"),
)

sa.Table(
    "mail_links",
    TABLES,
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("account", KEY, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("address_key", sa.Text, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),
    sa.Index(None, "account"),
    sa.Index(None, "address_key"),
)

sa.Table(
    "mails",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("account", KEY, sa.ForeignKey("accounts.id")),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("due", sa.Double, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Index(None, "account"),
    sa.Index(None, "due"),
    sqlite_autoincrement=True,
)

sa.Table(
    "match_luck",
    TABLES,
    sa.Column("match", KEY, primary_key=True),
    sa.Column("model", KEY, sa.ForeignKey("luck_models.id"), nullable=False),
    sa.Column("luck", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

sa.Table(
    "sessions",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column(
        "account", KEY, sa.ForeignKey("accounts.id", name="fk_sessions_account"), nullable=False
    ),
    sa.Column("browser", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("seen", sa.Double, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),
    sa.UniqueConstraint("digest"),
    sa.Index(None, "account"),
    sa.Index(None, "expires"),
    sqlite_autoincrement=True,
)

sa.Table(
    "tournaments",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("waiting_since", sa.Double, nullable=False),
    sa.Column("started", sa.Double),
    sa.Column("finished", sa.Double),
    sa.Column("planned", sa.BigInteger, nullable=False),
    sa.Column("played", sa.BigInteger, nullable=False),
    sa.Column("rated", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.Text, nullable=False, server_default="tournament"),
    sa.Column("owner", KEY, sa.ForeignKey("accounts.id", name="tournaments_owner_fkey")),
    sa.Column("matches_per_deal", sa.SmallInteger, nullable=False, server_default="0"),
    sa.Column("secret", sa.LargeBinary),
    sa.Column("commitment", sa.LargeBinary),
    sa.Column("priority", sa.Text, nullable=False, server_default="normal"),
    sa.Column("queued_s", sa.Double, nullable=False, server_default="0"),
    sa.Column("stopped_s", sa.Double, nullable=False, server_default="0"),
    sa.Column("starts_at", sa.Double),
    sa.Column("max_bots", sa.Integer),
    sa.Column("bots_per_author", sa.Integer),
    sa.Column("left_out", sa.Text),
    sa.Index(None, "kind", "id"),
    sa.Index(None, "state"),
    sqlite_autoincrement=True,
)

sa.Table(
    "webhooks",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("account", KEY, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("salt", sa.LargeBinary, nullable=False),
    sa.Column("shown", sa.Boolean, nullable=False),
    sa.Column("finished", sa.Boolean, nullable=False),
    sa.Column("offline", sa.Boolean, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("failing_since", sa.Double),
    sa.Column("given_up", sa.Integer, nullable=False),
    sa.Column("busy_until", sa.Double),
    sa.Index(None, "account"),
    sqlite_autoincrement=True,
)

sa.Table(
    "absences",
    TABLES,
    sa.Column("bot", KEY, sa.ForeignKey("bots.id"), primary_key=True),
    sa.Column("since", sa.Double),
    sa.Column("told", sa.Double),
)

sa.Table(
    "archived_deals",
    TABLES,
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id")),
    sa.Column("archive", KEY, sa.ForeignKey("archives.id")),
    sa.Column("deal", sa.BigInteger),
    sa.Column("matches", sa.SmallInteger, nullable=False),
    sa.PrimaryKeyConstraint("tournament", "deal", "archive"),
    sa.Index(None, "archive"),
    sqlite_with_rowid=False,
)

sa.Table(
    "archived_tournaments",
    TABLES,
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("archive", KEY, sa.ForeignKey("archives.id"), primary_key=True),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("matches", sa.BigInteger, nullable=False),
    sa.Column("rated", sa.BigInteger, nullable=False),
    sa.Column("last", sa.BigInteger, nullable=False),
    sa.Index(None, "archive"),
    sqlite_with_rowid=False,
)

sa.Table(
    "batches",
    TABLES,
    sa.Column(
        "tournament",
        KEY,
        sa.ForeignKey("tournaments.id", name="fk_batches_tournament"),
        primary_key=True,
    ),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("first", sa.BigInteger, nullable=False),
    sa.Column("done", sa.Boolean, nullable=False),
    sa.Column("matches", sa.Text, nullable=False),
    sa.Column("checkpoint", sa.LargeBinary),
    sa.Index(
        "ix_batches_open",
        "tournament",
        "number",
        sqlite_where=sa.text("NOT done"),
        postgresql_where=sa.text("NOT done"),
    ),
)

sa.Table(
    "bot_profiles",
    TABLES,
    sa.Column("bot", KEY, sa.ForeignKey("bots.id"), primary_key=True),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("link", sa.Text, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
)

sa.Table(
    "cancelled_matches",
    TABLES,
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("position", sa.BigInteger, primary_key=True),
    sqlite_with_rowid=False,
)

sa.Table(
    "hints",
    TABLES,
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("given", sa.Integer, nullable=False),
)

sa.Table(
    "luck_progress",
    TABLES,
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("after", sa.BigInteger, nullable=False),
    sa.Column("seen", sa.BigInteger, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
)

sa.Table(
    "matches",
    TABLES,
    sa.Column("number", KEY, primary_key=True),
    sa.Column("id", sa.Text, nullable=False),
    sa.Column(
        "tournament",
        KEY,
        sa.ForeignKey("tournaments.id", name="fk_matches_tournament"),
        nullable=False,
    ),
    sa.Column("batch", sa.Integer, nullable=False),
    sa.Column("position", sa.BigInteger, nullable=False),
    sa.Column("deal", sa.BigInteger, nullable=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("ruleset", sa.Text, nullable=False),
    sa.Column("options", sa.Text, nullable=False),
    sa.Column("seats", sa.SmallInteger, nullable=False),
    sa.Column("seed", sa.LargeBinary, nullable=False),
    sa.Column("log", sa.LargeBinary, nullable=False),
    sa.Column("started", sa.Double, nullable=False),
    sa.Column("finished", sa.Double, nullable=False),
    sa.Column("rated_seq", sa.BigInteger),
    sa.UniqueConstraint("game", "rated_seq"),
    sa.UniqueConstraint("id"),
    sa.UniqueConstraint("tournament", "position"),
    sa.Index(None, "tournament", "deal"),
    sa.Index(None, "tournament", "finished"),
    sa.Index(None, "tournament", "number"),
    sqlite_autoincrement=True,
)

sa.Table(
    "plans",
    TABLES,
    sa.Column(
        "tournament",
        KEY,
        sa.ForeignKey("tournaments.id", name="fk_plans_tournament"),
        primary_key=True,
    ),
    sa.Column("blocks", sa.Integer, nullable=False),
    sa.Column("matches", sa.BigInteger, nullable=False),
    sa.Column("so_far", sa.Text, nullable=False),
)

sa.Table(
    "players",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("bot", KEY, sa.ForeignKey("bots.id", name="fk_players_bot"), nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("hosted", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("program", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.UniqueConstraint("bot", "version"),
    sqlite_autoincrement=True,
)

sa.Table(
    "table_luck",
    TABLES,
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("seated", sa.LargeBinary, primary_key=True),
    sa.Column("model", KEY, sa.ForeignKey("luck_models.id"), primary_key=True),
    sa.Column("part", sa.SmallInteger, primary_key=True),
    sa.Column("deals", sa.BigInteger, nullable=False),
    sa.Column("sums", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

sa.Table(
    "table_sums",
    TABLES,
    sa.Column(
        "tournament",
        KEY,
        sa.ForeignKey("tournaments.id", name="fk_table_sums_tournament"),
        primary_key=True,
    ),
    sa.Column("seated", sa.LargeBinary, primary_key=True),
    sa.Column("deals", sa.BigInteger, nullable=False),
    sa.Column("sums", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

sa.Table(
    "unread_tokens",
    TABLES,
    sa.Column(
        "session",
        KEY,
        sa.ForeignKey("sessions.id", name="fk_unread_tokens_session", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("bot", KEY, sa.ForeignKey("bots.id", name="fk_unread_tokens_bot"), primary_key=True),
    sa.Column("masked", sa.LargeBinary, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),
)

sa.Table(
    "webhook_deliveries",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("webhook", KEY, sa.ForeignKey("webhooks.id"), nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("body", sa.Text),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("due", sa.Double),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("tried", sa.Double),
    sa.Column("seconds", sa.Double),
    sa.Column("status", sa.Integer),
    sa.Column("error", sa.Text, nullable=False),
    sa.Index(None, "due"),
    sa.Index(None, "webhook"),
    sqlite_autoincrement=True,
)

sa.Table(
    "bench_returns",
    TABLES,
    sa.Column("player", KEY, sa.ForeignKey("players.id"), primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
)

sa.Table(
    "elo_courses",
    TABLES,
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column(
        "player", KEY, sa.ForeignKey("players.id", name="fk_elo_courses_player"), primary_key=True
    ),
    sa.Column("every", sa.BigInteger, nullable=False),
    sa.Column("marks", sa.LargeBinary, nullable=False),
)

sa.Table(
    "entrants",
    TABLES,
    sa.Column(
        "tournament",
        KEY,
        sa.ForeignKey("tournaments.id", name="fk_entrants_tournament"),
        primary_key=True,
    ),
    sa.Column("entrant", sa.Integer, primary_key=True),
    sa.Column(
        "player", KEY, sa.ForeignKey("players.id", name="fk_entrants_player"), nullable=False
    ),
    sa.Column("matches", sa.BigInteger, nullable=False),
    sa.Column("wins", sa.BigInteger, nullable=False),
    sa.Column("shared", sa.BigInteger, nullable=False),
    sa.Column("points", sa.BigInteger, nullable=False),
    sa.Column("opponents", sa.BigInteger, nullable=False),
    sa.Column("halves", sa.BigInteger, nullable=False),
    sa.Column("faults", sa.BigInteger, nullable=False),
    sa.Column("forfeits", sa.BigInteger, nullable=False),
    sa.Column("sibling_matches", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("sibling_opponents", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("sibling_halves", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("withdrawn", sa.Double),
    sa.UniqueConstraint("tournament", "player"),
    sa.Index(None, "player"),
)

sa.Table(
    "fault_streaks",
    TABLES,
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("player", KEY, sa.ForeignKey("players.id"), primary_key=True),
    sa.Column("matches", sa.BigInteger, nullable=False),
    sa.Column("last", sa.Double, nullable=False),
    sa.Index(None, "player"),
    sqlite_with_rowid=False,
)

sa.Table(
    "latencies",
    TABLES,
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column(
        "player", KEY, sa.ForeignKey("players.id", name="fk_latencies_player"), primary_key=True
    ),
    sa.Column("counts", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

sa.Table(
    "match_seats",
    TABLES,
    sa.Column(
        "match", KEY, sa.ForeignKey("matches.number", name="fk_match_seats_match"), primary_key=True
    ),
    sa.Column("seat", sa.SmallInteger, primary_key=True),
    sa.Column(
        "player", KEY, sa.ForeignKey("players.id", name="fk_match_seats_player"), nullable=False
    ),
    sa.Column("bot", KEY, nullable=False),
    sa.Column("points", sa.Integer, nullable=False),
    sa.Column("rank", sa.SmallInteger, nullable=False),
    sa.Column("faults", sa.Integer, nullable=False),
    sa.Column("forfeited", sa.Boolean, nullable=False),
    sa.Column("elo_before", sa.Double),
    sa.Column("elo_change", sa.Double),
    sa.Index(None, "bot", "match"),
    sqlite_with_rowid=False,
)

sa.Table(
    "player_luck",
    TABLES,
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("player", KEY, sa.ForeignKey("players.id"), primary_key=True),
    sa.Column("matches", sa.BigInteger, nullable=False),
    sa.Column("luck", sa.BigInteger, nullable=False),
    sa.Column("kinds", sa.LargeBinary, nullable=False),
    sa.Column("wins", sa.LargeBinary, nullable=False),
    sa.Index(None, "player"),
    sqlite_with_rowid=False,
)

sa.Table(
    "ratings",
    TABLES,
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column(
        "player", KEY, sa.ForeignKey("players.id", name="fk_ratings_player"), primary_key=True
    ),
    sa.Column("elo", sa.Double, nullable=False),
    sa.Column("matches", sa.BigInteger, nullable=False),
    sa.Column("wins", sa.BigInteger, nullable=False),
    sa.Column("shared", sa.BigInteger, nullable=False),
    sa.Column("points", sa.BigInteger, nullable=False),
    sa.Column("faults", sa.BigInteger, nullable=False),
    sa.Column("last_played", sa.Double, nullable=False, server_default="0"),
    sa.Column("variance", sa.Double, nullable=False, server_default="40000"),
    sa.Column("zero", sa.Double, nullable=False, server_default="0"),
    sa.Column("zero_variance", sa.Double, nullable=False, server_default="0"),
)

sa.Table(
    "review_seats",
    TABLES,
    sa.Column("review", KEY, sa.ForeignKey("reviews.id"), primary_key=True),
    sa.Column("seat", sa.SmallInteger, primary_key=True),
    sa.Column("player", KEY, sa.ForeignKey("players.id"), nullable=False),
    sa.Column("bot", KEY, sa.ForeignKey("bots.id"), nullable=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("finished", sa.Double, nullable=False),
    sa.Column("decisions", sa.Integer, nullable=False),
    sa.Column("lost", sa.Double, nullable=False),
    sa.Column("stake", sa.Double, nullable=False),
    sa.Column("phases", sa.Text, nullable=False),
    sa.Column("worst", sa.Text, nullable=False),
    sa.Column("leaks", sa.Text, nullable=False, server_default="[]"),
    sa.Index(None, "bot", "game", "finished"),
)

sa.Table(
    "runs",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("bot", KEY, sa.ForeignKey("bots.id"), nullable=False),
    sa.Column("player", KEY, sa.ForeignKey("players.id"), nullable=False),
    sa.Column("match", sa.Text, nullable=False),
    sa.Column("kind", sa.SmallInteger, nullable=False),
    sa.Column("began", sa.Double, nullable=False),
    sa.Column("cpu_s", sa.Double, nullable=False),
    sa.Column("memory_kb", sa.BigInteger, nullable=False),
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("ending", sa.Text, nullable=False),
    sa.Column("output", sa.Text, nullable=False),
    sa.Column("wall_s", sa.Double),
    sa.Index(None, "bot", "id"),
    sqlite_autoincrement=True,
)

sa.Table(
    "seat_sums",
    TABLES,
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column(
        "player", KEY, sa.ForeignKey("players.id", name="fk_seat_sums_player"), primary_key=True
    ),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column("seat", sa.SmallInteger, primary_key=True),
    sa.Column("matches", sa.BigInteger, nullable=False),
    sa.Column("wins", sa.BigInteger, nullable=False),
    sa.Column("shared", sa.BigInteger, nullable=False),
    sa.Column("points", sa.BigInteger, nullable=False),
    sa.Column("halves", sa.BigInteger, nullable=False),
    sa.Column("faults", sa.BigInteger, nullable=False),
    sa.Column("forfeits", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

sa.Table(
    "submissions",
    TABLES,
    sa.Column("id", KEY, primary_key=True),
    sa.Column("bot", KEY, sa.ForeignKey("bots.id"), nullable=False),
    sa.Column("player", KEY, sa.ForeignKey("players.id")),
    sa.Column("files_of", KEY, sa.ForeignKey("submissions.id")),
    sa.Column("account", KEY, sa.ForeignKey("accounts.id")),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("lease_until", sa.Double),
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("sha256", sa.LargeBinary, nullable=False),
    sa.Column("manifest", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("log", sa.Text, nullable=False),
    sa.Column("hello", sa.LargeBinary, nullable=False),
    sa.Column("key", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("player"),
    sa.Index(None, "bot", "id"),
    sa.Index(
        "ix_submissions_unfinished",
        "id",
        sqlite_where=sa.text("state IN ('waiting', 'building', 'validating')"),
        postgresql_where=sa.text("state IN ('waiting', 'building', 'validating')"),
    ),
    sqlite_autoincrement=True,
)

sa.Table(
    "fault_notes",
    TABLES,
    sa.Column("match", KEY, primary_key=True),
    sa.Column("note", sa.Integer, primary_key=True),
    sa.Column("seat", sa.SmallInteger, nullable=False),
    sa.Column("bot", KEY, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("instead", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(
        ["match", "seat"],
        ["match_seats.match", "match_seats.seat"],
        name="fk_fault_notes_match_seat",
    ),
    sa.Index(None, "bot", "match"),
    sqlite_with_rowid=False,
)

sa.Table(
    "submission_files",
    TABLES,
    sa.Column("submission", KEY, sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("source", sa.LargeBinary, nullable=False),
    sa.Column("tree", sa.LargeBinary),
)

# Tables of finished matches. PostgreSQL partitions them by the month in a match's number; the first
# partition has the numbers below all months.
FIRST_OF_A_MONTH = 1 << 36
KEYS = {"matches": "number", "match_seats": "match, seat", "fault_notes": "match, note"}
INDEXES = {
    "matches": ("tournament, number", "tournament, deal", "tournament, finished"),
    "match_seats": ("bot, match",),
    "fault_notes": ("bot, match",),
}
OWN_NAMES = sa.text("SELECT indexname FROM pg_indexes WHERE tablename = :table")


def upgrade() -> None:
    """Creates all tables."""
    TABLES.create_all(op.get_bind(), checkfirst=False)
    if op.get_bind().dialect.name == "postgresql":
        _partition()
    op.create_index("ix_matches_game_number", "matches", ["game", "number"])


def _partition() -> None:
    """Creates partitioned tables; the existing tables become their first partitions."""
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
    op.execute("ALTER SEQUENCE matches_number_seq OWNED BY matches.number")


def _make_way(table: str) -> None:
    """Renames a table and its indexes."""
    names = op.get_bind().scalars(OWN_NAMES, {"table": table}).all()
    op.execute(f"ALTER TABLE {table} RENAME TO {table}_earlier")
    for name in names:
        op.execute(f"ALTER INDEX {name} RENAME TO {name.replace(table, f'{table}_earlier', 1)}")
