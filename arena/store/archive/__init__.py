"""Archives: files with the matches of whole months that were removed from the database.

codec       a block of rows as bytes, column by column
layout      the contents of an archive file
writing     a new file
file        an open file: its blocks, and which of them contain a match or a tournament
open_files  the few files that this process keeps open
catalogue   the list of files in the database
needed      matches of a tournament that must not be archived yet

`arena.store.archiving` moves months there and back.
"""
