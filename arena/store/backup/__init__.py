"""Backups: the contents of a database in one file, for SQLite and PostgreSQL.

format   the file format: writing, reading and checking
save     database to file, from one snapshot, while the arena runs
restore  file to an empty database, in one transaction
"""

from arena.store.backup.format import Contents, check_backup
from arena.store.backup.restore import restore_backup
from arena.store.backup.save import save_backup

__all__ = ["Contents", "check_backup", "restore_backup", "save_backup"]
