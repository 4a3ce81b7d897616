"""Moves months of finished matches out of the database into archives, and back.

ready    whether nothing in a month changes any more
rows     the rows of a month, block by block
files    writes them to files, which are read back and compared
save     a month to files, and then out of the database
check    reads archives through
restore  a month back into the database
"""

from arena.store.archiving.check import check_archive
from arena.store.archiving.ready import default_before, months_to_save
from arena.store.archiving.restore import restore_month
from arena.store.archiving.save import save_month

__all__ = ["check_archive", "default_before", "months_to_save", "restore_month", "save_month"]
