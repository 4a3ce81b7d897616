"""Playing oneself: sitting down at a table with bots, and the table seen from one's own seat.

guests       who sits here: an account, or a browser with a signed cookie
tables       a table is an unrated tournament of one match; making and finding them
table_state  where a table is, as its person may see it
at_table     the scene: the table with everybody's connection
story        what the others did since the person's last move
hints        what a person is told who asks for a hint
offers       the actions offered, in groups, each with its key
view         the pages
"""
