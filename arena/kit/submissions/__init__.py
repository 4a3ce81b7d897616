"""The commands about hosted bots: what an author uploads, and what becomes of it.

arena_client   the calls, blocking, and the arguments that say where and who
submit         bot submit: pack, upload, follow
following      what an author is told until it is accepted or refused
listing        bot submissions
source         bot source
rollback       bot rollback
runs           bot runs
output         bot output
"""
