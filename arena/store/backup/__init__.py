"""Backups: everything a database holds in one file, for SQLite and PostgreSQL alike.

archive  the format: writing it row by row, reading and checking it
files    a file that appears under its name when it is complete
save     database to file, from one snapshot, while the arena runs
restore  file to an empty database, in one transaction
"""

from arena.store.backup.archive import Contents, check_archive
from arena.store.backup.restore import restore_backup
from arena.store.backup.save import save_backup

__all__ = ["Contents", "check_archive", "restore_backup", "save_backup"]
