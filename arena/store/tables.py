"""The schema, as the newest migration leaves it (a test compares the two).

A bot has versions; each version is a *player*, and matches and ratings refer to players.
Times are Unix seconds. Counters of tables that are shown (`entrants`, `ratings`,
`tournaments.played`) are kept up to date by whoever stores a result, so that showing them
costs the same however many matches there are.
"""

from __future__ import annotations

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

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

# SQLite numbers rows by itself only where the key is declared INTEGER.
Key = BigInteger().with_variant(Integer(), "sqlite")

accounts = Table(
    "accounts",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),  # lower case
    Column("alike", Text, nullable=False, server_default="", index=True),  # see `names.alike`
    Column("password", Text, nullable=False),  # Argon2, see `passwords`
    Column("organiser", Boolean, nullable=False),
    Column("created", Double, nullable=False),
    sqlite_autoincrement=True,
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Key, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),  # SHA-256 of what the cookie says
    Column("account", Key, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("browser", Text, nullable=False),  # in words
    Column("created", Double, nullable=False),
    Column("seen", Double, nullable=False),
    Column("expires", Double, nullable=False, index=True),
    sqlite_autoincrement=True,
)

bots = Table(
    "bots",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),  # lower case
    Column("alike", Text, nullable=False, server_default="", index=True),  # see `names.alike`
    Column("token_digest", LargeBinary, nullable=False, unique=True),  # SHA-256
    Column("created", Double, nullable=False),
    Column("owner", Key, ForeignKey("accounts.id"), index=True),
    Column("retired", Double),  # since when
    Column("kind", Text, nullable=False, server_default="bot"),  # house; guest: a human's seat
    sqlite_autoincrement=True,
)

