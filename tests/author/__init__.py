"""Tests of an author without a clone: a machine with Python, and the URL of an arena.

newcomer              a script that takes a bot from an empty folder to an arena
recommended           the commands in pages, documentation, READMEs and errors
reader                types the lines of a page
test_without_clone    tests of all these in an empty environment and folder
"""
