"""The commands for hosted bots.

arena_client   the blocking client, and the arguments for its address and token
submit         bot submit: pack, upload, follow
following      progress of a submission until it is accepted or refused
listing        bot submissions
source         bot source
rollback       bot rollback
runs           bot runs
output         bot output
"""
