"""Bots' notes about their decisions in finished matches.

The texts are untrusted plain text. Only the bot's author sees them, unless the author makes the
notes of the bot public. The newest of each bot are kept.
"""

import json
import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, delete, or_, select, update

from arena.base.errors import AlreadyExists, InvalidRequest, NotFound
from arena.base.text import plain
from arena.games.packed_log import replay
from arena.store.dialects import insert
from arena.store.matches import matches
from arena.store.registry.bots import RegisteredBot, printable
from arena.store.tables import bot_notes, bots, match_seats
from arena.store.tables import matches as match_rows

# `arena.sdk.notes` has the same two limits.
LONGEST = 1_000  # characters of a note
MOST_BYTES = 64 * 1024  # of the notes of a seat in a match
ZERO_WIDTH_JOINER = "\u200d"
KEPT = 200  # seats in matches, of each bot
KEPT_BYTES = 2 * 1024 * 1024  # of each bot


class BotNote(NamedTuple):
    """A note about a decision. `own` means that the reader is the bot's author."""

    text: str
    bot: str  # its name
    own: bool
    public: bool


def check(
    conn: Connection, bot: RegisteredBot, match: str, seat: int, texts: Mapping[int, str]
) -> None:
    """Checks the notes of a bot, by number of the decision. Raises InvalidRequest; NotFound while
    the match has no result; AlreadyExists."""
    _check_sizes(texts)
    row, seated = match_rows.c, match_seats.c
    query = select(seated.bot).join(match_rows, row.number == seated.match).where(row.id == match)
    # PostgreSQL refuses texts with NUL.
    players = conn.scalars(query.order_by(seated.seat)).all() if match.isalnum() else ()
    if not players:
        raise NotFound(
            f'There is no result of a match "{printable(match)}". If the match has just ended, try '
            "again in a few seconds."
        )
    if seat >= len(players) or players[seat] != bot.id:
        raise InvalidRequest(
            f"{bot.name} did not play in seat {seat} of match {match}. Name the seat of View.seat."
        )
    key = bot_notes.c.match == match, bot_notes.c.seat == seat
    if conn.scalar(select(bot_notes.c.id).where(*key)):
        raise _stored(match)
    stored = matches.get_match(conn, match)
    rounds = replay(stored.setup, stored.log).game.rounds
    movers = [mover for played in rounds for mover, _ in played.moves]
    for number in texts:
        if not 1 <= number <= len(movers) or movers[number - 1] != seat:
            raise InvalidRequest(
                f"Seat {seat} of match {match} had no decision {number}. Use View.number."
            )


def add(
    conn: Connection, bot: int, match: str, seat: int, texts: Mapping[int, str], now: float
) -> None:
    """Stores notes that `check` has passed, and deletes the bot's oldest ones beyond the limits.
    Raises AlreadyExists; InvalidRequest if the bot has been retired."""
    locked = select(bots.c.retired).where(bots.c.id == bot).with_for_update()
    if conn.scalar(locked) is not None:
        raise InvalidRequest("The bot is retired, so its notes are not stored.")
    said = {number: plain(_spaced(text)) for number, text in texts.items()}
    row = {"match": match, "seat": seat, "bot": bot, "created": now, "size": _size(texts)}
    packed = zlib.compress(json.dumps(said, ensure_ascii=False).encode())
    added = insert(conn, bot_notes).values(**row, notes=packed).on_conflict_do_nothing()
    if conn.scalar(added.returning(bot_notes.c.id)) is None:
        raise _stored(match)
    _forget(conn, bot)


def of_match(conn: Connection, match: str, reader: int | None) -> dict[int, BotNote]:
    """The notes that an account (None: a visitor) may read, by number of the decision."""
    visible = or_(bots.c.notes_public, bots.c.owner == reader) if reader else bots.c.notes_public
    query = (
        select(bot_notes.c.notes, bots.c.name, bots.c.owner, bots.c.notes_public)
        .join(bots)
        .where(bot_notes.c.match == match, visible)
    )
    found = {}
    for packed, name, owner, public in conn.execute(query):
        own = reader is not None and owner == reader
        for number, text in _unpacked(packed).items():
            found[number] = BotNote(text, name, own, public)
    return found


def of_bot(conn: Connection, bot: int) -> Iterator[tuple[str, int, float, dict[int, str]]]:
    """All notes of a bot, oldest first: match, seat, time, and texts by decision."""
    row = bot_notes.c
    query = select(row.match, row.seat, row.created, row.notes).where(row.bot == bot)
    for match, seat, created, packed in conn.execute(query.order_by(row.id)):
        yield match, seat, created, _unpacked(packed)


def are_public(conn: Connection, bot: int) -> bool:
    """Whether everyone can read the notes of a bot."""
    return bool(conn.scalar(select(bots.c.notes_public).where(bots.c.id == bot)))


def set_public(conn: Connection, bot: int, *, public: bool) -> None:
    """Sets whether everyone can read the notes of a bot, old ones included."""
    conn.execute(update(bots).where(bots.c.id == bot).values(notes_public=public))


def delete_all(conn: Connection, bot: int) -> None:
    conn.execute(delete(bot_notes).where(bot_notes.c.bot == bot))


def _spaced(text: str) -> str:
    """The text with plain line breaks and spaces, and emoji in their parts."""
    lines = "\n".join(text.splitlines()).replace("\t", " ").replace(ZERO_WIDTH_JOINER, "")
    return "".join(" " if unicodedata.category(each) == "Zs" else each for each in lines)


def _check_sizes(texts: Mapping[int, str]) -> None:
    if not texts or not all(texts.values()):
        raise InvalidRequest("A note is empty. Send only notes with a text.")
    longest = max(map(len, texts.values()))
    if longest > LONGEST:
        raise InvalidRequest(
            f"A note has {longest:,} characters. Shorten it to {LONGEST:,} characters."
        )
    if (size := _size(texts)) > MOST_BYTES:
        raise InvalidRequest(
            f"The notes have {size:,} bytes. Send at most {MOST_BYTES:,} bytes for a match."
        )


def _size(texts: Mapping[int, str]) -> int:
    return sum(len(text.encode()) for text in texts.values())


def _stored(match: str) -> AlreadyExists:
    return AlreadyExists(f"The notes of match {match} are already stored. Send them only once.")


def _unpacked(packed: bytes) -> dict[int, str]:
    return {int(number): text for number, text in json.loads(zlib.decompress(packed)).items()}


def _forget(conn: Connection, bot: int) -> None:
    query = select(bot_notes.c.id, bot_notes.c.size).where(bot_notes.c.bot == bot)
    gone, size = [], 0
    for count, (number, its) in enumerate(conn.execute(query.order_by(bot_notes.c.id.desc())), 1):
        size += its
        if count > KEPT or size > KEPT_BYTES:
            gone.append(number)
    if gone:
        conn.execute(delete(bot_notes).where(bot_notes.c.id.in_(gone)))
