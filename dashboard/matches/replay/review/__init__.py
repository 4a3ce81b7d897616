"""The review of a match, as part of its replay."""
