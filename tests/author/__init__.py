"""An author without a clone: a machine with Python, and the address of an arena.

newcomer              a script that takes a bot from an empty folder to an arena
recommended           the commands that pages, documentation, READMEs and errors recommend
reader                types the lines of a page
test_without_clone    all of them, in an empty environment and an empty folder
"""
