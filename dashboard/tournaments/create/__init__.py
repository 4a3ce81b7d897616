"""The form for a new tournament, with what it would be before it is made.

fields    what can be filled in
form      what is filled in
reading   what a browser sent, and what is missing or wrong in it
preview   the tournament that this would be
view      the pages
"""
