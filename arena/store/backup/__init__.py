"""Backups: everything a database holds in one file, for SQLite and PostgreSQL alike.

format   what a backup is: writing it row by row, reading and checking it
save     database to file, from one snapshot, while the arena runs
restore  file to an empty database, in one transaction
"""

from arena.store.backup.format import Contents, check_backup
from arena.store.backup.restore import restore_backup
from arena.store.backup.save import save_backup

__all__ = ["Contents", "check_backup", "restore_backup", "save_backup"]
