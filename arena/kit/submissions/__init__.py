"""The commands for hosted bots.

arena_client   the blocking client, and the arguments for its address and token
submit         bot submit: pack, upload, follow its progress
listing        bot submissions
source         bot source
rollback       bot rollback
runs           bot runs
output         bot output
"""
