"""Submitting the user's own bot to be hosted by the arena.

taking    accepting an upload
view      the upload form, the list of submissions, and each submission
editor    writing a single-file bot in the browser
"""
