"""Having the arena play one's own bot: uploading the program, and what becomes of it.

taking    an upload, however it comes
index     the form, and the list of submissions
editor    writing a single file in the browser
detail    one submission: its state and log, its source, going back to it
"""
