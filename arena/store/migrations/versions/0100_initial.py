"""All tables of lama-arena 0.1.0."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

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


def table(name: str, *parts: SchemaItem, **options: Any) -> None:
    sa.Table(name, TABLES, *parts, **options)


def numbered(name: str, *parts: SchemaItem) -> None:
    """A table with the key `id`. The number of a deleted row is not used again."""
    table(name, sa.Column("id", KEY, primary_key=True), *parts, sqlite_autoincrement=True)


def clustered(name: str, *parts: SchemaItem) -> None:
    """A table that SQLite stores in the order of its key, without a second one."""
    table(name, *parts, sqlite_with_rowid=False)


def filled(kind: type[TypeEngine[Any]] | TypeEngine[Any], *names: str) -> list[sa.Column[Any]]:
    """Columns of a type, which are never null."""
    return [sa.Column(name, kind, nullable=False) for name in names]


def partial(name: str, *columns: str, where: str) -> sa.Index:
    """An index of the rows that fulfil a condition."""
    return sa.Index(name, *columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


numbered(
    "accounts",
    *filled(sa.Text, "name", "name_key", "password"),
    sa.Column("organiser", sa.Boolean, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("alike", sa.Text, nullable=False, server_default=""),
    sa.UniqueConstraint("name_key"),
    sa.Index(None, "alike"),
)

numbered(
    "archives",
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("month", sa.Integer, nullable=False),
    *filled(sa.BigInteger, "first", "last", "matches"),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    *filled(sa.Double, "ended", "created"),
    sa.UniqueConstraint("name"),
)

numbered(
    "audit_log",
    sa.Column("time", sa.Double, nullable=False),
    *filled(sa.Text, "who", "source", "action", "subject", "details"),
)

clustered(
    "deal_sums",
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column("size", sa.SmallInteger, primary_key=True),
    sa.Column("composition", sa.LargeBinary, primary_key=True),
    sa.Column("deals", sa.BigInteger, nullable=False),
    sa.Column("sums", sa.LargeBinary, nullable=False),
)

table(
    "elo_zeros",
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    *filled(sa.Double, "shift", "variance"),
)

numbered(
    "hosts",
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("token_digest", sa.LargeBinary, nullable=False),
    *filled(sa.Double, "started", "seen"),
    sa.UniqueConstraint("token_digest"),
)

numbered(
    "luck_models",
    sa.Column("name", sa.Text, nullable=False),
    sa.UniqueConstraint("name"),
)

table(
    "projection_versions",
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
)

table(
    "rated_games",
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("rated", sa.BigInteger, nullable=False),
    sa.Column("anchor", sa.Text, nullable=False, server_default="five"),
    sa.Column("deals_version", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("rebuilt", sa.BigInteger, nullable=False, server_default="0"),
)

numbered(
    "reviews",
    *filled(sa.Text, "match", "reviewer", "state", "whom"),
    sa.Column("asked", sa.Double, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("lease_until", sa.Double, nullable=False),
    sa.Column("done", sa.Double),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("payload", sa.LargeBinary),
    sa.UniqueConstraint("match", "reviewer"),
    partial("ix_reviews_waiting", "id", where="state = 'waiting'"),
)

table(
    "author_profiles",
    sa.Column("account", KEY, sa.ForeignKey("accounts.id"), primary_key=True),
    *filled(sa.Text, "about", "link"),
)

numbered(
    "bots",
    *filled(sa.Text, "name", "name_key"),
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
)

clustered(
    "deal_luck",
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column("size", sa.SmallInteger, primary_key=True),
    sa.Column("composition", sa.LargeBinary, primary_key=True),
    sa.Column("model", KEY, sa.ForeignKey("luck_models.id"), primary_key=True),
    sa.Column("fold", sa.SmallInteger, primary_key=True),
    sa.Column("deals", sa.BigInteger, nullable=False),
    sa.Column("sums", sa.LargeBinary, nullable=False),
)

table(
    "emails",
    sa.Column("account", KEY, sa.ForeignKey("accounts.id"), primary_key=True),
    *filled(sa.Text, "address", "address_key"),
    sa.Column("confirmed", sa.Double, nullable=False),
    *filled(sa.Boolean, "finished", "offline"),
    sa.Index(None, "address_key"),
)

table(
    "identities",
    sa.Column("provider", sa.Text, primary_key=True),
    sa.Column("subject", sa.Text, primary_key=True),
    sa.Column("account", KEY, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Index(None, "account"),
)

table(
    "mail_links",
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("account", KEY, sa.ForeignKey("accounts.id"), nullable=False),
    *filled(sa.Text, "kind", "address_key", "address"),
    *filled(sa.Double, "created", "expires"),
    sa.Index(None, "account"),
    sa.Index(None, "address_key"),
)

numbered(
    "mails",
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("account", KEY, sa.ForeignKey("accounts.id")),
    sa.Column("about", sa.Text, nullable=False),
    *filled(sa.Double, "created", "due"),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Index(None, "account"),
    sa.Index(None, "due"),
)

clustered(
    "match_luck",
    sa.Column("match", KEY, primary_key=True),
    sa.Column("model", KEY, sa.ForeignKey("luck_models.id"), nullable=False),
    sa.Column("luck", sa.LargeBinary, nullable=False),
)

numbered(
    "sessions",
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column(
        "account", KEY, sa.ForeignKey("accounts.id", name="fk_sessions_account"), nullable=False
    ),
    sa.Column("browser", sa.Text, nullable=False),
    *filled(sa.Double, "created", "seen", "expires"),
    sa.UniqueConstraint("digest"),
    sa.Index(None, "account"),
    sa.Index(None, "expires"),
)

numbered(
    "tournaments",
    *filled(sa.Text, "spec", "state", "note"),
    *filled(sa.Double, "created", "waiting_since"),
    sa.Column("started", sa.Double),
    sa.Column("finished", sa.Double),
    *filled(sa.BigInteger, "planned", "played", "rated"),
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
)

numbered(
    "webhooks",
    sa.Column("account", KEY, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("salt", sa.LargeBinary, nullable=False),
    *filled(sa.Boolean, "shown", "finished", "offline"),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("failing_since", sa.Double),
    sa.Column("given_up", sa.Integer, nullable=False),
    sa.Column("busy_until", sa.Double),
    sa.Index(None, "account"),
)

table(
    "absences",
    sa.Column("bot", KEY, sa.ForeignKey("bots.id"), primary_key=True),
    sa.Column("since", sa.Double),
    sa.Column("told", sa.Double),
)

clustered(
    "archived_deals",
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id")),
    sa.Column("archive", KEY, sa.ForeignKey("archives.id")),
    sa.Column("deal", sa.BigInteger),
    sa.Column("matches", sa.SmallInteger, nullable=False),
    sa.PrimaryKeyConstraint("tournament", "deal", "archive"),
    sa.Index(None, "archive"),
)

clustered(
    "archived_tournaments",
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("archive", KEY, sa.ForeignKey("archives.id"), primary_key=True),
    sa.Column("game", sa.Text, nullable=False),
    *filled(sa.BigInteger, "matches", "rated", "last"),
    sa.Index(None, "archive"),
)

table(
    "batches",
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
    partial("ix_batches_open", "tournament", "number", where="NOT done"),
)

table(
    "bot_profiles",
    sa.Column("bot", KEY, sa.ForeignKey("bots.id"), primary_key=True),
    *filled(sa.Text, "description", "link", "language"),
)

clustered(
    "cancelled_matches",
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("position", sa.BigInteger, primary_key=True),
)

table(
    "hints",
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("given", sa.Integer, nullable=False),
)

table(
    "luck_progress",
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    *filled(sa.BigInteger, "after", "seen"),
    sa.Column("model", sa.Text, nullable=False),
)

table(
    "matches",
    sa.Column("number", KEY, primary_key=True),
    sa.Column("id", sa.Text, nullable=False),
    sa.Column(
        "tournament",
        KEY,
        sa.ForeignKey("tournaments.id", name="fk_matches_tournament"),
        nullable=False,
    ),
    sa.Column("batch", sa.Integer, nullable=False),
    *filled(sa.BigInteger, "position", "deal"),
    *filled(sa.Text, "game", "ruleset", "options"),
    sa.Column("seats", sa.SmallInteger, nullable=False),
    *filled(sa.LargeBinary, "seed", "log"),
    *filled(sa.Double, "started", "finished"),
    sa.Column("rated_seq", sa.BigInteger),
    sa.UniqueConstraint("game", "rated_seq"),
    sa.UniqueConstraint("id"),
    sa.UniqueConstraint("tournament", "position"),
    sa.Index(None, "tournament", "deal"),
    sa.Index(None, "tournament", "finished"),
    sa.Index(None, "tournament", "number"),
    sqlite_autoincrement=True,
)

table(
    "plans",
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

numbered(
    "players",
    sa.Column("bot", KEY, sa.ForeignKey("bots.id", name="fk_players_bot"), nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("hosted", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("program", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.UniqueConstraint("bot", "version"),
)

clustered(
    "table_luck",
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("seated", sa.LargeBinary, primary_key=True),
    sa.Column("model", KEY, sa.ForeignKey("luck_models.id"), primary_key=True),
    sa.Column("part", sa.SmallInteger, primary_key=True),
    sa.Column("deals", sa.BigInteger, nullable=False),
    sa.Column("sums", sa.LargeBinary, nullable=False),
)

clustered(
    "table_sums",
    sa.Column(
        "tournament",
        KEY,
        sa.ForeignKey("tournaments.id", name="fk_table_sums_tournament"),
        primary_key=True,
    ),
    sa.Column("seated", sa.LargeBinary, primary_key=True),
    sa.Column("deals", sa.BigInteger, nullable=False),
    sa.Column("sums", sa.LargeBinary, nullable=False),
)

table(
    "unread_tokens",
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

numbered(
    "webhook_deliveries",
    sa.Column("webhook", KEY, sa.ForeignKey("webhooks.id"), nullable=False),
    *filled(sa.Text, "event", "kind", "about"),
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
)

table(
    "bench_returns",
    sa.Column("player", KEY, sa.ForeignKey("players.id"), primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
)

table(
    "elo_courses",
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column(
        "player", KEY, sa.ForeignKey("players.id", name="fk_elo_courses_player"), primary_key=True
    ),
    sa.Column("every", sa.BigInteger, nullable=False),
    sa.Column("marks", sa.LargeBinary, nullable=False),
)

table(
    "entrants",
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
    *filled(
        sa.BigInteger,
        "matches",
        "wins",
        "shared",
        "points",
        "opponents",
        "halves",
        "faults",
        "forfeits",
    ),
    sa.Column("sibling_matches", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("sibling_opponents", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("sibling_halves", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("withdrawn", sa.Double),
    sa.UniqueConstraint("tournament", "player"),
    sa.Index(None, "player"),
)

clustered(
    "fault_streaks",
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("player", KEY, sa.ForeignKey("players.id"), primary_key=True),
    sa.Column("matches", sa.BigInteger, nullable=False),
    sa.Column("last", sa.Double, nullable=False),
    sa.Index(None, "player"),
)

clustered(
    "latencies",
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column(
        "player", KEY, sa.ForeignKey("players.id", name="fk_latencies_player"), primary_key=True
    ),
    sa.Column("counts", sa.LargeBinary, nullable=False),
)

clustered(
    "match_seats",
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
)

clustered(
    "player_luck",
    sa.Column("tournament", KEY, sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("player", KEY, sa.ForeignKey("players.id"), primary_key=True),
    *filled(sa.BigInteger, "matches", "luck"),
    *filled(sa.LargeBinary, "kinds", "wins"),
    sa.Index(None, "player"),
)

table(
    "ratings",
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column(
        "player", KEY, sa.ForeignKey("players.id", name="fk_ratings_player"), primary_key=True
    ),
    sa.Column("elo", sa.Double, nullable=False),
    *filled(sa.BigInteger, "matches", "wins", "shared", "points", "faults"),
    sa.Column("last_played", sa.Double, nullable=False, server_default="0"),
    sa.Column("variance", sa.Double, nullable=False, server_default="40000"),
    sa.Column("zero", sa.Double, nullable=False, server_default="0"),
    sa.Column("zero_variance", sa.Double, nullable=False, server_default="0"),
)

table(
    "review_seats",
    sa.Column("review", KEY, sa.ForeignKey("reviews.id"), primary_key=True),
    sa.Column("seat", sa.SmallInteger, primary_key=True),
    sa.Column("player", KEY, sa.ForeignKey("players.id"), nullable=False),
    sa.Column("bot", KEY, sa.ForeignKey("bots.id"), nullable=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("finished", sa.Double, nullable=False),
    sa.Column("decisions", sa.Integer, nullable=False),
    *filled(sa.Double, "lost", "stake"),
    *filled(sa.Text, "phases", "worst"),
    sa.Column("leaks", sa.Text, nullable=False, server_default="[]"),
    sa.Index(None, "bot", "game", "finished"),
)

numbered(
    "runs",
    sa.Column("bot", KEY, sa.ForeignKey("bots.id"), nullable=False),
    sa.Column("player", KEY, sa.ForeignKey("players.id"), nullable=False),
    sa.Column("match", sa.Text, nullable=False),
    sa.Column("kind", sa.SmallInteger, nullable=False),
    *filled(sa.Double, "began", "cpu_s"),
    sa.Column("memory_kb", sa.BigInteger, nullable=False),
    sa.Column("size", sa.Integer, nullable=False),
    *filled(sa.Text, "ending", "output"),
    sa.Column("wall_s", sa.Double),
    sa.Index(None, "bot", "id"),
)

clustered(
    "seat_sums",
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column(
        "player", KEY, sa.ForeignKey("players.id", name="fk_seat_sums_player"), primary_key=True
    ),
    sa.Column("seats", sa.SmallInteger, primary_key=True),
    sa.Column("seat", sa.SmallInteger, primary_key=True),
    *filled(sa.BigInteger, "matches", "wins", "shared", "points", "halves", "faults", "forfeits"),
)

numbered(
    "submissions",
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
    *filled(sa.Text, "manifest", "reason", "log"),
    *filled(sa.LargeBinary, "hello", "key"),
    sa.UniqueConstraint("player"),
    sa.Index(None, "bot", "id"),
    partial(
        "ix_submissions_unfinished", "id", where="state IN ('waiting', 'building', 'validating')"
    ),
)

clustered(
    "fault_notes",
    sa.Column("match", KEY, primary_key=True),
    sa.Column("note", sa.Integer, primary_key=True),
    sa.Column("seat", sa.SmallInteger, nullable=False),
    sa.Column("bot", KEY, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    *filled(sa.Text, "kind", "reason", "instead"),
    sa.ForeignKeyConstraint(
        ["match", "seat"],
        ["match_seats.match", "match_seats.seat"],
        name="fk_fault_notes_match_seat",
    ),
    sa.Index(None, "bot", "match"),
)

table(
    "submission_files",
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
