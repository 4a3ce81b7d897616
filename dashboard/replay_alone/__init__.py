"""Match pages for a file of records, without database, Redis or accounts.

records   the file and its matches, in the form that the pages need
view      the list of matches
app       the application: that list, and the dashboard's match report and replay
serve     serving on loopback
"""

from dashboard.replay_alone.app import create_replay_app
from dashboard.replay_alone.records import RecordFile
from dashboard.replay_alone.serve import serve

__all__ = ["RecordFile", "create_replay_app", "serve"]
