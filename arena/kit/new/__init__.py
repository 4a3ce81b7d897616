"""`arena new`: a small bot to begin with, in one of several languages.

languages    what there is; a folder of `templates` for each
command      the command
"""
