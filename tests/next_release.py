"""The next release: the current code with one more migration, in a separate folder."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.store import migrate
from arena.store.backup.format import tables_at

NOW, NEXT = migrate.HEAD, f"{int(migrate.HEAD) + 1:04}"
MOTTOS = f'''"""Bots have a motto, at first their name."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{NOW}"


def upgrade() -> None:
    """Adds the column and fills it."""
    op.add_column("bots", sa.Column("motto", sa.Text, nullable=False, server_default=""))
    op.execute("UPDATE bots SET motto = 'I am ' || name")
'''


@contextmanager
def next_release(folder: Path, migration: str = MOTTOS) -> Iterator[None]:
    """Makes this process one of the next release during the block."""
    before = migrate.MIGRATIONS
    install(folder, migration)
    try:
        yield
    finally:
        _set_head(NEXT, NOW)
        migrate.MIGRATIONS = before
        tables_at.cache_clear()


def install(folder: Path, migration: str = MOTTOS) -> None:
    """Makes this process one of the next release, with its migrations in the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(migrate.MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / f"{NEXT}_next.py").write_text(migration)
    _set_head(NOW, NEXT)
    migrate.MIGRATIONS = folder
    tables_at.cache_clear()


def _set_head(before: str, after: str) -> None:
    """Patches a value, including in modules that have imported it by name."""
    for name, module in [*sys.modules.items()]:
        if name.startswith(("arena.", "workers.")) and vars(module).get("HEAD") == before:
            vars(module)["HEAD"] = after
