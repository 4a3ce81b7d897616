"""Submitting the user's own bot to be hosted by the arena.

taking    accepting an upload
index     the upload form, and the list of submissions
editor    writing a single-file bot in the browser
detail    one submission: its state, log and source, and rolling back to it
"""
