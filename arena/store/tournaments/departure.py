"""Deletes accounts with their personal data. Matches against others stay.

Matches also belong to the opponents, and ratings follow from them. So the bots stay under their
names, retired and without an owner, description, notes, program or token. The guest of the account
is renamed. The audit log and backups are not changed.
"""

import json
import secrets
from collections.abc import Collection

from sqlalchemy import Connection, delete, select, update

from arena.store.registry import accounts, names
from arena.store.registry.accounts import Account
from arena.store.registry.submissions import OVER
from arena.store.registry.webhooks import hooks
from arena.store.tables import (
    absences,
    author_profiles,
    bot_notes,
    bot_profiles,
    bots,
    daily_attempts,
    emails,
    entrants,
    identities,
    invited,
    mail_links,
    mails,
    person_ratings,
    players,
    posts,
    puzzle_attempts,
    puzzle_ratings,
    runs,
    sessions,
    submission_files,
    submissions,
    tournaments,
)
from arena.store.tables import accounts as account_rows
from arena.store.tournaments import guests, sign_up
from arena.store.tournaments.tournaments import UNDER_WAY, decode_spec, lock, set_state
from arena.tournaments.formats.deals import ALPHABET

STOPPED = "Its owner's account was deleted."
OWN = (
    sessions,
    identities,
    emails,
    mail_links,
    mails,
    author_profiles,
    person_ratings,
    posts,
    puzzle_attempts,
    puzzle_ratings,
    invited,
)


def delete_account(conn: Connection, account: int, now: float) -> Account:
    """Deletes an account. Its name can be reused, its bots' names cannot. Raises NotFound."""
    found = accounts.get(conn, account, lock=True)
    mine = select(bots.c.id, bots.c.name, bots.c.kind).where(bots.c.owner == account)
    rows = conn.execute(mine).all()
    _stop(conn, account, now)
    _strip(conn, [row.id for row in rows], now)
    for row in rows:
        if row.kind == "guest":
            _rename_guest(conn, row.id, row.name)
    sign_up.withdraw_everywhere(conn, [row.id for row in rows])
    hooks.remove_all(conn, account)
    for table in OWN:
        conn.execute(delete(table).where(table.c.account == account))
    # The rows of attempts stay, because they keep the cards of a daily deal secret.
    for of_it in (submissions, daily_attempts):
        conn.execute(update(of_it).where(of_it.c.account == account).values(account=None))
    for owned in (bots, tournaments):
        conn.execute(update(owned).where(owned.c.owner == account).values(owner=None))
    conn.execute(delete(account_rows).where(account_rows.c.id == account))
    return found


def _stop(conn: Connection, account: int, now: float) -> None:
    """Cancels test matches and casual games of the account; tournaments go on."""
    row = tournaments.c
    mine = select(row.id).where(row.owner == account, row.kind != "tournament")
    for number in conn.scalars(mine.where(row.state.in_(UNDER_WAY)).order_by(row.id)).all():
        if lock(conn, number).state in UNDER_WAY:
            set_state(conn, number, "cancelled", STOPPED, now)


def _strip(conn: Connection, keys: Collection[int], now: float) -> None:
    """Removes everything but the name from bots, and retires them."""
    for key in keys:
        unusable = {"token_digest": secrets.token_bytes(32), "retired": now}
        conn.execute(update(bots).where(bots.c.id == key).values(**unusable, notes_public=False))
    for table in (bot_profiles, bot_notes, runs, absences):
        conn.execute(delete(table).where(table.c.bot.in_(keys)))
    uploads = submissions.c.bot.in_(keys)
    files = submission_files.c.submission.in_(select(submissions.c.id).where(uploads))
    conn.execute(delete(submission_files).where(files))
    conn.execute(update(submissions).where(uploads).values(log="", reason=""))
    unfinished = uploads & submissions.c.state.not_in(OVER)
    ended = {"state": "withdrawn", "lease_until": None}
    conn.execute(update(submissions).where(unfinished).values(**ended))


def _rename_guest(conn: Connection, guest: int, name: str) -> None:
    """Gives a guest a random name, in its stored games as well."""
    other = names.GUEST + "".join(secrets.choice(ALPHABET) for _ in range(8))
    renamed = {"name": other, **names.keys(other)}
    conn.execute(update(bots).where(bots.c.id == guest).values(**renamed))
    row = tournaments.c
    seated = select(row.id, row.spec).join_from(tournaments, entrants).join(players)
    for number, spec in conn.execute(seated.where(players.c.bot == guest)).all():
        fields, shown = json.loads(spec), guests.shown_people(decode_spec(spec))
        people = [guests.UNNAMED if each == name else shown[each] for each in shown]
        fields["name"] = guests.table_name(*people)
        fields["bots"] = [_instead(each, name, other) for each in fields["bots"]]
        conn.execute(update(tournaments).where(row.id == number).values(spec=json.dumps(fields)))


def _instead(label: str, name: str, other: str) -> str:
    """Replaces the name in the label of a seat: NAME or NAME@VERSION."""
    before, separator, version = label.partition("@")
    return other + separator + version if before.lower() == name.lower() else label
