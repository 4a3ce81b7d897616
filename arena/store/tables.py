"""The schema, as the newest migration leaves it (a test compares the two).

A bot has versions; each version is a *player*, and matches and ratings refer to players.
Times are Unix seconds. Counters that are shown (`entrants`, `ratings`, `tournaments.played`) are
updated when a result is stored, so reading them takes the same time for any number of matches.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.schema import SchemaItem

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

# SQLite numbers rows automatically only if the key is declared INTEGER.
Key = BigInteger().with_variant(Integer(), "sqlite")


def _table(name: str, *parts: SchemaItem, **options: Any) -> Table:
    return Table(name, metadata, *parts, **options)


def _numbered(name: str, *parts: SchemaItem) -> Table:
    """A table with the key `id`. The number of a deleted row is not used again."""
    return _table(name, Column("id", Key, primary_key=True), *parts, sqlite_autoincrement=True)


def _clustered(name: str, *parts: SchemaItem) -> Table:
    """A table that SQLite stores in the order of its key, without a second one."""
    return _table(name, *parts, sqlite_with_rowid=False)


def _partial(name: str, *columns: str, where: str) -> Index:
    """An index of the rows that fulfil a condition."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


accounts = _numbered(
    "accounts",
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),  # lower case
    Column("alike", Text, nullable=False, server_default="", index=True),  # see `names.alike`
    Column("password", Text, nullable=False),  # Argon2, see `passwords`
    Column("organiser", Boolean, nullable=False),
    Column("created", Double, nullable=False),
    # Whether the rankings of people show its name.
    Column("listed", Boolean, nullable=False, server_default=false()),
)

sessions = _numbered(
    "sessions",
    Column("digest", LargeBinary, nullable=False, unique=True),  # SHA-256 of the cookie's secret
    Column("account", Key, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("browser", Text, nullable=False),  # for people
    Column("created", Double, nullable=False),
    Column("seen", Double, nullable=False),
    Column("expires", Double, nullable=False, index=True),
)

bots = _numbered(
    "bots",
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),  # lower case
    Column("alike", Text, nullable=False, server_default="", index=True),  # see `names.alike`
    Column("token_digest", LargeBinary, nullable=False, unique=True),  # SHA-256
    Column("created", Double, nullable=False),
    Column("owner", Key, ForeignKey("accounts.id"), index=True),
    Column("retired", Double),  # since when
    Column("kind", Text, nullable=False, server_default="bot"),  # house; guest: a human's seat
    # Whether everyone can read its notes.
    Column("notes_public", Boolean, nullable=False, server_default=false()),
)

