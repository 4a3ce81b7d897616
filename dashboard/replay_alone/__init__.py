"""The pages of matches served alone, from a file of records: no database, no Redis, no accounts.

records   the file, and its matches as the pages want them
view      the list of matches
app       the application: that list, and the score sheet and the replay of the dashboard
serve     on this machine only
"""

from dashboard.replay_alone.app import create_replay_app
from dashboard.replay_alone.records import RecordFile
from dashboard.replay_alone.serve import serve

__all__ = ["RecordFile", "create_replay_app", "serve"]
