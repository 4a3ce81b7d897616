"""Moves months of finished matches from the database to archives, and back.

ready    checks that nothing in a month can change
rows     reads the rows of a month, block by block
files    writes them to files, reads these back and compares them
save     archives a month
check    checks whole archives
restore  moves a month back into the database
"""

from arena.store.archiving.check import check_archive
from arena.store.archiving.ready import default_before, months_to_save
from arena.store.archiving.restore import restore_month
from arena.store.archiving.save import save_month

__all__ = ["check_archive", "default_before", "months_to_save", "restore_month", "save_month"]