unread_tokens = _table(
    "unread_tokens",
    Column("session", Key, ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("bot", Key, ForeignKey("bots.id"), primary_key=True),
    Column("masked", LargeBinary, nullable=False),  # see `tokens`
    Column("expires", Double, nullable=False),
)

# Authors' descriptions of their bots and, on their public pages, of themselves; see `profiles`.
bot_profiles = _table(
    "bot_profiles",
    Column("bot", Key, ForeignKey("bots.id"), primary_key=True),
    Column("description", Text, nullable=False),
    Column("link", Text, nullable=False),
    Column("language", Text, nullable=False),
)

author_profiles = _table(
    "author_profiles",
    Column("account", Key, ForeignKey("accounts.id"), primary_key=True),
    Column("about", Text, nullable=False),
    Column("link", Text, nullable=False),
)

# Confirmed e-mail addresses and their notifications; see `arena.store.registry.mail`.
emails = _table(
    "emails",
    Column("account", Key, ForeignKey("accounts.id"), primary_key=True),
    Column("address", Text, nullable=False),
    Column("address_key", Text, nullable=False, index=True),  # lower case; several may share it
    Column("confirmed", Double, nullable=False),
    Column("finished", Boolean, nullable=False),  # notify of finished tournaments
    Column("offline", Boolean, nullable=False),  # notify of disconnected bots
)

# Sign-ins with other providers; see `identities`.
identities = _table(
    "identities",
    Column("provider", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("account", Key, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("label", Text, nullable=False),
    Column("created", Double, nullable=False),
)

# One-time links in e-mails.
mail_links = _table(
    "mail_links",
    Column("digest", LargeBinary, primary_key=True),  # SHA-256 of the link's secret
    Column("account", Key, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("address_key", Text, nullable=False, index=True),  # the mailbox
    Column("address", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
)

# E-mails to be sent, without any secret; a row is deleted when its e-mail was sent.
mails = _numbered(
    "mails",
    Column("kind", Text, nullable=False),
    Column("account", Key, ForeignKey("accounts.id"), index=True),
    Column("about", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("due", Double, nullable=False, index=True),
    Column("attempts", Integer, nullable=False),
)

# URLs that are notified of events; see `arena.store.registry.webhooks`.
webhooks = _numbered(
    "webhooks",
    Column("account", Key, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("salt", LargeBinary, nullable=False),  # of the secret, see `secret_of`
    Column("shown", Boolean, nullable=False),  # whether its owner has seen the secret
    Column("finished", Boolean, nullable=False),  # notify of finished tournaments
    Column("offline", Boolean, nullable=False),  # notify of disconnected bots
    Column("created", Double, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("note", Text, nullable=False),  # why it was switched off automatically
    Column("failing_since", Double),  # null if the last delivery succeeded
    Column("given_up", Integer, nullable=False),  # deliveries in a row
    Column("busy_until", Double),  # lease of the delivery under way
)

# Messages to webhooks: those to be sent, and the newest finished ones.
webhook_deliveries = _numbered(
    "webhook_deliveries",
    Column("webhook", Key, ForeignKey("webhooks.id"), nullable=False, index=True),
    Column("event", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("body", Text),  # set by the first attempt
    Column("created", Double, nullable=False),
    Column("due", Double, index=True),  # null when finished
    Column("attempts", Integer, nullable=False),
    Column("tried", Double),  # time of the last attempt
    Column("seconds", Double),  # duration of the last attempt
    Column("status", Integer),  # HTTP status of the last answer
    Column("error", Text, nullable=False),
)

# Bots that should play and are not connected.
absences = _table(
    "absences",
    Column("bot", Key, ForeignKey("bots.id"), primary_key=True),
    Column("since", Double),  # null while the bot is connected
    Column("told", Double),  # when its author was last notified
)

players = _numbered(
    "players",
    Column("bot", Key, ForeignKey("bots.id"), nullable=False),
    Column("version", Text, nullable=False),
    Column("created", Double, nullable=False),
    # Only the arena's hosts play this version.
    Column("hosted", Boolean, nullable=False, server_default=false()),
    # Hosted, in a language other than Python: its matches can exchange data (docs/sandbox.md).
    Column("program", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("bot", "version"),
)

hosts = _numbered(
    "hosts",
    Column("name", Text, nullable=False),
    Column("token_digest", LargeBinary, nullable=False, unique=True),  # SHA-256
    Column("started", Double, nullable=False),
    Column("seen", Double, nullable=False),  # when it last reported
)

tournaments = _numbered(
    "tournaments",
    Column("spec", Text, nullable=False),  # JSON
    Column("state", Text, nullable=False, index=True),
    Column("note", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("waiting_since", Double, nullable=False),  # start of the grace period
    Column("started", Double),
    Column("finished", Double),
    Column("planned", BigInteger, nullable=False),
    Column("played", BigInteger, nullable=False),
    # Position of the next match to rate: all earlier ones are rated or cancelled.
    Column("rated", BigInteger, nullable=False),
    # A deal counts, and may be shown, once this many matches of it are stored.
    Column("matches_per_deal", SmallInteger, nullable=False, server_default="0"),
    Column("owner", Key, ForeignKey("accounts.id")),
    # The source of all cards, and its SHA-256 digest.
    Column("secret", LargeBinary),
    Column("commitment", LargeBinary),
    # Only a "tournament" counts in ratings; a "test" is a test match, a "table" a casual game.
    Column("kind", Text, nullable=False, server_default="tournament"),
    Column("priority", Text, nullable=False, server_default="normal"),
    # Seconds since the first start in which it waited for a worker, or was cancelled.
    Column("queued_s", Double, nullable=False, server_default="0"),
    Column("stopped_s", Double, nullable=False, server_default="0"),
    Column("starts_at", Double),  # earliest start; null if it may start at once
    # During sign-up: the most bots, overall and per account; see `sign_up`.
    Column("max_bots", Integer),
    Column("bots_per_author", Integer),
    # Bots that had entered but did not play, with the reasons (JSON); set when sign-up closes.
    Column("left_out", Text),
    Index(None, "kind", "id"),
)

# The counters in `entrants`, over each bot's stored matches: `wins` alone or shared, `opponents`
# over all matches, `halves` 2 per opponent beaten and 1 per tie.
COUNTERS = ("matches", "wins", "shared", "points", "opponents", "halves", "faults", "forfeits")
# The counters in `seat_sums`, where all matches have the same number of opponents.
SEAT_COUNTERS = tuple(name for name in COUNTERS if name != "opponents")

entrants = _table(
    "entrants",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("entrant", Integer, primary_key=True),  # place in the spec's list of bots
    Column("player", Key, ForeignKey("players.id"), nullable=False, index=True),
    *(Column(name, BigInteger, nullable=False) for name in COUNTERS),
    # Of the matches against bots of the same owner; see `siblings`.
    Column("sibling_matches", BigInteger, nullable=False, server_default="0"),
    Column("sibling_opponents", BigInteger, nullable=False, server_default="0"),
    Column("sibling_halves", BigInteger, nullable=False, server_default="0"),
    Column("withdrawn", Double),  # when; its matches that had not started by then are cancelled
    UniqueConstraint("tournament", "player"),
)

batches = _table(
    "batches",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("first", BigInteger, nullable=False),  # position of its first match
    Column("done", Boolean, nullable=False),
    Column("matches", Text, nullable=False),  # JSON: [[deal, [entrant by seat]], ...]
    Column("checkpoint", LargeBinary),  # of matches in progress
    _partial("ix_batches_open", "tournament", "number", where="NOT done"),
)

# Planned matches that are not played because an entrant was withdrawn; see `withdrawals`.
cancelled_matches = _clustered(
    "cancelled_matches",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("position", BigInteger, primary_key=True),
)

plans = _table(
    "plans",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("blocks", Integer, nullable=False),  # finished and processed
    Column("matches", BigInteger, nullable=False),  # in these blocks
    Column("so_far", Text, nullable=False),  # JSON: the format's state after them
)

matches = _table(
    "matches",
    Column("number", Key, primary_key=True),  # in the order of storing, see `months`
    Column("id", Text, nullable=False, unique=True),
    Column("tournament", Key, ForeignKey("tournaments.id"), nullable=False),
    Column("batch", Integer, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("deal", BigInteger, nullable=False),
    Column("game", Text, nullable=False),
    Column("ruleset", Text, nullable=False),
    Column("options", Text, nullable=False),  # JSON
    Column("seats", SmallInteger, nullable=False),
    Column("seed", LargeBinary, nullable=False),
    Column("log", LargeBinary, nullable=False),
    Column("started", Double, nullable=False),
    Column("finished", Double, nullable=False),
    Column("rated_seq", BigInteger),  # place in the order of the game's rated matches
    UniqueConstraint("tournament", "position"),
    UniqueConstraint("game", "rated_seq"),
    Index(None, "game", "number"),
    Index(None, "tournament", "number"),
    Index(None, "tournament", "deal"),
    Index(None, "tournament", "finished"),
    sqlite_autoincrement=True,
)

match_seats = _clustered(
    "match_seats",
    Column("match", Key, ForeignKey("matches.number"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("player", Key, ForeignKey("players.id"), nullable=False),
    # The bot of the player, repeated so that one index finds the newest matches of all versions.
    Column("bot", Key, nullable=False),
    Column("points", Integer, nullable=False),
    Column("rank", SmallInteger, nullable=False),
    Column("faults", Integer, nullable=False),
    Column("forfeited", Boolean, nullable=False),
    # Live Elo over all numbers of seats; null until the match is rated.
    Column("elo_before", Double),
    Column("elo_change", Double),
    Index(None, "bot", "match"),
)

fault_notes = _clustered(
    "fault_notes",
    Column("match", Key, primary_key=True),
    Column("note", Integer, primary_key=True),  # from 0 within a match
    Column("seat", SmallInteger, nullable=False),
    Column("bot", Key, nullable=False),
    Column("number", Integer, nullable=False),  # of the decision
    Column("kind", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("instead", Text, nullable=False),
    ForeignKeyConstraint(["match", "seat"], ["match_seats.match", "match_seats.seat"]),
    Index(None, "bot", "match"),
)

# The tables of finished matches; the first column of each key is the number of the match.
MATCH_TABLES = (matches, match_seats, fault_notes)

# Files with the matches of whole months that were removed from the three tables above; see
# `arena.store.archive`.
archives = _numbered(
    "archives",
    Column("name", Text, nullable=False, unique=True),  # file name, without the folder
    Column("month", Integer, nullable=False),
    Column("first", BigInteger, nullable=False),  # number of its first match
    Column("last", BigInteger, nullable=False),
    Column("matches", BigInteger, nullable=False),
    Column("digest", LargeBinary, nullable=False),  # SHA-256 of the file
    Column("ended", Double, nullable=False),  # when its last match ended
    Column("created", Double, nullable=False),
)

archived_tournaments = _clustered(
    "archived_tournaments",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("archive", Key, ForeignKey("archives.id"), primary_key=True, index=True),
    Column("game", Text, nullable=False),
    Column("matches", BigInteger, nullable=False),
    Column("rated", BigInteger, nullable=False),  # number of rated matches
    Column("last", BigInteger, nullable=False),  # the highest position
)

# Deals with some, but not all, matches in an archive.
archived_deals = _clustered(
    "archived_deals",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("deal", BigInteger, primary_key=True),
    Column("archive", Key, ForeignKey("archives.id"), primary_key=True, index=True),
    Column("matches", SmallInteger, nullable=False),
)

rated_games = _table(
    "rated_games",
    Column("game", Text, primary_key=True),
    Column("rated", BigInteger, nullable=False),  # number of rated matches; the row is a lock
    Column("deals_version", BigInteger, nullable=False, server_default="0"),  # of `deal_sums`
    Column("anchor", Text, nullable=False, server_default="five"),  # a bot; empty: the mean
    Column("rebuilt", BigInteger, nullable=False, server_default="0"),  # times Elo was rebuilt
)

deal_sums = _clustered(
    "deal_sums",
    Column("game", Text, primary_key=True),
    Column("seats", SmallInteger, primary_key=True),  # of each match
    Column("size", SmallInteger, primary_key=True),  # players in the deal
    Column("composition", LargeBinary, primary_key=True),  # the pairs that met, see `deals`
    Column("deals", BigInteger, nullable=False),
    Column("sums", LargeBinary, nullable=False),
)

table_sums = _clustered(
    "table_sums",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("seated", LargeBinary, primary_key=True),  # the players at the table, see `luck`
    Column("deals", BigInteger, nullable=False),
    Column("sums", LargeBinary, nullable=False),
)

# The luck models of stored luck; `arena.value` defines what a name stands for.
luck_models = _numbered(
    "luck_models",
    Column("name", Text, nullable=False, unique=True),  # version and hash
)

# The luck of finished matches (see `arena.store.matches.luck`); kept when matches are archived.
match_luck = _clustered(
    "match_luck",
    Column("match", Key, primary_key=True),  # its number
    Column("model", Key, ForeignKey("luck_models.id"), nullable=False),
    Column("luck", LargeBinary, nullable=False),
)

# Progress of the luck calculation of each tournament.
luck_progress = _table(
    "luck_progress",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("after", BigInteger, nullable=False),  # number of the last match processed
    Column("seen", BigInteger, nullable=False),  # number of matches processed
    Column("model", Text, nullable=False),  # of the newest match; empty if it has none
)

# The effect of luck on the sums of `deal_sums`, for deals whose luck counts in ratings.
deal_luck = _clustered(
    "deal_luck",
    Column("game", Text, primary_key=True),
    Column("seats", SmallInteger, primary_key=True),
    Column("size", SmallInteger, primary_key=True),
    Column("composition", LargeBinary, primary_key=True),
    Column("model", Key, ForeignKey("luck_models.id"), primary_key=True),
    Column("fold", SmallInteger, primary_key=True),
    Column("deals", BigInteger, nullable=False),
    Column("sums", LargeBinary, nullable=False),
)

# Scores and luck in the deals of each table of bots, in several parts.
table_luck = _clustered(
    "table_luck",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("seated", LargeBinary, primary_key=True),  # as in `table_sums`
    Column("model", Key, ForeignKey("luck_models.id"), primary_key=True),
    Column("part", SmallInteger, primary_key=True),
    Column("deals", BigInteger, nullable=False),
    Column("sums", LargeBinary, nullable=False),
)

player_luck = _clustered(
    "player_luck",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("player", Key, ForeignKey("players.id"), primary_key=True, index=True),
    Column("matches", BigInteger, nullable=False),  # with known luck
    Column("luck", BigInteger, nullable=False),  # over all opponents, in units
    Column("kinds", LargeBinary, nullable=False),  # the same by kind of event
    Column("wins", LargeBinary, nullable=False),  # the luckiest, see `player_luck`
)

ratings = _table(
    "ratings",
    Column("game", Text, primary_key=True),
    Column("seats", SmallInteger, primary_key=True),  # 0: all numbers of seats together
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("elo", Double, nullable=False),
    Column("matches", BigInteger, nullable=False),
    Column("wins", BigInteger, nullable=False),
    Column("shared", BigInteger, nullable=False),
    Column("points", BigInteger, nullable=False),
    Column("faults", BigInteger, nullable=False),
    Column("last_played", Double, nullable=False, server_default="0"),
    # Uncertainty of Elo, see `arena.tournaments.ratings.swing`.
    Column("variance", Double, nullable=False, server_default="40000"),
    # The scale's reference point at the player's last match, and its variance, see `rate`.
    Column("zero", Double, nullable=False, server_default="0"),
    Column("zero_variance", Double, nullable=False, server_default="0"),
)

elo_zeros = _table(
    "elo_zeros",
    Column("game", Text, primary_key=True),
    Column("seats", SmallInteger, primary_key=True),  # 0: all numbers of seats together
    Column("shift", Double, nullable=False),
    Column("variance", Double, nullable=False),
)

elo_courses = _table(
    "elo_courses",
    Column("game", Text, primary_key=True),
    Column("seats", SmallInteger, primary_key=True),  # 0: all numbers of seats together
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("every", BigInteger, nullable=False),  # matches per mark
    Column("marks", LargeBinary, nullable=False),  # see `elo_history`
)

seat_sums = _clustered(
    "seat_sums",
    Column("game", Text, primary_key=True),
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("seats", SmallInteger, primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    *(Column(name, BigInteger, nullable=False) for name in SEAT_COUNTERS),
)

latencies = _clustered(
    "latencies",
    Column("game", Text, primary_key=True),
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("counts", LargeBinary, nullable=False),  # see `latencies`
)

# Changes by organisers and administrators; see `arena.store.registry.audit_log`.
audit_log = _numbered(
    "audit_log",
    Column("time", Double, nullable=False),
    Column("who", Text, nullable=False),  # an account, a user of the machine, "administrator"
    Column("source", Text, nullable=False),  # command line, Control, dashboard
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("details", Text, nullable=False),
)

fault_streaks = _clustered(
    "fault_streaks",
    Column("game", Text, primary_key=True),
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("matches", BigInteger, nullable=False),  # forfeited in a row, up to the newest
    Column("last", Double, nullable=False),  # when the newest of them ended
    Index(None, "player"),
)

# When the owner of a benched player last let it play again; see `bench`.
bench_returns = _table(
    "bench_returns",
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("at", Double, nullable=False),
)

# The version of each projection at its last rebuild or update; see `arena.store.projections`.
projection_versions = _table(
    "projection_versions",
    Column("name", Text, primary_key=True),
    Column("version", Integer, nullable=False),
)

# Uploads of bots to be hosted; see `arena.store.registry.submissions`.
submissions = _numbered(
    "submissions",
    Column("bot", Key, ForeignKey("bots.id"), nullable=False),
    Column("player", Key, ForeignKey("players.id"), unique=True),  # the version it became
    Column("files_of", Key, ForeignKey("submissions.id")),  # the one it was rolled back to
    Column("account", Key, ForeignKey("accounts.id")),  # the bot's owner at that time
    Column("label", Text, nullable=False),  # asked for with the upload, or empty
    Column("created", Double, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),  # to build it, or failed ones to build it again
    Column("host", Text, nullable=False),  # the current or last host
    Column("lease_until", Double),  # while a host has it, or until when rebuilds may fail
    Column("size", Integer, nullable=False),  # of the source, in bytes
    Column("sha256", LargeBinary, nullable=False),  # of the source
    Column("manifest", Text, nullable=False),  # JSON, once accepted
    Column("reason", Text, nullable=False),  # of a refusal, or why it cannot be built again
    Column("log", Text, nullable=False),
    Column("hello", LargeBinary, nullable=False),  # the bot's announcement, once accepted
    Column("key", LargeBinary, nullable=False),  # 32 bytes, source of the bot's random numbers
    Index(None, "bot", "id"),
    _partial(
        "ix_submissions_unfinished", "id", where="state IN ('waiting', 'building', 'validating')"
    ),
)

# Megabytes each; apart from the columns that change, because a changed row is written as a whole.
submission_files = _table(
    "submission_files",
    Column("submission", Key, ForeignKey("submissions.id"), primary_key=True),
    Column("source", LargeBinary, nullable=False),
    Column("tree", LargeBinary),  # the build artifact, once accepted
)

# Process runs of hosted bots; see `arena.store.registry.runs`.
runs = _numbered(
    "runs",
    Column("bot", Key, ForeignKey("bots.id"), nullable=False),
    Column("player", Key, ForeignKey("players.id"), nullable=False),
    Column("match", Text, nullable=False),  # its id, perhaps not stored yet; or empty
    Column("kind", SmallInteger, nullable=False),  # each kind has its own limit
    Column("began", Double, nullable=False),
    Column("cpu_s", Double, nullable=False),
    Column("memory_kb", BigInteger, nullable=False),
    Column("size", Integer, nullable=False),  # characters it wrote
    Column("ending", Text, nullable=False),
    Column("output", Text, nullable=False),  # JSON, large: only the page of the run reads it
    Column("wall_s", Double),  # time in which it held decisions
    Index(None, "bot", "id"),
)

# Bots' notes about their decisions; see `arena.store.matches.bot_notes`.
bot_notes = _numbered(
    "bot_notes",
    Column("match", Text, nullable=False),  # its id; the match may be archived
    Column("seat", SmallInteger, nullable=False),
    Column("bot", Key, ForeignKey("bots.id"), nullable=False),
    Column("created", Double, nullable=False),
    Column("size", Integer, nullable=False),  # of the texts, in bytes
    Column("notes", LargeBinary, nullable=False),  # JSON by number of the decision, compressed
    UniqueConstraint("match", "seat"),
    Index(None, "bot", "id"),
)

# Reviews of matches, one for each reviewer; see `arena.store.reviews`.
reviews = _numbered(
    "reviews",
    Column("match", Text, nullable=False),  # its id; the match may be archived
    Column("reviewer", Text, nullable=False),
    Column("state", Text, nullable=False),  # waiting, done, failed
    Column("whom", Text, nullable=False),  # the requester, by whom waiting reviews are counted
    Column("asked", Double, nullable=False),
    Column("attempts", Integer, nullable=False),  # by workers
    Column("lease_until", Double, nullable=False),  # of the worker
    Column("done", Double),
    Column("note", Text, nullable=False),  # why it failed
    Column("payload", LargeBinary),  # JSON, compressed; once it is done
    UniqueConstraint("match", "reviewer"),
    _partial("ix_reviews_waiting", "id", where="state = 'waiting'"),
)

review_seats = _table(
    "review_seats",
    Column("review", Key, ForeignKey("reviews.id"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("player", Key, ForeignKey("players.id"), nullable=False),
    Column("bot", Key, ForeignKey("bots.id"), nullable=False),
    Column("game", Text, nullable=False),
    Column("finished", Double, nullable=False),  # when the match ended
    Column("decisions", Integer, nullable=False),
    Column("lost", Double, nullable=False),
    Column("stake", Double, nullable=False),
    Column("phases", Text, nullable=False),  # JSON: decisions, lost and stake by phase
    Column("worst", Text, nullable=False),  # JSON: the decisions that lost most
    Column("leaks", Text, nullable=False, server_default="[]"),  # JSON: losses by situation
    Index(None, "bot", "game", "finished"),
)

# Hints given to a person in a casual game.
hints = _table(
    "hints",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("given", Integer, nullable=False),
)

# A person's results in their latest casual games of a game; see `arena.store.reports.people`.
person_ratings = _table(
    "person_ratings",
    Column("account", Key, ForeignKey("accounts.id"), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("games", Integer, nullable=False),
    Column("wins", Integer, nullable=False),  # alone or shared
    Column("score", Double, nullable=False),  # mean score against an opponent, from 0 to 1
    Column("rating", Double),  # Elo; null with too few games against rated bots
    Column("plus_minus", Double),
    Column("pending", Integer, nullable=False),  # games that ended since it was computed
    Index(None, "game", "rating"),
    _partial("ix_person_ratings_pending", "account", where="pending > 0"),
)

# The daily deals, each with the source of its cards; see `arena.store.tournaments.daily`.
daily_deals = _numbered(
    "daily_deals",
    Column("game", Text, nullable=False),
    Column("day", Integer, nullable=False),  # UTC days since 1970
    Column("secret", LargeBinary, nullable=False),
    Column("commitment", LargeBinary, nullable=False),
    Column("opened", Double),  # when the secret was published
    UniqueConstraint("day", "game"),
    _partial("ix_daily_deals_sealed", "day", where="opened IS NULL"),
)

daily_attempts = _table(
    "daily_attempts",
    Column("deal", Key, ForeignKey("daily_deals.id"), primary_key=True),
    Column("guest", Key, ForeignKey("bots.id"), primary_key=True),
    Column("account", Key, ForeignKey("accounts.id"), index=True),  # null: it is not ranked
    Column("tournament", Key, ForeignKey("tournaments.id"), nullable=False, unique=True),
    Column("player", Key, ForeignKey("players.id"), nullable=False),
    UniqueConstraint("deal", "account"),
)

# Decisions with one best action; see `arena.store.reviews.puzzles`.
puzzles = _numbered(
    "puzzles",
    Column("match", Text, nullable=False),  # its id; the match may be archived
    Column("number", Integer, nullable=False),  # of the decision in the match, from 1
    Column("seat", SmallInteger, nullable=False),
    Column("game", Text, nullable=False),
    Column("tournament", Key, ForeignKey("tournaments.id"), nullable=False),
    Column("alternatives", Text, nullable=False),  # JSON: the actions, the best first
    Column("rating", Double, nullable=False),  # Elo
    Column("attempts", Integer, nullable=False),  # that are rated
    Column("solved", Integer, nullable=False),  # of these
    UniqueConstraint("match", "number"),
    Index(None, "game", "rating"),
)

puzzle_attempts = _table(
    "puzzle_attempts",
    Column("account", Key, ForeignKey("accounts.id"), primary_key=True),
    Column("puzzle", Key, ForeignKey("puzzles.id"), primary_key=True),
    Column("time", Double, nullable=False),
    Column("hinted", Boolean, nullable=False),
    Column("action", Text, nullable=False),  # in notation; empty after a hint until the answer
    Column("solved", Boolean, nullable=False),
    Column("change", Double),  # of the account's rating; null if it is not rated
)

puzzle_ratings = _table(
    "puzzle_ratings",
    Column("account", Key, ForeignKey("accounts.id"), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("rating", Double, nullable=False),  # Elo
    Column("attempts", Integer, nullable=False),  # that are rated
    Column("solved", Integer, nullable=False),  # of these
    Index(None, "game", "rating"),
)

# The discussion of tournaments.
posts = _numbered(
    "posts",
    Column("tournament", Key, ForeignKey("tournaments.id"), nullable=False),
    Column("account", Key, ForeignKey("accounts.id"), nullable=False),
    Column("time", Double, nullable=False),
    Column("text", Text, nullable=False),
    Column("announcement", Boolean, nullable=False),
    Index(None, "tournament", "id"),
    Index(None, "account", "time"),
)

invitations = _numbered(
    "invitations",
    Column("title", Text, nullable=False),
    Column("name", Text, nullable=False),  # of the account; empty if people choose it
    Column("places", Integer, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
)

# The accounts that signed up by an invitation.
invited = _table(
    "invited",
    Column("account", Key, ForeignKey("accounts.id"), primary_key=True),
    Column("invitation", Key, ForeignKey("invitations.id"), nullable=False, index=True),
)

# Tournaments that repeat.
series = _numbered(
    "series",
    Column("name", Text, nullable=False),
    Column("begins", Double, nullable=False),  # start of the first tournament
    Column("days", Integer, nullable=False),
    Column("zone", Text, nullable=False),
    Column("until", Text, nullable=False),  # date in the zone
    Column("counted", Integer, nullable=False),
)

series_tournaments = _table(
    "series_tournaments",
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("series", Key, ForeignKey("series.id"), nullable=False, index=True),
    Column("due", Double, nullable=False),  # its start by the calendar of the series
)
