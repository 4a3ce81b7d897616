"""Moves months of finished matches from the database to archives, and back.

ready    checks that nothing in a month can change
save     archives a month: writes its files, reads them back and compares them
restore  checks whole archives, and moves a month back into the database
"""

from arena.store.archiving.ready import default_before, months_to_save
from arena.store.archiving.restore import check_archive, restore_month
from arena.store.archiving.save import save_month

__all__ = ["check_archive", "default_before", "months_to_save", "restore_month", "save_month"]
