"""What the names of accounts and bots look like, so that no new one imitates them."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"

LETTERS = str.maketrans({"0": "o", "1": "l", "i": "l", "3": "e", "4": "a", "5": "s", "7": "t"})
NUMBERS = str.maketrans({"0": "o", "1": "l"})
SEPARATORS = str.maketrans("", "", "._-")
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Adds the columns, with the keys of all names that are there."""
    for table in ("accounts", "bots"):
        op.add_column(table, sa.Column("alike", sa.Text(), nullable=False, server_default=""))
        _fill(sa.table(table, sa.column("id", KEY), sa.column("name"), sa.column("alike")))
        op.create_index(f"ix_{table}_alike", table, ["alike"])


def alike(name: str) -> str:
    """The key as of this migration."""
    letters, number = re.findall(r"\A(.*?)(\d*)\Z", name.lower().translate(SEPARATORS))[0]
    plain = letters.translate(LETTERS).replace("rn", "m").replace("vv", "w") + number
    return str(plain.translate(NUMBERS))


def _fill(table: sa.TableClause) -> None:
    conn = op.get_bind()
    named = conn.execute(sa.select(table.c.id, table.c.name)).all()
    if named:
        change = sa.update(table).where(table.c.id == sa.bindparam("key"))
        rows = [{"key": key, "as": alike(name)} for key, name in named]
        conn.execute(change.values(alike=sa.bindparam("as")), rows)
