"""Archives: files with the matches of whole months, which the database does not hold any more.

codec       a block of rows as bytes, column by column
layout      what is in an archive file, and what a match costs there
writing     a new file
file        one that is open: its blocks, and which of them have a match or a tournament
open_files  the few that this process keeps open
catalogue   which files there are, as the database knows them
needed      what of a tournament must not be archived yet

Months are moved there and back by `arena.store.archiving`.
"""
