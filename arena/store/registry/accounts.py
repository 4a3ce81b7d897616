"""User accounts: they own bots; organisers can also create tournaments."""

from dataclasses import dataclass, replace

from sqlalchemy import Connection, Row, func, select, update

from arena.base import instant
from arena.base.errors import AlreadyExists, LimitReached, NotFound
from arena.store.dialects import insert
from arena.store.registry import names, sessions
from arena.store.registry.mail import links
from arena.store.tables import accounts

MOST_ACCOUNTS = 100_000


@dataclass(frozen=True, slots=True)
class Account:
    """A user who may sign in; `password` is a hash of `passwords`."""

    id: int
    name: str
    password: str
    organiser: bool
    created: float
    listed: bool = False  # whether the rankings of people show the name


def check_name(name: str) -> str:
    """Returns the name if a new account may have it. Raises InvalidRequest."""
    return names.check_free_to_take(names.check_name(name, "account"))


def sign_up(
    conn: Connection,
    name: str,
    password: str,
    *,
    organiser: bool = False,
    now: float | None = None,
) -> Account:
    """Creates an account. `password` is already hashed, outside of this transaction. The name must
    not look like another, see `names.alike`. Raises InvalidRequest, AlreadyExists, LimitReached."""
    check_name(name)
    if (conn.scalar(select(func.count()).select_from(accounts)) or 0) >= MOST_ACCOUNTS:
        raise LimitReached(
            f"This arena already has {MOST_ACCOUNTS:,} accounts, the maximum. Ask its operator."
        )
    names.check_new_account(conn, name)
    row = {
        "name": name,
        "password": password,
        "organiser": organiser,
        "created": instant.now() if now is None else now,
    }
    key = conn.scalar(
        insert(conn, accounts)
        .values(**row, **names.keys(name))
        .on_conflict_do_nothing(index_elements=[accounts.c.name_key])
        .returning(accounts.c.id)
    )
    if key is None:
        raise AlreadyExists(f'There is already an account named "{name}". Choose another name.')
    return get(conn, key)


def get(conn: Connection, account: int, *, lock: bool = False) -> Account:
    """One account by number; `lock` holds its row lock until the transaction ends. Raises
    NotFound."""
    query = select(accounts).where(accounts.c.id == account)
    row = conn.execute(query.with_for_update() if lock else query).first()
    if row is None:
        raise NotFound(f"There is no account {account}.")
    return _account(row)


def find(conn: Connection, name: str) -> Account | None:
    """The account of that name, or None; case is ignored."""
    row = conn.execute(select(accounts).where(accounts.c.name_key == name.lower())).first()
    return None if row is None else _account(row)


def by_name(conn: Connection, name: str) -> Account:
    """The account of that name; case is ignored. Raises NotFound."""
    account = find(conn, name)
    if account is None:
        raise NotFound(f'There is no account named "{names.printable(name)}".')
    return account


def all_accounts(conn: Connection) -> list[Account]:
    """All accounts by name."""
    return [_account(row) for row in conn.execute(select(accounts).order_by(accounts.c.name_key))]


def set_password(conn: Connection, name: str, password: str) -> Account:
    """Replaces the password (already hashed) of an account. Also ends its sessions and voids the
    links in its e-mails: anyone who knew the old password may have requested them. Raises
    NotFound."""
    changed = _change(conn, by_name(conn, name), password=password)
    sessions.end_all(conn, changed.id)
    links.void(conn, changed.id, instant.now())
    return changed


def set_organiser(conn: Connection, name: str, organiser: bool) -> Account:
    """Sets whether an account is an organiser. Raises NotFound."""
    return _change(conn, by_name(conn, name), organiser=organiser)


def set_listed(conn: Connection, account: Account, listed: bool) -> None:
    """Sets whether the rankings of people show the account's name."""
    _change(conn, account, listed=listed)


def _change(conn: Connection, account: Account, **values: bool | str) -> Account:
    conn.execute(update(accounts).where(accounts.c.id == account.id).values(**values))
    return replace(account, **values)  # type: ignore[arg-type]


def _account(row: Row[tuple[object, ...]]) -> Account:
    fields = dict(row._mapping)
    del fields["name_key"], fields["alike"]
    return Account(**fields)
