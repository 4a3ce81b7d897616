"""The form for a new tournament, with a preview.

fields    the fields and their limits
form      the form as filled in
reading   validation of a submitted form
schedule  the number of matches
preview   the tournament as it would be created
view      the pages
"""