unread_tokens = Table(
    "unread_tokens",
    metadata,
    Column("session", Key, ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("bot", Key, ForeignKey("bots.id"), primary_key=True),
    Column("masked", LargeBinary, nullable=False),  # see `unread`
    Column("expires", Double, nullable=False),
)

# What authors say of their bots, and of themselves who have a public page; see `profiles`.
bot_profiles = Table(
    "bot_profiles",
    metadata,
    Column("bot", Key, ForeignKey("bots.id"), primary_key=True),
    Column("description", Text, nullable=False),
    Column("link", Text, nullable=False),
    Column("language", Text, nullable=False),
)

author_profiles = Table(
    "author_profiles",
    metadata,
    Column("account", Key, ForeignKey("accounts.id"), primary_key=True),
    Column("about", Text, nullable=False),
    Column("link", Text, nullable=False),
)

# Confirmed e-mail addresses, and what is sent to them; see `arena.store.registry.mail`.
emails = Table(
    "emails",
    metadata,
    Column("account", Key, ForeignKey("accounts.id"), primary_key=True),
    Column("address", Text, nullable=False),
    Column("address_key", Text, nullable=False, index=True),  # lower case; several may share it
    Column("confirmed", Double, nullable=False),
    Column("finished", Boolean, nullable=False),  # tell when a tournament is over
    Column("offline", Boolean, nullable=False),  # tell when a bot is gone that is to play
)

# Sign-ins at other providers; see `identities`.
identities = Table(
    "identities",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("account", Key, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("label", Text, nullable=False),
    Column("created", Double, nullable=False),
)

# Links in e-mails that work once.
mail_links = Table(
    "mail_links",
    metadata,
    Column("digest", LargeBinary, primary_key=True),  # SHA-256 of what the link has
    Column("account", Key, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("address_key", Text, nullable=False, index=True),  # where it went
    Column("address", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
)

# E-mails to be sent: what they are about, no secret; a row goes when its mail has gone.
mails = Table(
    "mails",
    metadata,
    Column("id", Key, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("account", Key, ForeignKey("accounts.id"), index=True),
    Column("about", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("due", Double, nullable=False, index=True),
    Column("attempts", Integer, nullable=False),
    sqlite_autoincrement=True,
)

# Where people want to be told of events by HTTP; see `arena.store.registry.webhooks`.
webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Key, primary_key=True),
    Column("account", Key, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("salt", LargeBinary, nullable=False),  # its secret is made of it and the arena's key
    Column("shown", Boolean, nullable=False),  # whether its owner has seen the secret
    Column("finished", Boolean, nullable=False),  # tell when a tournament is over
    Column("offline", Boolean, nullable=False),  # tell when a bot is gone that is to play
    Column("created", Double, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("note", Text, nullable=False),  # why it was switched off, if it was not its owner
    Column("failing_since", Double),  # none while the last delivery succeeded
    Column("given_up", Integer, nullable=False),  # deliveries in a row
    Column("busy_until", Double),  # one delivery at a time
    sqlite_autoincrement=True,
)

# What was sent or waits to be sent to webhooks: the newest few of each.
webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("id", Key, primary_key=True),
    Column("webhook", Key, ForeignKey("webhooks.id"), nullable=False, index=True),
    Column("event", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("body", Text),  # from the first attempt on the same
    Column("created", Double, nullable=False),
    Column("due", Double, index=True),  # none when it is over
    Column("attempts", Integer, nullable=False),
    Column("tried", Double),  # when it last was
    Column("seconds", Double),  # what the last attempt took
    Column("status", Integer),  # what the receiver answered then
    Column("error", Text, nullable=False),
    sqlite_autoincrement=True,
)

# Bots that are to play and are not connected.
absences = Table(
    "absences",
    metadata,
    Column("bot", Key, ForeignKey("bots.id"), primary_key=True),
    Column("since", Double),  # none while it is connected
    Column("told", Double),  # when its author was last written to
)

players = Table(
    "players",
    metadata,
    Column("id", Key, primary_key=True),
    Column("bot", Key, ForeignKey("bots.id"), nullable=False),
    Column("version", Text, nullable=False),
    Column("created", Double, nullable=False),
    # Played by the arena's hosts and by nobody else.
    Column("hosted", Boolean, nullable=False, server_default=false()),
    # Hosted, in another language than Python: its matches can exchange data (docs/sandbox.md).
    Column("program", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("bot", "version"),
    sqlite_autoincrement=True,
)

hosts = Table(
    "hosts",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Text, nullable=False),
    Column("token_digest", LargeBinary, nullable=False, unique=True),  # SHA-256
    Column("started", Double, nullable=False),
    Column("seen", Double, nullable=False),  # when it last said that it runs
    sqlite_autoincrement=True,
)

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Key, primary_key=True),
    Column("spec", Text, nullable=False),  # JSON
    Column("state", Text, nullable=False, index=True),
    Column("note", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("waiting_since", Double, nullable=False),  # the start grace runs from then
    Column("started", Double),
    Column("finished", Double),
    Column("planned", BigInteger, nullable=False),
    Column("played", BigInteger, nullable=False),
    # Position of the next match to be rated: all before are, or are cancelled.
    Column("rated", BigInteger, nullable=False),
    # A deal counts, and may be shown, when so many matches are stored.
    Column("matches_per_deal", SmallInteger, nullable=False, server_default="0"),
    Column("owner", Key, ForeignKey("accounts.id")),
    # What all cards follow from, and SHA-256 of it.
    Column("secret", LargeBinary),
    Column("commitment", LargeBinary),
    # Only a "tournament" counts in ratings; a "test" is a bot's, a "table" has a human at it.
    Column("kind", Text, nullable=False, server_default="tournament"),
    Column("priority", Text, nullable=False, server_default="normal"),
    # Seconds since it first began in which it waited for a worker, or was stopped.
    Column("queued_s", Double, nullable=False, server_default="0"),
    Column("stopped_s", Double, nullable=False, server_default="0"),
    Column("starts_at", Double),  # it waits until then; none where it may begin at once
    # While bots may enter until the start: how many, and how many of one account; see `sign_up`.
    Column("max_bots", Integer),
    Column("bots_per_author", Integer),
    # Who had entered and did not play when the sign-up closed, with the reasons: JSON.
    Column("left_out", Text),
    Index(None, "kind", "id"),
    sqlite_autoincrement=True,
)

# What `entrants` count of each bot's stored matches.
COUNTERS = ("matches", "wins", "shared", "points", "opponents", "halves", "faults", "forfeits")

entrants = Table(
    "entrants",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("entrant", Integer, primary_key=True),  # place in the spec's list of bots
    Column("player", Key, ForeignKey("players.id"), nullable=False, index=True),
    Column("matches", BigInteger, nullable=False),
    Column("wins", BigInteger, nullable=False),  # alone or shared
    Column("shared", BigInteger, nullable=False),
    Column("points", BigInteger, nullable=False),
    Column("opponents", BigInteger, nullable=False),  # met, over all matches
    Column("halves", BigInteger, nullable=False),  # 2 for each opponent beaten, 1 for each tie
    Column("faults", BigInteger, nullable=False),
    Column("forfeits", BigInteger, nullable=False),
    # Of the matches with a sibling at the table; see `siblings`.
    Column("sibling_matches", BigInteger, nullable=False, server_default="0"),
    Column("sibling_opponents", BigInteger, nullable=False, server_default="0"),
    Column("sibling_halves", BigInteger, nullable=False, server_default="0"),
    Column("withdrawn", Double),  # when: its matches that were not begun by then are cancelled
    UniqueConstraint("tournament", "player"),
)

batches = Table(
    "batches",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("first", BigInteger, nullable=False),  # position of its first match
    Column("done", Boolean, nullable=False),
    Column("matches", Text, nullable=False),  # JSON: [[deal, [entrant by seat]], ...]
    Column("checkpoint", LargeBinary),  # of its matches in progress
    Index(
        "ix_batches_open",
        "tournament",
        "number",
        sqlite_where=text("NOT done"),
        postgresql_where=text("NOT done"),
    ),
)

# Planned matches that are never played, as an entrant is withdrawn; see `withdrawals`.
cancelled_matches = Table(
    "cancelled_matches",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("position", BigInteger, primary_key=True),
    sqlite_with_rowid=False,
)

plans = Table(
    "plans",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("blocks", Integer, nullable=False),  # finished and taken in
    Column("matches", BigInteger, nullable=False),  # in these blocks
    Column("so_far", Text, nullable=False),  # JSON: what the format keeps of them
)

matches = Table(
    "matches",
    metadata,
    Column("number", Key, primary_key=True),  # order of storing, see `months`
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
    Column("rated_seq", BigInteger),  # place in the order in which the game's matches were rated
    UniqueConstraint("tournament", "position"),
    UniqueConstraint("game", "rated_seq"),
    Index(None, "game", "number"),
    Index(None, "tournament", "number"),
    Index(None, "tournament", "deal"),
    Index(None, "tournament", "finished"),
    sqlite_autoincrement=True,
)

match_seats = Table(
    "match_seats",
    metadata,
    Column("match", Key, ForeignKey("matches.number"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("player", Key, ForeignKey("players.id"), nullable=False),
    # The player's bot once more, so that one index finds the newest matches of all versions.
    Column("bot", Key, nullable=False),
    Column("points", Integer, nullable=False),
    Column("rank", SmallInteger, nullable=False),
    Column("faults", Integer, nullable=False),
    Column("forfeited", Boolean, nullable=False),
    # Live Elo over all numbers of seats; empty until the match is rated.
    Column("elo_before", Double),
    Column("elo_change", Double),
    Index(None, "bot", "match"),
    sqlite_with_rowid=False,
)

fault_notes = Table(
    "fault_notes",
    metadata,
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
    sqlite_with_rowid=False,
)

# What is stored of finished matches; the first column of each key is the number of the match.
MATCH_TABLES = (matches, match_seats, fault_notes)

# Files with the matches of whole months that are not in the three tables above any more; see
# `arena.store.archive`.
archives = Table(
    "archives",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Text, nullable=False, unique=True),  # of the file, in whatever folder
    Column("month", Integer, nullable=False),
    Column("first", BigInteger, nullable=False),  # number of its first match
    Column("last", BigInteger, nullable=False),
    Column("matches", BigInteger, nullable=False),
    Column("digest", LargeBinary, nullable=False),  # SHA-256 of the file
    Column("ended", Double, nullable=False),  # when the last of its matches ended
    Column("created", Double, nullable=False),
    sqlite_autoincrement=True,
)

archived_tournaments = Table(
    "archived_tournaments",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("archive", Key, ForeignKey("archives.id"), primary_key=True, index=True),
    Column("game", Text, nullable=False),
    Column("matches", BigInteger, nullable=False),
    Column("rated", BigInteger, nullable=False),  # so many of them
    Column("last", BigInteger, nullable=False),  # the highest position
    sqlite_with_rowid=False,
)

# Deals of which an archive has some matches and not all.
archived_deals = Table(
    "archived_deals",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("deal", BigInteger, primary_key=True),
    Column("archive", Key, ForeignKey("archives.id"), primary_key=True, index=True),
    Column("matches", SmallInteger, nullable=False),
    sqlite_with_rowid=False,
)

rated_games = Table(
    "rated_games",
    metadata,
    Column("game", Text, primary_key=True),
    Column("rated", BigInteger, nullable=False),  # matches rated so far; its row is the lock
    Column("deals_version", BigInteger, nullable=False, server_default="0"),  # of `deal_sums`
    Column("anchor", Text, nullable=False, server_default="five"),  # a bot; empty: the mean
    Column("rebuilt", BigInteger, nullable=False, server_default="0"),  # how often its Elo was
)

deal_sums = Table(
    "deal_sums",
    metadata,
    Column("game", Text, primary_key=True),
    Column("seats", SmallInteger, primary_key=True),  # of each match
    Column("size", SmallInteger, primary_key=True),  # players in the deal
    Column("composition", LargeBinary, primary_key=True),  # who met whom, see `deals`
    Column("deals", BigInteger, nullable=False),
    Column("sums", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

table_sums = Table(
    "table_sums",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("seated", LargeBinary, primary_key=True),  # who sat at the table, see `luck`
    Column("deals", BigInteger, nullable=False),
    Column("sums", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# The luck models whose luck is stored: what a name stands for is in `arena.value`.
luck_models = Table(
    "luck_models",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Text, nullable=False, unique=True),  # version and hash
    sqlite_autoincrement=True,
)

# The luck of finished matches (see `arena.store.matches.luck`). It stays when matches are archived.
match_luck = Table(
    "match_luck",
    metadata,
    Column("match", Key, primary_key=True),  # its number
    Column("model", Key, ForeignKey("luck_models.id"), nullable=False),
    Column("luck", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# How far the calculation of luck is in each tournament.
luck_progress = Table(
    "luck_progress",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("after", BigInteger, nullable=False),  # number of the last match that was looked at
    Column("seen", BigInteger, nullable=False),  # so many matches were looked at
    Column("model", Text, nullable=False),  # of the newest; empty where there is none
)

# What luck does to the sums of `deal_sums`, of deals whose luck counts in ratings.
deal_luck = Table(
    "deal_luck",
    metadata,
    Column("game", Text, primary_key=True),
    Column("seats", SmallInteger, primary_key=True),
    Column("size", SmallInteger, primary_key=True),
    Column("composition", LargeBinary, primary_key=True),
    Column("model", Key, ForeignKey("luck_models.id"), primary_key=True),
    Column("fold", SmallInteger, primary_key=True),
    Column("deals", BigInteger, nullable=False),
    Column("sums", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# Scores and luck in the deals of each table of bots, in a few parts.
table_luck = Table(
    "table_luck",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("seated", LargeBinary, primary_key=True),  # as in `table_sums`
    Column("model", Key, ForeignKey("luck_models.id"), primary_key=True),
    Column("part", SmallInteger, primary_key=True),
    Column("deals", BigInteger, nullable=False),
    Column("sums", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

player_luck = Table(
    "player_luck",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("player", Key, ForeignKey("players.id"), primary_key=True, index=True),
    Column("matches", BigInteger, nullable=False),  # whose luck is known
    Column("luck", BigInteger, nullable=False),  # over all opponents, in units
    Column("kinds", LargeBinary, nullable=False),  # the same by kind of event
    Column("wins", LargeBinary, nullable=False),  # the luckiest, see `player_luck`
    sqlite_with_rowid=False,
)

ratings = Table(
    "ratings",
    metadata,
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
    # How far Elo may be off, see `arena.tournaments.ratings.swing`.
    Column("variance", Double, nullable=False, server_default="40000"),
    # Where the table's zero was at the player's last match, and its variance, see `rate`.
    Column("zero", Double, nullable=False, server_default="0"),
    Column("zero_variance", Double, nullable=False, server_default="0"),
)

elo_zeros = Table(
    "elo_zeros",
    metadata,
    Column("game", Text, primary_key=True),
    Column("seats", SmallInteger, primary_key=True),  # 0: all numbers of seats together
    Column("shift", Double, nullable=False),
    Column("variance", Double, nullable=False),
)

elo_courses = Table(
    "elo_courses",
    metadata,
    Column("game", Text, primary_key=True),
    Column("seats", SmallInteger, primary_key=True),  # 0: all numbers of seats together
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("every", BigInteger, nullable=False),  # so many-th match there is a mark
    Column("marks", LargeBinary, nullable=False),  # see `courses`
)

seat_sums = Table(
    "seat_sums",
    metadata,
    Column("game", Text, primary_key=True),
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("seats", SmallInteger, primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("matches", BigInteger, nullable=False),
    Column("wins", BigInteger, nullable=False),  # alone or shared
    Column("shared", BigInteger, nullable=False),
    Column("points", BigInteger, nullable=False),
    Column("halves", BigInteger, nullable=False),  # 2 for each opponent beaten, 1 for each tie
    Column("faults", BigInteger, nullable=False),
    Column("forfeits", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

latencies = Table(
    "latencies",
    metadata,
    Column("game", Text, primary_key=True),
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("counts", LargeBinary, nullable=False),  # see `latencies`
    sqlite_with_rowid=False,
)

# What organisers and administrators did; see `arena.store.registry.audit_log`.
audit_log = Table(
    "audit_log",
    metadata,
    Column("id", Key, primary_key=True),
    Column("time", Double, nullable=False),
    Column("who", Text, nullable=False),  # an account, a user of the machine, "administrator"
    Column("source", Text, nullable=False),  # command line, Control, dashboard
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("details", Text, nullable=False),
    sqlite_autoincrement=True,
)

fault_streaks = Table(
    "fault_streaks",
    metadata,
    Column("game", Text, primary_key=True),
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("matches", BigInteger, nullable=False),  # forfeited in a row, up to the newest
    Column("last", Double, nullable=False),  # when the newest of them ended
    Index(None, "player"),
    sqlite_with_rowid=False,
)

# When the owner of a benched player last let it play again, see `bench`.
bench_returns = Table(
    "bench_returns",
    metadata,
    Column("player", Key, ForeignKey("players.id"), primary_key=True),
    Column("at", Double, nullable=False),
)

# What each projection was last rebuilt or kept up to date as; see `arena.store.projections`.
projection_versions = Table(
    "projection_versions",
    metadata,
    Column("name", Text, primary_key=True),
    Column("version", Integer, nullable=False),
)

# What authors uploaded to have a bot hosted; see `arena.store.registry.submissions`.
submissions = Table(
    "submissions",
    metadata,
    Column("id", Key, primary_key=True),
    Column("bot", Key, ForeignKey("bots.id"), nullable=False),
    Column("player", Key, ForeignKey("players.id"), unique=True),  # the version that it became
    Column("files_of", Key, ForeignKey("submissions.id")),  # the earlier one whose files it has
    Column("account", Key, ForeignKey("accounts.id")),  # whose the bot was when it was uploaded
    Column("label", Text, nullable=False),  # asked for with the upload, or empty
    Column("created", Double, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),  # how often a host began with it
    Column("host", Text, nullable=False),  # that has it, or had it last
    Column("lease_until", Double),  # while a host has it
    Column("size", Integer, nullable=False),  # of the source, in bytes
    Column("sha256", LargeBinary, nullable=False),  # of the source
    Column("manifest", Text, nullable=False),  # JSON, once accepted
    Column("reason", Text, nullable=False),  # why it was refused
    Column("log", Text, nullable=False),
    Column("hello", LargeBinary, nullable=False),  # what the bot announced, once accepted
    Column(
        "key", LargeBinary, nullable=False
    ),  # 32 bytes, what the bot's random numbers follow from
    Index(None, "bot", "id"),
    Index(
        "ix_submissions_unfinished",
        "id",
        sqlite_where=text("state IN ('waiting', 'building', 'validating')"),
        postgresql_where=text("state IN ('waiting', 'building', 'validating')"),
    ),
    sqlite_autoincrement=True,
)

# Megabytes each, apart from what changes: a row that changes is written as a whole.
submission_files = Table(
    "submission_files",
    metadata,
    Column("submission", Key, ForeignKey("submissions.id"), primary_key=True),
    Column("source", LargeBinary, nullable=False),
    Column("tree", LargeBinary),  # once accepted; see `arena.hosting.submission.artifact`
)

# What became of the processes of hosted bots; see `arena.store.registry.runs`.
runs = Table(
    "runs",
    metadata,
    Column("id", Key, primary_key=True),
    Column("bot", Key, ForeignKey("bots.id"), nullable=False),
    Column("player", Key, ForeignKey("players.id"), nullable=False),
    Column("match", Text, nullable=False),  # its id, perhaps before it is stored; or empty
    Column("kind", SmallInteger, nullable=False),  # by what it is kept
    Column("began", Double, nullable=False),
    Column("cpu_s", Double, nullable=False),
    Column("memory_kb", BigInteger, nullable=False),
    Column("size", Integer, nullable=False),  # characters that it wrote
    Column("ending", Text, nullable=False),
    Column("output", Text, nullable=False),  # JSON, large: only one run's page reads it
    Column("wall_s", Double),  # for which it held decisions
    Index(None, "bot", "id"),
    sqlite_autoincrement=True,
)

# Reviews of matches, one for each reviewer; see `arena.store.reviews`.
reviews = Table(
    "reviews",
    metadata,
    Column("id", Key, primary_key=True),
    Column("match", Text, nullable=False),  # its id; the match may be archived
    Column("reviewer", Text, nullable=False),
    Column("state", Text, nullable=False),  # waiting, done, failed
    Column("whom", Text, nullable=False),  # who asked, as reviews that wait are counted
    Column("asked", Double, nullable=False),
    Column("attempts", Integer, nullable=False),  # how often a worker began with it
    Column("lease_until", Double, nullable=False),  # while a worker has it
    Column("done", Double),
    Column("note", Text, nullable=False),  # why it failed
    Column("payload", LargeBinary),  # JSON, compressed; once it is done
    UniqueConstraint("match", "reviewer"),
    Index(
        "ix_reviews_waiting",
        "id",
        sqlite_where=text("state = 'waiting'"),
        postgresql_where=text("state = 'waiting'"),
    ),
    sqlite_autoincrement=True,
)

review_seats = Table(
    "review_seats",
    metadata,
    Column("review", Key, ForeignKey("reviews.id"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("player", Key, ForeignKey("players.id"), nullable=False),
    Column("bot", Key, ForeignKey("bots.id"), nullable=False),
    Column("game", Text, nullable=False),
    Column("finished", Double, nullable=False),  # when the match was over
    Column("decisions", Integer, nullable=False),
    Column("lost", Double, nullable=False),
    Column("stake", Double, nullable=False),
    Column("phases", Text, nullable=False),  # JSON: decisions, lost and stake by phase
    Column("worst", Text, nullable=False),  # JSON: the decisions that lost most
    Column("leaks", Text, nullable=False, server_default="[]"),  # JSON: what was lost by situation
    Index(None, "bot", "game", "finished"),
)

# Hints that a person has had at a table.
hints = Table(
    "hints",
    metadata,
    Column("tournament", Key, ForeignKey("tournaments.id"), primary_key=True),
    Column("given", Integer, nullable=False),
)
