"""`arena new`: a small bot to begin with, in one of several languages.

languages    the languages; a folder of `templates` for each, and for hosted programs
names        which names a bot can have in a language
command      the command
"""
