"""The pages of matches from a file of records, without a database, Redis or accounts.

records   the file as a source of matches
app       the application: their list, and the score sheet and replay of the dashboard.
          Its server answers only this machine.
"""

from dashboard.replay_alone.app import create_replay_app, serve
from dashboard.replay_alone.records import RecordFile

__all__ = ["RecordFile", "create_replay_app", "serve"]
