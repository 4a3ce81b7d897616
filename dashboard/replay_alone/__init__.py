"""The pages of matches from a file of records, without a database, Redis or accounts.

records   the file as a source of matches
view      the list of matches
app       the application: this list, and the score sheet and replay of the dashboard
serve     the server, for the local machine only
"""

from dashboard.replay_alone.app import create_replay_app
from dashboard.replay_alone.records import RecordFile
from dashboard.replay_alone.serve import serve

__all__ = ["RecordFile", "create_replay_app", "serve"]
