"""Archives: files with the matches of whole months that were removed from the database.

codec       a block of rows as bytes, column by column
layout      the contents of an archive file, and writing one
open_files  reading the files: their blocks, and which of them contain a match or a tournament
catalogue   the list of files in the database, and what must not be archived yet

`arena.store.archiving` moves months there and back.
"""
